/* How a view writes: where, in which format, how wide and how much, and where notes go. */
#ifndef OUTPUT_VIEW_H
#define OUTPUT_VIEW_H

#include "base/error.h"
#include "base/note_sink.h"
#include "output/write/text.h"
#include "output/write/json.h"

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_NDJSON,
	FORMAT_CSV,
	FORMAT_HTML,
	FORMAT_PERFETTO,
	FORMAT_OPENMETRICS,
	FORMAT_MARKDOWN,
	FORMAT_JUNIT,
};

#define FORMAT_COUNT	  9
#define FORMATS_TEXT_JSON (1u << FORMAT_TEXT | 1u << FORMAT_JSON)
#define FORMATS_ROWS	  (FORMATS_TEXT_JSON | 1u << FORMAT_NDJSON | 1u << FORMAT_CSV)

/* "text", "json", ...: as --format takes it. */
const char *format_name(enum format format);

#define VIEW_BRIEF_MOST 6
struct view {
	struct text_target out; /* the result: standard output, or a file */
	struct human human;	/* how numbers read */
	enum format format;
	int verbose;
	/* A report fits a screen, since nothing was chosen and no detail asked for: how much is
	 * left out, 1 to VIEW_BRIEF_MOST; 0: nothing. */
	unsigned brief;
	bool simulated;		/* what is written comes from a model: said in every format */
	struct note_sink notes; /* remarks that are no part of the result */
};

/* Starts {"schema":"sextant.NAME/1", on the result stream. */
struct json view_json_begin(const struct view *view, const char *name);
void view_json_end(struct json *json);

#endif
