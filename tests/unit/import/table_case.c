#include "unit/import/table_case.h"

#include <strings.h>

#include "unit/context.h"

static struct import *import;
static char notes[8192];
static const char *current; /* text, for messages */

static enum sx_status read_table(const char *text, const char *catalog, struct sx_error *err)
{
	const struct import_request request = {
	    .context = context, .path = "t.csv", .catalog = catalog};
	size_t used = 0;
	current = text;
	enum sx_status status = import_parse(&request, text, strlen(text), &import, err);
	notes[0] = '\0';
	for (uint32_t i = 0; !status && import_note(import, i); i++)
		used += (size_t)snprintf(notes + used, sizeof(notes) - used, "%s\n",
					 import_note(import, i));
	assert_true(used < sizeof(notes));
	return status;
}

/* The only device's rows. */
const struct sx_table *table_of(const char *text, const char *catalog)
{
	struct sx_error err = {0};
	uint32_t count = 0;
	if (read_table(text, catalog, &err))
		fail_msg("%s\n%s: %s", text, err.message, err.because);
	const struct import_device *devices = import_devices(import, &count);
	assert_int_equal(count, 1);
	return devices[0].table;
}

/* Names differ by case and blanks, as headers do. */
static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (strncasecmp(*a == '_' ? " " : a, *b == '_' ? " " : b, 1) != 0)
			return false;
	return *a == *b;
}

static uint32_t find_column(const struct sx_table *table, const char *name)
{
	uint32_t count = sx_table_column_count(table);
	for (uint32_t i = 0; i < count; i++)
		if (same_name(sx_table_column(table, i)->name, name))
			return i;
	return SX_NONE;
}

/* The value of a row; NAN: no data. */
static double value_of(const struct sx_table *table, const char *name, size_t row)
{
	uint64_t time = strcmp(name, "begin_ns") == 0 ? sx_table_begin_ns(table)[row]
			: strcmp(name, "end_ns") == 0 ? sx_table_end_ns(table)[row]
						      : SX_TIME_UNKNOWN;
	uint32_t at = find_column(table, name);
	if (at != SX_NONE)
		return sx_table_get(table, at, row);
	return time == SX_TIME_UNKNOWN ? NAN : (double)time;
}

static void check_value(const struct sx_table *table, const char *name, size_t row,
			const char *word)
{
	double have = value_of(table, name, row),
	       value = strcmp(word, "-") == 0 ? NAN : strtod(word, NULL);
	if (isnan(value) ? !isnan(have) : !(fabs(have - value) <= 1e-9 * fabs(value)))
		fail_msg("%s\n%s, row %zu is %.12g, not %s\n%s", current, name, row, have, word,
			 notes);
}

static void check_label(const struct sx_table *table, size_t row, char *word)
{
	for (char *p = word; (p = strchr(p, '_'));)
		*p = ' ';
	assert_string_equal(sx_table_string(table, sx_table_label(table, SX_LABEL_GROUP, row)),
			    word);
}

static void check_column(const struct sx_table *table, char *want)
{
	char *unit = strstr(want, ": ");
	size_t row = 0, rows = sx_table_row_count(table);
	*unit = '\0';
	unit = strtok(unit + 2, " ");
	uint32_t at = find_column(table, want);
	bool label = strcmp(unit, "label") == 0,
	     other = label || strcmp(unit, "none") == 0 || strcmp(unit, "time") == 0;
	if ((at == SX_NONE) != other)
		fail_msg("%s\ncolumn %s\n%s", current, want, notes);
	if (!other && unit[0] != '*' && strcmp(sx_table_column(table, at)->unit, unit) != 0)
		fail_msg("%s\n%s is in %s, not in %s", current, want,
			 sx_table_column(table, at)->unit, unit);
	for (char *word; (word = strtok(NULL, " ")); row++) {
		if (row < rows && label)
			check_label(table, row, word);
		else if (row < rows)
			check_value(table, want, row, word);
	}
	if (row != rows && strcmp(unit, "none") != 0)
		fail_msg("%s\n%s: %zu rows, not %zu\n%s", current, want, rows, row, notes);
}

static void check_columns(const struct sx_table *table, const char *columns)
{
	char copy[512];
	assert_true((size_t)snprintf(copy, sizeof(copy), "%s", columns) < sizeof(copy));
	for (char *at = copy, *next; at; at = next) {
		next = strstr(at, "; ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		check_column(table, at);
	}
}

void check_notes(const char *noted)
{
	bool none = noted && noted[0] == '!';
	if (noted && !strstr(notes, noted + none) != none)
		fail_msg("%s\n%s note has: %s\n%s", current, none ? "a" : "no", noted + none,
			 notes);
}

void check_table(const struct table_case *c)
{
	check_columns(table_of(c->text, c->catalog), c->columns);
	check_notes(c->noted);
	import_destroy(import);
}

void table_close(void)
{
	import_destroy(import);
}

void refuse_table(const char *text, const char *catalog, const char *words)
{
	struct sx_error err = {0};
	assert_int_equal(read_table(text, catalog, &err), SX_ERR_BAD_INPUT);
	if ((!strstr(err.message, words) && !strstr(err.because, words)) || !err.because[0] ||
	    !err.remedy[0])
		fail_msg("%s\n%s\nbecause: %s\ntry: %s", text, err.message, err.because,
			 err.remedy);
}

int tables_open(void **state)
{
	return context_open(state);
}

int tables_close(void **state)
{
	return context_close(state);
}
