/* Column names to counters. */
#include "catalog/column.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 256

static uint32_t find(const struct sx_catalog *catalog, const char *name)
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
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s", dot);
	id.counter = find(catalog, text);
	return id;
}

struct column_id column_identify(const struct sx_catalog *catalog, const char *name)
{
	if (*name == '$')
		name++;
	struct column_id id = {find(catalog, name), SX_NONE};
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
