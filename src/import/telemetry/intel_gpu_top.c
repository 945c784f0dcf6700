/*
 * intel_gpu_top -J (objects in an array that may have no end, or no beginning), -c (CSV) and -l.
 * Seen: IGT 1.25 to 2.0 (tools/intel_gpu_top.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/units.h"
#include "import/internal.h"
#include "import/json.h"

#define LIST_COLUMNS 256

/* The line without the blanks before it, which its numbers' width makes. */
static struct import_cell list_trim(struct import_cell line)
{
	while (line.size && line.text[0] == ' ') {
		line.text++;
		line.size--;
	}
	return line;
}

/* The line of groups, which has no commas, as that of -c has. */
static bool list_is_head(struct import_cell line)
{
	line = list_trim(line);
	return import_begins(line, "Freq MHz ") && !memchr(line.text, ',', line.size);
}

/* Whether a text is what -l writes. */
static bool gpu_top_is_list(struct import_cell text)
{
	struct import_lines lines = import_lines_of(text.text, text.size);
	struct import_cell head, names;
	return import_line(&lines, &head) && list_is_head(head) && import_line(&lines, &names) &&
	       import_begins(list_trim(names), "req ");
}

/* Groups of single columns and of pairs; all other words among them are engines. */
static bool list_is_group(struct import_cell word)
{
	static const char *const words[] = {"Freq", "MHz", "IRQ", "RC6", "Power", "W", "IMC"};
	bool is = word.size > 2 && memcmp(word.text + word.size - 2, "/s", 2) == 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		is |= import_is(word, words[i]);
	return is;
}

/* The group of a column by its name; NULL: an engine's, which begins with its share. */
static const char *list_group(struct import_cell name, bool engines)
{
	static const struct {
		const char *name, *group;
	} groups[] = {
	    {"req", "Freq MHz"}, {"act", "Freq MHz"}, {"/s", "IRQ"}, {"%", "RC6"},
	    {"gpu", "Power W"},	 {"pkg", "Power W"},  {"rd", "IMC"}, {"wr", "IMC"},
	};
	for (size_t i = 0; !engines && i < sizeof(groups) / sizeof(*groups); i++)
		if (import_is(name, groups[i].name))
			return groups[i].group;
	return NULL;
}

static void list_put_head(struct import_made *list, struct import_cell above,
			  struct import_cell names)
{
	struct import_cell groups[LIST_COLUMNS], columns[LIST_COLUMNS], engine = {"", 0},
									imc = {"MiB/s", 5};
	size_t group_count = import_split(above, ' ', groups, LIST_COLUMNS), at = 0;
	size_t count = import_split(names, ' ', columns, LIST_COLUMNS);
	bool asleep = false; /* RC6 was met: further shares are engines' */
	for (size_t i = 0; i + 1 < group_count; i++)
		imc = import_is(groups[i], "IMC") ? groups[i + 1] : imc;
	for (size_t i = 0; i < count; i++) {
		bool share = import_is(columns[i], "%");
		const char *group = list_group(columns[i], engine.size || (share && asleep));
		while (!group && share && at < group_count && list_is_group(groups[at]))
			at++;
		if (!group && share && at < group_count)
			engine = groups[at++];
		asleep |= share;
		import_append(list, ",", i > 0);
		import_append(list, group ? group : engine.text,
			      group ? strlen(group) : engine.size);
		if (group && import_is((struct import_cell){group, strlen(group)}, "IMC")) {
			import_append(list, " ", 1);
			import_append(list, imc.text, imc.size);
		}
		import_append(list, " ", 1);
		import_append(list, columns[i].text, columns[i].size);
	}
}

/* What -c has, made of -l: blanks below two lines of words. false: memory is out. */
static bool gpu_top_list_text(struct import_job *job, const char **text, size_t *size)
{
	struct import_made list = {.size = 0};
	struct import_lines lines = import_lines(job);
	struct import_cell above, line, cells[LIST_COLUMNS];
	import_line(&lines, &above);
	import_line(&lines, &line);
	list_put_head(&list, above, line);
	while (import_line(&lines, &line)) {
		import_append(&list, "\n", 1);
		bool head = list_is_head(line) || import_begins(list_trim(line), "req ");
		size_t count = head ? 0 : import_split(line, ' ', cells, LIST_COLUMNS);
		for (size_t i = 0; i < count; i++) {
			import_append(&list, ",", i > 0);
			import_append(&list, cells[i].text, cells[i].size);
		}
	}
	if (!lines.unfinished)
		import_append(&list, "\n", 1);
	*text = list.failed ? NULL : import_text(job, list.text, list.size);
	*size = list.size;
	free(list.text);
	return *text;
}

#define WAITING_MAX 8

/* A value of a unit that comes later. */
struct waiting {
	size_t member;
	unsigned gt;
	double value;
};

struct gpu_top_reader {
	struct import_job *job;
	struct import_rows *rows;
	size_t row;
	bool open;
	double busy;	/* of the engines that render or compute; NaN: none seen */
	double seconds; /* length of the current row, 0: unknown */
	uint64_t now_ns;
	struct waiting group[WAITING_MAX];
	size_t waiting;
	struct import_cell unit; /* of the current group */
	struct units units;
	struct import_odd garbage; /* of JSON */
};

static const struct {
	const char *engine, *busy, *short_name;
} engines[] = {
    {"Render/3D", "RenderBusy", "RCS"}, {"Blitter", "CopyBusy", "BCS"},
    {"Video", "VideoBusy", "VCS"},	{"VideoEnhance", "VideoEnhanceBusy", "VECS"},
    {"Compute", "ComputeBusy", "CCS"},
};
#define ENGINES (sizeof(engines) / sizeof(engines[0]))

static bool json_recognise(struct import_cell head)
{
	return memmem(head.text, head.size, "\"period\"", 8) &&
	       (memmem(head.text, head.size, "\"engines\"", 9) ||
		memmem(head.text, head.size, "\"rc6\"", 5)) &&
	       memmem(head.text, head.size, "\"requested\"", 11);
}

static bool is_csv(struct import_cell text)
{
	return import_begins(text, "Freq MHz req,Freq MHz act,") ||
	       import_begins(text, "Freq GT0 MHz req,Freq GT0 MHz act,");
}

static bool gpu_top_recognise(const struct import_head *head)
{
	struct import_cell text = {head->text, head->size};
	return is_csv(text) || gpu_top_is_list(text) || json_recognise(text);
}

static void gpu_top_set(struct gpu_top_reader *r, const char *name, const char *unit, double factor,
			double value)
{
	struct import_field field = {
	    .name = name, .unit = unit, .over_time = SX_REDUCE_MEAN, .factor = factor};
	import_put(r->rows, r->row, field, value);
}

/* "Render/3D/0" or, when engines of a class are shown as one, "Render/3D". */
static void set_engine(struct gpu_top_reader *r, struct import_cell engine, struct import_cell what,
		       double value)
{
	struct import_cell stem = engine;
	char name[96];
	while (stem.size && stem.text[stem.size - 1] >= '0' && stem.text[stem.size - 1] <= '9')
		stem.size--;
	bool numbered = stem.size < engine.size && stem.size && stem.text[stem.size - 1] == '/';
	stem.size = numbered ? stem.size - 1 : engine.size;
	bool first = !numbered || engine.text[engine.size - 1] == '0';
	bool busy = import_is(what, "busy");
	for (size_t i = 0; i < ENGINES; i++) {
		if (!import_is(stem, engines[i].engine) || !busy)
			continue;
		if (i == 0 || i == 4)
			r->busy = isnan(r->busy) || value > r->busy ? value : r->busy;
		if (first) {
			gpu_top_set(r, engines[i].busy, "percent", 1, value);
			return;
		}
	}
	snprintf(name, sizeof(name), "%.*s %.*s", (int)(engine.size < 60 ? engine.size : 60),
		 engine.text, (int)(what.size < 20 ? what.size : 20), what.text);
	gpu_top_set(r, name, "percent", 1, value);
}

/* What a member of a group is; those of further GTs get columns of their own. */
static const struct {
	const char *group, *member, *column, *unit;
} members[] = {
    {"period", "duration", NULL, "ns"},
    {"frequency", "requested", "GpuFrequencyRequested", "Hz"},
    {"frequency", "actual", "GpuFrequency", "Hz"},
    {"interrupts", "count", "InterruptRate", "interrupts/s"},
    {"rc6", "value", "SleepShare", "percent"},
    {"power", "GPU", "GpuPower", "mW"},
    {"power", "Package", "PackagePower", "mW"},
    {"imc-bandwidth", "reads", "MemoryReadBandwidth", "MB/s"},
    {"imc-bandwidth", "writes", "MemoryWriteBandwidth", "MB/s"},
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

/* Which member, and of which GT: "frequency", "frequency-gt0" and "rc6-gt1". */
static size_t find_member(const struct read_json_place *at, unsigned *gt)
{
	struct import_cell group = at->keys[0];
	*gt = 0;
	if (group.size > 4 && memcmp(group.text + group.size - 4, "-gt", 3) == 0) {
		*gt = (unsigned)(group.text[group.size - 1] - '0') % 10;
		group.size -= 4;
	}
	for (size_t i = 0; i < MEMBERS; i++)
		if (import_is(group, members[i].group) && import_is(at->keys[1], members[i].member))
			return i;
	return MEMBERS;
}

/* Values of the current group wait for the group's unit, which follows them. */
static void take_number(struct gpu_top_reader *r, const struct read_json_place *at, double value)
{
	unsigned gt;
	if (at->depth == 3 && import_is(at->keys[0], "engines")) {
		set_engine(r, at->keys[1], at->keys[2], value);
		return;
	}
	size_t member = at->depth == 2 ? find_member(at, &gt) : MEMBERS;
	if (member < MEMBERS && r->waiting < WAITING_MAX)
		r->group[r->waiting++] = (struct waiting){member, gt, value};
}

/* What intel_gpu_top wrote before it wrote units. */
static struct import_cell usual_unit(size_t member)
{
	static const struct {
		const char *group, *unit;
	} usual[] = {{"period", "ms"}, {"frequency", "MHz"}, {"interrupts", "irq/s"},
		     {"rc6", "%"},     {"power", "W"},	     {"imc-bandwidth", "MiB/s"}};
	const char *unit = "";
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (strcmp(usual[i].group, members[member].group) == 0)
			unit = usual[i].unit;
	return (struct import_cell){unit, strlen(unit)};
}

/* A factor from the unit that the file names to the column's; 0: they are not of one kind. */
static double gpu_top_unit_factor(const struct gpu_top_reader *r, struct import_cell text,
				  const char *to)
{
	const char *known;
	double factor;
	if (import_is(text, "irq/s") || import_is(text, "/s"))
		return strcmp(to, "interrupts/s") == 0 ? 1 : 0;
	if (!import_unit(text, &known, &factor))
		return 0;
	if (strcmp(known, "MHz") == 0 && strcmp(to, "Hz") == 0)
		return factor * 1e6;
	const struct unit *from = units_find(&r->units, known), *into = units_find(&r->units, to);
	if (!from || !into || strcmp(from->dimension, into->dimension) != 0)
		return strcmp(known, to) == 0 ? factor : 0;
	return factor * from->factor / into->factor;
}

static void set_member(struct gpu_top_reader *r, const struct waiting *w, struct import_cell unit)
{
	char name[64];
	const char *column = members[w->member].column, *group = members[w->member].group;
	double factor = gpu_top_unit_factor(r, unit, members[w->member].unit);
	if (factor == 0) {
		import_remark(r->job,
			      "%s is in %.*s, which is no unit that is known for it: left out",
			      group, (int)(unit.size < 40 ? unit.size : 40), unit.text);
		return;
	}
	if (!column) {
		r->seconds = w->value * factor / 1e9;
		return;
	}
	if (w->gt) {
		snprintf(name, sizeof(name), "%s-gt%u %s", group, w->gt, members[w->member].member);
		column = name;
	}
	gpu_top_set(r, column, members[w->member].unit, 1, w->value * factor);
}

static void end_group(struct gpu_top_reader *r)
{
	for (size_t i = 0; i < r->waiting; i++)
		set_member(r, &r->group[i],
			   r->unit.size ? r->unit : usual_unit(r->group[i].member));
	r->waiting = 0;
	r->unit = (struct import_cell){"", 0};
}

static void end_sample(struct gpu_top_reader *r)
{
	if (!isnan(r->busy))
		gpu_top_set(r, "GpuBusy", "percent", 1, r->busy);
	r->open = false;
}

static void end_time(struct gpu_top_reader *r)
{
	uint64_t end = r->now_ns;
	if (r->seconds > 0 && r->seconds < 1e6)
		end += (uint64_t)(r->seconds * 1e9 + 0.5);
	if (end > r->now_ns)
		import_row_time(r->rows, r->row, r->now_ns, end);
	else
		import_remark(r->job, "some periods have no length that can be: their samples have "
				      "no times");
	r->now_ns = end;
}

/* Whether a JSON value is where a number should be. */
static bool is_value(enum read_json_event event, const struct read_json_place *at)
{
	unsigned gt;
	if (event != READ_JSON_TEXT && event != READ_JSON_BARE)
		return false;
	if (at->depth == 3 && import_is(at->keys[0], "engines"))
		return !import_is(at->keys[2], "unit");
	return at->depth == 2 && find_member(at, &gt) < MEMBERS;
}

static void gpu_top_see(void *user, enum read_json_event event, const struct read_json_place *at,
			struct import_cell value)
{
	struct gpu_top_reader *r = user;
	double number;
	if (event == READ_JSON_BEGIN && at->depth == 0) {
		r->row = import_row(r->rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
		r->open = true;
		r->busy = NAN;
		r->seconds = 0;
	} else if (event == READ_JSON_END && at->depth == 0) {
		end_sample(r);
		end_time(r);
	} else if (event == READ_JSON_END && at->depth == 1) {
		end_group(r);
	} else if (event == READ_JSON_TEXT && at->depth == 2 && import_is(at->keys[1], "unit")) {
		r->unit = value;
	} else if ((event == READ_JSON_BARE || is_value(event, at)) && r->open &&
		   import_number(value, &number)) {
		take_number(r, at, number);
	} else if (is_value(event, at) && !import_no_data(value)) {
		import_odd_add(&r->garbage, r->row + 1, at->keys[at->depth - 1], value);
	} else if (at->depth > 1 && import_is(at->keys[0], "clients")) {
		import_remark(r->job, "what single programs used (clients) was left out");
	}
}

static enum sx_status read_samples(struct gpu_top_reader *r, struct sx_error *err)
{
	size_t line;
	enum read_json_result result = read_json_walk(r->job, gpu_top_see, r, &line);
	if (result == READ_JSON_BAD)
		return import_bad(r->job, line, err, "intel_gpu_top -J writes JSON",
				  "this is no JSON");
	if (r->open) {
		/* A sample's length comes first, and so is there when anything is. */
		end_sample(r);
		if (r->seconds > 0)
			end_time(r);
		return import_cut(r->job, line, err);
	}
	return SX_OK;
}

/* What -c calls the members of groups: "Freq MHz act", "Freq GT1 MHz act", "RC6 %". */
static const struct {
	const char *group, *item;
	size_t member;
} headers[] = {
    {"Freq", "req", 1},	 {"Freq", "act", 2},  {"IRQ", NULL, 3}, {"RC6", NULL, 4},
    {"Power", "gpu", 5}, {"Power", "pkg", 6}, {"IMC", "rd", 7}, {"IMC", "wr", 8},
};

/* A column of -c: a member of a group, or an engine's share. */
struct gpu_top_column {
	size_t member; /* MEMBERS: none */
	unsigned gt;
	struct import_cell unit;
	struct import_field field; /* of an engine, or what no word is known for */
	bool busy;		   /* of an engine that renders or computes */
};

static struct import_cell gpu_top_next_word(struct import_cell *rest)
{
	const char *blank = memchr(rest->text, ' ', rest->size);
	size_t size = blank ? (size_t)(blank - rest->text) : rest->size;
	struct import_cell word = {rest->text, size};
	rest->text += blank ? size + 1 : size;
	rest->size -= blank ? size + 1 : size;
	return word;
}

static bool is_member(struct import_cell head, struct gpu_top_column *out)
{
	struct import_cell rest = head, group = gpu_top_next_word(&rest),
			   unit = gpu_top_next_word(&rest);
	if (unit.size == 3 && memcmp(unit.text, "GT", 2) == 0) {
		out->gt = (unsigned)(unit.text[2] - '0') % 10;
		unit = gpu_top_next_word(&rest);
	}
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (import_is(group, headers[i].group) &&
		    (headers[i].item ? import_is(rest, headers[i].item) : !rest.size)) {
			out->member = headers[i].member;
			out->unit = unit;
			return true;
		}
	return false;
}

/* "RCS %", "RCS se"; with -p of each engine, "RCS/0 %". */
static void learn_engine(struct gpu_top_reader *r, struct import_cell head,
			 struct gpu_top_column *out)
{
	struct import_cell rest = head, engine = gpu_top_next_word(&rest), stem = engine;
	bool first = true;
	out->field = import_header(r->job, head, SX_REDUCE_MEAN);
	if (strcmp(out->field.unit, "count") == 0)
		out->field.unit = "percent";
	if (stem.size > 2 && stem.text[stem.size - 2] == '/') {
		first = stem.text[stem.size - 1] == '0';
		stem.size -= 2;
	}
	for (size_t i = 0; i < ENGINES && import_is(rest, "%"); i++) {
		if (!import_is(stem, engines[i].short_name))
			continue;
		out->busy = i == 0 || i == 4;
		if (first)
			out->field.name = engines[i].busy;
	}
}

static void gpu_top_take_cell(struct gpu_top_reader *r, const struct gpu_top_column *column,
			      double value)
{
	if (column->member < MEMBERS) {
		set_member(r, &(struct waiting){column->member, column->gt, value}, column->unit);
		return;
	}
	import_set(r->rows, import_column(r->rows, &column->field), r->row, value);
	if (column->busy && !(r->busy >= value))
		r->busy = value;
}

static enum sx_status read_lines(struct gpu_top_reader *r, struct sx_error *err)
{
	struct cells cells;
	struct import_lines lines = import_lines(r->job);
	struct import_cell header = {"", 0};
	import_line(&lines, &header);
	enum sx_status status = cells_begin(&cells, r->job, lines, header, err);
	struct gpu_top_column *columns =
	    status ? NULL : calloc(cells.columns + 1, sizeof(*columns));
	if (!status && !columns)
		status = error_nomem(err, "importing");
	for (size_t i = 0; !status && i < cells.columns; i++) {
		columns[i].member = MEMBERS;
		if (!is_member(cells.head[i], &columns[i]))
			learn_engine(r, cells.head[i], &columns[i]);
	}
	while (!status && cells_next(&cells)) {
		double value;
		r->row = import_row(r->rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
		r->busy = NAN;
		for (size_t i = 0; i < cells.columns; i++)
			if (cells_number(&cells, i, &value))
				gpu_top_take_cell(r, &columns[i], value);
		end_sample(r);
	}
	free(columns);
	import_remark(r->job,
		      "intel_gpu_top -c and -l write no times: what depends on the length of a "
		      "sample is no data");
	return status ? status : cells_end(&cells, err);
}

static enum sx_status gpu_top_read(struct import_job *job, struct sx_error *err)
{
	struct gpu_top_reader r = {.job = job};
	r.rows = import_rows_create(job, &(struct import_rows_options){.catalog = "monitor",
								       .name = "Intel GPU",
								       .driver = "i915",
								       .kind = SX_SAMPLE_TIME});
	if (!r.rows)
		return error_nomem(err, "importing");
	units_init(&r.units);
	struct import_job of_list = *job;
	bool csv = is_csv((struct import_cell){job->text, job->size});
	enum sx_status status = SX_OK;
	if (!csv && gpu_top_is_list((struct import_cell){job->text, job->size})) {
		csv = gpu_top_list_text(job, &of_list.text, &of_list.size);
		r.job = &of_list;
		status = csv ? SX_OK : error_nomem(err, "importing");
	}
	if (!status)
		status = csv ? read_lines(&r, err) : read_samples(&r, err);
	import_odd_note(job, &r.garbage, "sample");
	return import_rows_finish(r.rows, status, err);
}

const struct import_format import_intel_gpu_top = {
    .kind = "intel-gpu-top",
    .about = "samples of intel_gpu_top",
    .recognise = gpu_top_recognise,
    .read = gpu_top_read,
};
