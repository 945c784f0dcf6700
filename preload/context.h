/* The contexts of this process, and which one each thread has current. */
#ifndef PRELOAD_CONTEXT_H
#define PRELOAD_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/real/api.h"
#include "preload/sampler.h"

/* Drawables remembered, to tell whose swap it is, with their sizes. */
#define CONTEXT_DRAWABLES 8u

struct context {
	struct context *next;
	void *display, *handle;
	bool egl;
	bool current; /* in some thread */
	bool doomed;  /* destroyed by the program, released later */
	bool started;
	bool display_closed;  /* no GL any more when the program exits */
	bool swapping;	      /* between the two halves of a swap */
	uint64_t swapped_ns;  /* when it was last swapped, or first current, */
	bool swapped;	      /* which of the two */
	bool overtaken;	      /* another one has swapped its drawable while it was not current */
	uint64_t resolve_ns;  /* when what is done may be read again */
	uint64_t released_ns; /* when it was last made not current, or 0 */
	uint64_t followed_ns; /* when another one was made current after that, or 0 */
	bool unflushed;	      /* it asked not to be flushed when it is released */
	uint64_t waited_ns;   /* at releases, so far; of the first ones, nothing */
	uint32_t releases;
	uint64_t drawable;
	uint64_t drawables[CONTEXT_DRAWABLES];
	struct size sizes[CONTEXT_DRAWABLES], *size; /* size: of the one that is current */
	unsigned drawable_count;
	GLenum saved_error; /* raised by the program before we came, not yet told */
	struct api gl;
	struct channel_identity identity;
	struct sampler sampler;
};

/* What a call makes current. `context` is NULL for a release. */
struct binding {
	bool egl;
	void *display, *context;
	uint64_t drawable;
};

/* The calling thread's context when it is being measured, or NULL. */
struct context *context_current(void);
/* Its sampler, once it was started; or NULL. */
struct sampler *context_sampler(void);

/* Around the driver's make-current. `before` says what to hand to the second half. */
void context_before_bind(const struct binding *binding);
void context_after_bind(const struct binding *binding, bool done);

/* The program hands its work over, `before` and after: a flush, finish, fence, map or read-back. */
void context_hand_over(bool before);
/* Around the driver's finish, which does all of it: whether anything is to be done after it. */
bool context_before_finish(void);
void context_after_finish(void);
/* Around the driver's swap, which is `done` or failed. */
void context_before_swap(uint64_t drawable);
/* Without a context of the thread's own, the frame is that of the drawable's idle one. */
void context_after_swap(bool egl, uint64_t drawable, bool done);

/* The program made a context: a handle that was used before is a new one now. */
void context_created(bool egl, void *handle);
/* Before the driver destroys a context, or with handle NULL all those of an EGL display. */
void context_destroying(bool egl, void *display, void *handle);
/* The program is about to execute another one; that failed. */
void context_before_exec(void);
void context_after_exec(void);
/* Before an X display is closed: the last moment to read what hangs on it. */
void context_display_closing(void *display);

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
