/*
 * JSON as tools print it: one value or several in a row, commas missing or too many, cut off
 * anywhere. Nothing is kept; the walker's callback gets each value with the keys that lead to it.
 */
#ifndef IMPORT_READ_JSON_H
#define IMPORT_READ_JSON_H

#include "import/internal.h"

#define READ_JSON_DEPTH_MAX 32

enum read_json_event {
	READ_JSON_BEGIN, /* an object begins */
	READ_JSON_END,	 /* an object ends */
	READ_JSON_TEXT,	 /* a string; escapes are kept */
	READ_JSON_BARE,	 /* a number, true, false or null */
	READ_JSON_LAST,	 /* an array ends, also one that never began */
};

struct read_json_place {
	/* Keys of the objects around it, the outermost first; arrays add nothing. */
	const struct import_cell *keys;
	size_t depth; /* their number; of BEGIN and END, without the object itself */
};

enum read_json_result { READ_JSON_WHOLE, READ_JSON_CUT, READ_JSON_BAD };

/* Goes over the job's text. *line receives where it breaks off, or is no JSON. */
enum read_json_result read_json_walk(const struct import_job *job,
				     void (*see)(void *user, enum read_json_event event,
						 const struct read_json_place *place,
						 struct import_cell value),
				     void *user, size_t *line);
/* Whether the keys are these. `count` of them follow. */
bool read_json_at(const struct read_json_place *place, size_t count, const char *first,
		  const char *second, const char *third);
/* Writes text without its escapes, which is not longer; the bytes of it. */
size_t read_json_plain(struct import_cell value, char *to);
/* Text without escapes; the result's, or `value` itself where it has none. */
struct import_cell read_json_unescape(struct import_job *job, struct import_cell value);

#endif
