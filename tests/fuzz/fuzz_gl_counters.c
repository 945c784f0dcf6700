/*
 * What a driver's child says of its counters, of any content: lines to a list, a catalog and a
 * program; and samples of them, of any content.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "source/gl/gl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sx_context *context;

/* Names of the driver do not change the catalog's own counters. */
static void check_catalog(const struct sx_catalog *catalog)
{
	uint32_t count;
	const struct sx_counter_info *all = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (all[i].slot != SX_NONE && strcmp(all[i].unit, "unknown") == 0)
			abort();
}

static void check_program(const struct gl_counters *s)
{
	const struct wire_program *program = s->in.wanted;
	const struct wire_event *events = wire_program_events(program);
	if (wire_program_bytes(program) > WIRE_LABEL_BYTES || !program->pass_count)
		abort();
	for (uint32_t i = 0; i < program->event_count; i++)
		if (events[i].value >= program->value_count ||
		    events[i].pass >= program->pass_count ||
		    events[i].group >= program->text_bytes ||
		    events[i].counter >= program->text_bytes ||
		    (i && events[i].pass < events[i - 1].pass))
			abort();
}

/* The rest of the input as the bytes behind a record. */
static void decode(const struct gl_counters *s, const uint8_t *data, size_t size)
{
	const struct decoder_ops *ops = decode_find(RAW_COUNTERS);
	const struct decoder_setup setup = {
	    .catalog = s->catalog, .columns = s->columns, .column_count = s->column_count};
	struct decoder *decoder;
	struct sx_table *table;
	if (ops->create(&setup, &decoder, NULL) != SX_OK)
		return;
	uint8_t *bytes = calloc(1, sizeof(struct wire_sample) + size);
	if (bytes && decoder_table(decoder, &table, NULL) == SX_OK) {
		struct wire_sample *head = (struct wire_sample *)(void *)bytes;
		memcpy(bytes + (size & 1 ? 0 : sizeof(*head)), data, size);
		if (!(size & 1)) {
			head->record.kind = WIRE_FRAME;
			head->driver_count = (uint32_t)(size / sizeof(struct wire_value));
			head->label_length = (uint32_t)(size % sizeof(struct wire_value));
		}
		struct raw_sample raw = {
		    .kind = RAW_COUNTERS, .data = bytes, .size = sizeof(*head) + size};
		struct sx_error err = {0};
		if (ops->feed(decoder, &raw, table, &err) == SX_INCOMPLETE &&
		    (!err.message[0] || !err.because[0] || !err.remedy[0]))
			abort();
		sx_table_destroy(table);
	}
	free(bytes);
	ops->destroy(decoder);
}

static void request(struct gl_counters *s, const uint8_t *data, size_t size)
{
	uint32_t count, taken = 0, half[64], all[64];
	const struct sx_counter_info *counters = sx_catalog_counters(s->catalog, &count);
	const char *names[64];
	for (uint32_t i = 0; i < count && taken < 64; i += 1 + (uint32_t)(size % 7)) {
		half[taken / 2] = taken;
		all[taken] = taken;
		names[taken++] = counters[i].name;
	}
	const struct source_pass passes[] = {{all, taken}, {half, taken / 2}};
	const struct source_request wanted = {.counters = names,
					      .counter_count = taken,
					      .passes = passes,
					      .pass_count = (uint32_t)(size % 3)};
	struct sx_error err = {0};
	if (gl_counters_program(s, &wanted, &err) == SX_OK) {
		check_program(s);
		decode(s, data, size);
	} else if (!err.message[0] || !err.remedy[0]) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gl_counters s = {.column_count = 0};
	struct gl_lines lines = {.list = &s.list};
	struct sx_error err = {0};
	if (!context && sx_context_create(NULL, &context, NULL) != SX_OK)
		return 0;
	s.in.base.catalogs = context;
	size_t half = size / 2;
	if (gl_lines_take(&lines, (const char *)data, half))
		gl_lines_take(&lines, (const char *)data + half, size - half);
	for (size_t i = 0; i < s.list.group_count; i++)
		if (s.list.groups[i].first + s.list.groups[i].count > s.list.counter_count)
			abort();
	if (gl_counters_describe(&s, &err) == SX_OK) {
		check_catalog(s.catalog);
		request(&s, data, size);
	} else if (!err.message[0])
		abort();
	sx_catalog_unref(s.catalog);
	sx_catalog_unref(s.units);
	gl_list_finish(&s.list);
	arena_finish(&s.texts);
	return 0;
}
