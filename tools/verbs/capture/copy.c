/* Copies of captures, record by record, through the same reader and writer as everything else. */
#include "tools/verbs/capture/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "input/input.h"
#include "tools/cli/result_file.h"

#define SLICE_VALUES ((size_t)1 << 18) /* of a record handed over at once */
#define FLUSH_VALUES ((size_t)1 << 20) /* values that may wait: the queue holds more */

struct copying {
	const struct capture_copy *copy;
	struct sx_capture_writer *writer;
	struct sx_capture_reader *reader;
	const char *name;  /* of the input at hand */
	uint32_t *devices; /* number in the input to number in the output */
	/* Devices of the output so far, so that the same one of two files stays one. */
	struct sx_capture_device *known;
	struct sx_capture_reader **owners; /* readers that own the strings of `known` */
	size_t *known_input;		   /* the first input of the machine that has it */
	size_t input_cap;
	struct align *aligns; /* one an input */
	size_t input;	      /* at hand */
	size_t known_count, known_cap, owner_count;
	uint64_t from_ns, to_ns, shift_ns;
	size_t waiting;
	struct strings names; /* debug groups by number, when they lose their names */
	char (*labels)[24];
	const char **label_texts;
	size_t label_cap, text_cap;
	struct sx_vector *columns;
	size_t column_cap;
	uint64_t *times; /* begins, then ends */
	size_t time_cap;
	struct capture_copied *out;
};

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_device(const struct sx_capture_device *a, const struct sx_capture_device *b)
{
	if (!same_text(a->catalog, b->catalog) || a->catalog_hash != b->catalog_hash ||
	    !same_text(a->facts.source, b->facts.source) ||
	    !same_text(a->facts.name, b->facts.name) ||
	    !same_text(a->facts.driver, b->facts.driver) || a->kind != b->kind ||
	    a->interval_ns != b->interval_ns || !same_text(a->facts.clock, b->facts.clock) ||
	    a->column_count != b->column_count ||
	    a->facts.constant_count != b->facts.constant_count ||
	    a->property_count != b->property_count)
		return false;
	for (uint32_t i = 0; i < a->column_count; i++)
		if (!same_text(a->columns[i].name, b->columns[i].name) ||
		    a->columns[i].type != b->columns[i].type)
			return false;
	for (uint32_t i = 0; i < a->property_count; i++)
		if (!same_text(a->properties[i].name, b->properties[i].name) ||
		    !same_text(a->properties[i].value, b->properties[i].value))
			return false;
	for (uint32_t i = 0; i < a->facts.constant_count; i++)
		if (!same_text(a->facts.constants[i].name, b->facts.constants[i].name) ||
		    memcmp(&a->facts.constants[i].value, &b->facts.constants[i].value,
			   sizeof(double)) != 0)
			return false;
	return true;
}

/* Devices of two machines are two, also where they are called alike. */
static size_t machine_of(const struct copying *c)
{
	enum align_way way = c->aligns[c->input].way;
	return way == ALIGN_WALL || way == ALIGN_GIVEN ? c->input : 0;
}

static enum sx_status map_device(struct copying *c, uint32_t number, struct sx_error *err)
{
	const struct sx_capture_device *device = sx_capture_device(c->reader, number);
	c->devices[number] = SX_CAPTURE_NO_DEVICE;
	if (!device)
		return SX_OK;
	size_t machine = machine_of(c);
	for (size_t i = 0; i < c->known_count; i++)
		if (c->known_input[i] == machine && same_device(&c->known[i], device)) {
			c->devices[number] = (uint32_t)i;
			return SX_OK;
		}
	if (!mem_grow(&c->known, &c->known_cap, c->known_count + 1, sizeof(*c->known)) ||
	    !mem_grow(&c->known_input, &c->input_cap, c->known_count + 1, sizeof(size_t)))
		return error_nomem(err, "copying a capture");
	c->known_input[c->known_count] = machine;
	c->known[c->known_count++] = *device;
	return sx_capture_add_device(c->writer, device, &c->devices[number], err);
}

static enum sx_status map_devices(struct copying *c, struct sx_error *err)
{
	uint32_t count = sx_capture_info(c->reader)->device_count;
	enum sx_status status = SX_OK;
	free(c->devices);
	c->devices = calloc(count + 1, sizeof(*c->devices));
	if (!c->devices)
		return error_nomem(err, "copying a capture");
	for (uint32_t i = 0; !status && i < count; i++)
		status = map_device(c, i, err);
	return status;
}

static uint64_t moved(const struct copying *c, uint64_t time_ns)
{
	uint64_t aligned_ns = align_time(&c->aligns[c->input], time_ns);
	return time_ns == SX_TIME_UNKNOWN ? time_ns : aligned_ns - c->shift_ns;
}

/* Whether a time overlaps the part that is copied; unknown times only a whole copy. */
static bool overlaps(const struct copying *c, uint64_t begin_ns, uint64_t end_ns)
{
	if (!c->from_ns && c->to_ns == UINT64_MAX)
		return true;
	return begin_ns != SX_TIME_UNKNOWN && end_ns != SX_TIME_UNKNOWN && end_ns > c->from_ns &&
	       begin_ns < c->to_ns;
}

/* A row is in the part in which it ends: parts that touch have no row in common. */
static bool has_row(const struct copying *c, uint64_t begin_ns, uint64_t end_ns)
{
	return overlaps(c, begin_ns, end_ns) && (end_ns <= c->to_ns || c->to_ns == UINT64_MAX);
}

/* "group 1" for the first name met, and so on, the same all through the file. */
static bool rename_strings(struct copying *c, struct sx_rows *rows)
{
	if (!mem_grow(&c->labels, &c->label_cap, rows->string_count + 1, sizeof(*c->labels)) ||
	    !mem_grow(&c->label_texts, &c->text_cap, rows->string_count + 1,
		      sizeof(*c->label_texts)))
		return false;
	for (uint32_t i = 0; i < rows->string_count; i++) {
		const char *text = rows->strings[i];
		uint32_t number = strings_intern(&c->names, text, strlen(text), NULL);
		if (number == UINT32_MAX)
			return false;
		snprintf(c->labels[i], sizeof(c->labels[i]), "group %u", (unsigned)number + 1);
		c->label_texts[i] = c->labels[i];
	}
	rows->strings = c->label_texts;
	return true;
}

/* Rows [first, first + count) of a record. */
static struct sx_rows slice(struct copying *c, const struct sx_rows *rows, size_t first,
			    size_t count)
{
	struct sx_rows out = *rows;
	out.count = count;
	for (size_t i = 0; i < count; i++) {
		c->times[i] = moved(c, rows->begin_ns[first + i]);
		c->times[count + i] = moved(c, rows->end_ns[first + i]);
	}
	out.begin_ns = c->times;
	out.end_ns = c->times + count;
	for (int i = 0; i < SX_LABEL_COUNT; i++)
		out.labels[i] = rows->labels[i] ? rows->labels[i] + first : NULL;
	for (uint32_t i = 0; i < rows->column_count; i++) {
		c->columns[i] = rows->columns[i];
		if (c->columns[i].data)
			c->columns[i].data = (const uint64_t *)c->columns[i].data + first;
		if (c->columns[i].quality)
			c->columns[i].quality += first;
	}
	out.columns = c->columns;
	return out;
}

static enum sx_status write_slice(struct copying *c, uint32_t device, const struct sx_rows *rows,
				  struct sx_error *err)
{
	c->waiting += rows->count * (rows->column_count + 2);
	if (c->waiting > FLUSH_VALUES) {
		c->waiting = 0;
		enum sx_status status = sx_capture_flush(c->writer, err);
		if (status)
			return status;
	}
	c->out->rows += rows->count;
	return sx_capture_write(c->writer, device, rows, err);
}

static enum sx_status copy_rows(struct copying *c, const struct sx_capture_record *record,
				struct sx_error *err)
{
	struct sx_rows rows = record->rows;
	size_t most = SLICE_VALUES / (rows.column_count + 2) + 1;
	if (!mem_grow(&c->columns, &c->column_cap, rows.column_count + 1, sizeof(*c->columns)) ||
	    !mem_grow(&c->times, &c->time_cap, 2 * most, sizeof(*c->times)) ||
	    (c->copy->anonymise && !rename_strings(c, &rows)))
		return error_nomem(err, "copying a capture");
	enum sx_status status = SX_OK;
	for (size_t at = 0; !status && at < rows.count;) {
		size_t count = 0;
		while (at + count < rows.count && count < most &&
		       has_row(c, rows.begin_ns[at + count], rows.end_ns[at + count]))
			count++;
		if (count) {
			struct sx_rows part = slice(c, &rows, at, count);
			status = write_slice(c, c->devices[record->device], &part, err);
		}
		at += count ? count : 1;
	}
	return status;
}

static enum sx_status copy_mark(struct copying *c, const struct sx_capture_record *record,
				struct sx_error *err)
{
	struct sx_capture_mark mark = record->mark;
	uint32_t device = record->device == SX_CAPTURE_NO_DEVICE ? SX_CAPTURE_NO_DEVICE
								 : c->devices[record->device];
	if (mark.begin_ns != SX_TIME_UNKNOWN && !overlaps(c, mark.begin_ns, mark.end_ns))
		return SX_OK;
	if (c->copy->anonymise && record->type == SX_CAPTURE_NOTE)
		return SX_OK;
	mark.begin_ns = moved(c, mark.begin_ns);
	mark.end_ns = moved(c, mark.end_ns);
	return sx_capture_mark(c->writer, device, record->type, &mark, err);
}

static enum sx_status copy_record(struct copying *c, const struct sx_capture_record *record,
				  struct sx_error *err)
{
	uint32_t count = sx_capture_info(c->reader)->device_count;
	if (record->device != SX_CAPTURE_NO_DEVICE && record->device >= count)
		return SX_OK;
	switch (record->type) {
	case SX_CAPTURE_ROWS:
		return copy_rows(c, record, err);
	case SX_CAPTURE_CLOCK:
		/* Another machine's times are the first one's now, so its clock is not copied. */
		if (c->copy->anonymise || machine_of(c))
			return SX_OK;
		return sx_capture_clocks(c->writer,
					 record->device == SX_CAPTURE_NO_DEVICE
					     ? SX_CAPTURE_NO_DEVICE
					     : c->devices[record->device],
					 record->clocks, record->clock_count, err);
	default:
		return copy_mark(c, record, err);
	}
}

static void set_range(struct copying *c)
{
	uint64_t begin = sx_capture_info(c->reader)->begin_ns;
	c->from_ns = c->copy->from_ns ? begin + c->copy->from_ns : 0;
	c->to_ns = c->copy->to_ns ? begin + c->copy->to_ns : UINT64_MAX;
	uint64_t end = sx_capture_info(c->reader)->end_ns;
	c->out->duration_ns = begin == SX_TIME_UNKNOWN || end == SX_TIME_UNKNOWN ? 0 : end - begin;
	if (c->from_ns || c->to_ns != UINT64_MAX)
		sx_capture_set_filter(c->reader, &(struct sx_capture_filter){.from_ns = c->from_ns,
									     .to_ns = c->to_ns});
	c->shift_ns = c->copy->anonymise && begin != SX_TIME_UNKNOWN ? begin : 0;
}

static enum sx_status copy_one(struct copying *c, struct sx_error *err)
{
	struct sx_capture_record record;
	enum sx_status status = map_devices(c, err);
	set_range(c);
	while (!status) {
		status = sx_capture_next(c->reader, &record, err);
		if (!status)
			ticker_at(c->copy->cli, c->name, record.offset,
				  sx_capture_info(c->reader)->size_bytes);
		if (!status)
			status = copy_record(c, &record, err);
	}
	const struct sx_capture_account *account = sx_capture_account(c->reader);
	c->out->damaged_records += account->damaged_records + account->missing_records;
	c->out->damaged_bytes += account->damaged_bytes;
	if (!c->out->cut && !sx_capture_info(c->reader)->clean)
		c->out->cut = c->name;
	if (!c->out->what[0])
		memcpy(c->out->what, account->what, sizeof(c->out->what));
	return status == SX_END || status == SX_AGAIN ? SX_OK : status;
}

/* The same file, or a copy of it. */
static bool same_recording(const struct copying *c, size_t a, size_t b)
{
	const struct sx_capture_info *x = sx_capture_info(c->owners[a]),
				     *y = sx_capture_info(c->owners[b]);
	if (result_file_is_same(c->copy->inputs[a], c->copy->inputs[b]))
		return true;
	return x->created_ns > 1 && x->created_ns == y->created_ns && x->rows == y->rows &&
	       x->size_bytes == y->size_bytes && x->begin_ns == y->begin_ns &&
	       x->end_ns == y->end_ns;
}

static enum sx_status refuse_twice(const struct copying *c, size_t a, size_t b,
				   struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "%s and %s are the same recording", c->copy->inputs[a],
		  c->copy->inputs[b]);
	error_because(err, "every row of it would be counted twice");
	error_try(err, "each recording once");
	return SX_ERR_USAGE;
}

static bool is_kept(const struct capture_copy *copy, const char *name)
{
	return !copy->anonymise || strcmp(name, "writer") == 0 || strcmp(name, "interval") == 0;
}

/* The properties of the first input are those of the copy. */
static enum sx_status copy_create(struct copying *c, struct sx_error *err)
{
	const struct sx_capture_info *info = sx_capture_info(c->owners[0]);
	struct sx_capture_property *kept = calloc(info->property_count + 2, sizeof(*kept));
	struct sx_capture_options options = {.created_ns = info->created_ns, .properties = kept};
	if (!kept)
		return error_nomem(err, "copying a capture");
	for (uint32_t i = 0; i < info->property_count; i++)
		if (is_kept(c->copy, info->properties[i].name))
			kept[options.property_count++] = info->properties[i];
	/* A part is not as long as its program ran. */
	if (c->copy->from_ns || c->copy->to_ns)
		kept[options.property_count++] = (struct sx_capture_property){"ends", "cut"};
	if (c->copy->anonymise || !options.created_ns)
		options.created_ns = 1; /* 1970: unknown */
	enum sx_status status = sx_capture_create(c->copy->output, &options, &c->writer, err);
	free(kept);
	return status;
}

static enum sx_status open_inputs(struct copying *c, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	c->owners = calloc(c->copy->input_count + 1, sizeof(struct sx_capture_reader *));
	if (!c->owners)
		return error_nomem(err, "copying a capture");
	for (size_t i = 0; !status && i < c->copy->input_count; i++) {
		status = sx_capture_open(c->copy->inputs[i], &c->owners[c->owner_count], err);
		c->owner_count += !status;
		for (size_t k = 0; !status && k < i; k++)
			if (same_recording(c, k, i))
				status = refuse_twice(c, k, i, err);
	}
	return status;
}

static int same_boot(const struct copying *c, size_t input)
{
	const char *a = input_property(sx_capture_info(c->owners[0]), "boot");
	const char *b = input_property(sx_capture_info(c->owners[input]), "boot");
	return *a && *b ? strcmp(a, b) == 0 : -1;
}

/* Refuses inputs with times of different origins. */
static enum sx_status check_aligned(const struct copying *c, size_t input, struct sx_error *err)
{
	const struct align *first = &c->aligns[0], *other = &c->aligns[input];
	if (other->way != ALIGN_UNKNOWN ||
	    sx_capture_info(c->owners[0])->begin_ns == SX_TIME_UNKNOWN ||
	    sx_capture_info(c->owners[input])->begin_ns == SX_TIME_UNKNOWN)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "%s and %s have no clock in common", first->name, other->name);
	error_because(err, "%s has no wall clock beside its times",
		      other->wall.count ? first->name : other->name);
	error_try(err,
		  "--offset=DUR, what to add to the times of %s; --offset=0s if they count "
		  "from the same moment",
		  other->name);
	return SX_ERR_USAGE;
}

/* Prints how each input's times are mapped to the first one's, and writes it to the copy. */
static enum sx_status align_inputs(struct copying *c, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	c->aligns = calloc(c->owner_count + 1, sizeof(*c->aligns));
	if (!c->aligns)
		return error_nomem(err, "copying a capture");
	c->aligns[0].way = ALIGN_SAME;
	for (size_t i = 0; !status && i < c->owner_count && c->owner_count > 1; i++)
		status = align_read(&c->aligns[i], c->copy->inputs[i], err);
	for (size_t i = 1; !status && i < c->owner_count; i++) {
		align_choose(&c->aligns[i], &c->aligns[0], same_boot(c, i), c->copy->offset_ns);
		status = check_aligned(c, i, err);
	}
	return status;
}

static enum sx_status print_alignment(struct copying *c, struct sx_error *err)
{
	char line[1024];
	uint64_t begin_ns = sx_capture_info(c->owners[c->input])->begin_ns;
	struct sx_capture_mark mark = {
	    .begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN, .text = line};
	if (!c->input)
		return SX_OK;
	align_note(&c->aligns[c->input], &c->aligns[0], begin_ns, line, sizeof(line));
	if (c->copy->aligned)
		c->copy->aligned(c->copy->aligned_user, line);
	return sx_capture_mark(c->writer, SX_CAPTURE_NO_DEVICE, SX_CAPTURE_NOTE, &mark, err);
}

static void copy_finish(struct copying *c)
{
	for (size_t i = 0; c->aligns && i < c->owner_count; i++)
		align_finish(&c->aligns[i]);
	free(c->aligns);
	free(c->known_input);
	for (size_t i = 0; i < c->owner_count; i++)
		sx_capture_close(c->owners[i]);
	free(c->owners);
	free(c->devices);
	free(c->known);
	free(c->labels);
	free(c->label_texts);
	free(c->columns);
	free(c->times);
	strings_finish(&c->names);
}

enum sx_status capture_copy_run(const struct capture_copy *copy, struct capture_copied *out,
				struct sx_error *err)
{
	struct copying c = {.copy = copy, .out = out};
	*out = (struct capture_copied){0};
	enum sx_status status = open_inputs(&c, err);
	if (!status)
		status = align_inputs(&c, err);
	if (!status)
		status = copy_create(&c, err);
	for (size_t i = 0; !status && i < c.owner_count; i++) {
		c.reader = c.owners[i];
		c.name = copy->inputs[i];
		c.input = i;
		status = print_alignment(&c, err);
		if (!status)
			status = copy_one(&c, err);
	}
	if (c.writer) {
		struct sx_error closing = {0};
		enum sx_status closed = sx_capture_finish(c.writer, NULL, &closing);
		if (!status && closed) {
			status = closed;
			if (err)
				*err = closing;
		}
	}
	copy_finish(&c);
	return status;
}
