/*
 * Where programs fetch their channels: a socket in a folder of the user's, served by a thread, so
 * that a program which starts waits for nobody. Each one gets memory of its own, sealed: no program
 * can change its size under the reader, or reach another's.
 */
#ifndef SOURCE_GUEST_HANDOVER_H
#define SOURCE_GUEST_HANDOVER_H

#include <pthread.h>
#include <sys/types.h>
#include <sys/un.h>

#include <sextant/status.h>
#include "base/sys.h"
#include "source/guest/channel.h"

/* A program that has fetched its channel. */
struct newcomer {
	pid_t pid;
	int pidfd;	  /* or -1 where the kernel has none */
	uint64_t came_ns; /* CLOCK_MONOTONIC, before it had its channel */
	struct wire_header *memory;
	uint32_t ring;	     /* records of the channel's ring */
	uint32_t value_most; /* values of a sample; 0: the usual number */
};

struct handover {
	char folder[96];
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int listener, wake[2];
	int news[2]; /* readable while somebody is in the queue */
	pthread_t thread;
	bool open, running;
	pthread_mutex_t lock;
	struct channel_wish wish; /* under lock, as all that follows */
	struct newcomer *queue;
	size_t count, cap, taken;
	bool told;	  /* there is a byte in `news` */
	uint64_t refused; /* programs that there was no memory or descriptor for */
};

/*
 * Makes the folder and the socket, and starts the thread. Errors: SX_ERR_IO, SX_ERR_NO_MEMORY. Not
 * to be moved in memory while open.
 */
enum sx_status handover_open(struct handover *handover, const struct sx_sys *sys,
			     const struct channel_wish *wish, struct sx_error *err);
/* What programs that come from now on are asked for. */
void handover_set_wish(struct handover *handover, const struct channel_wish *wish);
/* The next program that came; what it holds is the caller's. */
bool handover_take(struct handover *handover, struct newcomer *out);
/* A descriptor that is readable while there is a next one. */
int handover_descriptor(const struct handover *handover);
uint64_t handover_refused(struct handover *handover);
/* Stops, and removes socket and folder. Not opened, or zero: nothing happens. */
void handover_close(struct handover *handover);

#endif
