/* The list of this process's contexts. */
#ifndef PRELOAD_CONTEXTS_H
#define PRELOAD_CONTEXTS_H

#include "preload/context/context.h"

/* Whether this process may have a context of its own: a child of one that has does not. */
bool contexts_may_begin(void);
/* The one that is bound, a new one at its first time; it is current now. NULL: no memory. */
struct context *contexts_acquire(const struct binding *binding);
/* The calling thread has it current, or none (NULL). */
void contexts_set_mine(struct context *context);
/* It is current no more; one that the program has destroyed goes. */
void contexts_release(struct context *context);
/* Whether the program has destroyed it. */
bool contexts_is_doomed(const struct context *context);
/* The drawable's other contexts take turns with the one that swapped. */
void contexts_overtake(const struct context *by);
/* Ends the frame of the context that drew into a drawable last, if it is current nowhere. */
void contexts_swap_idle(uint64_t drawable, bool egl);
/* The one whose work was over first of those that are current in no thread, out of the list. */
struct context *contexts_take_idle(void);
/* Hands over what it has and frees it. It is in no list, and current nowhere. */
void contexts_dispose(struct context *context);

#endif
