/*
 * Writes a capture of what standard input says, for tests that need one with properties, devices
 * and losses of their choice: make-run FILE. One thing a line, fields between tabs:
 *
 *     property  NAME  VALUE
 *     device    CATALOG  NAME  DRIVER  KIND  real|simulated
 *     column    NAME  UNIT  u64|f64  sum|mean|last
 *     label     frame|context|process|group  VALUE     (of all rows that follow; - for none)
 *     row       BEGIN_NS  END_NS  VALUE...     (- for none, ~ for not measured)
 *     lost      COUNT
 *
 * A device's columns follow it, then its rows.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/capture.h>

#define FIELDS 64

struct state {
	const char *path;
	struct sx_capture_writer *writer;
	struct sx_capture_property properties[16];
	uint32_t property_count, index;
	struct sx_capture_device device;
	struct sx_column columns[FIELDS];
	const char *labels[SX_LABEL_COUNT]; /* NULL: none */
	bool described;
};

static void check(enum sx_status status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "make-run: %s: %d\n", what, status);
	exit(1);
}

static void begin(struct state *s)
{
	const struct sx_capture_options options = {.properties = s->properties,
						   .property_count = s->property_count};
	if (!s->writer)
		check(sx_capture_create(s->path, &options, &s->writer, NULL), "create");
	if (!s->described)
		check(sx_capture_add_device(s->writer, &s->device, &s->index, NULL), "device");
	s->described = true;
}

/* Texts are their own dictionary: each is the string of its label's number. */
static void set_labels(const struct state *s, struct sx_rows *rows,
		       uint64_t numbers[SX_LABEL_COUNT])
{
	for (unsigned i = 0; i < SX_LABEL_COUNT; i++) {
		bool text = SX_LABELS_OF_TEXT >> i & 1;
		numbers[i] = !s->labels[i] ? SX_LABEL_ABSENT
			     : text	   ? i
					   : strtoull(s->labels[i], NULL, 10);
		rows->labels[i] = s->labels[i] ? &numbers[i] : NULL;
	}
	rows->strings = s->labels;
	rows->string_count = SX_LABEL_COUNT;
}

static void write_row(struct state *s, char **field, int count)
{
	uint64_t u64[FIELDS], begin_ns = strtoull(field[1], NULL, 10),
			      end_ns = strtoull(field[2], NULL, 10);
	double f64[FIELDS];
	uint8_t quality[FIELDS];
	struct sx_vector vectors[FIELDS];
	begin(s);
	for (uint32_t i = 0; i < s->device.column_count; i++) {
		const char *text = (int)i + 3 < count ? field[i + 3] : "-";
		bool skipped = strcmp(text, "~") == 0, none = skipped || strcmp(text, "-") == 0,
		     f = s->columns[i].type == SX_F64;
		u64[i] = strtoull(text, NULL, 10);
		f64[i] = none ? (double)NAN : strtod(text, NULL);
		quality[i] = skipped ? SX_QUALITY_SKIPPED : none ? SX_QUALITY_GAP : 0;
		vectors[i] = (struct sx_vector){s->columns[i].type,
						f ? (const void *)&f64[i] : &u64[i], &quality[i]};
	}
	uint64_t numbers[SX_LABEL_COUNT];
	struct sx_rows rows = {.count = 1,
			       .begin_ns = &begin_ns,
			       .end_ns = &end_ns,
			       .columns = vectors,
			       .column_count = s->device.column_count};
	set_labels(s, &rows, numbers);
	check(sx_capture_write(s->writer, s->index, &rows, NULL), "row");
	check(sx_capture_flush(s->writer, NULL), "flush");
}

static void set_label(struct state *s, const char *name, const char *value)
{
	static const struct {
		const char *name;
		enum sx_label label;
	} all[] = {{"frame", SX_LABEL_FRAME},
		   {"context", SX_LABEL_CONTEXT},
		   {"process", SX_LABEL_PROCESS},
		   {"group", SX_LABEL_GROUP}};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].name, name) == 0)
			s->labels[all[i].label] = strcmp(value, "-") == 0 ? NULL : value;
}

static void describe(struct state *s, char **field)
{
	s->described = false;
	s->device =
	    (struct sx_capture_device){.catalog = field[1],
				       .facts.source = "test",
				       .facts.name = field[2],
				       .facts.driver = field[3],
				       .kind = sx_sample_kind_find(field[4]),
				       .facts.simulated = strcmp(field[5], "simulated") == 0,
				       .facts.clock = "monotonic",
				       .columns = s->columns};
}

static void take_line(struct state *s, char *line)
{
	char *field[FIELDS];
	int count = 0;
	for (char *save = NULL, *word = strtok_r(line, "\t\n", &save); word && count < FIELDS;
	     word = strtok_r(NULL, "\t\n", &save))
		field[count++] = word;
	if (count == 3 && strcmp(field[0], "property") == 0 && s->property_count < 16)
		s->properties[s->property_count++] =
		    (struct sx_capture_property){field[1], field[2]};
	else if (count == 6 && strcmp(field[0], "device") == 0)
		describe(s, field);
	else if (count == 5 && strcmp(field[0], "column") == 0)
		s->columns[s->device.column_count++] = (struct sx_column){
		    .name = field[1],
		    .unit = field[2],
		    .type = strcmp(field[3], "u64") == 0 ? SX_U64 : SX_F64,
		    .over_time = strcmp(field[4], "sum") == 0	 ? SX_REDUCE_SUM
				 : strcmp(field[4], "last") == 0 ? SX_REDUCE_LAST
								 : SX_REDUCE_MEAN};
	else if (count == 3 && strcmp(field[0], "label") == 0)
		set_label(s, field[1], field[2]);
	else if (count >= 3 && strcmp(field[0], "row") == 0)
		write_row(s, field, count);
	else if (count == 2 && strcmp(field[0], "lost") == 0) {
		const struct sx_capture_mark mark = {.begin_ns = SX_TIME_UNKNOWN,
						     .end_ns = SX_TIME_UNKNOWN,
						     .lost = strtoull(field[1], NULL, 10),
						     .text = "a test says so"};
		begin(s);
		check(sx_capture_mark(s->writer, s->index, SX_CAPTURE_LOSS, &mark, NULL), "loss");
	} else if (count) {
		check(SX_ERR_USAGE, field[0]);
	}
}

int main(int argc, char **argv)
{
	static struct state s;
	static char *lines[100000];
	size_t count = 0, size;
	s.path = argc == 2 ? argv[1] : "/dev/null";
	while (count < 100000 && (size = 0, getline(&lines[count], &size, stdin)) > 0)
		take_line(&s, lines[count++]); /* fields stay where they were read */
	begin(&s);
	check(sx_capture_finish(s.writer, NULL, NULL), "finish");
	for (size_t i = 0; i < count; i++)
		free(lines[i]);
	return 0;
}
