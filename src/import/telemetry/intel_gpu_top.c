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
#define SHOWN(cell)  ((int)((cell).size < 40 ? (cell).size : 40)) /* of a cell in a text */

/*
 * What intel_gpu_top measures, and the words of its formats: those of further GTs get columns of
 * their own.
 */
static const struct gpu_top_member {
	const char *group, *name; /* of -J */
	const char *head, *item;  /* of -c with a unit between them, and of -l; "": no item */
	const char *usual;	  /* the unit where the file has none */
	const char *column, *unit;
} members[] = {
    {"period", "duration", NULL, "", "ms", NULL, "ns"}, /* the length of a sample */
    {"frequency", "requested", "Freq", "req", "MHz", "GpuFrequencyRequested", "Hz"},
    {"frequency", "actual", "Freq", "act", "MHz", "GpuFrequency", "Hz"},
    {"interrupts", "count", "IRQ", "", "/s", "InterruptRate", "interrupts/s"},
    {"rc6", "value", "RC6", "", "%", "SleepShare", "percent"},
    {"power", "GPU", "Power", "gpu", "W", "GpuPower", "mW"},
    {"power", "Package", "Power", "pkg", "W", "PackagePower", "mW"},
    {"imc-bandwidth", "reads", "IMC", "rd", "MiB/s", "MemoryReadBandwidth", "MB/s"},
    {"imc-bandwidth", "writes", "IMC", "wr", "MiB/s", "MemoryWriteBandwidth", "MB/s"},
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

/* Engines as -J and as -c and -l call them; those that render or compute make the GPU busy. */
static const struct {
	const char *name, *short_name, *busy;
	bool works;
} engines[] = {
    {"Render/3D", "RCS", "RenderBusy", true}, {"Blitter", "BCS", "CopyBusy", false},
    {"Video", "VCS", "VideoBusy", false},     {"VideoEnhance", "VECS", "VideoEnhanceBusy", false},
    {"Compute", "CCS", "ComputeBusy", true},
};
#define ENGINES (sizeof(engines) / sizeof(engines[0]))

/*
 * The class of "Render/3D/0" or, when engines of a class are shown as one, "Render/3D"; *first:
 * the class's column is of this one.
 */
static size_t find_engine(struct import_cell name, bool *first)
{
	struct import_cell stem = name;
	while (stem.size && stem.text[stem.size - 1] >= '0' && stem.text[stem.size - 1] <= '9')
		stem.size--;
	bool numbered = stem.size > 1 && stem.size < name.size && stem.text[stem.size - 1] == '/';
	size_t at = 0;
	*first = !numbered || (name.size == stem.size + 1 && name.text[stem.size] == '0');
	stem.size = numbered ? stem.size - 1 : name.size;
	while (at < ENGINES && !import_is(stem, engines[at].name) &&
	       !import_is(stem, engines[at].short_name))
		at++;
	return at;
}

/* The line of groups, which has no commas, as that of -c has. */
static bool list_is_head(struct import_cell line)
{
	line = import_trim(line);
	return import_begins(line, "Freq MHz ") && !memchr(line.text, ',', line.size);
}

/* Whether a text is what -l writes. */
static bool gpu_top_is_list(struct import_cell text)
{
	struct import_lines lines = import_lines_of(text.text, text.size);
	struct import_cell head, names;
	return import_line(&lines, &head) && list_is_head(head) && import_line(&lines, &names) &&
	       import_begins(import_trim(names), "req ");
}

/* Groups of single columns and of pairs; all other words among them are engines. */
static bool list_is_group(struct import_cell word)
{
	bool is = word.size > 2 && memcmp(word.text + word.size - 2, "/s", 2) == 0;
	for (size_t i = 1; i < MEMBERS; i++)
		is |= import_is(word, members[i].head) || import_is(word, members[i].usual);
	return is;
}

/* What a word of -l below the groups is, or NULL. */
static const struct gpu_top_member *list_member(struct import_cell word)
{
	for (size_t i = 1; i < MEMBERS; i++)
		if (import_is(word, *members[i].item ? members[i].item : members[i].usual))
			return &members[i];
	return NULL;
}

/* The header of -c, made of the two lines of -l; NULL: memory is out. */
static const char *list_header(struct import_job *job, struct import_cell above,
			       struct import_cell names)
{
	struct import_cell groups[LIST_COLUMNS], columns[LIST_COLUMNS], engine = {"", 0},
									imc = {"MiB/s", 5};
	struct import_made head = {.size = 0};
	char text[160];
	size_t group_count = import_split(above, ' ', groups, LIST_COLUMNS), at = 0;
	size_t count = import_split(names, ' ', columns, LIST_COLUMNS);
	bool asleep = false; /* RC6 was met: further shares are engines' */
	for (size_t i = 0; i + 1 < group_count; i++)
		imc = import_is(groups[i], "IMC") ? groups[i + 1] : imc;
	for (size_t i = 0; i < count; i++) {
		bool share = import_is(columns[i], "%");
		/* Behind the first engine there are engines alone. */
		const struct gpu_top_member *is =
		    engine.size || (share && asleep) ? NULL : list_member(columns[i]);
		while (!is && share && at < group_count && list_is_group(groups[at]))
			at++;
		if (!is && share && at < group_count)
			engine = groups[at++];
		asleep |= share;
		struct import_cell unit =
		    is ? (struct import_cell){is->usual, strlen(is->usual)} : columns[i];
		if (is && strcmp(is->head, "IMC") == 0)
			unit = imc;
		int size = snprintf(text, sizeof(text), "%.*s %.*s%s%s",
				    is ? (int)strlen(is->head) : SHOWN(engine),
				    is ? is->head : engine.text, SHOWN(unit), unit.text,
				    is && *is->item ? " " : "", is ? is->item : "");
		import_append(&head, ",", i > 0);
		import_append(&head, text, (size_t)size);
	}
	const char *header = head.failed ? NULL : import_text(job, head.text, head.size);
	free(head.text);
	return header;
}

/* The lines of words of -l come again among those of numbers: they become blank. */
static void list_blank_heads(struct import_job *job, struct import_lines lines)
{
	struct import_cell line;
	while (import_line(&lines, &line))
		if (list_is_head(line) || import_begins(import_trim(line), "req "))
			memset(job->owned + (line.text - job->text), ' ', line.size);
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
	struct import_factor factors[MEMBERS];
	struct import_odd garbage; /* of JSON */
};

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

static void gpu_top_set(struct gpu_top_reader *r, const char *name, const char *unit, double value)
{
	struct import_field field = {.name = name, .unit = unit, .over_time = SX_REDUCE_MEAN};
	import_put(r->rows, r->row, field, value);
}

static void set_engine(struct gpu_top_reader *r, struct import_cell engine, struct import_cell what,
		       double value)
{
	char name[96];
	bool first = false;
	size_t at = import_is(what, "busy") ? find_engine(engine, &first) : ENGINES;
	snprintf(name, sizeof(name), "%.*s %.*s", SHOWN(engine), engine.text,
		 (int)(what.size < 20 ? what.size : 20), what.text);
	if (at < ENGINES && engines[at].works)
		r->busy = fmax(r->busy, value);
	gpu_top_set(r, at < ENGINES && first ? engines[at].busy : name, "percent", value);
}

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
		if (import_is(group, members[i].group) && import_is(at->keys[1], members[i].name))
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

/* A factor from the unit that the file names to the column's; 0: they are not of one kind. */
static double gpu_top_unit_factor(struct gpu_top_reader *r, size_t member, struct import_cell text)
{
	const char *to = members[member].unit;
	if (strcmp(to, "interrupts/s") == 0)
		return import_word_of(text, "irq/s|/s") != NULL;
	return import_unit_factor(&r->factors[member], &r->units, text, to);
}

static void set_member(struct gpu_top_reader *r, const struct waiting *w, struct import_cell unit)
{
	char name[64];
	const char *column = members[w->member].column, *group = members[w->member].group;
	double factor = gpu_top_unit_factor(r, w->member, unit);
	if (factor == 0) {
		import_remark(r->job,
			      "%s is in %.*s, which is no unit that is known for it: left out",
			      group, SHOWN(unit), unit.text);
		return;
	}
	if (!column) {
		r->seconds = w->value * factor / 1e9;
		return;
	}
	if (w->gt) {
		snprintf(name, sizeof(name), "%s-gt%u %s", group, w->gt, members[w->member].name);
		column = name;
	}
	gpu_top_set(r, column, members[w->member].unit, w->value * factor);
}

static void end_group(struct gpu_top_reader *r)
{
	for (size_t i = 0; i < r->waiting; i++) {
		const char *usual = members[r->group[i].member].usual;
		set_member(r, &r->group[i],
			   r->unit.size ? r->unit : (struct import_cell){usual, strlen(usual)});
	}
	r->waiting = 0;
	r->unit = (struct import_cell){"", 0};
}

static void end_sample(struct gpu_top_reader *r)
{
	if (!isnan(r->busy))
		gpu_top_set(r, "GpuBusy", "percent", r->busy);
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

/* A column of -c: a member of a group, or an engine's share. */
struct gpu_top_column {
	size_t member; /* MEMBERS: none */
	unsigned gt;
	struct import_cell unit;
	struct import_field field; /* of an engine, or what no word is known for */
	bool busy;		   /* of an engine that renders or computes */
};

static bool is_member(struct import_cell head, struct gpu_top_column *out)
{
	struct import_cell rest = head, group = import_next_word(&rest),
			   unit = import_next_word(&rest);
	if (unit.size == 3 && memcmp(unit.text, "GT", 2) == 0) {
		out->gt = (unsigned)(unit.text[2] - '0') % 10;
		unit = import_next_word(&rest);
	}
	for (size_t i = 1; i < MEMBERS; i++)
		if (import_is(group, members[i].head) && import_is(rest, members[i].item)) {
			out->member = i;
			out->unit = unit;
			return true;
		}
	return false;
}

/* "RCS %", "RCS se"; with -p of each engine, "RCS/0 %". */
static void learn_engine(struct gpu_top_reader *r, struct import_cell head,
			 struct gpu_top_column *out)
{
	struct import_cell rest = head, engine = import_next_word(&rest);
	bool first = false;
	size_t at = import_is(rest, "%") ? find_engine(engine, &first) : ENGINES;
	out->field = import_header(r->job, head, SX_REDUCE_MEAN);
	if (strcmp(out->field.unit, "count") == 0)
		out->field.unit = "percent";
	out->busy = at < ENGINES && engines[at].works;
	if (at < ENGINES && first)
		out->field.name = engines[at].busy;
}

static void gpu_top_take_cell(struct gpu_top_reader *r, const struct gpu_top_column *column,
			      double value)
{
	if (column->member < MEMBERS) {
		set_member(r, &(struct waiting){column->member, column->gt, value}, column->unit);
		return;
	}
	import_set(r->rows, import_column(r->rows, &column->field), r->row, value);
	if (column->busy)
		r->busy = fmax(r->busy, value);
}

static enum sx_status read_lines(struct gpu_top_reader *r, bool list, struct sx_error *err)
{
	struct cells cells;
	struct import_lines lines = import_lines(r->job);
	struct import_cell header = {"", 0}, names;
	import_line(&lines, &header);
	if (list && import_line(&lines, &names)) {
		header.text = list_header(r->job, header, names);
		header.size = header.text ? strlen(header.text) : 0;
		list_blank_heads(r->job, lines);
	}
	enum sx_status status = header.text ? cells_begin(&cells, r->job, lines, header, err)
					    : error_nomem(err, "importing");
	if (list && !status)
		cells.marks.separator = ' ';
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
	struct import_cell text = {job->text, job->size};
	bool list = gpu_top_is_list(text);
	enum sx_status status =
	    list || is_csv(text) ? read_lines(&r, list, err) : read_samples(&r, err);
	import_odd_note(job, &r.garbage, "sample");
	return import_rows_finish(r.rows, status, err);
}

const struct import_format import_intel_gpu_top = {
    .kind = "intel-gpu-top",
    .about = "samples of intel_gpu_top",
    .recognise = gpu_top_recognise,
    .read = gpu_top_read,
};
