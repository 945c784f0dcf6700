/*
 * radeontop -d: a line a second, "SECONDS.MICROSECONDS: bus 01, gpu 12.50%, …". Seen: 1.0 to 1.4
 * (dump.c). The microseconds are printed without leading zeros.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "import/internal.h"

/* Words with a share behind them, for some of which an amount follows. */
static const struct radeontop_word {
	const char *word, *share, *amount, *unit, *written;
	double factor; /* of amounts as they are written */
} radeontop_words[] = {
    {.word = "bus"},
    {.word = "gpu", .share = "GpuBusy"},
    {.word = "ee", .share = "EventEngineBusy"},
    {.word = "vgt", .share = "VertexGrouperBusy"},
    {.word = "ta", .share = "TextureAddresserBusy"},
    {.word = "tc", .share = "TextureCacheBusy"},
    {.word = "sx", .share = "ShaderExportBusy"},
    {.word = "sh", .share = "SequencerBusy"},
    {.word = "spi", .share = "ShaderInterpolatorBusy"},
    {.word = "smx", .share = "ShaderMemoryBusy"},
    {.word = "cr", .share = "ClipRectangleBusy"},
    {.word = "sc", .share = "ScanConverterBusy"},
    {.word = "pa", .share = "PrimitiveAssemblyBusy"},
    {.word = "db", .share = "DepthBlockBusy"},
    {.word = "cb", .share = "ColorBlockBusy"},
    {.word = "uvd", .share = "VideoBusy"},
    {.word = "vce0", .share = "EncoderBusy"},
    {"vram", "MemoryShare", "MemoryUsed", "bytes", "mb", 0x1p20},
    {"gtt", "SharedMemoryShare", "SharedMemoryUsed", "bytes", "mb", 0x1p20},
    {"mclk", "MemoryFrequencyShare", "MemoryFrequency", "Hz", "ghz", 1e9},
    {"sclk", "GpuFrequencyShare", "GpuFrequency", "Hz", "ghz", 1e9},
};
#define RADEONTOP_WORDS (sizeof(radeontop_words) / sizeof(radeontop_words[0]))

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

/* The next part of a line: a comma and a blank separate them. */
static bool next_cell(struct import_cell *rest, struct import_cell *cell)
{
	const char *apart = memmem(rest->text, rest->size, ", ", 2);
	size_t size = apart ? (size_t)(apart - rest->text) : rest->size;
	if (!rest->size)
		return false;
	*cell = (struct import_cell){rest->text, size};
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

static void radeontop_take_cell(struct dump *dump, struct import_cell cell)
{
	struct import_cell part[3], unit;
	double value;
	size_t at = 0, count = import_split(cell, ' ', part, 3);
	while (at < RADEONTOP_WORDS && !import_is(part[0], radeontop_words[at].word))
		at++;
	if (at == RADEONTOP_WORDS)
		import_remark(dump->job, "\"%.*s\" is nothing that is known of radeontop: left out",
			      (int)(part[0].size < 40 ? part[0].size : 40), part[0].text);
	if (at == RADEONTOP_WORDS || !radeontop_words[at].share || count < 2)
		return;
	const struct radeontop_word *word = &radeontop_words[at];
	bool good =
	    import_amount(part[1], &value, &unit) && import_is(unit, "%") && !signbit(value);
	if (good) {
		import_put(dump->rows, dump->row, mean_of(word->share, "percent", 1), value);
	} else {
		size_t before = (size_t)(part[1].text - cell.text);
		struct import_cell rest = {part[1].text, cell.size - before}, share = rest;
		const char *percent = memchr(share.text, '%', share.size);
		share.size = percent ? (size_t)(percent - share.text) : share.size;
		/* radeontop divides by what it does not know, or by no ticks before its first. */
		if (!import_no_data(share) && !import_word_of(share, "inf|-inf"))
			import_odd_add(&dump->garbage, dump->line, part[0], rest);
	}
	if (word->amount && count > 2 && import_amount(part[2], &value, &unit) &&
	    import_is(unit, word->written) && !signbit(value))
		import_put(dump->rows, dump->row, mean_of(word->amount, word->unit, word->factor),
			   value);
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
