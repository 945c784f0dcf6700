/*
 * What the layer knows of instances, devices and command buffers. Recording takes no lock: the
 * specification lets one thread record a command buffer at a time. Samples and results of a device
 * are under its lock, for which submissions and presentations do not wait: see samples/queue_ops.c.
 */
#ifndef LAYER_VULKAN_LAYER_H
#define LAYER_VULKAN_LAYER_H

#include <pthread.h>
#include <vulkan/vk_layer.h>

#include "guest/channel.h"
#include "guest/pace.h"
#include "layer/vulkan/dispatch.h"
#include "layer/vulkan/driver.h"

#define FAMILIES_MAX   DRIVER_FAMILIES
#define QUEUES_MAX     16u   /* whose busy time is told apart */
#define FRAMES_FIRST   256u  /* samples whose results are still to come; a power of two, */
#define FRAMES_MOST    8192u /* as are these, if there is memory */
#define SWAPCHAINS_MAX 16u
#define STREAMS	       4u
#define CHUNK_SLOTS    16u /* queries of each type that a command buffer takes at a time */
#define BLOCK_SLOTS    1024u
#define BLOCK_CHUNKS   (BLOCK_SLOTS / CHUNK_SLOTS)
#define READ_CHUNKS    16u /* of queries that are read at once, at most */
#define READ_VALUES    14u /* of one query, with its availability */
#define LABELS_MAX     64u /* nested */
#define QUEUE_LABELS   16u /* nested, that a queue keeps from one command buffer to the next */
#define LABEL_OUTSIDE  UINT32_MAX /* in no group, whatever the queue has open */

struct instance {
	VkInstance handle;
	PFN_vkGetInstanceProcAddr next_proc;
	struct instance_functions next;
	uint32_t version; /* of the API that the program asked for */
};

/* Queries by how they are begun; each has pools of its own. */
enum query {
	QUERY_STATISTICS,
	QUERY_COMPUTE, /* the statistic of queue families that cannot draw */
	QUERY_OCCLUSION,
	QUERY_GENERATED,
	QUERY_STREAM,
	QUERY_TIMESTAMPS = QUERY_STREAM + STREAMS, /* two slots each */
	QUERY_TYPES,
	QUERY_DRIVER = QUERY_TYPES, /* of the driver's own counters; see driver.h */
};
#define QUERY_BIT(type)	  (1u << (type))
#define QUERY_ALL_STREAMS (((1u << STREAMS) - 1) << QUERY_STREAM)
/* An active query of these is inherited by secondary command buffers. */
#define QUERY_INHERITED                                                                            \
	(QUERY_BIT(QUERY_STATISTICS) | QUERY_BIT(QUERY_COMPUTE) | QUERY_BIT(QUERY_OCCLUSION))

/* What commands did, by counting them. */
struct tally {
	uint64_t draws, dispatches, barriers, passes;
	uint64_t moved; /* bytes that were copied or filled */
};

struct query_chunk {
	struct query_chunk *next; /* in the list of free ones */
	struct query_block *block;
	uint32_t first;	  /* slot */
	uint32_t used;	  /* slots, of the type that is read now */
	uint64_t reading; /* in which it may be read: the device is through with it */
};

/* Pools of BLOCK_SLOTS queries; command buffers take chunks of it. */
struct query_block {
	struct query_block *next;
	VkQueryPool pools[QUERY_TYPES];
	struct query_chunk chunks[BLOCK_CHUNKS];
	/* Results that command buffers copy themselves; NULL: they are asked for. */
	VkBuffer buffer;
	VkDeviceMemory memory;
	const uint64_t *copies;
};

/* A stretch of a command buffer that is a sample of its own, or all of it. */
struct span {
	uint32_t label; /* id, 0, or LABEL_OUTSIDE; below those that the queue has open */
	uint32_t ended; /* of these, before it */
	/* Query types, as bits, that did not count here: out of memory or slots; */
	uint32_t lost;
	/* valid usage forbids them, in a suspended rendering or around secondary command buffers;
	 */
	uint32_t disallowed;
	/* the program had a query of the type active. */
	uint32_t disturbed;
	struct tally tally;
};

/* One query that a command buffer runs. */
struct query_use {
	uint8_t type;
	bool ended;
	bool copied;   /* what another query counted is copied to where results of this slot go */
	uint32_t slot; /* of the command buffer, over its chunks */
	uint32_t span;
	uint32_t bits; /* statistics of the program's query, or 0 */
};

/* A query of the program, where ours gave way. */
struct program_query {
	VkQueryPool pool;
	uint32_t number, types, type; /* of ours: that give way, and that counts the same */
	uint32_t bits;		      /* statistics */
	uint32_t span;		      /* where it began */
	bool open;
};

struct execution;
struct snapshot;

/* A secondary command buffer, and the span of the one that runs it. */
struct child {
	struct command *command;
	uint32_t span;
	bool copied; /* its results are copied by the one that runs it */
	bool due;    /* that is still to do, behind the pass, */
	bool ran;    /* in which it has run */
};

struct command_pool {
	VkCommandPool handle;
	uint32_t family;
	bool untracked; /* its buffers are not measured: protected, or no queue that computes */
	struct command *commands;
};

struct command {
	struct device *device;
	struct command_pool *pool;
	struct command *next, *previous; /* in the pool's list */
	VkCommandBuffer handle;
	bool untracked; /* stands for those of which we know nothing; never written to */
	bool secondary; /* its queries are those of the primary that runs it */
	bool measured;	/* queries run, beside the stamps */
	bool prepared;	/* the chunk was reset in this recording */
	bool in_pass, inline_pass;
	bool suspended; /* a rendering in parts, between which none of ours may be recorded */
	bool suspends;	/* another part will follow */
	bool resumes;	/* it goes on with one of another command buffer */
	bool used_feedback;
	bool feedback_active; /* transform feedback is active */
	bool recorded;	      /* before this recording */
	bool one_time;	      /* each recording is submitted once */
	bool had_children;    /* it runs secondary ones */
	bool host_resets;     /* its queries are reset before each submission, not by commands */
	bool ran_untracked;   /* it ran a secondary one of which nothing is known */
	bool sets_event;      /* an event stands behind all, so that its end can be seen */
	bool simultaneous;    /* it may be submitted while it runs */
	bool copied;	      /* secondary: its queries are copied after each run, and reset */
	bool continues_pass;  /* secondary, with RENDER_PASS_CONTINUE_BIT */
	bool copies;	      /* results are copied in it, by us */
	bool multi_queue;     /* secondary: pending on several queues; under the device's lock */
	bool ran;	      /* this recording was submitted before; under the device's lock */
	bool overlapped;      /* runs several times at once: whose results are there nobody knows */
	/* Query types, by where they are begun: outside or inside of render passes. */
	uint32_t outside, inside;
	uint32_t streams;      /* query types of transform feedback */
	uint32_t inherited;    /* active for secondary command buffers that are executed now */
	uint32_t open;	       /* queries that run */
	uint32_t program_open; /* queries of the program that run */
	uint32_t program_used; /* that the program ran in this recording */
	struct program_query *program; /* those that have no copy yet */
	uint32_t program_count, program_cap;
	uint32_t can_inherit; /* secondary: query types that may be active as it is executed */
	uint32_t slots[QUERY_TYPES]; /* used */
	uint32_t driver_slots;
	struct driver_pool *driver_pool; /* of the last recording that counted so */
	uint32_t label, labels;		 /* of the frame: the first label; how many at the top */
	uint32_t label_ended;		 /* of those that the queue had open: as the first began */
	uint32_t ended;			 /* so far */
	uint32_t label_depth;
	uint32_t label_stack[LABELS_MAX];
	struct query_chunk **chunks;
	uint32_t chunk_count;
	struct query_use *uses;
	uint32_t use_count, use_cap;
	struct span *spans;
	uint32_t span_count, span_cap;
	struct span *now; /* the last of them, or `none` */
	struct span none;
	struct child *children; /* that it runs, with queries of their own */
	uint32_t child_count, child_cap;
	uint32_t due; /* the first that is: of the pass that runs */
	VkEvent done;
	struct tally tally;	   /* of all spans */
	struct execution *pending; /* the last one; atomic; changed under the device's lock */
	uint32_t unread;	   /* secondary: as `pending`, how many; atomic */
	uint32_t unsampled;	   /* atomic; submissions of it that no sample has yet */
	/* What runs while it runs again; under the device's lock. */
	VkQueue queue; /* that it was last submitted to */
	struct snapshot *snapshots;
	struct snapshot *idle;			 /* of these, those that are free again */
	struct snapshot *planned, **planned_end; /* for executions that are on their way */
	struct snapshot *reset_by; /* its event is the last execution's once this one has run */
	uint32_t waits;		   /* executions that have a snapshot and have not ended */
};

/*
 * Results of one execution that are copied before the command buffer runs again, by a command
 * buffer of ours in front of its next submission.
 */
struct snapshot {
	struct snapshot *next;	/* in the list of all */
	struct snapshot *other; /* the next one that is idle, or planned */
	VkCommandBuffer handle;
	VkEvent done;
	struct query_chunk **chunks; /* their memory: a chunk for each of the command */
	uint32_t chunk_count;
	bool recorded;
};

/* A command buffer that was submitted, until its results are read. */
struct execution {
	struct execution *next;
	struct command *command;
	uint64_t frame; /* number of the frame that it belongs to */
	uint32_t part;	/* of the frame, that its first span is */
	uint32_t queue;
	struct snapshot *snapshot; /* that has its results, or NULL: its queries have */
	bool ended;		   /* the device is through with it, or lost */
	bool lost;
};

/* When something happened; cpu_ns: 0 where the clock was not asked. */
struct moment {
	uint64_t now_ns, cpu_ns;
};

/* Command buffers of a submission in any of its forms, one after another. */
struct submission {
	const VkSubmitInfo *first;
	const VkSubmitInfo2 *second;
	const VkCommandBuffer *list;
	uint32_t count, info, buffer;
};

/* How a command buffer was submitted. */
struct submitted {
	VkQueue queue;
	uint64_t at_ns; /* when the call began, which others may have noted before */
	bool first;	/* of its submission */
};

/* Command buffers of ours in a submission, each in front of one of the program's. */
struct insertions {
	VkQueue queue;
	struct submission all;	 /* of the program */
	uint32_t info, at;	 /* of the command buffer that is looked at */
	VkCommandBuffer *fronts; /* of each of the program's, or NULL: there are none */
	void *infos, *buffers;	 /* room for the submission that has them */
};

enum queue_op_kind {
	QUEUE_OP_SUBMIT,
	QUEUE_OP_PRESENT,
	QUEUE_OP_LABEL,	    /* of a queue, begins */
	QUEUE_OP_LABEL_END, /* the last of a queue ends */
};

/* A submission, presentation or label of a queue. It is kept where the device's lock was taken. */
struct queue_op {
	enum queue_op_kind kind;
	struct queue_op *next;
	struct moment at;
	VkQueue queue;
	struct submission all;
	uint32_t presents; /* swapchains */
	uint32_t label;
	VkSwapchainKHR swapchain;
	VkCommandBuffer buffers[];
};

struct swapchain {
	VkSwapchainKHR handle;
	uint32_t width, height;
};

/* What a queue has open: its own labels, and what command buffers left open. */
struct queue_labels {
	uint64_t depth; /* those beyond the limit count as the last one within it */
	uint32_t stack[QUEUE_LABELS];
};

/* A sample: a frame, or a part of it. */
struct part {
	uint32_t label, groups;
	uint32_t queue;				      /* where it is what one queue was given */
	uint32_t lost, disallowed, disturbed, spared; /* bits of queries */
	uint32_t partial; /* statistics that some of the program's queries had not */
	bool feedback;	  /* transform feedback was active */
	bool untracked;	  /* a command buffer ran of which nothing is known */
	bool kept;	  /* one counted, of old, although it was to be spared */
	uint64_t begin_ns;
	struct tally tally;
	uint64_t values[WIRE_COUNTER_ROOM];
	uint64_t busy_ticks[QUEUES_MAX];
	uint32_t driver_due;	   /* executions that count for it, or should */
	bool driver_children;	   /* but ran secondary command buffers */
	struct driver_sum *driver; /* or NULL: nothing yet */
};

/* What lies between two presentations, or two submissions where there are none. */
struct frame {
	struct wire_record record; /* what all its samples share */
	uint32_t pending;	   /* executions whose results are to come */
	bool ended, worked;
	uint32_t part_count, part_cap; /* samples within it; else it is one */
	uint64_t parts_lost;	       /* for which there was no memory */
	struct part whole, *parts;
};

struct device {
	struct device *next_device; /* in the list of all, under its lock */
	struct instance *instance;
	VkDevice handle;
	VkPhysicalDevice gpu;
	PFN_vkGetDeviceProcAddr next_proc;
	PFN_vkSetDeviceLoaderData set_loader_data; /* or NULL */
	struct device_functions next;
	struct command untracked; /* for command buffers that we have no memory for */
	bool measured;		  /* it has a place in the channel */
	bool has_swapchain;	  /* it may present */
	/* What can be counted, once and for all. */
	VkQueueFamilyProperties families[FAMILIES_MAX];
	uint32_t family_count;
	VkPhysicalDeviceMemoryProperties memory;
	float tick_ns;
	bool statistics, precise, inherited_queries, mesh, feedback, generated, host_reset;
	uint32_t per; /* enum wire_kind: what a sample encloses */
	uint32_t streams;
	bool pass_queries_only; /* queries of draws run within passes alone */
	bool validated;		/* a validation layer is below ours */
	bool resets_in_pass;	/* queries can be begun anew, and copied, within passes */
	bool timestamps;	/* are wanted, and tell something */
	bool copies;		/* command buffers copy their results */
	uint32_t wanted;	/* queries */
	uint32_t statistic_bits;

	struct driver driver;
	uint32_t program_types; /* atomic; queries that the program has pools of */
	bool measure;		/* atomic; what is recorded now */

	struct queue_op *deferred; /* atomic; newest first: the lock was taken as they came */

	pthread_mutex_t lock; /* all that follows; by device_lock() and the like */
	struct handles pools, query_pools, allocations;
	struct query_block *blocks;
	struct query_chunk *chunks; /* free */
	VkCommandPool snapshot_pools[FAMILIES_MAX];
	uint32_t snapshot_count;
	struct execution *executions, **last_execution;
	uint64_t ended_ns; /* when the first was met that has ended and is not read */
	uint64_t readings;
	uint64_t results[READ_CHUNKS * CHUNK_SLOTS * READ_VALUES];
	struct frame *frames;
	uint32_t frame_cap;	 /* a power of two */
	uint64_t first, current; /* numbers of frames: oldest and the one that runs */
	uint64_t presented;	 /* frames so far */
	VkQueue queues[QUEUES_MAX];
	uint64_t queue_end[QUEUES_MAX]; /* tick up to which its time was counted */
	uint32_t queue_count;
	struct queue_labels queue_labels[QUEUES_MAX];
	uint64_t heap_bytes[VK_MAX_MEMORY_HEAPS];
	bool heaps_lost; /* there was no memory to note an allocation */
	struct swapchain swapchains[SWAPCHAINS_MAX];
	struct pace pace;
	struct channel_identity identity;
	struct channel_stream stream;
	bool finished;
};

/* instance.c */
extern __typeof__(vkCreateInstance) layer_create_instance;
extern __typeof__(vkDestroyInstance) layer_destroy_instance;
extern __typeof__(vkGetInstanceProcAddr) layer_get_instance_proc;
extern __typeof__(vkGetDeviceProcAddr) layer_get_device_proc;
extern __typeof__(vkCreateDevice) layer_create_device;
struct instance *instance_of(const void *handle);
/* device.c */
struct device *device_of(const void *handle);
/* Never NULL; without a lock. */
struct command *command_of(VkCommandBuffer handle);
/* Makes a handle known, or forgets it. */
bool object_put(const void *handle, void *value);
void object_remove(const void *handle);
/* Room for a key that is about to come, so that key_put() of it does not fail; it gives it back. */
bool key_reserve(void);
void key_unreserve(void);
bool key_put(uint64_t key, void *value);
void *key_remove(uint64_t key);
/* In a forked child: whoever had the lock is not here. */
void keys_renew(void);

/* samples/queue_ops.c. Waits; what has arrived is in its sample then. */
void device_lock(struct device *device);
/* false: somebody has it. */
bool device_trylock(struct device *device);
/* What has arrived meanwhile is in its sample before others find the lock free. */
void device_unlock(struct device *device);
/* The next command buffer, or NULL: no more will come. */
struct command *submission_next(struct submission *all);
uint32_t submission_count(struct submission all);
/*
 * Adds 1 or -1 to the submissions of a command buffer, and of those that it executes, that are in
 * no sample yet: 1 before the driver has one, -1 after it is in a sample or has failed. Returns how
 * many there were.
 */
uint32_t command_add_unsampled(struct command *command, int more);
/* Adds it to its sample: now, or as soon as the lock is free. Does not wait. */
void queue_op_add(struct device *device, const struct queue_op *op);

/* insertions.c. Room for one in front of the command buffer that is looked at, or where that
 * suspends a rendering, behind the one that ends it; false: there is none. */
bool insertions_reserve(struct insertions *in);
void insertions_put(struct insertions *in, VkCommandBuffer front);
/* What is submitted. */
const VkSubmitInfo *insertions_first(struct insertions *in);
const VkSubmitInfo2 *insertions_second(struct insertions *in);
void insertions_release(struct insertions *in);

/* command.c: forgets pools and command buffers that the program leaves to the device's end. */
void commands_finish(struct device *device);

/* features.c: a create info of our own with what we need switched on. */
struct features_copy {
	VkDeviceCreateInfo info;
	VkPhysicalDeviceFeatures enabled;
	VkPhysicalDeviceHostQueryResetFeatures reset;
	VkPhysicalDevicePerformanceQueryFeaturesKHR queries;
	const char **extensions; /* or NULL: the program's */
	void *copies[128];	 /* of links of the chain */
	uint32_t copy_count;
};
/* Notes in the device what can be counted. The copy holds until features_release(). */
void features_prepare(struct device *device, const VkDeviceCreateInfo *info,
		      struct features_copy *out);
void features_release(struct features_copy *copy);

/* identity.c: who the device is, and why a counter is not collected. */
void identity_fill(struct device *device);

/* queries.c. All but queries_free() while the command buffer is recorded, by its thread. */
void queries_start(struct command *command);
/* A pass begins; still outside of it. */
void queries_before_pass(struct command *command, bool inline_contents, VkRenderingFlags parts);
/* A draw is about to run. */
void queries_before_draw(struct command *command);
void queries_before_dispatch(struct command *command);
void queries_end(struct command *command, uint32_t types);
void queries_begin(struct command *command, uint32_t types);
/* The pass has ended. */
void queries_after_pass(struct command *command);
/* What follows is another sample, with this label (or LABEL_OUTSIDE). */
void queries_next_span(struct command *command, uint32_t label);
/* The last that is recorded. */
void queries_finish(struct command *command);
/* The driver's own counters are not counted from here on: outside of passes. */
void queries_break_driver(struct command *command);
/* secondaries.c. Query types that secondary command buffers inherit, in or outside of a pass. */
uint32_t queries_inherited(struct command *command, bool in_pass);
/* They are to run; each of them. */
void queries_before_children(struct command *command);
void queries_before_child(struct command *command, struct command *child);
/* One that counts for itself, right before and after it runs. */
void queries_before_run(struct command *command, const struct command *child);
void queries_after_run(struct command *command, const struct command *child);
/* The pass has ended in which they ran. */
void queries_after_children(struct command *command);
/* program.c: outside of a pass, what queries of the program counted is copied. */
void queries_copy_program(struct command *command);
/* The same for those of a secondary one that has just run, or was recorded to in a pass. */
void queries_take_program(struct command *command, const struct command *child);
/* Before the one that runs them is submitted, under the device's lock: false: one of them runs on
 * another queue, where it is lost, too. */
bool queries_prepare_children(struct device *device, struct command *command, VkQueue queue);
bool queries_has_child(const struct command *command, const struct command *child);
/* It executes a secondary one that is pending on several queues. Under the device's lock. */
bool queries_has_multi_queue(const struct command *command);
/* slots.c. All but queries_reset() while the command buffer is recorded, by its thread. */
/* Types that this command buffer may run. */
uint32_t slots_possible(const struct command *command);
/* Before the first thing that is recorded of ours, outside of passes. false: none can be. */
bool slots_prepare(struct command *command);
/*
 * Room for one element more of `size` bytes in *(T **)array, which has *cap of them and `count` in
 * use; false without memory, and all is as it was.
 */
bool list_grow(void *array, uint32_t *cap, uint32_t count, size_t size);
/* Whether more slots can be had where the recording is now. */
bool slots_may_grow(const struct command *command);
/* Makes sure of slots enough for a pass, in which none could be reset. */
void slots_reserve(struct command *command);
/* One more query; NULL: there is no room for it. */
struct query_use *slots_add_use(struct command *command, uint32_t type);
/* The same for results that are copied, outside of passes. */
struct query_use *slots_add_copied(struct command *command, uint32_t type);
/* The pool and number of a slot of a command buffer. */
VkQueryPool slots_pool(const struct command *command, const struct query_use *use,
		       uint32_t *number);
/* Before it is submitted, while it does not run: on the host. Its children, too. */
void queries_reset(struct command *command);
/* pools.c: what number of a type's pool a slot is, or how many so many slots are. */
uint32_t pool_slots(uint32_t type, uint32_t slots);
/* Another chunk for a command buffer, kept for its life. false: no memory. */
bool queries_take_chunk(struct command *command);
/* The same for results in memory alone; NULL: no memory. Under the device's lock. */
struct query_chunk *pool_copied_chunk(struct device *device);
bool pool_has_memory(struct device *device, struct query_chunk *chunk);
void pool_give_back(struct device *device, struct query_chunk *chunk);
/* Gives its chunks back. Under the device's lock. */
void queries_free(struct command *command);
void queries_destroy_all(struct device *device);
/* copies.c. A block's memory for results; false: there is none. */
bool copies_make(struct device *device, struct query_block *block);
void copies_destroy(struct device *device, struct query_block *block);
/* The last commands of ours but for the event; outside of passes. */
void copies_record(struct command *command);
/* A query that has ended goes to where results of a slot go. */
void copies_record_one(struct command *command, const struct query_use *to, VkQueryPool pool,
		       uint32_t number, uint32_t values);
/* What a command buffer's queries counted goes into the memory of other chunks, by commands. */
bool copies_record_to(const struct command *command, VkCommandBuffer into,
		      struct query_chunk *const *chunks);
/* Values of a slot, each query's with its availability behind them. */
const uint64_t *copies_at(const struct device *device, const struct query_block *block,
			  uint32_t type, uint32_t slot);
/* results.c: the counter of a statistic's bit. */
unsigned query_statistic(uint32_t bit);
/* results.c: how many values a query of a type has. */
uint32_t query_values(const struct device *device, uint32_t type);
/* results.c: notes whether the device is through with an execution. Reads nothing. */
void queries_note_ended(const struct device *device, struct execution *execution);
/* Adds to samples what all that have ended counted. */
void queries_collect(struct device *device);

/* snapshots.c, all under the device's lock. What a command buffer counts as it runs now is copied
 * before it runs again: `planned`: by an execution that is still to come, in the same call. false:
 * that cannot be. */
bool snapshot_insert(struct command *command, struct insertions *in, bool planned);
/* Whether one can, behind a rendering that is suspended as the command buffer ends. */
bool snapshots_may_follow(const struct command *command);
/* The snapshot of an execution that arrives, or NULL. */
struct snapshot *snapshot_next_planned(struct command *command);
/* Whether the command buffer's own event is that of its last execution. */
bool snapshots_ran(struct command *command);
/* It is free for the next submission. */
void snapshot_release(struct command *command, struct snapshot *snapshot);
/* A new recording; by its thread, without the lock. */
void snapshots_restart(struct command *command);
void snapshots_free(struct command *command);
void snapshots_destroy_pools(struct device *device);

/* samples/labels.c, all under the device's lock. `labels`: NULL for a queue of which none are kept.
 */
void queue_labels_begin(struct queue_labels *labels, uint32_t label);
void queue_labels_end(struct queue_labels *labels, uint64_t count);
/* The path of a label that lies below those that are open, when so many of these have ended. */
uint32_t queue_labels_path(const struct queue_labels *labels, uint32_t ended, uint32_t label);
/* The queue has run the command buffer: what that ended, and what it left open. */
void queue_labels_run(struct queue_labels *labels, const struct command *command);

/* samples/records.c: a frame whose results are there, or lost. Under the device's lock. */
void records_write(struct device *device, struct frame *frame);
/* The sample that runs, or has just ended, as a draft, `ahead` of the records to come. */
void records_draft(struct device *device, uint64_t ahead, uint64_t end_ns);
/* The memory that is allocated now. */
void records_note_memory(const struct device *device, struct wire_record *record);

/* samples/frames.c, all under the device's lock. */
struct frame *frame_now(struct device *device);
/* The sample that a span of an execution belongs to. */
struct part *frame_part(struct device *device, const struct execution *execution, uint32_t span);
void frames_start(struct device *device);
/* What is known of the sample that runs is there, should the program end. */
void frames_draft(struct device *device, uint64_t now_ns);
/* The sample ends then, and the next one begins. */
void frames_end(struct device *device, enum wire_kind kind, uint32_t flags,
		const struct moment *at);
/* NULL: one of more queues than are told apart. */
struct queue_labels *frames_labels(struct device *device, VkQueue queue);
/* Adds a command buffer that was submitted. */
void frames_submitted(struct device *device, const struct submitted *how, struct command *command);
/* What this recording counts in its last runs and all that are to come is lost. */
void frames_lose(struct device *device, struct command *command);
/* Whether what was submitted of it before runs still; what has ended is read. */
bool frames_are_pending(struct device *device, struct command *command);
/* Before a command buffer is submitted, recorded again or freed: what it counted is read, or lost.
 */
void frames_resolve(struct device *device, struct command *command);
/* Reads what is there, and writes samples that are complete. */
void frames_collect(struct device *device);
/* The same as soon as it is worth it: not for each command buffer by itself. */
void frames_poll(struct device *device);
/* No more will come; waits at most wait_ns. */
void frames_finish(struct device *device, uint64_t wait_ns);

#endif
