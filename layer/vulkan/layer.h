/*
 * The layer's records of instances, devices and command buffers. Recording takes no lock, because a
 * command buffer is externally synchronised (Vulkan, "Threading Behavior"). A device's lock guards
 * its samples and results; submissions and presentations do not wait for it: samples/queue_ops.c.
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
#define QUEUES_MAX     16u   /* with a busy time each; later queues share the last one's */
#define FRAMES_FIRST   256u  /* samples that wait for results, at first: a power of two */
#define FRAMES_MOST    8192u /* and at most */
#define SWAPCHAINS_MAX 16u
#define STREAMS	       4u
#define CHUNK_SLOTS    16u /* queries of each type that a command buffer gets at a time */
#define BLOCK_SLOTS    1024u
#define BLOCK_CHUNKS   (BLOCK_SLOTS / CHUNK_SLOTS)
#define READ_CHUNKS    16u /* of queries that are read at once, at most */
#define READ_VALUES    14u /* of one query, with its availability */
#define LABELS_MAX     64u /* nested */
#define QUEUE_LABELS   16u /* nested, that a queue keeps from one command buffer to the next */
#define LABEL_OUTSIDE  UINT32_MAX /* in no group, even if the queue has a label open */

struct instance {
	VkInstance handle;
	PFN_vkGetInstanceProcAddr next_proc;
	struct instance_functions next;
	uint32_t version; /* of the API that the program asked for */
};

/* Query types; each has pools of its own. */
enum query {
	QUERY_STATISTICS,
	QUERY_COMPUTE, /* pipeline statistics of queue families without graphics */
	QUERY_OCCLUSION,
	QUERY_GENERATED,
	QUERY_STREAM,
	QUERY_TIMESTAMPS = QUERY_STREAM + STREAMS, /* two slots each */
	QUERY_TYPES,
	QUERY_DRIVER = QUERY_TYPES, /* VK_KHR_performance_query: driver.h */
};
#define QUERY_BIT(type)	  (1u << (type))
#define QUERY_ALL_STREAMS (((1u << STREAMS) - 1) << QUERY_STREAM)
/* Types that secondary command buffers inherit (feature inheritedQueries). */
#define QUERY_INHERITED                                                                            \
	(QUERY_BIT(QUERY_STATISTICS) | QUERY_BIT(QUERY_COMPUTE) | QUERY_BIT(QUERY_OCCLUSION))

/* Counts of recorded commands. */
struct tally {
	uint64_t draws, dispatches, barriers, passes;
	uint64_t moved; /* bytes of copies and fills */
};

struct query_chunk {
	struct query_chunk *next; /* in the list of free ones */
	struct query_block *block;
	uint32_t first;	  /* slot */
	uint32_t used;	  /* slots of the type that queries_collect() reads now */
	uint64_t reading; /* device->readings when the device had finished with it */
};

/* Pools of BLOCK_SLOTS queries, which command buffers share in chunks. */
struct query_block {
	struct query_block *next;
	VkQueryPool pools[QUERY_TYPES];
	struct query_chunk chunks[BLOCK_CHUNKS];
	/* Results that command buffers copy; NULL: vkGetQueryPoolResults() reads them. */
	VkBuffer buffer;
	VkDeviceMemory memory;
	const uint64_t *copies;
};

/* A part of a command buffer that is a sample of its own, or all of it. */
struct span {
	uint32_t label; /* id, 0 or LABEL_OUTSIDE; nested in the queue's open labels */
	uint32_t ended; /* labels of the queue that ended before this span */
	/* Query types, as bits, that did not count here: out of memory or slots; */
	uint32_t lost;
	/* valid usage forbids them: between parts of a rendering, around secondary ones; */
	uint32_t disallowed;
	/* the program had a query of the type active. */
	uint32_t disturbed;
	struct tally tally;
};

/* One query that a command buffer runs. */
struct query_use {
	uint8_t type;
	bool ended;
	bool copied;   /* the slot holds the copied result of another query */
	uint32_t slot; /* counted over the command buffer's chunks */
	uint32_t span;
	uint32_t bits; /* statistics of the program's query, or 0 */
};

/* A query of the program. Ours of its type are not active meanwhile: only one may be. */
struct program_query {
	VkQueryPool pool;
	uint32_t number;
	uint32_t types; /* bits of our query types that conflict with it */
	uint32_t type;	/* our query type that counts the same, or QUERY_TYPES */
	uint32_t bits;	/* pipeline statistics */
	uint32_t span;	/* in which it began */
	bool open;
};

struct execution;
struct snapshot;

/* A secondary command buffer that a primary executes. */
struct secondary {
	struct command *command;
	uint32_t span; /* of the primary */
	bool copied;   /* the primary copies its results */
	bool due;      /* they are still to be copied, after the render pass */
	bool ran;      /* it was executed in this render pass before */
};

struct command_pool {
	VkCommandPool handle;
	uint32_t family;
	bool untracked; /* protected, or of a queue family beyond FAMILIES_MAX */
	struct command *commands;
};

struct command {
	struct device *device;
	struct command_pool *pool;
	struct command *next, *previous; /* in the pool's list */
	VkCommandBuffer handle;
	bool untracked; /* the record of handles that have none; never written */
	bool secondary;
	bool measured; /* this recording has queries besides timestamps */
	bool prepared; /* slots_prepare() was called in this recording */
	bool in_pass, inline_pass;
	/* A rendering with SUSPENDING or RESUMING: no query may be recorded between its parts. */
	bool suspended;
	bool suspends;	      /* the part that was recorded last is suspended */
	bool resumes;	      /* the first part resumes one of another command buffer */
	bool used_feedback;   /* transform feedback was active in this recording */
	bool feedback_active; /* it is now */
	bool recorded;	      /* there was a recording before this one */
	bool one_time;	      /* with ONE_TIME_SUBMIT_BIT */
	bool had_secondaries; /* it executes secondary command buffers */
	bool host_resets;     /* the host resets its queries before each submission */
	bool ran_untracked;   /* it executes an untracked secondary command buffer */
	bool sets_event;      /* its last command sets `done`, so that we see that it has ended */
	bool simultaneous;    /* with SIMULTANEOUS_USE_BIT */
	bool copied;	      /* secondary: the primary copies its queries and resets them */
	bool continues_pass;  /* secondary, with RENDER_PASS_CONTINUE_BIT */
	bool copies;	      /* it records copies of results */
	bool multi_queue;     /* secondary: pending on several queues; under the device's lock */
	bool ran;	      /* this recording was submitted before; under the device's lock */
	/* Executions overlap, so that one may overwrite the other's results: all are lost. */
	bool overlapped;
	/* Query types, by where they are begun: outside or inside of render passes. */
	uint32_t outside, inside;
	uint32_t streams;	       /* query types of transform feedback */
	uint32_t inherited;	       /* active for secondary ones that are executed now */
	uint32_t open;		       /* active queries of ours */
	uint32_t program_open;	       /* types of which the program has an active query */
	uint32_t program_used;	       /* or had one in this recording */
	struct program_query *program; /* those that are not copied yet */
	uint32_t program_count, program_cap;
	uint32_t can_inherit; /* secondary: query types that may be active as it is executed */
	uint32_t slots[QUERY_TYPES];	 /* used */
	uint32_t driver_slots;		 /* used */
	struct driver_pool *driver_pool; /* of the last recording with a performance query */
	uint32_t label, labels;		 /* the first label; how many at the top level */
	uint32_t label_ended;		 /* `ended` when the first label began */
	uint32_t ended; /* labels of the queue that this recording has ended so far */
	uint32_t label_depth;
	uint32_t label_stack[LABELS_MAX];
	struct query_chunk **chunks;
	uint32_t chunk_count;
	struct query_use *uses;
	uint32_t use_count, use_cap;
	struct span *spans;
	uint32_t span_count, span_cap;
	struct span *now; /* the last span, or `none` without memory */
	struct span none;
	struct secondary *secondaries; /* secondary ones with queries of their own */
	uint32_t secondary_count, secondary_cap;
	uint32_t due; /* index of the first secondary one of this render pass */
	VkEvent done;
	struct tally tally;	   /* of all spans */
	struct execution *pending; /* the last one without results; atomic, set under the lock */
	uint32_t unread;	   /* secondary: how many such executions there are; atomic */
	uint32_t unsampled;	   /* atomic; see command_add_unsampled() */
	/* For submissions while it is pending; under the device's lock. */
	VkQueue queue; /* of the last submission */
	struct snapshot *snapshots;
	struct snapshot *idle;
	struct snapshot *planned, **planned_end; /* of executions that are in no sample yet */
	struct snapshot *reset_by; /* resets `done`; until it has run, `done` is not valid */
	uint32_t waits;		   /* executions with a snapshot that have not ended */
};

/*
 * Results of one execution. A command buffer of ours copies them in front of the next submission of
 * the same command buffer, which writes to the same queries.
 */
struct snapshot {
	struct snapshot *next;	/* in the list of all */
	struct snapshot *other; /* the next idle, or the next planned one */
	VkCommandBuffer handle;
	VkEvent done;
	struct query_chunk **chunks; /* memory for copies, one for each chunk of the command */
	uint32_t chunk_count;
	bool recorded;
};

/* A submitted command buffer, until its results are read. */
struct execution {
	struct execution *next;
	struct command *command;
	uint64_t frame; /* number */
	uint32_t part;	/* of the frame, for the first span */
	uint32_t queue;
	struct snapshot *snapshot; /* where its results are; NULL: in the queries */
	bool ended;		   /* the device has finished with it, or it is lost */
	bool lost;
};

/* A time; cpu_ns: 0 if it was not read. */
struct moment {
	uint64_t now_ns, cpu_ns;
};

/* An iterator over the command buffers of vkQueueSubmit(), vkQueueSubmit2() or a list. */
struct submission {
	const VkSubmitInfo *first;
	const VkSubmitInfo2 *second;
	const VkCommandBuffer *list;
	uint32_t count, info, buffer;
};

/* How a command buffer was submitted. */
struct submitted {
	VkQueue queue;
	uint64_t at_ns; /* when the call began */
	bool first;	/* of its submission */
};

/* Command buffers of ours in a submission, each in front of one of the program's. */
struct insertions {
	VkQueue queue;
	struct submission all;	 /* the program's */
	uint32_t info, at;	 /* of the current command buffer */
	VkCommandBuffer *fronts; /* for each of the program's; NULL: nothing is inserted */
	void *infos, *buffers;	 /* the submission with insertions */
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

/* Open labels of a queue: vkQueueBeginDebugUtilsLabelEXT() and command buffers open them. */
struct queue_labels {
	uint64_t depth; /* may exceed the stack; deeper labels count for its last entry */
	uint32_t stack[QUEUE_LABELS];
};

/* A sample: a frame, or a part of it. */
struct part {
	uint32_t label, groups;
	uint32_t queue;				      /* of WIRE_QUEUE samples */
	uint32_t lost, disallowed, disturbed, spared; /* bits of queries */
	uint32_t partial; /* statistics that a copied query of the program did not count */
	bool feedback;	  /* transform feedback was active */
	bool untracked;	  /* an untracked command buffer was executed */
	bool kept;	  /* an older recording has queries, though this frame is not measured */
	uint64_t begin_ns;
	struct tally tally;
	uint64_t values[WIRE_COUNTER_ROOM];
	uint64_t busy_ticks[QUEUES_MAX];
	uint32_t driver_due;	   /* executions that a performance query should cover */
	bool driver_secondaries;   /* one executes secondary command buffers, and has no query */
	struct driver_sum *driver; /* NULL: no values yet */
};

/* From one presentation to the next; without presentations, from one submission to the next. */
struct frame {
	struct wire_record record; /* common to its samples */
	uint32_t pending;	   /* executions without results */
	bool ended, worked;
	uint32_t part_count, part_cap; /* samples in it; `whole` when there are none */
	uint64_t parts_lost;	       /* out of memory */
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
	struct command untracked; /* the record of command buffers that have none */
	bool measured;		  /* it has a place in the channel */
	bool has_swapchain;	  /* VK_KHR_swapchain is enabled */
	/* What can be counted; constant after device_start(). */
	VkQueueFamilyProperties families[FAMILIES_MAX];
	uint32_t family_count;
	VkPhysicalDeviceMemoryProperties memory;
	float tick_ns;
	bool statistics, precise, inherited_queries, mesh, feedback, generated, host_reset;
	uint32_t per; /* enum wire_kind: what a sample encloses */
	uint32_t streams;
	bool pass_queries_only; /* queries around draws are begun inside of passes only */
	bool validated;		/* a validation layer is below ours */
	bool resets_in_pass;	/* the host may reset queries while a pass is recorded */
	bool timestamps;	/* wanted, and meaningful */
	bool copies;		/* command buffers copy their results */
	uint32_t wanted;	/* query types */
	uint32_t statistic_bits;

	struct driver driver;
	uint32_t program_types; /* atomic; query types that the program has pools of */
	bool measure;		/* atomic; whether new recordings have queries */

	struct queue_op *deferred; /* atomic; newest first: the lock was taken as they came */

	pthread_mutex_t lock; /* of all that follows; see device_lock() */
	struct handles pools, query_pools, allocations;
	struct query_block *blocks;
	struct query_chunk *chunks; /* free */
	VkCommandPool snapshot_pools[FAMILIES_MAX];
	uint32_t snapshot_count;
	struct execution *executions, **last_execution;
	uint64_t ended_ns; /* when the first of the ended, unread executions was seen */
	uint64_t readings;
	uint64_t results[READ_CHUNKS * CHUNK_SLOTS * READ_VALUES];
	struct frame *frames;
	uint32_t frame_cap;	 /* a power of two */
	uint64_t first, current; /* numbers of the oldest and the current frame */
	uint64_t presented;	 /* frames so far */
	VkQueue queues[QUEUES_MAX];
	uint64_t queue_end[QUEUES_MAX]; /* tick up to which busy time is counted */
	uint32_t queue_count;
	struct queue_labels queue_labels[QUEUES_MAX];
	uint64_t heap_bytes[VK_MAX_MEMORY_HEAPS];
	bool heaps_lost; /* an allocation could not be recorded: out of memory */
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
/* Maps a handle to its record, or removes it. */
bool object_put(const void *handle, void *value);
void object_remove(const void *handle);
/* Reserves room, so that the next key_put() cannot fail; key_unreserve() ends that. */
bool key_reserve(void);
void key_unreserve(void);
bool key_put(uint64_t key, void *value);
void *key_remove(uint64_t key);
/* In a forked child: the thread that held the lock does not exist there. */
void keys_renew(void);

/* samples/queue_ops.c. Waits for the lock, and applies deferred operations. */
void device_lock(struct device *device);
/* false: another thread has it. */
bool device_trylock(struct device *device);
/* Applies operations that were deferred meanwhile. */
void device_unlock(struct device *device);
/* The next command buffer, or NULL at the end. */
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

/*
 * insertions.c. Room for an insertion in front of the current command buffer, or, where that
 * suspends a rendering, behind the one that ends it. false: there is no room.
 */
bool insertions_reserve(struct insertions *in);
void insertions_put(struct insertions *in, VkCommandBuffer front);
/* The submission with its insertions. */
const VkSubmitInfo *insertions_first(struct insertions *in);
const VkSubmitInfo2 *insertions_second(struct insertions *in);
void insertions_release(struct insertions *in);

/* command.c: destroys the records of pools that the program did not destroy. */
void commands_finish(struct device *device);

/* features.c: a VkDeviceCreateInfo with the features that we need enabled. */
struct features_copy {
	VkDeviceCreateInfo info;
	VkPhysicalDeviceFeatures enabled;
	VkPhysicalDeviceHostQueryResetFeatures reset;
	VkPhysicalDevicePerformanceQueryFeaturesKHR queries;
	const char **extensions; /* NULL: the program's */
	void *copies[128];	 /* of structures of the pNext chain */
	uint32_t copy_count;
};
/* Sets in the device what can be counted. The copy is valid until features_release(). */
void features_prepare(struct device *device, const VkDeviceCreateInfo *info,
		      struct features_copy *out);
void features_release(struct features_copy *copy);

/* identity.c: the device's name and version, and why a counter is not collected. */
void identity_fill(struct device *device);

/* queries.c: called by the thread that records the command buffer. */
void queries_start(struct command *command);
/* Before the command that begins a render pass. */
void queries_before_pass(struct command *command, bool inline_contents, VkRenderingFlags parts);
/* Before a draw or a dispatch. */
void queries_before_draw(struct command *command);
void queries_before_dispatch(struct command *command);
void queries_end(struct command *command, uint32_t types);
void queries_begin(struct command *command, uint32_t types);
/* After the command that ends a render pass. */
void queries_after_pass(struct command *command);
/* A new sample begins, with this label (or LABEL_OUTSIDE). */
void queries_next_span(struct command *command, uint32_t label);
/* Before vkEndCommandBuffer(). */
void queries_finish(struct command *command);
/* Ends the performance query early; outside of passes. */
void queries_break_driver(struct command *command);
/* secondaries.c. Query types that secondary command buffers inherit, in or outside of a pass. */
uint32_t queries_inherited(struct command *command, bool in_pass);
/* Before vkCmdExecuteCommands(), and for each of its command buffers. */
void queries_before_secondaries(struct command *command);
void queries_before_secondary(struct command *command, struct command *secondary);
/* Before and after vkCmdExecuteCommands() of one with queries of its own. */
void queries_before_run(struct command *command, const struct command *secondary);
void queries_after_run(struct command *command, const struct command *secondary);
/* After the render pass in which they were executed. */
void queries_after_secondaries(struct command *command);
/* program.c: copies the results of the program's queries; outside of passes. */
void queries_copy_program(struct command *command);
/* The same for queries of a secondary command buffer that was executed here. */
void queries_take_program(struct command *command, const struct command *secondary);
/*
 * Before the primary is submitted; under the device's lock. false: a secondary one of it is pending
 * on another queue, so that the results of both are lost.
 */
bool queries_prepare_secondaries(struct device *device, struct command *command, VkQueue queue);
bool queries_has_secondary(const struct command *command, const struct command *secondary);
/* It executes a secondary one that is pending on several queues. Under the device's lock. */
bool queries_has_multi_queue(const struct command *command);
/* slots.c: called by the thread that records, except queries_reset(). */
/* Query types that the command buffer's queue family supports, of those that are wanted. */
uint32_t slots_possible(const struct command *command);
/* Resets the queries of a recording before the first is used. false: no query is possible. */
bool slots_prepare(struct command *command);
/*
 * Room for one element more of `size` bytes in *(T **)array, which has *cap of them and `count` in
 * use; false without memory, and all is as it was.
 */
bool list_grow(void *array, uint32_t *cap, uint32_t count, size_t size);
/* Whether more slots can be reset at this point of the recording. */
bool slots_may_grow(const struct command *command);
/* Reserves slots for a pass, because vkCmdResetQueryPool() is not allowed inside. */
void slots_reserve(struct command *command);
/* One more query; NULL: there is no slot. */
struct query_use *slots_add_use(struct command *command, uint32_t type);
/* The same for a slot that receives copied results; outside of passes. */
struct query_use *slots_add_copied(struct command *command, uint32_t type);
/* The query pool and the query's number in it. */
VkQueryPool slots_pool(const struct command *command, const struct query_use *use,
		       uint32_t *number);
/* Resets its and its secondary command buffers' queries on the host; it must not be pending. */
void queries_reset(struct command *command);
/* pools.c: the query number of a slot, or the number of queries of so many slots. */
uint32_t pool_slots(uint32_t type, uint32_t slots);
/* Adds a chunk, which the command buffer keeps until it is freed. false: no memory. */
bool queries_take_chunk(struct command *command);
/* A chunk with memory for copied results; NULL: no memory. Under the device's lock. */
struct query_chunk *pool_copied_chunk(struct device *device);
bool pool_has_memory(struct device *device, struct query_chunk *chunk);
void pool_give_back(struct device *device, struct query_chunk *chunk);
/* Frees its chunks and lists. Under the device's lock. */
void queries_free(struct command *command);
void queries_destroy_all(struct device *device);
/* copies.c. Allocates a block's memory for results; false: no memory. */
bool copies_make(struct device *device, struct query_block *block);
void copies_destroy(struct device *device, struct query_block *block);
/* Records copies of all results, before the event; outside of passes. */
void copies_record(struct command *command);
/* Records a copy of one ended query's result into a slot's memory. */
void copies_record_one(struct command *command, const struct query_use *to, VkQueryPool pool,
		       uint32_t number, uint32_t values);
/* Records copies of a command buffer's results into the memory of other chunks. */
bool copies_record_to(const struct command *command, VkCommandBuffer into,
		      struct query_chunk *const *chunks);
/* Values of a slot: those of each query, followed by its availability. */
const uint64_t *copies_at(const struct device *device, const struct query_block *block,
			  uint32_t type, uint32_t slot);
/* results.c: the counter of a VkQueryPipelineStatisticFlagBits, by its number. */
unsigned query_statistic(uint32_t bit);
/* How many values a query of a type has. */
uint32_t query_values(const struct device *device, uint32_t type);
/* Sets `ended` and `lost` of an execution from its event. Reads no results. */
void queries_note_ended(const struct device *device, struct execution *execution);
/* Adds the results of all ended executions to their samples. */
void queries_collect(struct device *device);

/*
 * snapshots.c, all under the device's lock. Copies the results of the command buffer's pending
 * execution (`planned`: of one that this call submits) before its next one. false: not possible.
 */
bool snapshot_insert(struct command *command, struct insertions *in, bool planned);
/* Whether that is possible where a suspended rendering ends in another command buffer. */
bool snapshots_may_follow(const struct command *command);
/* Removes the first planned snapshot, for the execution that is added to a sample; or NULL. */
struct snapshot *snapshot_next_planned(struct command *command);
/* Whether the event `done` belongs to the last execution: no earlier one or snapshot is pending. */
bool snapshots_ran(struct command *command);
/* The next submission may use it. */
void snapshot_release(struct command *command, struct snapshot *snapshot);
/* For a new recording; by its thread, without the lock. */
void snapshots_restart(struct command *command);
void snapshots_free(struct command *command);
void snapshots_destroy_pools(struct device *device);

/* samples/labels.c, all under the device's lock. `labels`: NULL for queues beyond QUEUES_MAX. */
void queue_labels_begin(struct queue_labels *labels, uint32_t label);
void queue_labels_end(struct queue_labels *labels, uint64_t count);
/* The path of a label below the queue's open ones, of which `ended` have ended. */
uint32_t queue_labels_path(const struct queue_labels *labels, uint32_t ended, uint32_t label);
/* Closes and opens the queue's labels as the command buffer does. */
void queue_labels_run(struct queue_labels *labels, const struct command *command);

/* samples/records.c: writes a frame that waits for no results. Under the device's lock. */
void records_write(struct device *device, struct frame *frame);
/* Writes the current sample as a draft; `ahead`: complete records that will precede it. */
void records_draft(struct device *device, uint64_t ahead, uint64_t end_ns);
/* Sets the counters of device memory. */
void records_note_memory(const struct device *device, struct wire_record *record);

/* samples/frames.c, all under the device's lock. */
struct frame *frame_now(struct device *device);
/* The sample that a span of an execution belongs to. */
struct part *frame_part(struct device *device, const struct execution *execution, uint32_t span);
void frames_start(struct device *device);
/* Writes a draft of the current sample, in case the program ends before it is complete. */
void frames_draft(struct device *device, uint64_t now_ns);
/* Ends the current sample and begins the next. */
void frames_end(struct device *device, enum wire_kind kind, uint32_t flags,
		const struct moment *at);
/* NULL for queues beyond QUEUES_MAX. */
struct queue_labels *frames_labels(struct device *device, VkQueue queue);
/* Adds a command buffer that was submitted. */
void frames_submitted(struct device *device, const struct submitted *how, struct command *command);
/* Its pending results and those of all later submissions of this recording are lost. */
void frames_lose(struct device *device, struct command *command);
/* Whether an execution of it is pending; reads those that have ended. */
bool frames_are_pending(struct device *device, struct command *command);
/* Reads its results, or marks them as lost: before it is recorded again or freed. */
void frames_resolve(struct device *device, struct command *command);
/* Reads the results of ended executions, and writes complete samples. */
void frames_collect(struct device *device);
/* The same, but only when enough results can be read together. */
void frames_poll(struct device *device);
/* Writes all samples at the end; waits at most wait_ns for results. */
void frames_finish(struct device *device, uint64_t wait_ns);

#endif
