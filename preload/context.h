/* The contexts of this process, and which one each thread has current. */
#ifndef PRELOAD_CONTEXT_H
#define PRELOAD_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/real/api.h"
#include "preload/sampler.h"

/* Drawables of a context that are kept with their sizes, to find the context of a swap. */
#define CONTEXT_DRAWABLES 8u

struct context {
	struct context *next;
	void *display, *handle;
	bool egl;
	bool current;	/* in some thread */
	bool destroyed; /* destroyed by the program while it was current */
	bool started;
	bool display_closed;  /* its display is closed: no GL calls at exit */
	bool swapping;	      /* inside of the driver's swap */
	uint64_t swapped_ns;  /* time of the last swap, or when it was first made current */
	bool swapped;	      /* it was swapped before */
	bool overtaken;	      /* another context swapped its drawable while it was not current */
	uint64_t resolve_ns;  /* earliest time to read results at glFinish() again */
	uint64_t released_ns; /* when it was last made not current, or 0 */
	uint64_t followed_ns; /* when another context was made current after that, or 0 */
	bool unflushed;	      /* GL_CONTEXT_RELEASE_BEHAVIOR is GL_NONE */
	uint64_t waited_ns;   /* spent at releases, except the first ones */
	uint32_t releases;
	uint64_t drawable;
	uint64_t drawables[CONTEXT_DRAWABLES];
	struct size sizes[CONTEXT_DRAWABLES], *size; /* size: of the current one */
	unsigned drawable_count;
	GLenum saved_error; /* the program's, until glGetError() reports it */
	struct api gl;
	struct channel_identity identity;
	struct sampler sampler;
};

/* Arguments of a make-current call. `context` is NULL for a release. */
struct binding {
	bool egl;
	void *display, *context;
	uint64_t drawable;
};

/* The calling thread's context when it is being measured, or NULL. */
struct context *context_current(void);
/* Its sampler, or NULL if it is not started. */
struct sampler *context_sampler(void);

/* Before and after the driver's make-current. */
void context_before_bind(const struct binding *binding);
void context_after_bind(const struct binding *binding, bool done);

/* Before and after a call that submits work: a flush, finish, fence, map or read-back. */
void context_flush(bool before);
/* Before glFinish(); true: call the other one after it. */
bool context_before_finish(void);
void context_after_finish(void);
/* Before and after the driver's swap; `done`: it succeeded. */
void context_before_swap(uint64_t drawable);
/* If the thread has no current context, the frame is that of the drawable's last context. */
void context_after_swap(bool egl, uint64_t drawable, bool done);

/* The program has created a context; its handle may have been used before. */
void context_created(bool egl, void *handle);
/* Before the driver destroys a context, or (handle NULL) all contexts of an EGL display. */
void context_destroying(bool egl, void *display, void *handle);
/* Before execve(), and after it has failed. */
void context_before_exec(void);
void context_after_exec(void);
/* Before an X display is closed: reads the results of its contexts. */
void context_display_closing(void *display);

/* Whether contexts of this process are measured; not in a child of a process that has one. */
bool contexts_may_begin(void);
/* The context of a binding, created if it is new, and marked as current. NULL: no memory. */
struct context *contexts_acquire(const struct binding *binding);
/* Sets the calling thread's current context, or none (NULL). */
void contexts_set_mine(struct context *context);
/* Marks it as not current, and frees it if the program has destroyed it. */
void contexts_release(struct context *context);
/* Whether the program has destroyed it. */
bool contexts_is_destroyed(const struct context *context);
/* Marks the drawable's other contexts as overtaken by the one that swapped. */
void contexts_overtake(const struct context *by);
/* Ends the frame of the context that last drew to a drawable, if no thread has it current. */
void contexts_swap_idle(uint64_t drawable, bool egl);
/* Removes and returns the context, current in no thread, that ended its work first; or NULL. */
struct context *contexts_take_idle(void);
/* Writes its last samples and frees it. It must be in no list and not current. */
void contexts_dispose(struct context *context);

#endif
