/* The reading side of a channel: one consumer for each ring. Nothing in the channel is trusted. */
#include "source/guest/guest.h"

#include <string.h>

#include "wire/counted.h"
#include "wire/run.h"

#define AHEAD_MOST                                                                                 \
	(UINT64_C(1) << 24)	      /* records between two looks; a head further on is garbage   \
				       */
#define LOST_MOST (UINT64_C(1) << 30) /* likewise, that were lost */

void channel_prepare(struct wire_header *memory, const struct channel_wish *wish)
{
	*memory = (struct wire_header){
	    .magic = WIRE_MAGIC,
	    .version = WIRE_VERSION,
	    .header_bytes = sizeof(struct wire_header),
	    .stream_bytes = sizeof(struct wire_stream),
	    .record_bytes = sizeof(struct wire_record),
	    .stream_count = WIRE_STREAMS,
	    .ring_records = wish->ring,
	    .label_bytes = WIRE_LABEL_BYTES,
	    .kinds = wish->kinds,
	    .counters = wish->counters,
	    .overhead_permille = wish->overhead_permille,
	    .driver_count = wish->driver_count,
	};
	if (wish->driver_count)
		memcpy(memory->driver_ids, wish->driver_ids,
		       wish->driver_count * sizeof(memory->driver_ids[0]));
	if (wish->program)
		memcpy(wire_labels(memory), wish->program, wire_program_bytes(wish->program));
}

/* Gives a stream that its writer has closed back for another context. */
static void free_if_closed(struct contexts *contexts, struct channel_place *mine,
			   struct wire_stream *stream)
{
	uint32_t closed = WIRE_CLOSED;
	if (__atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) != WIRE_CLOSED ||
	    __atomic_load_n(&stream->head, __ATOMIC_ACQUIRE) != mine->tail)
		return;
	if (mine->context != CHANNEL_NO_CONTEXT)
		contexts->items[mine->context].closed = true;
	mine->known = false;
	__atomic_compare_exchange_n(&stream->state, &closed, WIRE_FREE, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

static bool makes_sense(const struct wire_record *record)
{
	return record->kind >= WIRE_FRAME && record->kind < WIRE_KINDS &&
	       record->end_ns >= record->begin_ns && record->cpu_end_ns >= record->cpu_begin_ns &&
	       record->gpu_end_ns >= record->gpu_begin_ns;
}

static uint64_t count_lost(struct channel_place *mine, const struct wire_stream *stream,
			   struct context_info *info)
{
	uint64_t now = __atomic_load_n(&stream->lost, __ATOMIC_RELAXED);
	uint64_t more = now > mine->lost ? now - mine->lost : 0;
	mine->lost = now;
	if (more > LOST_MOST) { /* impossibly many */
		info->broken++;
		return 0;
	}
	info->lost += more;
	return more;
}

static void channel_fill(const struct channel *channel, const struct channel_place *mine,
			 const struct wire_stream *stream, struct wire_sample *out)
{
	out->context = (uint32_t)mine->context;
	out->process = channel->process;
	out->pid = channel->pid;
	out->api = stream->api;
	memcpy(out->name, channel->name, sizeof(out->name));
	memcpy(out->why, stream->why, sizeof(out->why));
	memcpy(out->bits, stream->bits, sizeof(out->bits));
	out->label_length = 0;
	out->raster_ns = out->any_ns = 0;
	out->thread_known = out->rasterises = 0;
	out->any_state = WIRE_NOT_COLLECTED;
}

/* Values that belong to the next sample; those of one that was broken off are forgotten. */
static bool gather_values(struct channel *channel, const struct wire_record *record,
			  struct wire_sample *out)
{
	uint32_t count = record->group_count;
	uint32_t most = channel->value_most ? channel->value_most : WIRE_DRIVER_MOST;
	if (record->index != out->driver_count || count > WIRE_COUNTER_ROOM ||
	    count > most - out->driver_count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		channel->values[out->driver_count++] =
		    (struct wire_value){.bits = record->values[i], .state = record->states[i]};
	return true;
}

/* The end of the records: drafts count only after the writer has ended. */
static uint64_t end_of(const struct channel *channel, const struct wire_stream *stream,
		       uint64_t head, uint32_t size)
{
	uint64_t drafted = __atomic_load_n(&stream->drafted, __ATOMIC_ACQUIRE);
	return channel->ended && drafted - head <= size ? drafted : head;
}

/* Samples of which nothing was counted. */
static bool is_run(const struct wire_record *record)
{
	return record->kind == WIRE_RUN || record->kind == WIRE_PARTS;
}

/*
 * The program ended before the results were read, or while they were written over the draft: of
 * this only what was the same before holds.
 */
static void strip_draft(struct wire_record *record)
{
	if (record->draft_sum && record->draft_sum == wire_draft_sum(record))
		return;	     /* its sum is right: its valid values hold */
	if (!is_run(record)) /* which has none, but lengths */
		memset(record->values, 0, sizeof(record->values));
	for (unsigned i = 0; i < WIRE_COUNTER_ROOM; i++)
		if (record->states[i] != WIRE_NOT_COLLECTED && record->states[i] != WIRE_SPARED)
			record->states[i] = WIRE_LATE;
	record->gpu_begin_ns = record->gpu_end_ns = 0;
	record->flags &= ~(uint32_t)WIRE_GPU_KNOWN;
	if (!record->cpu_begin_ns || !record->cpu_end_ns) {
		record->flags &= ~(uint32_t)WIRE_CPU_KNOWN;
		record->cpu_begin_ns = record->cpu_end_ns = 0;
	}
}

/*
 * False while the head cannot be: the library has its own and writes it again with its next record,
 * so that nothing is lost by it. A head that has run over unread records is taken as a loss of all
 * before it.
 */
static bool is_sound(struct channel_place *mine, struct context_info *info,
		     struct wire_stream *stream, const uint64_t spans[2])
{
	uint64_t end = spans[0], size = spans[1], ahead = end - mine->tail;
	bool was = mine->head_broken;
	mine->head_broken = ahead > AHEAD_MOST;
	if (mine->head_broken) {
		info->broken += !was;
		__atomic_store_n(&stream->tail, mine->tail, __ATOMIC_RELEASE);
		return false;
	}
	if (ahead > size) {
		info->broken += ahead;
		mine->tail = end;
	}
	return true;
}

static bool packed_record(const struct wire_record *from, uint32_t at, struct wire_record *out)
{
	if (from->kind == WIRE_PARTS)
		return wire_parts_record(from, at, out) && makes_sense(out);
	return from->kind == WIRE_RUN ? wire_run_record(from, at, out)
				      : wire_counted_record(from, at, out);
}

/* The next of the samples that came in one record. */
static bool take_packed(struct channel *channel, struct contexts *contexts, unsigned index,
			struct wire_sample *out)
{
	struct channel_place *mine = &channel->places[index];
	struct context_info *info = &contexts->items[mine->context];
	while (mine->packed_at < mine->packed_count) {
		if (!packed_record(&mine->packed, mine->packed_at++, &out->record)) {
			info->broken++;
			continue;
		}
		info->frames += (uint64_t)wire_ends_frame(&out->record);
		out->driver_count = 0;
		channel_fill(channel, mine, wire_stream_at(channel->memory, channel->ring, index),
			     out);
		return true;
	}
	return false;
}

/* Whether a record holds several samples, which come from it now. */
static bool begin_packed(struct channel_place *mine, struct context_info *info,
			 const struct wire_record *record, bool draft)
{
	bool counted = record->kind == WIRE_COUNTED;
	uint32_t count = counted ? record->group_count : record->index;
	uint32_t most = counted			   ? WIRE_COUNTED_MOST
			: record->kind == WIRE_RUN ? WIRE_RUN_MOST
						   : WIRE_PARTS_MOST;
	if (!counted && !is_run(record))
		return false;
	mine->packed = *record;
	mine->packed_at = 0;
	mine->packed_count = count < most ? count : most;
	info->broken += !count && !draft; /* a draft may not have its first yet */
	return true;
}

/* Takes one record of a stream. All of a context that has no place is lost. */
static bool channel_take(struct channel *channel, struct contexts *contexts, unsigned index,
			 struct wire_sample *out, uint64_t *lost)
{
	struct channel_place *mine = &channel->places[index];
	struct wire_stream *stream = wire_stream_at(channel->memory, channel->ring, index);
	const struct wire_record *ring = (const struct wire_record *)(stream + 1);
	uint32_t size = wire_ring(channel->ring, index);
	uint64_t head = __atomic_load_n(&stream->head, __ATOMIC_ACQUIRE);
	if (mine->context == CHANNEL_NO_CONTEXT) {
		mine->tail = head;
		__atomic_store_n(&stream->tail, head, __ATOMIC_RELEASE);
		return false;
	}
	struct context_info *info = &contexts->items[mine->context];
	uint64_t end = end_of(channel, stream, head, size);
	const uint64_t spans[] = {end, size};
	out->driver_count = 0;
	if (take_packed(channel, contexts, index, out))
		return true;
	if (!is_sound(mine, info, stream, spans))
		return false;
	while (mine->tail != end) {
		out->record = ring[mine->tail & (size - 1)];
		bool draft = mine->tail - head < size;
		if (draft)
			strip_draft(&out->record);
		__atomic_store_n(&stream->tail, ++mine->tail, __ATOMIC_RELEASE);
		if (out->record.kind == WIRE_DRIVER_VALUES &&
		    gather_values(channel, &out->record, out))
			continue;
		if (begin_packed(mine, info, &out->record, draft)) {
			if (!take_packed(channel, contexts, index, out))
				continue;
			*lost = count_lost(mine, stream, info);
			return true;
		}
		if (!makes_sense(&out->record)) {
			info->broken++;
			out->driver_count = 0;
			continue;
		}
		channel_fill(channel, mine, stream, out);
		info->frames += (uint64_t)wire_ends_frame(&out->record);
		*lost = count_lost(mine, stream, info);
		return true;
	}
	return false;
}

/*
 * Whether a known stream has more records, or may have: also one with a state that was overwritten.
 */
static bool is_in_use(const struct wire_stream *stream)
{
	uint32_t state = __atomic_load_n(&stream->state, __ATOMIC_ACQUIRE);
	return state != WIRE_FREE && state != WIRE_CLAIMED;
}

/* Counts records that were lost after the last one: no record reports them. */
static void count_late(struct channel *channel, struct contexts *contexts, unsigned index)
{
	struct channel_place *mine = &channel->places[index];
	const struct wire_stream *stream = wire_stream_at(channel->memory, channel->ring, index);
	bool closed = __atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) == WIRE_CLOSED;
	if ((closed || channel->ended) && mine->context != CHANNEL_NO_CONTEXT)
		contexts->late += count_lost(mine, stream, &contexts->items[mine->context]);
}

#define NO_RECORD UINT64_MAX
#define STAY	  16u		      /* records of one stream before others are looked at again */
#define WAIT_NS	  UINT64_C(100000000) /* for what a context drafts, and has no results of yet */

/* When the next of several frames ended; 0: other samples of one record stay together. */
static uint64_t packed_end_ns(const struct channel_place *mine)
{
	uint64_t end_ns = mine->packed.begin_ns;
	if (mine->packed.kind != WIRE_RUN)
		return 0;
	for (uint32_t i = 0; i <= mine->packed_at && i < WIRE_RUN_MOST; i++)
		end_ns += (uint32_t)mine->packed.values[i];
	return end_ns < NO_RECORD ? end_ns : 0;
}

/* When the next record of a stream ended; *drafted: it is one that is still to be written. */
static uint64_t next_end_ns(const struct channel *channel, unsigned index, bool *drafted)
{
	const struct channel_place *mine = &channel->places[index];
	const struct wire_stream *stream = wire_stream_at(channel->memory, channel->ring, index);
	const struct wire_record *ring = (const struct wire_record *)(stream + 1);
	uint32_t size = wire_ring(channel->ring, index);
	if (!mine->known || mine->context == CHANNEL_NO_CONTEXT || !is_in_use(stream))
		return NO_RECORD;
	if (mine->packed_at < mine->packed_count)
		return packed_end_ns(mine);
	uint64_t head = __atomic_load_n(&stream->head, __ATOMIC_ACQUIRE);
	uint64_t end_ns = ring[mine->tail & (size - 1)].end_ns;
	if (mine->tail != end_of(channel, stream, head, size))
		return end_ns;
	uint64_t end = __atomic_load_n(&stream->drafted, __ATOMIC_ACQUIRE);
	/* A time that is still to come makes no sense, and is not waited for. */
	*drafted = end - mine->tail - 1 < size && channel->now_ns - end_ns < WAIT_NS;
	return *drafted ? end_ns : NO_RECORD;
}

/* A ring that fills fast must be read soon, or it overruns. */
static bool is_half_full(const struct channel *channel, unsigned index)
{
	const struct wire_stream *stream = wire_stream_at(channel->memory, channel->ring, index);
	uint64_t head = __atomic_load_n(&stream->head, __ATOMIC_ACQUIRE);
	return head - channel->places[index].tail > wire_ring(channel->ring, index) / 2;
}

/*
 * Contexts of several threads write at once, and each when it has results. What all of them share,
 * the time of the rasteriser's threads for one, is given to samples in turn: by their ends, or the
 * first of many would have that of all. False: one that ended before all others is to be written.
 */
static bool turn_to_earliest(struct channel *channel, struct contexts *contexts)
{
	bool drafted = false, awaited = false;
	uint64_t least_ns = next_end_ns(channel, channel->next, &drafted);
	if (!drafted && least_ns <= channel->until_ns && channel->stay) {
		channel->stay--;
		return true;
	}
	for (unsigned met = 0; met < WIRE_STREAMS && channel_add_oldest(channel, contexts);)
		met++;
	uint64_t draft_ns = NO_RECORD;
	least_ns = channel->until_ns = NO_RECORD;
	channel->stay = STAY;
	for (unsigned i = 0; i < WIRE_STREAMS; i++) {
		const struct channel_place *places = channel->places;
		drafted = false;
		uint64_t end_ns = next_end_ns(channel, i, &drafted);
		if (drafted) {
			draft_ns = end_ns < draft_ns ? end_ns : draft_ns;
		} else if (end_ns < least_ns ||
			   (end_ns == least_ns && end_ns != NO_RECORD &&
			    places[i].context < places[channel->next].context)) {
			channel->until_ns = least_ns;
			least_ns = end_ns;
			channel->next = i;
		} else if (end_ns < channel->until_ns) {
			channel->until_ns = end_ns;
		}
	}
	if (draft_ns < channel->until_ns)
		channel->until_ns = draft_ns;
	awaited = draft_ns < least_ns && least_ns != NO_RECORD;
	return !awaited || is_half_full(channel, channel->next);
}

bool channel_next(struct channel *channel, struct contexts *contexts, struct wire_sample *out,
		  uint64_t *lost)
{
	*lost = 0;
	if (!turn_to_earliest(channel, contexts))
		return false;
	for (unsigned i = 0, met = 0; i < WIRE_STREAMS;) {
		unsigned index = (channel->next + i) % WIRE_STREAMS;
		struct channel_place *mine = &channel->places[index];
		struct wire_stream *stream = wire_stream_at(channel->memory, channel->ring, index);
		if (met < WIRE_STREAMS && channel_is_new(mine, stream, channel->ended) &&
		    channel_add_oldest(channel, contexts)) {
			met++;
			i = 0;
			continue;
		}
		i++;
		if (!mine->known || !is_in_use(stream))
			continue;
		bool taken = channel_take(channel, contexts, index, out, lost);
		if (!taken)
			count_late(channel, contexts, index);
		if (mine->packed_at == mine->packed_count)
			free_if_closed(contexts, mine, stream);
		if (taken) {
			channel->next = index;
			return true;
		}
	}
	channel->stay = 0; /* others may be the first to have more */
	return false;
}

bool channel_in_use(const struct channel *channel)
{
	for (unsigned i = 0; i < WIRE_STREAMS; i++)
		if (channel->places[i].packed_at < channel->places[i].packed_count ||
		    channel_has_identity(wire_stream_at(channel->memory, channel->ring, i)))
			return true;
	return false;
}
