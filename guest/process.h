/* The process that we are a guest in: when it may be measured, its threads, forks and exit. */
#ifndef PRELOAD_GUEST_H
#define PRELOAD_GUEST_H

#include <stdbool.h>
#include <stdint.h>

struct wire_header;

/* True while this process has a channel (a forked child has none at first) and is not exiting. */
bool guest_active(void);
/* While on, guest_active() is false in this thread. Calls nest. */
void guest_bypass(bool on);
/* As guest_active(), and asks the kernel whether this is still the process that opened it. */
bool guest_still_here(void);
/* True in a forked child that has not asked for a channel of its own yet. */
bool guest_may_return(void);
/*
 * Once in a forked child that is about to be measured for itself: opens a channel of its own,
 * unless it is in a sandbox. `renew_locks` runs before guest_active() is true again.
 */
bool guest_return(void (*renew_locks)(void));
/* The channel; NULL unless guest_active(). */
struct wire_header *guest_channel(void);
/*
 * The channel of hardware counters, where the library can have one; NULL: nobody wants any. It is
 * guest_channel() as well where nothing else is wanted.
 */
struct wire_header *guest_counters(void);
/*
 * Once per process: `finish` runs when the program exits, unless exit() was called inside the
 * driver or in a signal handler. Called when the first context has started, so that the driver's
 * own exit handlers, which were registered before, run after it.
 */
void guest_at_exit(void (*finish)(void));
/*
 * Whether the calling process itself is about to execute another program, and GL may be called: not
 * a child that has its parent's memory, nor in a signal handler, within the driver or in a sandbox.
 */
bool guest_executes(void);

/*
 * A hook's body: saves errno and notes that this thread is inside the driver, where an exit
 * handler must not call GL.
 */
struct guest_visit {
	int saved_errno;
};
struct guest_visit guest_enter(void);
void guest_leave(struct guest_visit visit);
/* Around the driver's own call: what it leaves in errno is the program's. */
void guest_keep_errno(struct guest_visit *visit);
/* Before the driver's own call: errno as the program had it. */
void guest_restore_errno(const struct guest_visit *visit);

#endif
