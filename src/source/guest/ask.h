/* Drivers may print, hang or crash when they are asked something, so that a forked child asks. */
#ifndef SOURCE_GUEST_ASK_H
#define SOURCE_GUEST_ASK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs `ask` in a child of its own, which is silent, has the user's own rights and no LD_PRELOAD,
 * and is killed after half of deadline_ms, when another one is asked, and that after all of it.
 * What it writes to the descriptor goes to `out`, at most `cap` bytes. Returns how many; 0 when it
 * returned false, ended otherwise, or took too long.
 */
size_t guest_ask(bool (*ask)(int to, void *user), void *user, int deadline_ms, void *out,
		 size_t cap);

#endif
