/*
 * Rows as sextant export, eval and decode write them as JSON (a document of tables) and NDJSON (an
 * object a row), and as others write them (an array of objects): they become the table that CSV of
 * the same rows is, which csv.c then reads. JSON says the unit of each column, NDJSON has base
 * units.
 */
#include "import/own/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/internal.h"

#define RESULT_NAME_MAX 32 /* of the verb in a document's schema */

/* What the first object of a text shows. */
struct own_json_look {
	size_t objects, numbers, own;
	bool array; /* of objects: only the first is looked at */
	bool nested, foreign;
};

static void own_json_see_first(void *user, enum read_json_event event,
			       const struct read_json_place *place, struct import_cell value)
{
	struct own_json_look *look = user;
	double number;
	bool behind = look->objects && look->array;
	look->nested |= !behind && (place->depth > 1 || event == READ_JSON_LAST ||
				    (event == READ_JSON_BEGIN && place->depth));
	look->objects += event == READ_JSON_END && !place->depth;
	if (look->objects || place->depth != 1)
		return;
	struct import_cell key = place->keys[0];
	look->numbers += event == READ_JSON_BARE && import_number(value, &number);
	look->own += import_is(key, "begin_ns") || import_is(key, "end_ns");
	look->foreign |= import_is(key, "schema") || import_is(key, "event") ||
			 import_is(key, "counter-value") || import_is(key, "metric-value") ||
			 import_is(key, "ph"); /* an event of a trace */
}

static bool own_json_has(const struct import_head *head, const char *word)
{
	return memmem(head->text, head->size, word, strlen(word));
}

/* What a text goes on with behind blanks; NULL: with something else than `word`. */
static const char *own_json_behind(const char *at, const char *end, const char *word)
{
	size_t length = strlen(word);
	while (at < end && memchr(" \t\r\n", *at, 4))
		at++;
	return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

/*
 * The verb that a document says it is the result of: "report" of {"schema":"sextant.report/1".
 * Empty for rows, for baselines, which are read elsewhere, and for all else.
 */
static struct import_cell own_json_result(const struct import_head *head)
{
	static const char *const words[] = {"{", "\"schema\"", ":", "\"sextant."}, *const read[] = {
										       "export",
										       "eval",
										       "decode",
										       "baseline"};
	const char *at = head->text, *end = head->text + head->size;
	for (size_t i = 0; at && i < sizeof(words) / sizeof(*words); i++)
		at = own_json_behind(at, end, words[i]);
	const char *slash = at ? memchr(at, '/', (size_t)(end - at)) : NULL;
	struct import_cell verb = {at, slash ? (size_t)(slash - at) : 0};
	for (size_t i = 0; i < sizeof(read) / sizeof(*read); i++)
		if (import_is(verb, read[i]))
			verb.size = 0;
	return verb.size < RESULT_NAME_MAX ? verb : (struct import_cell){"", 0};
}

static enum sx_status own_json_refuse(const struct import_job *job, struct import_cell verb,
				      struct sx_error *err)
{
	bool report = import_is(verb, "report") || import_is(verb, "stat");
	if (report)
		error_set(err, SX_ERR_BAD_INPUT, "%s is a report, which has no samples",
			  job->request->path);
	else
		error_set(err, SX_ERR_BAD_INPUT,
			  "%s is a result (sextant.%.*s), which has no samples", job->request->path,
			  (int)verb.size, verb.text);
	error_because(err, report ? "report and stat write totals and means of a whole run"
				  : "of what sextant writes as JSON rows alone are read back");
	error_try(err, "sextant export --json of the recording, whose rows are read back");
	return SX_ERR_BAD_INPUT;
}

/* An object a row, as most programs write a table: ours write an object a line, or one alone. */
static bool own_json_is_array(const char *text, size_t size)
{
	const char *begin = own_json_behind(text, text + size, "[");
	return begin && own_json_behind(begin, text + size, "{");
}

static bool own_json_recognise(const struct import_head *head)
{
	size_t at = 0, line;
	while (at < head->size && memchr(" \t\r\n", head->text[at], 4))
		at++;
	bool array = own_json_is_array(head->text, head->size);
	if (at == head->size || (head->text[at] != '{' && !array))
		return false;
	if (own_json_has(head, "\"sextant.export/1\"") ||
	    own_json_has(head, "\"sextant.eval/1\"") ||
	    own_json_has(head, "\"sextant.decode/1\"") || own_json_result(head).size)
		return true;
	const char *end = array ? NULL : memchr(head->text + at, '\n', head->size - at);
	struct own_json_look look = {.array = array};
	struct import_job first = {
	    .text = head->text + at,
	    .size = end ? (size_t)(end - head->text) - at : head->size - at,
	};
	read_json_walk(&first, own_json_see_first, &look, &line);
	return look.objects && !look.nested && !look.foreign && (look.numbers || look.own);
}

static enum sx_status own_json_walk(struct own_json *r, struct sx_error *err)
{
	size_t line = 0;
	r->at = r->seen = 0;
	r->value_count = 0;
	r->mark = (struct own_json_mark){.first = UINT64_MAX};
	enum read_json_result result =
	    read_json_walk(r->job, r->lines ? own_json_see_line : own_json_see, r, &line);
	if (r->failed || r->made.failed)
		return error_nomem(err, "importing");
	if (result == READ_JSON_BAD)
		return import_bad(r->job, line, err, "the text there is no JSON",
				  "it cannot be read on");
	return result == READ_JSON_CUT ? import_cut(r->job, line, err) : SX_OK;
}

static void own_json_finish(struct own_json *r)
{
	for (size_t i = 0; i < r->table_count; i++) {
		struct own_json_table *t = &r->tables[i];
		strings_finish(&t->names);
		free(t->units);
		free(t->positions);
		free(t->columns);
		free(t->constants);
		free(t->whys);
		free(t->marks);
	}
	strings_finish(&r->columns);
	free(r->values);
	free(r->given);
	free(r->row);
	free(r->texts);
	backing_free(r->made.backing, r->made.text);
	free(r);
}

static const char *own_json_text(struct own_json *r, struct import_cell cell)
{
	char *plain = cell.size ? malloc(cell.size) : NULL;
	const char *text = plain ? import_text(r->job, plain, read_json_plain(cell, plain)) : NULL;
	r->failed |= cell.size && !text;
	free(plain);
	return text;
}

/* Why columns have no value; what has no name is none. */
static void own_json_note_whys(struct own_json *r, const struct own_json_table *t,
			       struct import_given *given)
{
	struct arena *arena = &r->job->result->arena;
	const char **names = arena_alloc(arena, (2 * t->why_count + 1) * sizeof(*names));
	size_t count = 0;
	r->failed |= !names;
	for (size_t i = 0; names && i < t->why_count; i++) {
		const char *name = own_json_text(r, t->whys[i].key);
		if (!name)
			continue;
		names[count] = name;
		names[t->why_count + count++] = own_json_text(r, t->whys[i].cell);
	}
	given->empty = names;
	given->whys = names + t->why_count;
	given->why_count = count;
}

/* A number of losses that cannot be read is not 0. */
static void own_json_note_losses(struct own_json *r, const struct own_json_table *t,
				 struct import_given *given)
{
	number_u64(t->lost.text, t->lost.size, &given->lost);
	given->lost_more = import_is(t->lost_more, "true") || t->not_lost.size;
	if (t->not_lost.size)
		import_remark(r->job,
			      "lost is a number of samples and lost_more true or false, not "
			      "%.*s: how many were lost is not known",
			      t->not_lost.size < 40 ? (int)t->not_lost.size : 40, t->not_lost.text);
}

/* What is beside the rows of each device, or of the only one. */
static void own_json_note_devices(struct own_json *r, struct import_given *given)
{
	for (size_t i = 0; i < r->table_count; i++) {
		const struct own_json_table *t = &r->tables[i];
		const char *device = own_json_text(r, t->device);
		uint64_t id;
		bool numbered =
		    t->id.size && number_u64(t->id.text, t->id.size, &id) && id < IMPORT_NUMBER_MAX;
		given[i] = (struct import_given){.device = device ? device : "",
						 .number = numbered ? (uint32_t)id : SX_NONE,
						 .name = own_json_text(r, t->name),
						 .catalog = own_json_text(r, t->catalog)};
		own_json_note_losses(r, t, &given[i]);
		own_json_note_whys(r, t, &given[i]);
	}
}

/* The table as CSV is read. */
static enum sx_status own_json_read_table(struct own_json *r, struct sx_error *err)
{
	struct import_job *job = r->job;
	struct import_given given[IMPORT_DEVICES_MAX];
	own_json_note_devices(r, given);
	if (r->failed)
		return error_nomem(err, "importing");
	struct import_job made = *job;
	made.given = given;
	made.given_count = r->table_count;
	r->made.text[r->made.size] = '\0';
	import_forget_text(job);
	made.owned = r->made.text;
	r->made.text = NULL;
	made.place = "row"; /* below the header that is made */
	made.above = 1;
	made.text = made.owned;
	made.size = r->made.size;
	enum sx_status status = import_each_device(&made, &import_own_csv, err);
	import_forget_text(&made);
	return status;
}

static enum sx_status own_json_read(struct import_job *job, struct sx_error *err)
{
	struct import_head head = {.text = job->text,
				   .size = job->size < IMPORT_HEAD_BYTES ? job->size
									 : IMPORT_HEAD_BYTES};
	struct import_cell result = own_json_result(&head);
	if (result.size)
		return own_json_refuse(job, result, err);
	struct own_json *r = calloc(1, sizeof(*r));
	if (!r)
		return error_nomem(err, "importing");
	r->job = job;
	r->made.backing = job->backing;
	units_init(&r->units);
	r->lines = !own_json_has(&head, "\"metrics\"") || !own_json_has(&head, "\"rows\"");
	r->array = own_json_is_array(head.text, head.size);
	r->lines |= r->array;
	if (!r->lines)
		own_json_add_table(r, (struct import_cell){"", 0});
	struct sx_error cut = {0};
	enum sx_status walked = own_json_walk(r, &cut);
	if (!sx_failed(walked)) {
		own_json_begin(r);
		r->filling = true;
		walked = own_json_walk(r, &cut);
	}
	if (r->many)
		import_remark(job, "rows of devices beyond the first %d were left out",
			      IMPORT_DEVICES_MAX);
	enum sx_status status = walked;
	if (sx_failed(walked))
		*err = cut;
	else
		status = own_json_read_table(r, err);
	if (!status && walked) {
		*err = cut;
		status = walked;
	}
	own_json_finish(r);
	return status;
}

const struct import_format import_own_json = {
    .kind = "sextant-json",
    .about = "rows as JSON",
    .ours = true,
    .recognise = own_json_recognise,
    .read = own_json_read,
};
