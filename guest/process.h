/* The measured process, in which this library is injected: when it is measured, forks, exit. */
#ifndef PRELOAD_GUEST_H
#define PRELOAD_GUEST_H

#include <stdbool.h>
#include <stdint.h>

struct wire_header;

/* Whether this process has a channel and is not exiting. A forked child has none at first. */
bool guest_active(void);
/* While true, guest_active() is false in this thread. Calls nest. */
void guest_bypass(bool on);
/* As guest_active(), and checks that this is the process that opened the channel. */
bool guest_check_active(void);
/* Whether this is a forked child that has not requested its own channel. */
bool guest_may_reopen(void);
/*
 * Opens a forked child's own channel, once, unless it is in a sandbox. Calls `renew_locks` before
 * guest_active() becomes true.
 */
bool guest_reopen(void (*renew_locks)(void));
/* The channel; NULL unless guest_active(). */
struct wire_header *guest_channel(void);
/*
 * The channel of hardware counters; NULL: none are wanted. If nothing else is wanted, it is
 * guest_channel(), too.
 */
struct wire_header *guest_counters(void);
/*
 * Calls `finish` when the program exits, unless exit() was called inside the driver or in a signal
 * handler. To be called after the first context was created: exit handlers run in reverse order, so
 * the driver's then run after ours.
 */
void guest_at_exit(void (*finish)(void));
/*
 * Whether GL may be called before execve(): not in a vfork() child, a signal handler, the driver or
 * a sandbox.
 */
bool guest_executes(void);

/*
 * The code of a hook: guest_enter() saves errno and marks this thread as inside the driver, where
 * an exit handler must not call GL.
 */
struct guest_visit {
	int saved_errno;
};
struct guest_visit guest_enter(void);
void guest_leave(struct guest_visit visit);
/* After the driver's call: guest_leave() will restore the errno that the driver has set. */
void guest_keep_errno(struct guest_visit *visit);
/* Before the driver's call: restores the program's errno. */
void guest_restore_errno(const struct guest_visit *visit);

#endif
