/* The CSV writer. */
#include "output/write/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "output/write/json.h"

static void csv_separate(struct csv *csv)
{
	if (csv->used)
		fputc(',', csv->out);
	csv->used = true;
}

/*
 * Whether control characters are escaped: a file gets every byte, a terminal must not act on them.
 */
static bool shows_controls(const struct csv *csv, const char *text)
{
	char escape[8];
	for (const char *p = text; *p; p += utf8_length(p))
		if (utf8_control(p, escape))
			return isatty(fileno(csv->out));
	return false;
}

static void csv_shown(struct csv *csv, const char *text)
{
	char escape[8];
	fputc('"', csv->out);
	while (*text) {
		size_t control = utf8_control(text, escape), length = utf8_length(text);
		if (control)
			fputs(escape, csv->out);
		else
			fwrite(text, 1, length, csv->out);
		if (*text == '"')
			fputc('"', csv->out);
		text += control ? control : length;
	}
	fputc('"', csv->out);
}

void csv_text(struct csv *csv, const char *text)
{
	csv_separate(csv);
	if (!text)
		return;
	if (shows_controls(csv, text)) {
		csv_shown(csv, text);
		return;
	}
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, csv->out);
		return;
	}
	fputc('"', csv->out);
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			fputc('"', csv->out);
		fputc(*p, csv->out);
	}
	fputc('"', csv->out);
}

/* Whether a unit is more than the name of what is counted: not cycles, threads, an unknown one. */
static bool says_more(const struct units *units, const char *unit)
{
	const struct unit *own = units_find(units, unit);
	return strcmp(unit, "bytes") == 0 || (own && strcmp(own->dimension, unit) != 0);
}

void csv_column(struct csv *csv, const struct units *units, const char *name, const char *unit,
		enum csv_units which)
{
	char buf[2 * UNITS_TEXT_MAX], head[512];
	double factor = 1;
	const char *base = unit ? units_base(units, unit, buf, &factor) : NULL;
	const struct unit *known =
	    which == CSV_UNITS_SYMBOLS && base ? units_find(units, base) : NULL;
	bool each = which == CSV_UNITS_EACH && base && says_more(units, base);
	if ((factor != 1 || each || (known && known->symbol[0])) &&
	    (size_t)snprintf(head, sizeof(head), "%s (%s)", name, base) < sizeof(head))
		name = head;
	csv_text(csv, name);
}

void csv_u64(struct csv *csv, uint64_t value)
{
	csv_separate(csv);
	fprintf(csv->out, "%" PRIu64, value);
}

void csv_f64(struct csv *csv, double value)
{
	csv_separate(csv);
	if (!isfinite(value))
		return;
	char digits[32];
	json_format_f64(digits, value);
	fputs(digits, csv->out);
}

void csv_end_line(struct csv *csv)
{
	fputc('\n', csv->out);
	csv->used = false;
}
