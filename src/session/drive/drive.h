/* Shared by the files of a run. */
#ifndef SESSION_DRIVE_DRIVE_H
#define SESSION_DRIVE_DRIVE_H

#include "session/session.h"

#define DRIVE_PATIENCE_NS UINT64_C(10000000000) /* with a program that was asked to end */

/* Keeps the error that came first. */
static inline void drive_keep_first(struct sx_error *first, const struct sx_error *why)
{
	if (!first->message[0])
		*first = *why;
}

/* One turn over all sources, each a bounded number of times; whether anything came (take.c). */
bool take_turn(struct sx_session *s);

/* Waits until something may have come, at most this long; -1: as long as it takes (wait.c). */
void wait_for_any(struct sx_session *s, int timeout_ms);
void wait_close(struct sx_session *s);

/* Stops every source; read() then gives what is left (end.c). */
void session_stop_devices(struct sx_session *s);
/* Whether as many samples came as were asked for. */
bool end_samples_reached(const struct sx_session *s);
/* Whether the run is over; what measures the machine is stopped where the program has ended. */
bool end_is_due(struct sx_session *s);
/* Takes what was collected before the sources stopped. */
void end_drain(struct sx_session *s);
/* A limit ends the run of a child that would go on. */
void end_child(struct sx_session *s);

/* What is known of the devices while they run (conclude.c). */
void conclude_so_far(struct sx_session *s);
/* The public face of a device after a run; the first failure of all is the run's (conclude.c). */
void conclude_device(struct sx_session *s, uint32_t index, struct sx_error *first);

#endif
