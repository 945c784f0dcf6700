/*
 * The channel as a hostile program leaves it, and changes it between reads: the input is a list of
 * writes into its memory (where, how long, what), each of which is followed by reading. What is
 * read goes through the decoder.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "fuzz.h"
#include "source/guest/guest.h"
#include "wire/run.h"

#define RING 64u
#define READS                                                                                      \
	(RING * WIRE_RUN_MOST) /* after one write: more than all rings together hold is a loop */
#define PATH_BYTES 512

/* Decoders of OpenGL's frames, of OpenCL's commands, and of Vulkan's frames. */
#define READERS 3

struct world {
	struct channel channel;
	struct contexts contexts;
	struct bounds bounds;
	struct reader {
		struct decoder *decoder;
		struct sx_table *table;
	} readers[READERS];
	struct wire_sample *sample; /* with room for a path behind it */
};

static const enum raw_kind kinds[READERS] = {RAW_GUEST, RAW_KERNELS, RAW_GUEST};
static const char *const catalogs[READERS] = {"opengl", "opencl", "vulkan"};

/* Opened once: it takes longer than an input. */
static struct sx_catalog *catalog_of(int which)
{
	static struct sx_catalog *all[READERS];
	static struct sx_context *context;
	if (!context && sx_context_create(NULL, &context, NULL) != SX_OK)
		abort();
	if (!all[which] && sx_catalog_open(context, catalogs[which], &all[which], NULL) != SX_OK)
		abort();
	return all[which];
}

static void open_decoder(struct reader *r, int which)
{
	const struct decoder_ops *ops = decode_find(kinds[which]);
	static const char *const values[] = {"hw.one", "hw.two"};
	struct decoder_setup setup = {
	    .catalog = catalog_of(which), .values = values, .value_count = 2};
	if (ops->create(&setup, &r->decoder, NULL) != SX_OK)
		abort();
	if (decoder_table(r->decoder, &r->table, NULL) != SX_OK)
		abort();
}

static void check_text(const char *path, size_t length)
{
	if (length >= PATH_BYTES || path[length])
		abort();
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)path[i] < ' ')
			abort();
}

static void feed(struct world *w, int which)
{
	struct reader *r = &w->readers[which];
	struct raw_sample raw = {.kind = kinds[which],
				 .data = (const uint8_t *)w->sample,
				 .size = sizeof(*w->sample) + w->sample->label_length +
					 w->sample->driver_count * sizeof(struct wire_value)};
	enum sx_status status = r->decoder->ops->feed(r->decoder, &raw, r->table, NULL);
	if (status != SX_OK && status != SX_INCOMPLETE)
		abort();
	sx_table_clear(r->table);
}

/* A program that came 1000 s after the machine's start, 4 s ago. */
static const struct bounds long_here = {UINT64_C(1000000000000), UINT64_C(1004000000000),
					.cpus = 4};

static void check_bounds(const struct wire_record *record)
{
	if (record->end_ns - record->begin_ns > UINT64_C(6000000000))
		abort();
	for (unsigned i = 4; i < WIRE_COUNTER_ROOM; i++) /* the first four may be clocks */
		if (record->states[i] == WIRE_VALID && record->values[i] > UINT64_MAX / 1000)
			abort();
}

static void read_all(struct world *w)
{
	char *path = (char *)(w->sample + 1);
	uint64_t lost;
	unsigned reads = 0;
	while (channel_next(&w->channel, &w->contexts, w->sample, &lost)) {
		if (w->sample->context >= w->contexts.count || ++reads > WIRE_STREAMS * READS)
			abort();
		w->sample->label_length =
		    (uint32_t)channel_label(&w->channel, w->sample->record.label, path, PATH_BYTES);
		check_text(path, w->sample->label_length);
		memcpy(path + w->sample->label_length, w->channel.values,
		       w->sample->driver_count * sizeof(struct wire_value));
		for (int i = 0; i < READERS; i++)
			feed(w, i);
		w->bounds.commands = w->sample->record.kind == WIRE_KERNEL;
		if (bounds_hold(&w->bounds, w->sample)) {
			check_bounds(&w->sample->record);
			for (int i = 0; i < READERS; i++)
				feed(w, i);
		}
	}
}

/*
 * Six bytes say where (a stream's head or ring, the header, the labels) and how long; a bit among
 * them, that the program has ended.
 */
static size_t one_write(struct world *w, const uint8_t *data, size_t size)
{
	uint8_t *memory = (uint8_t *)w->channel.memory;
	w->channel.ended |= data[1] & 0x40;
	size_t at = data[2] | (size_t)data[3] << 8, length = data[4];
	if (data[0] < 16)
		at %= sizeof(struct wire_header);
	else if (data[0] < 96)
		at += sizeof(struct wire_header);
	else
		at = (size_t)((uint8_t *)wire_stream_at(w->channel.memory, RING, data[1] % 4) -
			      memory) +
		     at % (data[0] & 1 ? 1024 : WIRE_STREAM_STRIDE(RING));
	length = length < size - 5 ? length : size - 5;
	if (at + length <= WIRE_BYTES(RING))
		memcpy(memory + at, data + 5, length);
	return 5 + length;
}

/* A stream that is in use, so that the rest of the input is reached. */
static void begin(struct world *w)
{
	struct channel_wish wish = {.ring = RING};
	channel_prepare(w->channel.memory, &wish);
	for (unsigned i = 0; i < 4; i++) {
		struct wire_stream *stream = wire_stream_at(w->channel.memory, RING, i);
		struct wire_record *ring = (struct wire_record *)(stream + 1);
		stream->state = WIRE_OPEN;
		stream->generation = 1;
		stream->head = 3;
		for (uint32_t k = 0; k < RING; k++)
			ring[k] = (struct wire_record){.kind = WIRE_FRAME + k % 7,
						       .begin_ns = long_here.came_ns,
						       .end_ns = long_here.came_ns + k,
						       .label = 8 + 24 * k};
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world w = {.bounds = long_here, .channel = {.ring = RING, .name = "fuzz"}};
	w.channel.memory = calloc(1, WIRE_BYTES(RING));
	w.sample =
	    malloc(sizeof(*w.sample) + PATH_BYTES + WIRE_VALUES_MOST * sizeof(struct wire_value));
	if (!w.channel.memory || !w.sample)
		abort();
	for (int i = 0; i < READERS; i++)
		open_decoder(&w.readers[i], i);
	begin(&w);
	for (size_t at = 0; at + 6 <= size;) {
		at += one_write(&w, data + at, size - at);
		read_all(&w);
	}
	for (int i = 0; i < READERS; i++) {
		w.readers[i].decoder->ops->destroy(w.readers[i].decoder);
		sx_table_destroy(w.readers[i].table);
	}
	free(w.channel.memory);
	free(w.contexts.items);
	free(w.sample);
	return 0;
}
