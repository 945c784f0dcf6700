/*
 * Lines of `perf stat -x`: [time,][unit of aggregation,[how many,]]value,unit,event,[cgroup,]
 * [deviation,]run time,percent[,metric,its unit].
 */
#include "import/perf_stat_line.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

#define FIELDS_MAX   48
#define NUMBER_BYTES 40

static struct perf_text trim(const char *text, size_t size)
{
	while (size && (*text == ' ' || *text == '\t')) {
		text++;
		size--;
	}
	while (size && (text[size - 1] == ' ' || text[size - 1] == '\t' || text[size - 1] == '\r'))
		size--;
	return (struct perf_text){text, size};
}

static size_t split(const char *line, size_t size, char separator,
		    struct perf_text fields[FIELDS_MAX])
{
	size_t count = 0;
	for (const char *end = line + size; count < FIELDS_MAX; line++) {
		const char *next = memchr(line, separator, (size_t)(end - line));
		size_t length = (size_t)((next ? next : end) - line);
		/* A tab is a separator before it is a blank. */
		fields[count++] = trim(line, length);
		if (!next)
			break;
		line = next;
	}
	return count;
}

/* A decimal number, with the comma that some locales put into it. */
static bool number(struct perf_text field, double *value)
{
	char text[NUMBER_BYTES];
	if (!field.size || field.size >= sizeof(text))
		return false;
	memcpy(text, field.text, field.size);
	char *comma = memchr(text, ',', field.size);
	if (comma)
		*comma = '.';
	return number_f64(text, field.size, value);
}

static bool is(struct perf_text field, const char *word)
{
	return field.size == strlen(word) && memcmp(field.text, word, field.size) == 0;
}

/* Seconds with nine decimals: no count is printed so. */
static bool time_ns(struct perf_text field, uint64_t *ns)
{
	uint64_t seconds, rest;
	if (field.size < 11 || field.size > 19)
		return false;
	size_t whole = field.size - 10;
	char point = field.text[whole];
	if ((point != '.' && point != ',') || !number_u64(field.text, whole, &seconds) ||
	    !number_u64(field.text + whole + 1, 9, &rest))
		return false;
	*ns = seconds * UINT64_C(1000000000) + rest;
	return true;
}

static bool value(struct perf_text field, struct perf_line *out)
{
	out->state = PERF_COUNTED;
	if (is(field, "<not counted>"))
		out->state = PERF_NOT_COUNTED;
	else if (is(field, "<not supported>"))
		out->state = PERF_NOT_SUPPORTED;
	else
		return number(field, &out->value) && out->value >= 0;
	return true;
}

static size_t slashes(struct perf_text field)
{
	size_t count = 0;
	for (size_t i = 0; i < field.size; i++)
		count += field.text[i] == '/';
	return count;
}

/* An event may hold the separator between its slashes; returns the field behind it. */
static size_t take_event(const struct perf_text *fields, size_t count, size_t at,
			 struct perf_text *event)
{
	size_t open = slashes(fields[at]) % 2, end = at + 1;
	while (open && end < count)
		open = (open + slashes(fields[end++])) % 2;
	if (open)
		end = at + 1;
	event->text = fields[at].text;
	event->size = (size_t)(fields[end - 1].text + fields[end - 1].size - event->text);
	return end;
}

/* Run time and percent, behind a cgroup and a deviation if there are any. */
static bool take_share(const struct perf_text *fields, size_t count, size_t at,
		       struct perf_line *out)
{
	for (size_t i = at; i + 1 < count && i < at + 3; i++) {
		uint64_t run;
		if (!number_u64(fields[i].text, fields[i].size, &run) ||
		    !number(fields[i + 1], &out->percent) || out->percent < 0)
			continue;
		out->run_ns = (double)run;
		return true;
	}
	return false;
}

bool perf_line_parse(const char *line, size_t size, char separator, struct perf_line *out)
{
	struct perf_text fields[FIELDS_MAX];
	struct perf_line next = {0}, ignored;
	size_t count = split(line, size, separator, fields), at = 0;
	*out = (struct perf_line){0};
	out->timed = time_ns(fields[0], &out->time_ns);
	at += out->timed;
	if (at + 4 >= count)
		return false;
	if (!value(fields[at], out)) {
		out->unit_of = fields[at++];
		/* How many CPUs stand behind the unit is a number before the number. */
		at += value(fields[at], &next) && next.state == PERF_COUNTED &&
		      value(fields[at + 1], &ignored);
		if (is(out->unit_of, "summary") || at + 4 >= count || !value(fields[at], out))
			return false;
	}
	out->unit = fields[at + 1];
	size_t behind = take_event(fields, count, at + 2, &out->event);
	return out->event.size && take_share(fields, count, behind, out);
}

char perf_line_separator(const char *line, size_t size)
{
	static const char candidates[] = ",;\t|:@#~^!";
	struct perf_line parsed;
	for (const char *c = candidates; *c; c++)
		if (perf_line_parse(line, size, *c, &parsed))
			return *c;
	return 0;
}

static struct perf_text part(const char *from, const char *to)
{
	return (struct perf_text){from, (size_t)(to - from)};
}

/* "name=X" among the terms of a PMU's event, or the first term. */
static struct perf_text term_name(struct perf_text terms)
{
	const char *end = terms.text + terms.size;
	struct perf_text first = {0};
	for (const char *p = terms.text; p < end;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		struct perf_text term = part(p, comma ? comma : end);
		if (term.size > 5 && memcmp(term.text, "name=", 5) == 0)
			return part(term.text + 5, term.text + term.size);
		if (!first.text)
			first = term;
		p = comma ? comma + 1 : end;
	}
	return first;
}

struct perf_event_name perf_event_split(struct perf_text event)
{
	const char *end = event.text + event.size;
	const char *slash = memchr(event.text, '/', event.size);
	const char *last = slash;
	struct perf_event_name out = {.name = event};
	for (const char *p = slash; p && p < end; p++)
		last = *p == '/' ? p : last;
	if (slash && last > slash) {
		out.pmu = part(event.text, slash);
		out.name = term_name(part(slash + 1, last));
		out.modifiers = part(last + 1, end);
		return out;
	}
	const char *colon = memchr(event.text, ':', event.size);
	if (colon && colon > event.text) {
		out.name = part(event.text, colon);
		out.modifiers = part(colon + 1, end);
	}
	return out;
}
