/* Column names to counters. */
#include "catalog/column.h"
#include "base/text_buf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 256

static uint32_t column_counter(const struct sx_catalog *catalog, const char *name)
{
	return sx_catalog_find_counter(catalog, name, SX_NONE, NULL);
}

/* Removes the digits (and brackets) that end `stem`; false when there are none. */
static bool split_instance(char *stem, uint32_t *instance)
{
	size_t len = strlen(stem);
	bool bracket = len && stem[len - 1] == ']';
	size_t end = bracket ? len - 1 : len;
	size_t begin = end;
	while (begin && isdigit((unsigned char)stem[begin - 1]))
		begin--;
	if (begin == end || end - begin > 4 || (bracket && (!begin || stem[begin - 1] != '[')))
		return false;
	*instance = (uint32_t)strtoul(stem + begin, NULL, 10);
	stem[bracket ? begin - 1 : begin] = '\0';
	return true;
}

/* Tries the part before `dot` (NULL: the whole name) as a stem with an instance number. */
static struct column_id try_split(const struct sx_catalog *catalog, const char *name,
				  const char *dot)
{
	struct column_id id = {SX_NONE, SX_NONE};
	char text[NAME_MAX_BYTES];
	size_t len = dot ? (size_t)(dot - name) : strlen(name);
	if (strlen(name) >= sizeof(text))
		return id;
	memcpy(text, name, len);
	text[len] = '\0';
	if (!split_instance(text, &id.instance))
		return (struct column_id){SX_NONE, SX_NONE};
	if (dot)
		text_append(text, sizeof(text), "%s", dot);
	id.counter = column_counter(catalog, text);
	return id;
}

struct column_id column_identify(const struct sx_catalog *catalog, const char *name)
{
	if (*name == '$')
		name++;
	struct column_id id = {column_counter(catalog, name), SX_NONE};
	if (id.counter == SX_NONE)
		id = try_split(catalog, name, strchr(name, '.'));
	if (id.counter == SX_NONE)
		id = try_split(catalog, name, NULL);
	if (id.counter == SX_NONE)
		id.instance = SX_NONE;
	return id;
}

void column_spell(char *buf, size_t size, const char *name, uint32_t instance)
{
	const char *dot = strchr(name, '.');
	if (instance == SX_NONE)
		snprintf(buf, size, "%s", name);
	else if (dot)
		snprintf(buf, size, "%.*s[%u]%s", (int)(dot - name), name, instance, dot);
	else
		snprintf(buf, size, "%s[%u]", name, instance);
}

/* Moves to the next letter or digit, or to the end; which it is there. */
static inline unsigned char next_letter(const unsigned char **text)
{
	unsigned char letter = 0;
	while (**text && !(letter = column_letter(**text)))
		++*text;
	return letter;
}

/* An unknown column is compared with every name of every catalog: most differ at once. */
bool column_alike(const char *a, const char *b)
{
	const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
	if (!a)
		return false;
	for (;; p++, q++) {
		unsigned char x = next_letter(&p), y = next_letter(&q);
		if (x != y || !x)
			return x == y;
	}
}

/* The same but for the case of letters. */
static bool same_letters(const char *a, const char *b)
{
	return a && strcasecmp(a, b) == 0;
}

static bool any_alike(const struct sx_strings *names, const char *name,
		      bool (*like)(const char *a, const char *b))
{
	for (uint32_t i = 0; i < names->count; i++)
		if (like(names->items[i], name))
			return true;
	return false;
}

/* A thing that a name may mean; where a second one is offered, the name means none. */
static void offer(uint32_t *found, bool *twice, uint32_t index)
{
	*twice |= *found != SX_NONE;
	*found = index;
}

static uint32_t counter_like(const struct sx_catalog *catalog, const char *name,
			     bool (*like)(const char *a, const char *b))
{
	uint32_t count, found = SX_NONE;
	bool twice = false;
	const struct sx_counter_info *all = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (like(all[i].name, name) || any_alike(&all[i].aliases, name, like))
			offer(&found, &twice, i);
	return twice ? SX_NONE : found;
}

static uint32_t counter_titled(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count, found = SX_NONE;
	bool twice = false;
	const struct sx_counter_info *all = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (column_alike(all[i].title, name))
			offer(&found, &twice, i);
	return twice ? SX_NONE : found;
}

/* A metric by name or alias; what is only alike may be its title or neutral name too. */
static uint32_t metric_like(const struct sx_catalog *catalog, const char *name, uint32_t group,
			    bool (*like)(const char *a, const char *b))
{
	uint32_t count, found = SX_NONE;
	bool twice = false;
	const struct sx_metric_info *all = sx_catalog_metrics(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if ((group == SX_NONE || all[i].group == group) &&
		    (like(all[i].name, name) || like(all[i].qualified, name) ||
		     (like == column_alike &&
		      (column_alike(all[i].title, name) || column_alike(all[i].neutral, name))) ||
		     any_alike(&all[i].aliases, name, like)))
			offer(&found, &twice, i);
	return twice ? SX_NONE : found;
}

static uint32_t exact_metric(const struct sx_catalog *catalog, const char *name, uint32_t group)
{
	uint32_t count, matches = 0, found = SX_NONE;
	uint32_t index = sx_catalog_find_metric(catalog, name, group, &matches);
	bool twice = matches > 1;
	if (index != SX_NONE)
		return twice ? SX_NONE : index;
	const struct sx_metric_info *all = sx_catalog_metrics(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (all[i].neutral && strcmp(all[i].neutral, name) == 0 &&
		    (group == SX_NONE || all[i].group == group))
			offer(&found, &twice, i);
	return twice ? SX_NONE : found;
}

const char *column_of_neutral(const struct sx_catalog *catalog, const char *neutral, bool metrics)
{
	uint32_t count;
	const struct sx_metric_info *m = sx_catalog_metrics(catalog, &count);
	for (uint32_t i = 0; metrics && i < count; i++)
		if (m[i].neutral && strcmp(m[i].neutral, neutral) == 0)
			return m[i].qualified;
	const struct sx_counter_info *c = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (c[i].neutral && strcmp(c[i].neutral, neutral) == 0)
			return c[i].name;
	return NULL;
}

bool column_is_known(const struct column_meaning *meaning)
{
	return meaning->counter.counter != SX_NONE || meaning->constant != SX_NONE ||
	       meaning->metric != SX_NONE;
}

struct column_meaning column_meaning(const struct sx_catalog *catalog, const char *name,
				     uint32_t group)
{
	struct column_meaning m = {column_identify(catalog, name), SX_NONE, SX_NONE};
	if (m.counter.counter == SX_NONE)
		m.constant = sx_catalog_find_constant(catalog, name);
	if (!column_is_known(&m))
		m.metric = exact_metric(catalog, name, group);
	if (!column_is_known(&m))
		m.counter.counter = counter_like(catalog, name, column_alike);
	if (!column_is_known(&m))
		m.metric = metric_like(catalog, name, group, column_alike);
	if (!column_is_known(&m))
		m.counter.counter = counter_titled(catalog, name);
	return m;
}

struct column_meaning column_wanted(const struct sx_catalog *catalog, const char *name,
				    uint32_t group)
{
	struct column_meaning m = {{SX_NONE, SX_NONE}, SX_NONE, exact_metric(catalog, name, group)};
	if (!column_is_known(&m))
		m.counter = column_identify(catalog, name);
	if (column_is_known(&m) || sx_catalog_find_constant(catalog, name) != SX_NONE)
		return m;
	m.metric = metric_like(catalog, name, group, same_letters);
	if (!column_is_known(&m))
		m.counter.counter = counter_like(catalog, name, same_letters);
	if (!column_is_known(&m))
		m.metric = metric_like(catalog, name, group, column_alike);
	if (!column_is_known(&m))
		m.counter.counter = counter_like(catalog, name, column_alike);
	if (!column_is_known(&m))
		m.counter.counter = counter_titled(catalog, name);
	return m;
}

bool column_is_imbalance(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count;
	const struct sx_block_info *blocks = sx_catalog_blocks(catalog, &count);
	const char *suffix = strstr(name, "_imbalance");
	bool found = false;
	for (uint32_t i = 0; suffix && !suffix[10] && !found && i < count; i++) {
		size_t length = strlen(blocks[i].name), same = 0;
		while (same < length && (name[same] == blocks[i].name[same] ||
					 (name[same] == '_' && blocks[i].name[same] == '-')))
			same++;
		found = same == length && name + same == suffix;
	}
	return found;
}
