/*
 * Lines of `perf stat -x`: [time,][unit of aggregation,[how many,]]value,unit,event,[cgroup,]
 * [deviation,]run time,percent[,metric,its unit].
 */
#include "import/perf_stat/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

#define FIELDS_MAX   48
#define NUMBER_BYTES 40

static struct import_cell part(const char *from, const char *to)
{
	return (struct import_cell){from, (size_t)(to - from)};
}

static size_t line_split(const char *line, size_t size, char separator,
			 struct import_cell fields[FIELDS_MAX])
{
	size_t count = 0;
	for (const char *end = line + size; count < FIELDS_MAX; line++) {
		const char *next = memchr(line, separator, (size_t)(end - line));
		size_t length = (size_t)((next ? next : end) - line);
		/* A tab is a separator before it is a blank. */
		fields[count++] = import_trim((struct import_cell){line, length});
		if (!next)
			break;
		line = next;
	}
	return count;
}

/* Seconds with nine decimals: no count is printed so. */
static bool time_ns(struct import_cell field, uint64_t *ns)
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

static bool line_value(struct import_cell field, struct perf_line *out)
{
	out->state = PERF_COUNTED;
	if (import_is(field, "<not counted>"))
		out->state = PERF_NOT_COUNTED;
	else if (import_is(field, "<not supported>"))
		out->state = PERF_NOT_SUPPORTED;
	else
		return import_local_number(field, &out->value) && out->value >= 0;
	return true;
}

static size_t slashes(struct import_cell field)
{
	size_t count = 0;
	for (size_t i = 0; i < field.size; i++)
		count += field.text[i] == '/';
	return count;
}

/* An event may hold the separator between its slashes; returns the field behind it. */
static size_t line_take_event(const struct import_cell *fields, size_t count, size_t at,
			      struct import_cell *event)
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

/*
 * A field that ends in a locale's comma is cut in two where commas separate fields: perf prints two
 * decimals, and neither a unit nor what follows a percentage are two digits. Returns the fields.
 */
static size_t take_decimals(const struct import_cell *fields, size_t count, size_t at,
			    double *value)
{
	uint64_t cents;
	if (at + 1 >= count || fields[at + 1].size != 2 ||
	    memchr(fields[at].text, '.', fields[at].size) ||
	    !number_u64(fields[at + 1].text, 2, &cents))
		return 1;
	*value += (double)cents / 100;
	return 2;
}

/* Run time and percent, behind a cgroup and a deviation if there are any. */
static bool take_share(const struct import_cell *fields, size_t count, size_t at, char separator,
		       struct perf_line *out)
{
	for (size_t i = at; i + 1 < count && i < at + 4; i++) {
		uint64_t run;
		if (!number_u64(fields[i].text, fields[i].size, &run) ||
		    !import_local_number(fields[i + 1], &out->percent) || out->percent < 0)
			continue;
		if (separator == ',')
			take_decimals(fields, count, i + 1, &out->percent);
		out->run_ns = (double)run;
		return true;
	}
	return false;
}

static bool parse_cells(const char *line, size_t size, char separator, struct perf_line *out)
{
	struct import_cell fields[FIELDS_MAX];
	struct perf_line next = {0}, ignored;
	size_t count = line_split(line, size, separator, fields), at = 0;
	*out = (struct perf_line){0};
	out->timed = time_ns(fields[0], &out->time_ns);
	at += out->timed;
	if (at + 4 >= count)
		return false;
	if (!line_value(fields[at], out)) {
		out->unit_of = fields[at++];
		/* The number of CPUs after the unit is a number before the number. */
		at += line_value(fields[at], &next) && next.state == PERF_COUNTED &&
		      line_value(fields[at + 1], &ignored);
		if (import_is(out->unit_of, "summary") || at + 4 >= count ||
		    !line_value(fields[at], out))
			return false;
	}
	size_t width = 1;
	if (separator == ',' && out->state == PERF_COUNTED)
		width = take_decimals(fields, count, at, &out->value);
	at += width;
	if (at + 3 >= count)
		return false;
	out->unit = fields[at];
	size_t behind = line_take_event(fields, count, at + 1, &out->event);
	return out->event.size && take_share(fields, count, behind, separator, out);
}

const char *perf_skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

/* Seconds, as perf prints them or however a tool wrote that number again. */
static bool json_time(struct import_cell field, uint64_t *ns)
{
	double seconds;
	if (time_ns(field, ns))
		return true;
	if (!import_local_number(field, &seconds) || seconds < 0 || seconds > 1e9)
		return false;
	*ns = (uint64_t)(seconds * 1e9 + 0.5);
	return true;
}

/* The value of a key in an object of one level, without quotes; empty when it is not there. */
static struct import_cell json_value(struct import_cell line, const char *key)
{
	char quoted[40];
	int length = snprintf(quoted, sizeof(quoted), "\"%s\"", key);
	const char *end = line.text + line.size, *p = line.text;
	bool found = false;
	while (!found && (p = memmem(p, (size_t)(end - p), quoted, (size_t)length))) {
		p = perf_skip_blanks(p + length, end);
		found = p < end && *p == ':';
	}
	p = found ? perf_skip_blanks(p + 1, end) : end;
	const char *stop = p;
	if (p < end && *p == '"') {
		p++;
		stop = memchr(p, '"', (size_t)(end - p));
		return (struct import_cell){p, stop ? (size_t)(stop - p) : 0};
	}
	/* A comma right before a digit is a locale's point. */
	while (stop < end && *stop != '}' && *stop != '\r' && *stop != '\n' &&
	       (*stop != ',' || (stop + 1 < end && stop[1] >= '0' && stop[1] <= '9')))
		stop++;
	return import_trim(part(p, stop));
}

/* A line of -j: an object. */
static bool parse_json(const char *line, size_t size, struct perf_line *out)
{
	static const char *const units_of[] = {"cpu",	"core",	  "die",  "cluster",
					       "cache", "socket", "node", "thread"};
	struct import_cell all = import_trim((struct import_cell){line, size});
	if (all.size < 2 || all.text[0] != '{' || all.text[all.size - 1] != '}')
		return false;
	*out =
	    (struct perf_line){.unit = json_value(all, "unit"), .event = json_value(all, "event")};
	out->timed = json_time(json_value(all, "interval"), &out->time_ns);
	for (size_t i = 0; i < sizeof(units_of) / sizeof(units_of[0]) && !out->unit_of.size; i++)
		out->unit_of = json_value(all, units_of[i]);
	if (!import_local_number(json_value(all, "event-runtime"), &out->run_ns))
		out->run_ns = 0;
	if (!import_local_number(json_value(all, "pcnt-running"), &out->percent))
		out->percent = 100;
	return out->event.size && line_value(json_value(all, "counter-value"), out);
}

/* Bytes of a mark within a number: a point, a comma, an apostrophe, a blank of another width. */
static size_t mark_size(const char *p, size_t size)
{
	size_t length = 1;
	if (*p == '.' || *p == ',' || *p == '\'')
		return 1;
	if ((unsigned char)*p < 0x80)
		return 0;
	while (length < size && !utf8_begins(p[length]))
		length++;
	return length;
}

/*
 * A count as locales group its digits: 1,234,567 1.234.567,89 1'234 12,34,567. perf prints counts
 * with two decimals or none, so that a mark before three digits at the end groups.
 */
static bool grouped(struct import_cell word, double *out)
{
	char digits[NUMBER_BYTES];
	size_t used = 0, behind = 0, point = 0;
	for (size_t i = 0; i < word.size;) {
		size_t mark = mark_size(word.text + i, word.size - i);
		if (used + 1 >= sizeof(digits) || (mark && !used))
			return false;
		if (!mark)
			digits[used++] = word.text[i];
		else
			point = used;
		behind = mark ? 0 : behind + 1;
		i += mark ? mark : 1;
	}
	if (point && !behind)
		return false;
	if (point && behind != 3) {
		memmove(digits + point + 1, digits + point, behind);
		digits[point] = '.';
		used++;
	}
	return number_f64(digits, used, out) && *out >= 0;
}

/* "CPU0", "S0-D0-C1", "sleep-1234": what -A and its like put before the count. */
static bool is_unit_of(struct import_cell word)
{
	return word.size && memchr("CSDNcsdn", word.text[0], 8) && word.size < 64 &&
	       word.text[word.size - 1] >= '0' && word.text[word.size - 1] <= '9';
}

/* "bash-28906", as --per-thread has it: any program's name and the thread's number. */
static bool is_thread(struct import_cell word)
{
	size_t digits = 0;
	while (digits < word.size && word.text[word.size - 1 - digits] >= '0' &&
	       word.text[word.size - 1 - digits] <= '9')
		digits++;
	return digits && word.size > digits + 1 && word.size < 64 &&
	       word.text[word.size - 1 - digits] == '-';
}

/* The share of the time that an event was on a counter: "(66.67%)" at the line's end. */
static double share_of(struct import_cell line)
{
	double percent = 100;
	const char *close = line.size > 2 ? line.text + line.size - 2 : NULL;
	if (!close || memcmp(close, "%)", 2) != 0)
		return percent;
	const char *open = close;
	while (open > line.text && *open != '(')
		open--;
	if (*open != '(' ||
	    !import_local_number((struct import_cell){open + 1, (size_t)(close - open - 1)},
				 &percent))
		return 100;
	return percent;
}

/* The count behind a CPU or socket: how many CPUs those are is a number before the number. */
static struct import_cell count_word(struct import_cell *rest)
{
	double ignored;
	struct import_cell count = import_next_word(rest);
	struct import_cell ahead = *rest, next = import_next_word(&ahead);
	if (!grouped(count, &ignored) || (!grouped(next, &ignored) && !import_is(next, "<not")))
		return count;
	*rest = ahead;
	return next;
}

/* What may follow an event: the PMU in brackets, which is its own, or its share. */
static bool ends_event(struct import_cell *event, struct import_cell rest)
{
	if (rest.size && *rest.text == '[') {
		const char *close = memchr(rest.text, ']', rest.size);
		if (!close)
			return false;
		event->size = (size_t)(close + 1 - event->text);
		rest = import_trim(part(close + 1, rest.text + rest.size));
	}
	return !rest.size || *rest.text == '(';
}

const char *perf_unit(struct import_cell unit)
{
	static const struct {
		const char *perf, *ours;
	} units[] = {{"msec", "ms"},  {"usec", "us"}, {"sec", "s"},   {"nsec", "ns"},
		     {"Joules", "J"}, {"MiB", "MiB"}, {"KiB", "KiB"}, {"GiB", "GiB"},
		     {"MHz", "MHz"},  {"GHz", "GHz"}};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (import_is(unit, units[i].perf))
			return units[i].ours;
	return NULL;
}

/* A human-readable line: [time] [CPU0] 1,234 [unit] event # remarks (66.67%) */
static bool parse_text(const char *line, size_t size, struct perf_line *out)
{
	static const char elapsed[] = "seconds time elapsed", duration[] = "duration_time";
	struct import_cell all = import_trim((struct import_cell){line, size}), rest = all;
	*out = (struct perf_line){.percent = share_of(all), .unit = {"", 0}};
	const char *remark = memchr(all.text, '#', all.size);
	if (remark)
		rest.size = (size_t)(remark - all.text);
	if (size < 8 || !all.size)
		return false;
	struct import_cell word = import_next_word(&rest);
	/* The run's own output shares the stream: perf indents, or begins with a CPU. */
	if (all.text == line && !is_unit_of(word))
		return false;
	if (memmem(all.text, all.size, elapsed, sizeof(elapsed) - 1)) {
		out->event = (struct import_cell){duration, sizeof(duration) - 1};
		out->value = 0;
		bool ok =
		    import_local_number(word, &out->value) && out->value >= 0; /* never grouped */
		out->value *= 1e9;
		return ok;
	}
	out->timed = time_ns(word, &out->time_ns);
	if (out->timed)
		word = import_next_word(&rest);
	if (is_unit_of(word) || is_thread(word)) {
		out->unit_of = word;
		word = count_word(&rest);
	}
	if (import_is(word, "<not")) {
		struct import_cell what = import_next_word(&rest);
		out->state = import_is(what, "supported>") ? PERF_NOT_SUPPORTED : PERF_NOT_COUNTED;
	} else if (!grouped(word, &out->value)) {
		return false;
	}
	word = import_next_word(&rest);
	if (perf_unit(word)) {
		out->unit = word;
		word = import_next_word(&rest);
	}
	out->event = word;
	return ends_event(&out->event, rest) && out->event.size &&
	       (out->event.text[0] > '9' || out->event.text[0] < '0') &&
	       out->event.text[0] != '(' && !import_is(out->event, "seconds");
}

bool perf_line_parse(const char *line, size_t size, char separator, struct perf_line *out)
{
	if (separator == PERF_JSON)
		return parse_json(line, size, out);
	if (separator == PERF_TEXT)
		return parse_text(line, size, out);
	return parse_cells(line, size, separator, out);
}

char perf_line_separator(const char *line, size_t size)
{
	static const char candidates[] = ",;\t|:@#~^!{ ";
	struct perf_line parsed;
	if (size && *line == PERF_JSON)
		return perf_line_parse(line, size, PERF_JSON, &parsed) ? PERF_JSON : 0;
	for (const char *c = candidates; *c; c++)
		if (perf_line_parse(line, size, *c, &parsed))
			return *c;
	return 0;
}

/* "name=X" among the terms of a PMU's event, or the first term. */
static struct import_cell term_name(struct import_cell terms)
{
	const char *end = terms.text + terms.size;
	struct import_cell first = {0};
	for (const char *p = terms.text; p < end;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		struct import_cell term = part(p, comma ? comma : end);
		if (term.size > 5 && memcmp(term.text, "name=", 5) == 0)
			return part(term.text + 5, term.text + term.size);
		if (!first.text)
			first = term;
		p = comma ? comma + 1 : end;
	}
	return first;
}

struct perf_event_name perf_event_split(struct import_cell event)
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
	/* "page-faults [software]": perf 6.12 names the PMU where several could be meant. */
	const char *open = memchr(event.text, '[', event.size);
	if (open && open > event.text + 1 && open[-1] == ' ' && end[-1] == ']') {
		out.pmu = part(open + 1, end - 1);
		event = import_trim(part(event.text, open));
		end = event.text + event.size;
		out.name = event;
	}
	const char *colon = memchr(event.text, ':', event.size);
	if (colon && colon > event.text) {
		out.name = part(event.text, colon);
		out.modifiers = part(colon + 1, end);
	}
	return out;
}
