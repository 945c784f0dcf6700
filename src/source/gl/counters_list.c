/* The lines of the child that asked the driver: what makes no sense in them is left out. */
#include "source/gl/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define COUNTERS_MOST 30000u /* a catalog holds 32,768 entries of a kind */
#define GROUPS_MOST   4096u

/* The part up to the next tab; NULL when there is none left. */
static char *part(char **at)
{
	char *begin = *at;
	if (!begin)
		return NULL;
	char *tab = strchr(begin, '\t');
	if (tab)
		*tab = '\0';
	*at = tab ? tab + 1 : NULL;
	return begin;
}

static bool number(char **at, uint32_t *out)
{
	const char *text = part(at);
	return text && number_u32(text, strlen(text), out);
}

static bool add_group(struct gl_lines *l, char *at)
{
	struct gl_list *list = l->list;
	struct gl_group group = {.first = (uint32_t)list->counter_count};
	if (!number(&at, &group.limit) || !at || !*at)
		return true;
	if (list->group_count == GROUPS_MOST)
		return true;
	group.name = arena_strndup(&list->texts, at, strlen(at));
	if (!group.name ||
	    !mem_grow(&list->groups, &list->group_cap, list->group_count + 1, sizeof(group)))
		return false;
	list->groups[list->group_count++] = group;
	return true;
}

static bool add_counter(struct gl_lines *l, char *at)
{
	struct gl_list *list = l->list;
	struct gl_counter counter = {0};
	uint32_t type = 0, kind = 0;
	if (!list->group_count || list->counter_count == COUNTERS_MOST)
		return true;
	if (!number(&at, &counter.id) || !number(&at, &type) || !number(&at, &kind) ||
	    type < WIRE_TYPE_U32 || type > WIRE_TYPE_F64)
		return true;
	const char *name = part(&at);
	if (!name || !*name || strlen(name) >= WIRE_PROGRAM_NAME_MAX)
		return true;
	counter.name = arena_strndup(&list->texts, name, strlen(name));
	counter.about = at ? arena_strndup(&list->texts, at, strlen(at)) : "";
	counter.group = (uint32_t)list->group_count - 1;
	counter.type = (uint8_t)type;
	counter.is_share = kind == 2;
	counter.is_level = kind != 0;
	if (!counter.name || !counter.about ||
	    !mem_grow(&list->counters, &list->counter_cap, list->counter_count + 1,
		      sizeof(counter)))
		return false;
	list->counters[list->counter_count++] = counter;
	list->groups[counter.group].count++;
	return true;
}

static void add_shape(struct gl_list *list, char *at)
{
	uint32_t which, value;
	if (!number(&at, &which) || !number(&at, &value))
		return;
	if (which == 1)
		list->units = value;
	if (which == 4)
		list->engines = value;
}

static bool take_line(struct gl_lines *l, char *line)
{
	struct gl_list *list = l->list;
	char *at = line[0] && line[1] == '\t' ? line + 2 : NULL;
	uint32_t api = 0;
	if (line[0] == 'E' && !line[1])
		l->ended = true;
	if (!at)
		return true;
	switch (line[0]) {
	case 'V':
		snprintf(list->vendor, sizeof(list->vendor), "%s", at);
		return true;
	case 'R':
		snprintf(list->renderer, sizeof(list->renderer), "%s", at);
		return true;
	case 'S':
		snprintf(list->version, sizeof(list->version), "%s", at);
		return true;
	case 'A':
		if (number(&at, &api) && (api == WIRE_AMD_MONITOR || api == WIRE_INTEL_QUERY))
			list->api = (enum wire_counter_api)api;
		return true;
	case 'G':
		return add_group(l, at);
	case 'C':
		return add_counter(l, at);
	case 'K':
		add_shape(list, at);
		return true;
	default:
		return true;
	}
}

bool gl_lines_take(struct gl_lines *l, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size && !l->failed && !l->ended; i++) {
		if (bytes[i] != '\n') {
			l->skipping |= l->length + 1 >= sizeof(l->rest);
			if (!l->skipping)
				l->rest[l->length++] = bytes[i] ? bytes[i] : ' ';
			continue;
		}
		l->rest[l->length] = '\0';
		if (!l->skipping)
			l->failed = !take_line(l, l->rest);
		l->length = 0;
		l->skipping = false;
	}
	return !l->failed && !l->ended;
}

void gl_list_finish(struct gl_list *list)
{
	arena_finish(&list->texts);
	free(list->groups);
	free(list->counters);
	*list = (struct gl_list){0};
}
