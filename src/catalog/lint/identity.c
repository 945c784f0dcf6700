/* Hashes of metrics, and the lines of identity.tsv: catalog, metric, hash. */
#include "catalog/lint/lint.h"
#include "base/error.h"
#include "base/mem.h"
#include "catalog/search/pack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define LINE_BYTES_MAX 512

#define OPERATORS "+-*/(),<>=!"

static bool is_operator(char c)
{
	return c && strchr(OPERATORS, c);
}

/* Appends a form, normalised; p has room for its length. */
static char *put_form(char *p, const char *form)
{
	const char *begin = p;
	for (const char *f = form; *f; f++) {
		if (*f == ' ' || *f == '$')
			continue;
		/* Blanks stay, as one, where they part two words. */
		bool blank =
		    f > form && (f[-1] == ' ' || (f[-1] == '$' && f - 1 > form && f[-2] == ' '));
		if (blank && p > begin && !is_operator(*f) && !is_operator(p[-1]))
			*p++ = ' ';
		*p++ = *f;
	}
	*p++ = '\n';
	return p;
}

bool identity_hash(const struct sx_catalog *catalog, const struct sx_metric_info *metric,
		   uint64_t *hash)
{
	const struct sx_catalog_info *info = sx_catalog_info(catalog);
	uint32_t variants = info->variant_count ? info->variant_count : 1;
	size_t size = strlen(metric->unit) + 1;
	for (uint32_t v = 0; v < variants; v++)
		size += (info->variant_count ? strlen(info->variants[v].name) : 0) + 2 +
			(metric->exprs[v] ? strlen(metric->exprs[v]) : 0);
	char *text = malloc(size + 1);
	if (!text)
		return false;
	char *p = stpcpy(text, metric->unit);
	*p++ = '\n';
	for (uint32_t v = 0; v < variants; v++) {
		p = stpcpy(p, info->variant_count ? info->variants[v].name : "");
		*p++ = '=';
		p = put_form(p, metric->exprs[v] ? metric->exprs[v] : "");
	}
	*hash = XXH64(text, (size_t)(p - text), 0);
	free(text);
	return true;
}

enum sx_status identities_open(struct identities *list, struct sx_error *err)
{
	struct pack_file file;
	if (!pack_find("identity.tsv", &file))
		return SX_OK;
	enum sx_status status = pack_bytes(&file, &list->arena, &list->begin, err);
	if (status == SX_OK)
		list->end = list->begin + file.unpacked;
	else
		identities_finish(list);
	return status;
}

void identities_finish(struct identities *list)
{
	arena_finish(&list->arena);
	*list = (struct identities){0};
}

/* The beginning of the line that contains `p`. */
static const char *line_begin(const char *begin, const char *p)
{
	while (p > begin && p[-1] != '\n')
		p--;
	return p;
}

/* The first line that begins with `key` in a sorted text, or NULL. */
static const char *find_line(const char *begin, const char *end, const char *key, size_t len)
{
	const char *low = begin, *high = end;
	while (low < high) {
		const char *line = line_begin(low, low + (high - low) / 2);
		size_t left = (size_t)(end - line);
		if (memcmp(line, key, left < len ? left : len) < 0) {
			const char *newline = memchr(line, '\n', left);
			low = newline ? newline + 1 : end;
		} else {
			high = line;
		}
	}
	return (size_t)(end - low) >= len && memcmp(low, key, len) == 0 ? low : NULL;
}

/* The hash that the list has for a metric, or for all of its name in any group; NULL: none. */
static const char *find_hash(const struct identities *file, const char *catalog,
			     const struct sx_metric_info *metric)
{
	char key[LINE_BYTES_MAX];
	int len = snprintf(key, sizeof(key), "%s\t%s\t", catalog, metric->qualified);
	const char *at = find_line(file->begin, file->end, key, (size_t)len);
	if (!at && metric->group != SX_NONE) {
		len = snprintf(key, sizeof(key), "%s\t*.%s\t", catalog, metric->name);
		at = find_line(file->begin, file->end, key, (size_t)len);
	}
	return at ? at + len : NULL;
}

enum identity_state identity_check(const struct identities *file, const struct sx_catalog *catalog,
				   const struct sx_metric_info *metric)
{
	const char *name = sx_catalog_info(catalog)->catalog;
	char key[LINE_BYTES_MAX], hash[17];
	int len = snprintf(key, sizeof(key), "%s\t", name);
	if (!find_line(file->begin, file->end, key, (size_t)len))
		return IDENTITY_UNBOUND;
	const char *at = find_hash(file, name, metric);
	if (!at)
		return IDENTITY_MISSING;
	uint64_t value;
	if (!identity_hash(catalog, metric, &value))
		return IDENTITY_NO_MEMORY;
	snprintf(hash, sizeof(hash), "%016" PRIx64, value);
	return file->end - at >= 16 && memcmp(at, hash, 16) == 0 ? IDENTITY_SAME : IDENTITY_CHANGED;
}

struct lines {
	const char **items; /* each ends at a newline or a NUL */
	size_t count, cap;
};

static size_t line_length(const char *line)
{
	return strcspn(line, "\n");
}

static int compare_lines(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	size_t x_len = line_length(x), y_len = line_length(y);
	int order = memcmp(x, y, x_len < y_len ? x_len : y_len);
	return order ? order : (x_len > y_len) - (x_len < y_len);
}

static bool add_line(struct lines *lines, const char *line)
{
	if (!mem_grow(&lines->items, &lines->cap, lines->count + 1, sizeof(*lines->items)))
		return false;
	lines->items[lines->count++] = line;
	return true;
}

/* Keeps what the old text says of other catalogs. */
static bool keep_others(struct lines *lines, const char *old, const char *name)
{
	size_t len = strlen(name);
	for (const char *p = old; p && *p;) {
		bool ours = strncmp(p, name, len) == 0 && p[len] == '\t';
		if (*p != '\n' && !ours && !add_line(lines, p))
			return false;
		p += line_length(p);
		p += *p == '\n';
	}
	return true;
}

/* How metrics of one name in several groups compare. */
enum namesakes { NAMESAKES_DIFFER, NAMESAKES_SAME_FIRST, NAMESAKES_SAME_LATER };

static enum namesakes compare_namesakes(const struct sx_metric_info *m, const uint64_t *hashes,
					uint32_t count, uint32_t at)
{
	enum namesakes result = NAMESAKES_SAME_FIRST;
	for (uint32_t i = 0; i < count; i++) {
		if (i == at || strcmp(m[i].name, m[at].name) != 0)
			continue;
		if (hashes[i] != hashes[at])
			return NAMESAKES_DIFFER;
		if (i < at)
			result = NAMESAKES_SAME_LATER;
	}
	return result;
}

/* One line a metric; one for all groups, "*.name", where its formula is the same in each. */
static bool add_metrics(struct lines *lines, const struct sx_catalog *catalog, struct arena *arena)
{
	uint32_t count;
	const struct sx_metric_info *m = sx_catalog_metrics(catalog, &count);
	uint64_t *hashes = arena_alloc(arena, (count + 1) * sizeof(*hashes));
	for (uint32_t i = 0; hashes && i < count; i++)
		if (!identity_hash(catalog, &m[i], &hashes[i]))
			return false;
	for (uint32_t i = 0; hashes && i < count; i++) {
		enum namesakes same = NAMESAKES_DIFFER;
		if (m[i].group != SX_NONE)
			same = compare_namesakes(m, hashes, count, i);
		if (same == NAMESAKES_SAME_LATER)
			continue;
		char line[LINE_BYTES_MAX];
		int len = snprintf(
		    line, sizeof(line), "%s\t%s%s\t%016" PRIx64, sx_catalog_info(catalog)->catalog,
		    same == NAMESAKES_SAME_FIRST ? "*." : "",
		    same == NAMESAKES_SAME_FIRST ? m[i].name : m[i].qualified, hashes[i]);
		const char *copy = arena_strndup(arena, line, (size_t)len);
		if (!copy || !add_line(lines, copy))
			return false;
	}
	return hashes != NULL;
}

static char *identity_join(const struct lines *lines)
{
	size_t size = 1;
	for (size_t i = 0; i < lines->count; i++)
		size += line_length(lines->items[i]) + 1;
	char *text = malloc(size), *p = text;
	for (size_t i = 0; text && i < lines->count; i++) {
		size_t len = line_length(lines->items[i]);
		memcpy(p, lines->items[i], len);
		p[len] = '\n';
		p += len + 1;
	}
	if (text)
		*p = '\0';
	return text;
}

enum sx_status sx_catalog_metric_hash(const struct sx_catalog *catalog, uint32_t metric,
				      uint64_t *hash, struct sx_error *err)
{
	uint32_t count;
	const struct sx_metric_info *metrics = sx_catalog_metrics(catalog, &count);
	if (metric >= count)
		return error_set(err, SX_ERR_USAGE, "the catalog has no metric %u",
				 (unsigned)metric);
	return identity_hash(catalog, &metrics[metric], hash)
		   ? SX_OK
		   : error_nomem(err, "hashing a metric");
}

enum sx_status identity_text(const struct sx_catalog *catalog, const char *old, char **out,
			     struct sx_error *err)
{
	struct arena arena = {0};
	struct lines lines = {0};
	char *text = NULL;
	if (keep_others(&lines, old, sx_catalog_info(catalog)->name) &&
	    add_metrics(&lines, catalog, &arena)) {
		if (lines.count)
			qsort(lines.items, lines.count, sizeof(*lines.items), compare_lines);
		text = identity_join(&lines);
	}
	free(lines.items);
	arena_finish(&arena);
	if (!text)
		return error_nomem(err, "writing identities");
	*out = text;
	return SX_OK;
}
