/* A request in the driver's words: which of its counters make which value, in which pass. */
#include "source/gl/gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/no_data.h"
#include "catalog/column.h"
#include "wire/amd_groups.h"

#define NOBODY "(no group)"

/* Events that one value is the sum of. */
struct feed {
	uint32_t first, count;
};

struct making {
	struct gl_counters *s;
	const struct source_request *request;
	struct feed *feeds; /* of each value */
	const struct gl_counter **events;
	size_t event_count, event_cap;
	char *text;
	size_t text_size, text_cap;
	struct wire_event *out;
	size_t out_count, out_cap;
	bool *missing; /* of each value: the driver has nothing for it */
};

static const struct gl_group *find_group(const struct gl_list *list, const char *name)
{
	for (size_t i = 0; i < list->group_count; i++)
		if (strcmp(list->groups[i].name, name) == 0)
			return &list->groups[i];
	return NULL;
}

/* A counter of a group by the number that hardware knows it by. */
static const struct gl_counter *by_number(const struct gl_list *list, const struct gl_group *group,
					  uint32_t number)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (list->counters[group->first + i].id == number)
			return &list->counters[group->first + i];
	return NULL;
}

static const struct gl_counter *by_label(const struct gl_list *list, const char *label)
{
	for (size_t i = 0; i < list->counter_count; i++)
		if (list->counters[i].label && strcmp(list->counters[i].label, label) == 0)
			return &list->counters[i];
	return NULL;
}

static bool add_event(struct making *m, const struct gl_counter *counter, uint32_t value)
{
	if (!counter)
		return true;
	if (!mem_grow(&m->events, &m->event_cap, m->event_count + 1, sizeof(*m->events)))
		return false;
	m->events[m->event_count++] = counter;
	m->feeds[value].count++;
	return true;
}

static bool add_instance(struct making *m, const char *block, uint32_t instance, uint32_t slot,
			 uint32_t value)
{
	const struct gl_list *list = &m->s->list;
	struct amd_group_names names = {.block = block, .instance = instance};
	const struct gl_group *group = NULL;
	while (amd_group_next(&names, group != NULL)) {
		group = find_group(list, names.name);
		if (group && !add_event(m, by_number(list, group, slot), value))
			return false;
	}
	return true;
}

static bool find_value(struct making *m, uint32_t value)
{
	const char *name = m->request->counters[value];
	const struct gl_counter *own = by_label(&m->s->list, name);
	uint32_t count;
	m->feeds[value].first = (uint32_t)m->event_count;
	if (own)
		return add_event(m, own, value);
	struct column_id id = column_identify(m->s->catalog, name);
	if (id.counter == SX_NONE)
		return true;
	const struct sx_counter_info *info =
	    &sx_catalog_counters(m->s->catalog, &count)[id.counter];
	if (info->block == SX_NONE || info->slot == SX_NONE)
		return true;
	return add_instance(m, sx_catalog_blocks(m->s->catalog, &count)[info->block].name,
			    id.instance, info->slot, value);
}

/*
 * A chip may have fewer instances of a block than the largest of its generation: those count 0.
 * What has none at all is not there.
 */
static bool is_missing(struct making *m, uint32_t value)
{
	uint32_t count;
	if (m->feeds[value].count)
		return false;
	struct column_id id = column_identify(m->s->catalog, m->request->counters[value]);
	if (id.counter == SX_NONE || id.instance == SX_NONE || id.instance == 0)
		return true;
	const struct sx_counter_info *info =
	    &sx_catalog_counters(m->s->catalog, &count)[id.counter];
	if (info->block == SX_NONE)
		return true;
	struct amd_group_names first = {
	    .block = sx_catalog_blocks(m->s->catalog, &count)[info->block].name};
	const struct gl_group *group = NULL;
	while (!group && amd_group_next(&first, false))
		group = find_group(&m->s->list, first.name);
	return !group;
}

/* The offset of a text; equal texts in a row are stored once. */
static bool put_text(struct making *m, const char *text, uint32_t *at)
{
	size_t length = strlen(text) + 1;
	for (size_t i = 0; i < m->text_size; i += strlen(m->text + i) + 1) {
		if (strcmp(m->text + i, text) == 0) {
			*at = (uint32_t)i;
			return true;
		}
	}
	if (!mem_grow(&m->text, &m->text_cap, m->text_size + length, 1))
		return false;
	memcpy(m->text + m->text_size, text, length);
	*at = (uint32_t)m->text_size;
	m->text_size += length;
	return true;
}

static bool put_event(struct making *m, uint32_t pass, uint32_t value,
		      const struct gl_counter *counter)
{
	struct wire_event event = {.pass = (uint16_t)pass,
				   .value = (uint16_t)value,
				   .type = counter ? counter->type : WIRE_TYPE_U64,
				   .is_level = counter && counter->is_level};
	const char *group = counter ? m->s->list.groups[counter->group].name : NOBODY;
	if (!put_text(m, group, &event.group) ||
	    !put_text(m, counter ? counter->name : NOBODY, &event.counter) ||
	    !mem_grow(&m->out, &m->out_cap, m->out_count + 1, sizeof(event)))
		return false;
	m->out[m->out_count++] = event;
	return true;
}

static bool put_value(struct making *m, uint32_t pass, uint32_t value)
{
	const struct feed *feed = &m->feeds[value];
	if (m->missing[value])
		return put_event(m, pass, value, NULL);
	for (uint32_t i = 0; i < feed->count; i++)
		if (!put_event(m, pass, value, m->events[feed->first + i]))
			return false;
	return true;
}

/* Events of one group are adjacent: a group is then looked up once in a pass. */
static int compare(const void *a, const void *b)
{
	const struct wire_event *left = a, *right = b;
	if (left->pass != right->pass)
		return left->pass < right->pass ? -1 : 1;
	if (left->group != right->group)
		return left->group < right->group ? -1 : 1;
	return left->value < right->value ? -1 : left->value > right->value;
}

static bool put_passes(struct making *m, uint32_t *pass_count)
{
	const struct source_request *request = m->request;
	*pass_count = request->pass_count ? request->pass_count : 1;
	for (uint32_t p = 0; p < request->pass_count; p++)
		for (uint32_t i = 0; i < request->passes[p].count; i++)
			if (!put_value(m, p, request->passes[p].counters[i]))
				return false;
	for (uint32_t i = 0; !request->pass_count && i < request->counter_count; i++)
		if (!put_value(m, 0, i))
			return false;
	if (!m->text_size && !put_event(m, 0, 0, NULL))
		return false;
	qsort(m->out, m->out_count, sizeof(*m->out), compare);
	return true;
}

static enum sx_status too_many(const struct making *m, uint32_t passes, struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "%u counters in %u passes are too many",
		  (unsigned)m->request->counter_count, (unsigned)passes);
	error_because(err, "a program counts up to %u at a time, in up to %u passes",
		      (unsigned)WIRE_PROGRAM_VALUES, (unsigned)WIRE_PROGRAM_PASSES);
	error_try(err, "-m with fewer names; sextant list metrics -d gl_counters");
	return SX_ERR_USAGE;
}

static enum sx_status write_program(struct making *m, uint32_t passes, struct sx_error *err)
{
	uint32_t values = m->request->counter_count ? m->request->counter_count : 1;
	struct wire_program head = {.magic = WIRE_PROGRAM_MAGIC,
				    .api = m->s->list.api,
				    .pass_count = passes,
				    .value_count = values,
				    .event_count = (uint32_t)m->out_count,
				    .text_bytes = (uint32_t)m->text_size};
	snprintf(head.renderer, sizeof(head.renderer), "%s", m->s->list.renderer);
	if (passes > WIRE_PROGRAM_PASSES || values > WIRE_PROGRAM_VALUES ||
	    m->out_count > WIRE_PROGRAM_EVENTS || wire_program_bytes(&head) > WIRE_LABEL_BYTES)
		return too_many(m, passes, err);
	/* New memory: a caller may still hand the previous program to a process. */
	uint8_t *bytes = arena_alloc(&m->s->texts, wire_program_bytes(&head));
	if (!bytes)
		return error_nomem(err, "the driver's counters");
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), m->out, m->out_count * sizeof(*m->out));
	memcpy(bytes + sizeof(head) + m->out_count * sizeof(*m->out), m->text, m->text_size);
	m->s->in.wanted = (const struct wire_program *)(void *)bytes;
	return SX_OK;
}

static const char *why_missing(struct gl_counters *s, uint32_t counter)
{
	char text[128] = "";
	uint32_t count;
	const struct sx_counter_info *all = sx_catalog_counters(s->catalog, &count);
	const struct sx_block_info *blocks = sx_catalog_blocks(s->catalog, &count);
	bool apis = counter != SX_NONE && all[counter].block != SX_NONE &&
		    (all[counter].slot == SX_NONE || blocks[all[counter].block].alone);
	if (!apis)
		return no_data_text(NO_DATA_NO_COUNTER);
	no_data_append(text, sizeof(text), NO_DATA_OTHER_SOURCE, "-d gl");
	return arena_strndup(&s->texts, text, strlen(text));
}

/* Which columns rows have: one for each value, in its order, and frames behind them. */
static enum sx_status make_columns(struct making *m, struct sx_error *err)
{
	struct gl_counters *s = m->s;
	uint32_t count = m->request->counter_count, all;
	const struct sx_counter_info *counters = sx_catalog_counters(s->catalog, &all);
	s->columns = arena_alloc(&s->texts, (count + 1) * sizeof(*s->columns));
	if (!s->columns)
		return error_nomem(err, "the driver's counters");
	for (uint32_t i = 0; i < count; i++) {
		const char *name = m->request->counters[i];
		struct column_id id = column_identify(s->catalog, name);
		const struct feed *feed = &m->feeds[i];
		bool real = feed->count && wire_type_is_real(m->events[feed->first]->type);
		s->columns[i] = (struct sx_column){
		    .name = arena_strndup(&s->texts, name, strlen(name)),
		    .unit = id.counter == SX_NONE ? "count" : counters[id.counter].unit,
		    .type = real ? SX_F64 : SX_U64,
		    .over_time =
			id.counter == SX_NONE ? SX_REDUCE_SUM : counters[id.counter].over_time,
		};
		bool lacks = m->missing[i] && strcmp(name, "Frames") != 0;
		if (lacks)
			s->columns[i].why = why_missing(s, id.counter);
		if (!s->columns[i].name || (lacks && !s->columns[i].why))
			return error_nomem(err, "the driver's counters");
	}
	s->column_count = count;
	s->in.desc.columns = s->columns;
	s->in.desc.column_count = count;
	return SX_OK;
}

static enum sx_status make(struct making *m, struct sx_error *err)
{
	uint32_t passes = 0;
	for (uint32_t i = 0; i < m->request->counter_count; i++) {
		if (!find_value(m, i))
			return error_nomem(err, "the driver's counters");
		m->missing[i] = is_missing(m, i);
	}
	if (!put_passes(m, &passes))
		return error_nomem(err, "the driver's counters");
	enum sx_status status = write_program(m, passes, err);
	return status ? status : make_columns(m, err);
}

enum sx_status gl_counters_program(struct gl_counters *s, const struct source_request *request,
				   struct sx_error *err)
{
	struct making m = {.s = s, .request = request};
	if (request->counter_count > WIRE_PROGRAM_VALUES)
		return too_many(&m, request->pass_count, err);
	m.feeds = calloc(request->counter_count + 1, sizeof(*m.feeds));
	m.missing = calloc(request->counter_count + 1, sizeof(*m.missing));
	enum sx_status status =
	    m.feeds && m.missing ? make(&m, err) : error_nomem(err, "the driver's counters");
	free(m.feeds);
	free(m.missing);
	free(m.events);
	free(m.text);
	free(m.out);
	return status;
}
