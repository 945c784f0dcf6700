/*
 * The OpenCL layer: declarations that its files share. The program's commands go to the driver
 * unchanged, with an event of ours if the program wants none. After a command has completed, the
 * layer reads its times from the event. Only the program's exit waits, for the reader of the
 * channel. No driver is called while a lock is held.
 */
#ifndef LAYER_OPENCL_LAYER_H
#define LAYER_OPENCL_LAYER_H

#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdbool.h>

#include "guest/channel.h"
#include "guest/process.h"
#include "wire/counted.h"

/* The next layer's functions, or the driver's. */
extern cl_icd_dispatch layer_next;

/* entry.c: replaces functions of a table by ours. */
void layer_hook(cl_icd_dispatch *table);
/* preload.c: the loader supports layers, so that no driver's table is changed. */
void preload_not_needed(void);

/* A command that the program has enqueued. */
struct command {
	struct wire_counted counts;
	bool ours;		      /* the program did not ask for the event */
	uint64_t before_ns, after_ns; /* around the driver's call */
	cl_event event;		      /* NULL: counted, not timed */
};

/*
 * A ring of commands that have not completed, or for which the channel has no room.
 * Zero-initialise, and initialise the lock.
 */
struct pending {
	pthread_mutex_t lock; /* no driver is called while it is held */
	struct command *items;
	uint32_t cap;	     /* atomic; of `items`, a power of two; changed under the lock */
	uint32_t head, tail; /* atomic; head - tail commands are in it */
	uint32_t missed;     /* atomic; commands that could not be kept */
};

struct queue {
	struct queue *next;
	cl_command_queue handle; /* atomic; NULL: free for another queue */
	uint32_t references;  /* atomic; the program's; 0: released, but commands may be pending */
	bool wants_profiling; /* the program enables profiling */
	bool profiled;	      /* profiling is enabled, by the program or by us */
	cl_queue_properties properties[32]; /* the program's */
	uint32_t property_count;	    /* with the terminating 0; 0: no list */
	bool draining;			    /* atomic; one thread at a time drains it */
	uint32_t skip;			    /* atomic; the next commands that are not timed */
	struct pending pending;
	/* Used by the draining thread. */
	uint64_t full_ns;    /* atomic; since when the channel is full; 0: it is not */
	uint64_t drained_ns; /* atomic */
	cl_device_id device;
	uint32_t number;	    /* of the next command */
	struct wire_record counted; /* sums counted commands until it is written */
	uint32_t counted_count;	    /* atomic; commands in `counted` */
	struct channel_stream stream;
	struct channel_identity identity;
};

/* queue.c: the record of a profiled queue; NULL: none. */
struct queue *queue_find(cl_command_queue handle);
/* The same, also if it is released or not profiled. */
struct queue *queue_find_any(cl_command_queue handle);
/* Any profiled queue; NULL: there is none. */
struct queue *queue_any(void);
/* The next queue of the list that has commands, or that the program has released. */
struct queue *queue_next(const struct queue *after, bool only_released);
/* How many references to an event are ours. */
cl_uint queue_holds(cl_event event);
/* Frees the record of a released queue without commands for another queue. */
void queue_retire(struct queue *queue);
void queue_hooks(cl_icd_dispatch *table);

/* pending.c: whether it is empty. */
bool pending_none(const struct pending *pending);
/* Appends a command; false: no memory, and it counts as lost. */
bool pending_push(struct pending *pending, const struct command *command);
/* Commands in it. */
uint32_t pending_count(const struct pending *pending);
/* Counts a command that could not be kept. */
void pending_miss(struct pending *pending);
/* Those commands since the last call. */
uint32_t pending_take_missed(struct pending *pending);
/* Copies the oldest command, which remains until pending_pop(); false: it is empty. */
bool pending_front(struct pending *pending, struct command *out);
void pending_pop(struct pending *pending);
/* How many commands of it refer to an event. */
cl_uint pending_holds(struct pending *pending, cl_event event);

/*
 * drain.c: writes records of completed commands: of one queue, of released queues, of all queues,
 * and at exit of all queues, until the reader has room for them.
 */
void queue_drain(struct queue *queue);
void queue_drain_released(void);
void queue_drain_all(void);
void queue_drain_last(void);
/* The same after a command was enqueued, but only now and then. `now_ns`: 0 if unknown. */
void queue_drain_some(struct queue *queue, uint64_t now_ns);

/* sampling.c: chooses the commands that are timed, within the overhead limit. */
void sampling_start(void);
/* Whether the next command is timed; then *now_ns is the time. */
bool sampling_selects(struct queue *queue, uint64_t *now_ns);
/* Charges time of our own code for new commands; 0 commands: for earlier ones. */
void sampling_spend(uint64_t own_ns, uint32_t commands);
/* Whether our own time in this call is measured, as an estimate for all; then *now_ns is the time.
 */
bool sampling_probes(uint64_t *now_ns);
/* Adds the measured time, as of now_ns, to the channel. */
void sampling_probed(uint64_t own_ns, uint64_t now_ns);
/* Adds time of our own code outside of such calls. */
void sampling_add_own(uint64_t own_ns);

/* events.c */
void events_hooks(cl_icd_dispatch *table);
/* Makes a record of a completed command; false: the driver has no times of it. */
bool events_record(struct queue *queue, const struct command *command, struct wire_record *out);

/* commands.c: state around a clEnqueue* call. */
struct enqueue {
	struct queue *queue; /* NULL: not profiled */
	bool timed;
	bool probed;
	cl_event own, *theirs;
	uint64_t before_ns;
	uint64_t probe_ns,
	    spent_ns; /* of a probed call: its begin; our time before the driver's call */
	struct guest_visit visit;
};
/* Returns the event pointer for the driver's call. */
cl_event *enqueue_begin(struct enqueue *enqueue, cl_command_queue queue, cl_event *event);
/* `name`: of the function; NULL for kernels, which `counts` labels. Returns the status. */
cl_int enqueue_end(struct enqueue *enqueue, cl_int status, const struct wire_counted *counts,
		   const char *name);
uint64_t region_bytes(const size_t *region, size_t element);
/* images.c; 0: the driver does not report it. */
uint64_t image_region_bytes(cl_mem image, const size_t *region);
/* The label of `name`, or of the kernel's name if that is NULL. */
uint32_t command_label(cl_kernel kernel, const char *name);
/* Sets work-items and work-groups. */
void command_size(struct wire_counted *c, cl_uint dimensions, const size_t *global,
		  const size_t *local);
/* Records the bytes of a writable mapping until it is unmapped. */
void mapping_keep(const void *address, uint64_t bytes);
/* Counts the unmapping as a write if the mapping was writable. */
void mapping_take(const void *address, struct wire_counted *out);
void commands_hooks(cl_icd_dispatch *table);

/* command_buffers.c: cl_khr_command_buffer. */
void command_buffers_hooks(cl_icd_dispatch *table);

void buffers_hooks(cl_icd_dispatch *table);
void images_hooks(cl_icd_dispatch *table);

#endif
