/* CSV as people and programs write it, and invalid CSV. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include <sextant/catalog.h>
#include <sextant/context.h>

#include "import/table/csv.h"

/* The same bytes from a source that gives a few at a time, and may fail or change. */
struct drip {
	const char *text;
	size_t size, at, step;
	size_t fail_at;	   /* byte at which reading fails; 0: never */
	const char *later; /* what the second pass reads instead; NULL: the same */
	int passes;
};

static ssize_t drip_read(void *user, char *buf, size_t size)
{
	struct drip *d = user;
	size_t n = d->size - d->at < d->step ? d->size - d->at : d->step;
	if (d->fail_at && d->at >= d->fail_at) {
		errno = EIO;
		return -1;
	}
	n = n < size ? n : size;
	memcpy(buf, d->text + d->at, n);
	d->at += n;
	return (ssize_t)n;
}

static bool drip_rewind(void *user)
{
	struct drip *d = user;
	d->at = 0;
	if (++d->passes == 2 && d->later) {
		d->text = d->later;
		d->size = strlen(d->later);
	}
	return true;
}

static void same_row(const struct sx_table *whole, size_t at, const struct sx_table *block,
		     size_t row)
{
	assert_true(sx_table_begin_ns(whole)[at] == sx_table_begin_ns(block)[row]);
	assert_true(sx_table_end_ns(whole)[at] == sx_table_end_ns(block)[row]);
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		assert_true(sx_table_label(whole, (enum sx_label)l, at) ==
			    sx_table_label(block, (enum sx_label)l, row));
	for (uint32_t c = 0; c < sx_table_column_count(whole); c++) {
		double a = sx_table_get(whole, c, at), b = sx_table_get(block, c, row);
		assert_int_equal(sx_table_column(whole, c)->type, sx_table_column(block, c)->type);
		if (isnan(a) ? !isnan(b) : a != b)
			fail_msg("column %u, row %zu: %g in one table, %g in blocks", c, at, a, b);
	}
}

/* In blocks of `most` rows everything is as in one table, errors too. */
static void same_in_blocks(struct drip drip, size_t most, const struct sx_table *whole,
			   const struct sx_error *expected)
{
	struct csv_source source = {.user = &drip, .read = drip_read, .rewind = drip_rewind};
	struct csv_stream *stream = NULL;
	struct sx_error err = {0};
	size_t at = 0;
	enum sx_status status = csv_open(&source, "f.csv", NULL, &stream, &err);
	if (!whole) {
		assert_int_equal(status, expected->status);
		assert_string_equal(err.message, expected->message);
		return;
	}
	assert_int_equal(status, SX_OK);
	while ((status = csv_next(stream, most, &err)) == SX_OK) {
		const struct sx_table *block = csv_table(stream);
		assert_in_range(sx_table_row_count(block), 1, most);
		for (size_t i = 0; i < sx_table_row_count(block); i++)
			same_row(whole, at++, block, i);
	}
	assert_int_equal(status, SX_END);
	assert_int_equal(at, sx_table_row_count(whole));
	csv_close(stream);
}

static struct sx_table *parse_bytes(const char *text, size_t size,
				    const struct csv_options *options, struct sx_error *err)
{
	struct sx_table *table = NULL;
	/* A block of its own size, so that a sanitizer sees any byte read beyond it. */
	char *copy = malloc(size + !size);
	assert_non_null(copy);
	memcpy(copy, text, size);
	enum sx_status status =
	    csv_parse(&(struct csv_text){copy, size, "f.csv"}, options, &table, err);
	if (err && size < 100000) {
		struct drip drip = {.text = copy, .size = size, .step = 1};
		same_in_blocks(drip, 1, table, err);
		drip.step = 7;
		same_in_blocks(drip, 2, table, err);
	}
	free(copy);
	assert_true((status == SX_OK) == (table != NULL));
	return table;
}

static struct sx_table *parse(const char *text)
{
	struct sx_error err = {0};
	struct sx_table *table = parse_bytes(text, strlen(text), NULL, &err);
	if (!table)
		fail_msg("%s: %s", err.message, err.because);
	return table;
}

static void expect(const struct sx_table *table, const char *name, size_t row, double value)
{
	uint32_t column = sx_table_find(table, name);
	assert_int_not_equal(column, SX_NONE);
	double have = sx_table_get(table, column, row);
	if (isnan(value) ? !isnan(have) : have != value)
		fail_msg("%s row %zu is %.17g, not %.17g", name, row, have, value);
}

static enum sx_type type_of(const struct sx_table *table, const char *name)
{
	return sx_table_column(table, sx_table_find(table, name))->type;
}

static uint64_t u64_of(const struct sx_table *table, const char *name, size_t row)
{
	return ((const uint64_t *)sx_table_vector(table, sx_table_find(table, name)).data)[row];
}

static void test_types(void **state)
{
	struct sx_table *t = parse("a,b,c,d,e\n18446744073709551615,1,-2,1e3,0x1F\n0,1.5,3,,\n");
	assert_int_equal(sx_table_row_count(t), 2);
	assert_true(u64_of(t, "a", 0) == UINT64_MAX);
	assert_int_equal(type_of(t, "b"), SX_F64);
	expect(t, "b", 0, 1);
	expect(t, "b", 1, 1.5);
	expect(t, "c", 0, -2);
	assert_int_equal(type_of(t, "d"), SX_F64);
	expect(t, "d", 0, 1000);
	expect(t, "d", 1, NAN);
	expect(t, "e", 0, 31);
	sx_table_destroy(t);
	t = parse("a\n18446744073709551616\n3\n"); /* one more than fits */
	assert_int_equal(type_of(t, "a"), SX_F64);
	expect(t, "a", 0, 0x1p64);
	sx_table_destroy(t);
	t = parse("a\n9999999999999999999\n99999999999999999999\n");
	expect(t, "a", 0, 1e19);
	sx_table_destroy(t);
}

/* However short or long, a decimal is the double nearest to it. */
static void test_rounding(void **state)
{
	static const char *const numbers[] = {"0.1",
					      "-0.0",
					      "0.3",
					      "1.005",
					      "123456.789",
					      "99999999999999.9",
					      "9.99999999999999",
					      "0.00000000000001",
					      "4.35",
					      "-2.675",
					      "9007199254740.93",
					      "900719925474099.3",
					      "1234567890123456.7",
					      ".5",
					      "5.",
					      "1.7976931348623157e308",
					      "0.000000000000000000000000000001"};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char text[64];
		snprintf(text, sizeof(text), "a\n%s\n0.5\n", numbers[i]);
		struct sx_table *t = parse(text);
		expect(t, "a", 0, strtod(numbers[i], NULL));
		sx_table_destroy(t);
	}
}

static void test_layout(void **state)
{
	static const char *const ends[] = {"\n", "\r\n", "\r"};
	for (size_t i = 0; i < 3; i++) {
		char text[256];
		const char *e = ends[i];
		snprintf(
		    text, sizeof(text),
		    "\xef\xbb\xbf# made by hand%s%s \"a, \"\"b\"\"\" ,c%s1, 2 %s%s#x%s 3 ,4%s5%s",
		    e, e, e, e, e, e, e, i == 1 ? "" : e);
		struct sx_table *t = parse(text);
		assert_int_equal(sx_table_row_count(t), 3);
		expect(t, "a, \"b\"", 0, 1);
		expect(t, "c", 0, 2);
		expect(t, "a, \"b\"", 1, 3);
		expect(t, "c", 1, 4);
		expect(t, "a, \"b\"", 2, 5);
		expect(t, "c", 2, NAN); /* the line breaks off */
		sx_table_destroy(t);
	}
}

static void test_no_data(void **state)
{
	struct sx_table *t =
	    parse("a,b\n-,NaN\n,null\n\"\",\"7\"\n--,#N/A\nn.a.,none\n\xe2\x80\x94,-nan\n");
	assert_int_equal(sx_table_row_count(t), 6);
	for (size_t row = 0; row < 6; row++) {
		expect(t, "a", row, NAN);
		if (row > 2)
			expect(t, "b", row, NAN);
	}
	expect(t, "b", 1, NAN);
	expect(t, "b", 2, 7);
	sx_table_destroy(t);
	t = parse("a,b\n"); /* a header alone is a table without rows */
	assert_int_equal(sx_table_row_count(t), 0);
	sx_table_destroy(t);
}

static void check_times(const char *text, uint64_t begin, uint64_t end)
{
	struct sx_table *t = parse(text);
	if (sx_table_begin_ns(t)[0] != begin || sx_table_end_ns(t)[0] != end)
		fail_msg("%s: %llu..%llu", text, (unsigned long long)sx_table_begin_ns(t)[0],
			 (unsigned long long)sx_table_end_ns(t)[0]);
	assert_int_equal(sx_table_column_count(t), 1);
	sx_table_destroy(t);
}

/* Whatever the order of the columns. */
static void test_times(void **state)
{
	check_times("duration_ns,a\n5,1\n", 0, 5);
	check_times("duration_ns,a,timestamp_ns\n5,1,100\n", 100, 105);
	check_times("timestamp_ns,a,duration_ns\n100,1,5\n", 100, 105);
	check_times("timestamp_ns,a,duration_ns\n0,1,5\n", 0, 5);
	check_times("end_ns,a,begin_ns\n9,1,4\n", 4, 9);
	check_times("end_ns,a,duration_ns\n9,1,4\n", 5, 9);
	check_times("duration_ns,a,end_ns,begin_ns\n4,1,9,5\n", 5, 9);
	check_times("a,timestamp_ns\n1,7\n", 7, SX_TIME_UNKNOWN);
	check_times("a,duration_ns\n1,\n", SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
	check_times("a,duration_ns\n1,1.6e7\n", 0, 16000000);
	struct sx_table *t = parse("frame,context,instance,a\n3,4,5,6\n");
	assert_int_equal(sx_table_label(t, SX_LABEL_FRAME, 0), 3);
	assert_int_equal(sx_table_label(t, SX_LABEL_CONTEXT, 0), 4);
	assert_int_equal(sx_table_label(t, SX_LABEL_INSTANCE, 0), 5);
	sx_table_destroy(t);
}

/* What has no name of its own is left out; separators at the ends of lines say nothing. */
static void test_left_out(void **state)
{
	static const char *const texts[] = {
	    "a,b\n1,2\n",     "a,b,\n1,2,\n",	  "a,b,,\n1,2\n",
	    "a,b\n1,2,,\n",   ",a,b\nx,1,2\n",	  "a,,b\n1,7,2\n",
	    "a,b,a\n1,2,3\n", "a;b;\r\n1;2;\r\n", "sep=|\na|b|\n1|2|\n"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sx_table *t = parse(texts[i]);
		assert_int_equal(sx_table_column_count(t), 2);
		expect(t, "a", 0, 1);
		expect(t, "b", 0, 2);
		sx_table_destroy(t);
	}
}

/* Times in any unit; a moment ends a row and begins the next. */
static void test_units_of_times(void **state)
{
	check_times("a,duration (ms)\n1,1.5\n", 0, 1500000);
	check_times("a,duration_us\n1,7\n", 0, 7000);
	check_times("start [s],a,duration_ms\n2,1,5\n", 2000000000, 2005000000);
	check_times("Time (s),a\n0.25,1\n", SX_TIME_UNKNOWN, 250000000);
	struct sx_table *t = parse("timestamp_ms,a\n10,1\n20.5,2\n5,3\n,4\n8,5\n");
	static const uint64_t begins[] = {SX_TIME_UNKNOWN, 10000000, SX_TIME_UNKNOWN,
					  SX_TIME_UNKNOWN, 5000000},
			      ends[] = {10000000, 20500000, 5000000, SX_TIME_UNKNOWN, 8000000};
	assert_memory_equal(sx_table_begin_ns(t), begins, sizeof(begins));
	assert_memory_equal(sx_table_end_ns(t), ends, sizeof(ends));
	sx_table_destroy(t);
	t = parse("time,a\n10,1\n"); /* of no unit: a column like any other */
	assert_int_equal(sx_table_column_count(t), 2);
	sx_table_destroy(t);
}

static void refuse(const char *text, size_t size, const char *place)
{
	struct sx_error err = {0};
	assert_null(parse_bytes(text, size, NULL, &err));
	assert_int_equal(err.status, SX_ERR_BAD_INPUT);
	if (!strstr(err.message, place) || !err.because[0] || !err.remedy[0])
		fail_msg("%s | %s", text, err.message);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *place;
	} cases[] = {
	    {"", "f.csv:1"},
	    {"\n\n# x\n", "f.csv:4"},
	    {",;,\n1,2,3\n", "f.csv:2"},
	    {",,\n1,2,3\n", "no column has a name"},
	    {"a,b\n1,2,3\n", "f.csv:2: a line has more cells"},
	    {"a,b\n1,2\n3,4,5\n6,7,8\n", "f.csv:3: a line has more cells"},
	    {"a,b\n\"1\"2,3\n\"4,5\n", "f.csv:2: there is text after"},
	    {"a,b\n,1\n\n\nx7,2\n", "f.csv:5: column 1: \"x7\""},
	    {"a\n\"1\n", "f.csv:2: a quoted cell has no end"},
	    {"a\n\"1\"2\n", "f.csv:2: there is text after"},
	    {"\"a\nb\"\n\nx\n", "f.csv:4"},
	    {"{a,b\n1,1\n2,x\n3,4\n", "is JSON of a kind that is not known"},
	    {"a\n1.5.2\n", "f.csv:2"},
	    {"a\ninf\n", "f.csv:2"},
	    {"a\n1e999\n", "f.csv:2"},
	    {"a\n0x\n", "f.csv:2"},
	    {"a\n1 2\n", "f.csv:2"},
	    {"frame,a\n-5,1\n", "f.csv:2: column 1"},
	    {"timestamp_ns,duration_ns,a\n18446744073709551614,9,1\n", "f.csv:2"},
	};
	static char text[5000];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		refuse(cases[i].text, strlen(cases[i].text), cases[i].place);
	refuse("a\n1\0002\n", 6, "NUL");
	memset(text, '7', sizeof(text));
	memcpy(text, "a\n", 2);
	refuse(text, sizeof(text), "is not a number");
	text[2] = '"';
	refuse(text, sizeof(text), "a quoted cell has no end");
}

#define TEXT(text) text, sizeof(text) - 1

/* A line that cannot be read costs that line alone, and nothing is learned of it. */
static void test_unread(void **state)
{
	static const struct {
		const char *text;
		size_t size, rows;
		double last; /* of column a */
		struct csv_unread unread;
	} cases[] = {
	    {TEXT("a,b\n1,2\n3.5,4,5\n6,7\n"), 2, 6, {1, 3, CSV_WRONG_COMMAS, 0}},
	    {TEXT("a;b\n1;2\n3.5;4;5\n6;7\n"), 2, 6, {1, 3, CSV_WRONG_WIDE, 0}},
	    {TEXT("a,b\n1,2,x\n3,4\n5,6\n"), 2, 5, {1, 2, CSV_WRONG_COMMAS, 0}},
	    {TEXT("a,b\r\n1,2\r\n3,4\r\n5,6,7\r\n8,9,10\r\n"), 2, 3, {2, 4, CSV_WRONG_COMMAS, 0}},
	    {TEXT("a,b\n\n# x\n1,2\nx,y,z"), 1, 1, {1, 5, CSV_WRONG_COMMAS, 0}},
	    {TEXT("a,b\n1,2\n\"3\"4,5\n6,7\n"), 2, 6, {1, 3, CSV_WRONG_QUOTED, 0}},
	    {TEXT("a,b\n1,2\n\"3\n\n\"4,5\n6,7\n8,9\n0,1\n"), 4, 0, {3, 3, CSV_WRONG_QUOTED, 0}},
	    {TEXT("a,b\n1,2\n3,\"4\"x\n6,7,8\n9,1\n"), 2, 9, {2, 3, CSV_WRONG_QUOTED, 0}},
	    {TEXT("a,b\n1,2\n3,\0\n5,6\n"), 2, 5, {1, 3, CSV_WRONG_NUL, 0}},
	    {TEXT("a,b\n1,2\n3,4\n\0\0\0\0"), 2, 3, {1, 4, CSV_WRONG_NUL, 0}},
	    {TEXT("a,b\n1,2\n3,\"4\n5,6\n7,8\n"), 1, 1, {.cut = 3}},
	    {TEXT("a,b\n1,2\n3,4,5\n6,\"7,8\n"), 1, 1, {1, 3, CSV_WRONG_COMMAS, 4}},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct csv_unread *want = &cases[i].unread;
		struct csv_stream *stream = NULL;
		struct csv_text text = {cases[i].text, cases[i].size, "f.csv"};
		struct sx_error err = {0};
		assert_int_equal(csv_open_text(&text, NULL, &stream, &err), SX_OK);
		const struct csv_unread *have = &csv_beside(stream)->unread;
		if (have->count != want->count || have->first != want->first ||
		    have->why != want->why || have->cut != want->cut)
			fail_msg("%s: %zu lines from %zu, %d, cut %zu", cases[i].text, have->count,
				 have->first, have->why, have->cut);
		assert_int_equal(csv_beside(stream)->odd[CSV_ODD_CELLS].count, 0);
		assert_int_equal(csv_whole(stream, &err), want->cut ? SX_INCOMPLETE : SX_OK);
		csv_close(stream);
		struct sx_table *t = parse_bytes(cases[i].text, cases[i].size, NULL, &err);
		assert_int_equal(sx_table_row_count(t), cases[i].rows);
		assert_int_equal(type_of(t, "a"), SX_U64);
		expect(t, "a", cases[i].rows - 1, cases[i].last);
		sx_table_destroy(t);
	}
}

/* A cell that is no number is named and has no value; what is beside it is measured. */
static void test_odd_cells(void **state)
{
	static const struct {
		const char *text, *first;
		size_t count;
		double below; /* of column a in the row under it */
	} cases[] = {{"a,b\n1,5\nx7,6\n3,7\n", "x7", 1, 3},
		     {"a,b\n1,5\n1.5.2,6\n2.5,y\n", "1.5.2", 2, 2.5},
		     {"frame,a,b\n1,1,5\n,inf,6\n-5,4,7\n", "inf", 2, 4}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct csv_stream *stream = NULL;
		struct csv_text text = {cases[i].text, strlen(cases[i].text), "f.csv"};
		struct sx_table *t = NULL;
		assert_int_equal(csv_open_text(&text, NULL, &stream, NULL), SX_OK);
		const struct csv_odd_lines *odd = &csv_beside(stream)->odd[CSV_ODD_CELLS];
		assert_int_equal(odd->count, cases[i].count);
		assert_int_equal(odd->first, 3);
		assert_string_equal(odd->column, "a");
		assert_string_equal(odd->text, cases[i].first);
		assert_int_equal(csv_all(stream, &t, NULL), SX_OK);
		csv_close(stream);
		expect(t, "a", 0, 1);
		assert_true(isnan(sx_table_get(t, 0, 1)));
		expect(t, "a", 2, cases[i].below);
		expect(t, "b", 1, 6);
		sx_table_destroy(t);
	}
}

/* A long header and then short lines would be a table of terabytes. */
static void test_torn_lines(void **state)
{
	size_t columns = 60000, rows = 200000, used = 0;
	char *text = malloc(columns * 7 + rows * 2);
	struct sx_error err = {0};
	assert_non_null(text);
	for (size_t i = 0; i < columns; i++)
		used += (size_t)snprintf(text + used, 8, "c%zu%c", i, i + 1 < columns ? ',' : '\n');
	for (size_t i = 0; i < rows; i++, used += 2)
		memcpy(text + used, "1\n", 2);
	assert_null(parse_bytes(text, used, NULL, &err));
	assert_int_equal(err.status, SX_ERR_LIMIT);
	free(text);
}

static void test_description(void **state)
{
	static const char text[] = "FramebufferWidth,IAVertices\n3,4\n5,6\n";
	struct sx_context *context = NULL;
	struct csv_options options = {.catalog = NULL};
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(context, "opengl", &options.catalog, NULL), SX_OK);
	struct sx_table *t = parse_bytes(text, sizeof(text) - 1, &options, NULL), *total;
	assert_string_equal(sx_table_column(t, 0)->unit, "pixels");
	assert_string_equal(sx_table_column(t, 1)->unit, "vertices");
	assert_int_equal(sx_table_total(t, &total, NULL), SX_OK);
	expect(total, "FramebufferWidth", 0, 5);
	expect(total, "IAVertices", 0, 10);
	sx_table_destroy(total);
	sx_table_destroy(t);
	sx_catalog_unref(options.catalog);
	sx_context_destroy(context);
}

/* More text than a window holds, with all kinds of token across its ends. */
static void test_window(void **state)
{
	size_t rows = 40000, used = 0, cap = rows * 64;
	char *text = malloc(cap);
	struct sx_error err = {0};
	struct sx_table *table = NULL;
	assert_non_null(text);
	used += (size_t)snprintf(text, cap, "\"a \"\"x\"\"\",timestamp_ns,b,frame,c\r\n");
	for (size_t i = 0; i < rows; i++)
		used += (size_t)snprintf(text + used, cap - used, "%s\"%zu\",%zu,%s%zu,%zu,%s\r\n",
					 i % 97 ? i % 89 ? "" : "1,2,\"3\r\n\",4,5,6,7,\r\n"
						: "# a remark, \"\r\n\r\n  \t ",
					 i * 7, i * 1000, i % 3 ? "0." : "", i, i / 4,
					 i % 5 ? "3" : "");
	assert_true(used > 2 * CSV_WINDOW);
	assert_int_equal(csv_parse(&(struct csv_text){text, used, "f.csv"}, NULL, &table, &err),
			 SX_OK);
	assert_int_equal(sx_table_row_count(table), rows);
	expect(table, "a \"x\"", rows - 1, (double)(rows - 1) * 7);
	same_in_blocks((struct drip){.text = text, .size = used, .step = SIZE_MAX}, 777, table,
		       NULL);
	same_in_blocks((struct drip){.text = text, .size = used, .step = 4093}, rows, table, NULL);
	sx_table_destroy(table);
	free(text);
}

/* What a source does that is not a file at rest. */
static void test_bad_source(void **state)
{
	static const char text[] = "a,b\n1,2\n3,4\n";
	static const char unread[] = "a,b\n1,2\n3,4\n5,6,7\n";
	static const char *const changed[][2] = {{text, "a,b\n1,2\n"},
						 {text, "a,b\n1,2\n3,\n"},
						 {text, "a,b\n1,2\n3,4.5\n"},
						 {text, ""},
						 {unread, "a,b\n1,2\n3,4,5\n5,6,7\n"}};
	struct drip drip = {.text = text, .size = sizeof(text) - 1, .step = 3, .fail_at = 9};
	struct csv_source source = {.user = &drip, .read = drip_read, .rewind = drip_rewind};
	struct csv_stream *stream = NULL;
	struct sx_error err = {0};
	assert_int_equal(csv_open(&source, "f.csv", NULL, &stream, &err), SX_ERR_BAD_INPUT);
	assert_non_null(strstr(err.message, "cannot read f.csv"));
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
		drip = (struct drip){.text = changed[i][0],
				     .size = strlen(changed[i][0]),
				     .step = 3,
				     .later = changed[i][1]};
		stream = NULL;
		enum sx_status status = csv_open(&source, "f.csv", NULL, &stream, &err);
		if (!status)
			status = csv_next(stream, 10, &err);
		assert_int_equal(status, SX_ERR_BAD_INPUT);
		assert_non_null(strstr(err.message, "changed while it was read"));
		csv_close(stream);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_types),      cmocka_unit_test(test_rounding),
	    cmocka_unit_test(test_layout),     cmocka_unit_test(test_no_data),
	    cmocka_unit_test(test_times),      cmocka_unit_test(test_units_of_times),
	    cmocka_unit_test(test_left_out),   cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_unread),     cmocka_unit_test(test_odd_cells),
	    cmocka_unit_test(test_torn_lines), cmocka_unit_test(test_description),
	    cmocka_unit_test(test_window),     cmocka_unit_test(test_bad_source),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
