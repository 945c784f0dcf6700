/*
 * radeontop -d: a line a second, "SECONDS.MICROSECONDS: bus 01, gpu 12.50%, …". Seen: 1.0 to 1.4
 * (dump.c). The microseconds are printed without leading zeros.
 */
#include <string.h>

#include "base/number.h"
#include "import/internal.h"

static const struct import_word radeontop_words[] = {
    {"gpu", "GpuBusy", "percent", 1},		{"ee", "EventEngineBusy", "percent", 1},
    {"vgt", "VertexGrouperBusy", "percent", 1}, {"ta", "TextureAddresserBusy", "percent", 1},
    {"tc", "TextureCacheBusy", "percent", 1},	{"sx", "ShaderExportBusy", "percent", 1},
    {"sh", "SequencerBusy", "percent", 1},	{"spi", "ShaderInterpolatorBusy", "percent", 1},
    {"smx", "ShaderMemoryBusy", "percent", 1},	{"cr", "ClipRectangleBusy", "percent", 1},
    {"sc", "ScanConverterBusy", "percent", 1},	{"pa", "PrimitiveAssemblyBusy", "percent", 1},
    {"db", "DepthBlockBusy", "percent", 1},	{"cb", "ColorBlockBusy", "percent", 1},
    {"uvd", "VideoBusy", "percent", 1},		{"vce0", "EncoderBusy", "percent", 1},
};

/* Fields that give a share and behind it an amount. */
static const struct {
	const char *word, *share, *amount, *unit;
	double factor;
} pairs[] = {
    {"vram", "MemoryShare", "MemoryUsed", "bytes", 0x1p20},
    {"gtt", "SharedMemoryShare", "SharedMemoryUsed", "bytes", 0x1p20},
    {"mclk", "MemoryFrequencyShare", "MemoryFrequency", "Hz", 1e9},
    {"sclk", "GpuFrequencyShare", "GpuFrequency", "Hz", 1e9},
};

static bool line_time(struct import_cell line, uint64_t *ns, struct import_cell *rest)
{
	const char *colon = memchr(line.text, ':', line.size < 64 ? line.size : 64);
	const char *dot = memchr(line.text, '.', line.size < 64 ? line.size : 64);
	uint64_t seconds, micros;
	if (!colon || !dot || dot > colon ||
	    !number_u64(line.text, (size_t)(dot - line.text), &seconds) ||
	    !number_u64(dot + 1, (size_t)(colon - dot - 1), &micros) || micros > 999999 ||
	    seconds > UINT64_C(9000000000))
		return false;
	*ns = seconds * UINT64_C(1000000000) + micros * 1000;
	*rest = (struct import_cell){colon + 1, (size_t)(line.text + line.size - colon - 1)};
	return true;
}

static bool radeontop_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line, rest;
	uint64_t ns;
	while (lines.number < 4 && import_line(&lines, &line))
		if (line_time(line, &ns, &rest) && memmem(rest.text, rest.size, "bus ", 4) &&
		    memmem(rest.text, rest.size, "gpu ", 4))
			return true;
	return false;
}

/* The unit behind a number: of a share, or of the amount behind it. */
static bool is_unit(struct import_cell unit, bool second)
{
	return second ? import_is(unit, "mb") || import_is(unit, "ghz") : import_is(unit, "%");
}

/* The first number behind the word, which is a share, or the second, an amount. */
static bool number_behind(struct import_cell cell, bool second, double *value)
{
	const char *end = cell.text + cell.size, *p = cell.text;
	for (int i = 0; i < (second ? 2 : 1); i++) {
		p = p < end ? memchr(p, ' ', (size_t)(end - p)) : NULL;
		if (!p)
			return false;
		p++;
	}
	char number[32];
	size_t size = 0;
	while (p + size < end && size < sizeof(number) && memchr("0123456789.,", p[size], 12)) {
		number[size] = p[size] == ',' ? '.' : p[size]; /* as some locales have it */
		size++;
	}
	const char *blank = memchr(p + size, ' ', (size_t)(end - p) - size);
	struct import_cell unit = {p + size, (size_t)((blank ? blank : end) - p) - size};
	return is_unit(unit, second) && number_f64(number, size, value);
}

/* The next part of a line: a comma and a blank separate them. */
static bool next_cell(struct import_cell *rest, struct import_cell *cell)
{
	const char *apart = memmem(rest->text, rest->size, ", ", 2);
	size_t size = apart ? (size_t)(apart - rest->text) : rest->size;
	if (!rest->size)
		return false;
	*cell = (struct import_cell){rest->text, size};
	while (cell->size && *cell->text == ' ') {
		cell->text++;
		cell->size--;
	}
	rest->text += apart ? size + 2 : size;
	rest->size -= apart ? size + 2 : size;
	return true;
}

/* A field that is a mean over the time before. */
static struct import_field mean_of(const char *name, const char *unit, double factor)
{
	return (struct import_field){
	    .name = name, .unit = unit, .over_time = SX_REDUCE_MEAN, .factor = factor};
}

struct dump {
	struct import_job *job;
	struct import_rows *rows;
	size_t row, line; /* the current ones */
	struct import_odd garbage;
};

static bool is_known(struct import_cell word)
{
	bool known = import_is(word, "bus");
	for (size_t i = 0; i < sizeof(radeontop_words) / sizeof(radeontop_words[0]); i++)
		known |= import_is(word, radeontop_words[i].word);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		known |= import_is(word, pairs[i].word);
	return known;
}

static void radeontop_take_cell(struct dump *dump, struct import_cell cell)
{
	double value;
	struct import_rows *rows = dump->rows;
	size_t row = dump->row;
	const char *blank = memchr(cell.text, ' ', cell.size);
	struct import_cell word = {cell.text, blank ? (size_t)(blank - cell.text) : cell.size};
	if (!is_known(word)) {
		import_remark(dump->job, "\"%.*s\" is nothing that is known of radeontop: left out",
			      (int)(word.size < 40 ? word.size : 40), word.text);
		return;
	}
	if (import_is(word, "bus"))
		return;
	bool good = number_behind(cell, false, &value);
	if (!good) {
		size_t skip = word.size < cell.size ? word.size + 1 : word.size;
		struct import_cell text = {cell.text + skip, cell.size - skip}, share = text;
		const char *percent = memchr(text.text, '%', text.size);
		share.size = percent ? (size_t)(percent - text.text) : text.size;
		/* radeontop divides by what it does not know, or by no ticks before its first. */
		if (!import_no_data(share) && !import_is(share, "inf") && !import_is(share, "-inf"))
			import_odd_add(&dump->garbage, dump->line, word, text);
	}
	for (size_t i = 0; i < sizeof(radeontop_words) / sizeof(radeontop_words[0]); i++)
		if (good && import_is(word, radeontop_words[i].word))
			import_put(rows, row,
				   mean_of(radeontop_words[i].column, radeontop_words[i].unit, 1),
				   value);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (!import_is(word, pairs[i].word))
			continue;
		if (good)
			import_put(rows, row, mean_of(pairs[i].share, "percent", 1), value);
		if (number_behind(cell, true, &value))
			import_put(rows, row,
				   mean_of(pairs[i].amount, pairs[i].unit, pairs[i].factor), value);
	}
}

static enum sx_status radeontop_read(struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell line, rest, cell;
	uint64_t before = SX_TIME_UNKNOWN, now;
	size_t odd = 0, first = 0;
	bool cut = false;
	struct dump dump = {.job = job};
	dump.rows =
	    import_rows_create(job, &(struct import_rows_options){.catalog = "monitor",
								  .name = "AMD GPU",
								  .driver = "radeon or amdgpu",
								  .clock = "realtime",
								  .kind = SX_SAMPLE_TIME});
	while (import_line(&lines, &line)) {
		if (!line.size || import_begins(line, "Dumping to"))
			continue;
		/* Every line is written whole: one without an end breaks off. */
		cut = lines.unfinished;
		if (cut || !line_time(line, &now, &rest)) {
			if (!cut && !odd++)
				first = lines.number;
			continue;
		}
		uint64_t length = before != SX_TIME_UNKNOWN && now > before ? now - before : 0;
		dump.row = import_row(dump.rows, length ? before : SX_TIME_UNKNOWN, now);
		dump.line = lines.number;
		while (next_cell(&rest, &cell))
			radeontop_take_cell(&dump, cell);
		before = now;
	}
	if (odd)
		import_remark(job, "%zu lines are none of radeontop's, line %zu the first", odd,
			      first);
	import_odd_note(job, &dump.garbage, "line");
	enum sx_status status = cut ? import_cut(job, lines.number, err) : SX_OK;
	return import_rows_finish(dump.rows, status, err);
}

const struct import_format import_radeontop = {
    .kind = "radeontop",
    .about = "a dump of radeontop",
    .recognise = radeontop_recognise,
    .read = radeontop_read,
};
