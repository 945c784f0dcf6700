/* Nearness of names: an edit distance with swaps, cheap for letters that differ only in case. */
#include "base/suggest.h"
#include "base/text_buf.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LENGTH_MAX 128
/* Costs are in quarters of an edit, so that case can weigh less than a letter. */
#define EDIT	4u
#define CASE	1u
#define CONTAIN 6u
#define FAR	UINT32_MAX

void suggest_begin(struct suggest *s, const char *name, size_t max)
{
	*s = (struct suggest){.name = name, .len = strlen(name)};
	s->max = max < SUGGEST_MAX ? max : SUGGEST_MAX;
}

static bool is_separator(char c)
{
	return c == '_' || c == '-' || c == '.' || c == ' ';
}

static uint32_t replace_cost(char a, char b)
{
	if (a == b)
		return 0;
	if (tolower((unsigned char)a) == tolower((unsigned char)b) ||
	    (is_separator(a) && is_separator(b)))
		return CASE;
	return EDIT;
}

static uint32_t min3(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t least = a < b ? a : b;
	return least < c ? least : c;
}

/* Optimal string alignment over three rows; FAR as soon as a whole row exceeds the bound. */
static uint32_t edit_cost(const char *a, size_t a_len, const char *b, size_t b_len, uint32_t bound)
{
	uint32_t rows[3][LENGTH_MAX + 1];
	uint32_t *before = rows[0], *above = rows[1], *row = rows[2];
	for (size_t j = 0; j <= b_len; j++)
		above[j] = (uint32_t)j * EDIT;
	for (size_t i = 1; i <= a_len; i++) {
		row[0] = (uint32_t)i * EDIT;
		uint32_t least = row[0];
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = min3(above[j] + EDIT, row[j - 1] + EDIT,
				      above[j - 1] + replace_cost(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + EDIT < row[j])
				row[j] = before[j - 2] + EDIT;
			if (row[j] < least)
				least = row[j];
		}
		if (least > bound)
			return FAR;
		uint32_t *spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[b_len];
}

static uint32_t cost_of(const struct suggest *s, const char *candidate)
{
	size_t len = strlen(candidate);
	if (len > LENGTH_MAX || s->len > LENGTH_MAX || len == 0 || s->len == 0)
		return FAR;
	/* A third of the letters may be wrong; in very short names a single one. */
	uint32_t bound = (uint32_t)(s->len < 4 ? 1 : s->len / 3) * EDIT;
	size_t apart = len > s->len ? len - s->len : s->len - len;
	uint32_t cost =
	    apart * EDIT > bound ? FAR : edit_cost(s->name, s->len, candidate, len, bound);
	if (cost <= bound)
		return cost;
	if (s->len >= 3 && strcasestr(candidate, s->name))
		return bound + CONTAIN + (uint32_t)apart;
	if (len >= 3 && strcasestr(s->name, candidate))
		return bound + 2 * CONTAIN + (uint32_t)apart;
	return FAR;
}

void suggest_offer(struct suggest *s, const char *candidate)
{
	uint32_t cost = cost_of(s, candidate);
	if (cost == FAR || s->max == 0)
		return;
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->items[i], candidate) == 0)
			return;
	size_t at = s->count;
	while (at > 0 && s->costs[at - 1] > cost)
		at--;
	if (at == s->max)
		return;
	size_t last = s->count < s->max ? s->count++ : s->max - 1;
	for (size_t i = last; i > at; i--) {
		s->items[i] = s->items[i - 1];
		s->costs[i] = s->costs[i - 1];
	}
	s->items[at] = candidate;
	s->costs[at] = cost;
}

const char *suggest_text(const struct suggest *s, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < s->count; i++)
		text_append_item(text, size, i + 1 == s->count ? " or " : ", ", "%s", s->items[i]);
	return text;
}

bool suggest_is_same(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b) &&
		    !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
			return false;
	return *a == *b;
}

const char *suggest_behind(const char *name, const char *owner, uint32_t number)
{
	size_t length = owner ? strlen(owner) : 0;
	if (!length || strncasecmp(name, owner, length) != 0)
		return NULL;
	name += length;
	if (*name == '#') {
		char *end;
		if (name[1] < '0' || name[1] > '9' || strtoul(name + 1, &end, 10) != number)
			return NULL;
		name = end;
	}
	return *name == '.' && name[1] ? name + 1 : NULL;
}

#define FILES_MAX 4096 /* of a folder, that are looked at */

bool suggest_file(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int length = (int)(name - path), written = -1;
	char *folder = slash ? strndup(path, (size_t)length) : strdup(".");
	char **names = calloc(FILES_MAX, sizeof(*names));
	DIR *dir = folder && names && *name ? opendir(folder) : NULL;
	size_t count = 0;
	struct suggest near;
	suggest_begin(&near, name, 1);
	for (struct dirent *entry; dir && count < FILES_MAX && (entry = readdir(dir));) {
		if (entry->d_name[0] == '.' || entry->d_type == DT_DIR)
			continue;
		if (!(names[count] = strdup(entry->d_name)))
			break;
		suggest_offer(&near, names[count++]);
	}
	if (near.count)
		written = snprintf(out, size, "%.*s%s", length, path, near.items[0]);
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	free(folder);
	return written >= 0 && (size_t)written < size;
}
