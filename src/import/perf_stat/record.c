/* Lines and objects of perf stat's output. */
#include "import/perf_stat/record.h"

#include <string.h>

#define OBJECT_MAX 8192 /* bytes; an object of perf's has some 300 */

static const char *record_skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* Behind the closing brace of the object at p; NULL where it has none. */
static const char *object_end(const char *p, const char *end)
{
	size_t depth = 0;
	bool quoted = false;
	if (end - p > OBJECT_MAX)
		end = p + OBJECT_MAX;
	for (; p < end; p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == '{')
			depth++;
		else if (!quoted && *p == '}' && --depth == 0)
			return p + 1;
	}
	return NULL;
}

/* Over what stands between objects, to the end of the line at most. */
static const char *skip_between(struct perf_records *r, const char *p)
{
	while (p < r->end && memchr(" \t\r,]", *p, 5))
		p++;
	if (p < r->end && *p == '\n') {
		r->line++;
		p++;
	}
	return p;
}

static bool take_object(struct perf_records *r, const char *at, struct perf_record *out)
{
	const char *end = object_end(at, r->end);
	if (!end)
		return false;
	*out = (struct perf_record){at, (size_t)(end - at), r->line + 1, true};
	for (const char *p = at; p < end; p++)
		r->line += *p == '\n';
	r->p = skip_between(r, end);
	return true;
}

/* An array begins or ends, or only a comma stands in the line. */
static bool is_bracket(const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!memchr(" \t\r,[]", p[i], 6))
			return false;
	return size > 0;
}

bool perf_record_next(struct perf_records *r, struct perf_record *out)
{
	if (r->p >= r->end)
		return false;
	const char *eol = memchr(r->p, '\n', (size_t)(r->end - r->p));
	const char *stop = eol ? eol : r->end;
	const char *first = record_skip_blanks(r->p, stop);
	if (first < stop && *first == '[' && record_skip_blanks(first + 1, stop) < stop)
		first = record_skip_blanks(first + 1, stop);
	if (first < stop && *first == '{' && take_object(r, first, out))
		return true;
	*out = (struct perf_record){r->p, (size_t)(stop - r->p), ++r->line, eol != NULL};
	if (is_bracket(out->text, out->size)) {
		out->size = 0;
		out->ended = true;
	}
	r->p = eol ? eol + 1 : r->end;
	return true;
}

bool perf_record_is_metric_only(const char *text, size_t size)
{
	static const char head[] = "#           time ", csv[] = " time,";
	if (size >= sizeof(head) - 1 && memcmp(text, head, sizeof(head) - 1) == 0)
		return !memmem(text, size, " counts ", 8);
	if (size >= sizeof(csv) - 1 && memcmp(text, csv, sizeof(csv) - 1) == 0)
		return true;
	return size && *text == '{' && !memmem(text, size, "\"event\"", 7) &&
	       (memmem(text, size, "\"interval\"", 10) ||
		memmem(text, size, "\"metric-value\"", 14));
}
