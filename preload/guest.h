/* The process that we are a guest in: when it may be measured, its threads, forks and exit. */
#ifndef PRELOAD_GUEST_H
#define PRELOAD_GUEST_H

#include <stdbool.h>
#include <stdint.h>

struct gl_wire_header;

/* True while this process has a channel, is not a forked child, and is not exiting. */
bool guest_active(void);
/* As guest_active(), and asks the kernel whether this is still the process that opened it. */
bool guest_still_here(void);
/* The channel; NULL unless guest_active(). */
struct gl_wire_header *guest_channel(void);
/* Which window system binds contexts here: that of the last one bound. */
bool guest_uses_egl(void);
void guest_set_egl(bool egl);
/* Makes sure that the exit handler stands behind the driver's own. Called when a context starts. */
void guest_arm_exit(void);

uint64_t guest_now_ns(void); /* CLOCK_MONOTONIC */
uint64_t guest_cpu_ns(void); /* CPU time of the process */

/*
 * A hook's body: saves errno and notes that this thread is inside the driver, where an exit
 * handler must not call GL.
 */
struct guest_visit {
	int saved_errno;
};
struct guest_visit guest_enter(void);
void guest_leave(struct guest_visit visit);
bool guest_inside(void);
/* Around the driver's own call: what it leaves in errno is the program's. */
void guest_keep_errno(struct guest_visit *visit);
/* Before the driver's own call: errno as the program had it. */
void guest_restore_errno(const struct guest_visit *visit);

#endif
