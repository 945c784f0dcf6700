/*
 * The OpenCL layer: what its files share. The program's commands go to the driver as they are, with
 * an event of ours where the program wants none; when a command has ended, its event is asked for
 * its times. Nothing waits but the program's exit, for the command to read, and no driver is called
 * while a lock is held.
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

/* entry.c: puts our functions into a table. */
void layer_hook(cl_icd_dispatch *table);
/* preload.c: a loader has asked for the layer. */
void preload_not_needed(void);

/* A command that the program has put into a queue. */
struct command {
	struct wire_counted counts;
	bool ours;		      /* the program does not have the event */
	uint64_t before_ns, after_ns; /* the program's call */
	cl_event event;		      /* NULL: it is counted, and not timed */
};

/* Commands that have not ended, or that the channel had no room for; zero, and its lock made. */
struct pending {
	pthread_mutex_t lock; /* no driver is called within */
	struct command *items;
	uint32_t cap;	     /* atomic; of items, a power of two; changed under the lock */
	uint32_t head, tail; /* atomic; behind each other by what is there */
	uint32_t missed;     /* atomic; those that there was no memory for, and the like */
};

struct queue {
	struct queue *next;
	cl_command_queue handle; /* atomic; NULL: may be used for another queue */
	uint32_t references;	 /* atomic; of the program; 0: released, commands may still run */
	bool wants_profiling;	 /* the program asked for profiling itself */
	bool profiled;		 /* the driver takes the times of its commands */
	cl_queue_properties properties[32]; /* as the program gave them */
	uint32_t property_count;	    /* with the 0 at their end; 0: no list */
	bool draining;			    /* atomic: by one thread at a time */
	uint32_t skip;			    /* atomic; commands to come that are not timed */
	struct pending pending;
	/* Of the one who drains. */
	uint64_t full_ns;    /* atomic; since when the channel has had no room; 0: it has */
	uint64_t drained_ns; /* atomic */
	cl_device_id device;
	uint32_t number;	    /* of the next command */
	struct wire_record counted; /* commands that were counted, until it is written */
	uint32_t counted_count;	    /* atomic; of these */
	struct channel_stream stream;
	struct channel_identity identity;
};

/* queue.c: hooks, and finding a queue of the program that is watched; NULL: none. */
struct queue *queue_find(cl_command_queue handle);
/* The same of one that was released, or is not watched. */
struct queue *queue_find_any(cl_command_queue handle);
/* One that is watched, whichever; NULL: there is none. */
struct queue *queue_any(void);
/* The next queue in the list that has commands left, or that the program has released. */
struct queue *queue_next(const struct queue *after, bool only_released);
/* References to an event of the program's that are ours. */
cl_uint queue_holds(cl_event event);
/* The queue has nothing left: one that the program has released may be used for another. */
void queue_retire(struct queue *queue);
void queue_hooks(cl_icd_dispatch *table);

/* pending.c: whether nothing is there. */
bool pending_none(const struct pending *pending);
/* Keeps a command; false: there is no memory, and it counts as lost. */
bool pending_push(struct pending *pending, const struct command *command);
/* How many are there. */
uint32_t pending_count(const struct pending *pending);
/* Counts one that cannot be kept. */
void pending_miss(struct pending *pending);
/* How many were lost since the last time. */
uint32_t pending_take_missed(struct pending *pending);
/* A copy of the oldest, which stays until it is taken away; false: there is none. */
bool pending_front(struct pending *pending, struct command *out);
void pending_pop(struct pending *pending);
/* References to an event that are ours. */
cl_uint pending_holds(struct pending *pending, cl_event event);

/* drain.c: reads the times of all commands that have ended, of this queue, of those that the
 * program has released, of all, or of all until they are where the command reads them. */
void queue_drain(struct queue *queue);
void queue_drain_released(void);
void queue_drain_all(void);
void queue_drain_last(void);
/* After a command was put into it: the same, but not each time. `now_ns`: 0 where it is unknown. */
void queue_drain_some(struct queue *queue, uint64_t now_ns);

/* sampling.c: which commands are timed, so that it costs no more than it may. */
void sampling_start(void);
/* Whether the next command is; *now_ns: the time, where it is. */
bool sampling_selects(struct queue *queue, uint64_t *now_ns);
/* Our own code took that long for so many commands, or (0) for those of before. */
void sampling_spend(uint64_t own_ns, uint32_t commands);
/*
 * Whether what our own code takes in this call is measured, as it is in one of so many, so that the
 * command knows what all of them took. Where it is: the time.
 */
bool sampling_probes(uint64_t *now_ns);
/* It took that long, up to now. */
void sampling_probed(uint64_t own_ns, uint64_t now_ns);
/* What our own code took elsewhere. */
void sampling_add_own(uint64_t own_ns);

/* events.c */
void events_hooks(cl_icd_dispatch *table);
/* Turns a command that has ended into a record; false: its times are not known. */
bool events_record(struct queue *queue, const struct command *command, struct wire_record *out);

/* commands.c: around each call that enqueues. */
struct enqueue {
	struct queue *queue; /* NULL: not watched */
	bool timed;
	bool probed;
	cl_event own, *theirs;
	uint64_t before_ns;
	uint64_t probe_ns,
	    spent_ns; /* of one that is probed: begun; what it took before the driver */
	struct guest_visit visit;
};
/* What to give to the driver as the place for the event. */
cl_event *enqueue_begin(struct enqueue *enqueue, cl_command_queue queue, cl_event *event);
/* `name` is the command's; with a kernel, NULL. Returns its status. */
cl_int enqueue_end(struct enqueue *enqueue, cl_int status, const struct wire_counted *counts,
		   const char *name);
uint64_t region_bytes(const size_t *region, size_t element);
/* images.c: 0: the driver does not tell. */
uint64_t image_region_bytes(cl_mem image, const size_t *region);
/* The label of a kernel's name, or of `name` where it is given. */
uint32_t command_label(cl_kernel kernel, const char *name);
/* What a launch of these sizes is. */
void command_size(struct wire_counted *c, cl_uint dimensions, const size_t *global,
		  const size_t *local);
/* Bytes that a mapping makes visible: remembered until it is undone. */
void mapping_keep(const void *address, uint64_t bytes);
/* What undoing it does: a write, or nothing where the program could not write there. */
void mapping_take(const void *address, struct wire_counted *out);
void commands_hooks(cl_icd_dispatch *table);

/* command_buffers.c: command buffers (cl_khr_command_buffer). */
void command_buffers_hooks(cl_icd_dispatch *table);

void buffers_hooks(cl_icd_dispatch *table);
void images_hooks(cl_icd_dispatch *table);

#endif
