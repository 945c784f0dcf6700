/* Data that only traces written by sextant export have. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "import/trace/trace.h"
#include "table/label.h"

static bool key_is(const struct read_proto_field *field, const char *text)
{
	return field->wire == 2 && field->size == strlen(text) &&
	       memcmp(field->data, text, field->size) == 0;
}

void perfetto_attributes(struct perfetto *t, struct read_proto message)
{
	struct read_proto_field attribute, pair[3];
	while (read_proto_next(&message, &attribute)) {
		read_proto_fields(read_proto_message(&attribute), pair, "-bv");
		if (attribute.number == 1 && key_is(&pair[1], "sextant.anchor_sequence"))
			t->anchors = (uint32_t)pair[2].value;
	}
}

static void perfetto_own_take_constant(struct perfetto *t, struct perfetto_facts *facts,
				       const struct read_proto_field *key,
				       const struct read_proto_field *value)
{
	static const char head[] = "sextant.constant.";
	size_t skip = sizeof(head) - 1;
	double number;
	if (key->size <= skip || memcmp(key->data, head, skip) != 0 ||
	    facts->constant_count == IMPORT_CONSTANTS_MAX ||
	    !number_f64((const char *)value->data, value->size, &number))
		return;
	const char *name = import_text(t->job, (const char *)key->data + skip, key->size - skip);
	if (name)
		facts->constants[facts->constant_count++] =
		    (struct sx_constant_value){name, number};
}

/* A counter that a property is about: its name follows `head`. */
static bool take_counter_of(struct perfetto *t, struct strings *list, const char *head,
			    const struct read_proto_field *key)
{
	size_t skip = strlen(head);
	if (key->size <= skip || memcmp(key->data, head, skip) != 0)
		return false;
	t->no_memory |= strings_intern(list, (const char *)key->data + skip, key->size - skip,
				       NULL) == UINT32_MAX;
	return true;
}

static bool take_label(struct perfetto *t, struct perfetto_facts *facts,
		       const struct read_proto_field *key, const struct read_proto_field *value)
{
	char text[48];
	for (int l = 0; l < SX_LABEL_COUNT; l++) {
		snprintf(text, sizeof(text), "sextant.label.%s", label_name((enum sx_label)l));
		if (!key_is(key, text))
			continue;
		facts->labels[l] = perfetto_text(t, value);
		return true;
	}
	return false;
}

static void take_number(struct perfetto_facts *facts, const struct read_proto_field *value)
{
	uint64_t number;
	facts->numbered = number_u64((const char *)value->data, value->size, &number) &&
			  number < IMPORT_NUMBER_MAX;
	facts->number = facts->numbered ? (uint32_t)number : 0;
}

static void take_info(struct perfetto *t, struct perfetto_facts *facts, struct read_proto message)
{
	struct read_proto_field pair[3];
	read_proto_fields(message, pair, "-bb");
	const struct read_proto_field *key = &pair[1], *value = &pair[2];
	if (!key->data || !value->data)
		return;
	if (key_is(key, "sextant.name"))
		facts->name = perfetto_text(t, value);
	else if (key_is(key, "sextant.set"))
		facts->set = perfetto_text(t, value);
	else if (key_is(key, "sextant.kind"))
		facts->kind = perfetto_text(t, value);
	else if (key_is(key, "sextant.driver"))
		facts->driver = perfetto_text(t, value);
	else if (key_is(key, "sextant.simulated"))
		facts->simulated = key_is(value, "true");
	else if (key_is(key, "sextant.number"))
		take_number(facts, value);
	else if (!take_counter_of(t, &facts->skipped, "sextant.skipped.", key) &&
		 !take_counter_of(t, &facts->levels, "sextant.level.", key) &&
		 !take_label(t, facts, key, value))
		perfetto_own_take_constant(t, facts, key, value);
}

void perfetto_fact(struct perfetto *t, uint32_t id, const struct read_proto_field *field)
{
	struct perfetto_facts *facts = perfetto_facts(t, id);
	if (id >= IMPORT_DEVICES_MAX || field->wire != 2)
		return;
	if (field->number == 1)
		facts->gpu = perfetto_text(t, field);
	else if (field->number == 3)
		facts->model = perfetto_text(t, field);
	else if (field->number == 6)
		take_info(t, facts, read_proto_message(field));
}

enum { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3 };

/* A note of an event: its name, and a text or a number. */
struct note {
	struct import_cell name, text;
	uint64_t number;
};

static struct import_cell cell_of(const struct read_proto_field *field)
{
	return (struct import_cell){(const char *)field->data, field->size};
}

/* The numbers of a note's fields differ between track events and render stages. */
static struct note read_note(struct read_proto message, uint32_t name, uint32_t text)
{
	struct read_proto_field fields[11];
	char kinds[12] = "---v-------";
	kinds[name] = kinds[text] = 'b';
	read_proto_fields(message, fields, kinds);
	struct note note = {cell_of(&fields[name]), cell_of(&fields[text]), UINT64_MAX};
	if (fields[3].number)
		note.number = fields[3].value;
	if (note.number == UINT64_MAX && !number_u64(note.text.text, note.text.size, &note.number))
		note.number = UINT64_MAX;
	return note;
}

static void label_row(struct import_rows *rows, size_t row, const struct note *note)
{
	for (int i = 0; i < SX_LABEL_COUNT; i++) {
		enum sx_label label = (enum sx_label)i;
		if (!import_is(note->name, label_name(label)))
			continue;
		if (SX_LABELS_OF_TEXT >> i & 1)
			import_label(rows, row, label, note->text.text, note->text.size);
		else if (note->number != UINT64_MAX)
			import_number_label(rows, row, label, note->number);
	}
}

/* A row of which the values come next. */
static struct perfetto_made *make_row(struct perfetto *t, uint32_t id, uint64_t begin_ns,
				      uint64_t end_ns)
{
	struct perfetto_gpu *gpu = perfetto_gpu(t, id);
	if (!gpu)
		return NULL;
	gpu->made = (struct perfetto_made){
	    .row = import_row(perfetto_counter_rows(t, gpu), begin_ns, end_ns),
	    .begin_ns = begin_ns,
	    .end_ns = end_ns,
	    .waits = true};
	return &gpu->made;
}

static void begin_slice(struct perfetto *t, const struct perfetto_packet *packet, uint64_t track,
			struct read_proto message)
{
	struct read_proto again = message;
	struct read_proto_field field;
	struct note note = {0};
	bool ours = false;
	while (!ours && read_proto_next(&message, &field)) {
		if (field.number == 4 && field.wire == 2)
			note = read_note(read_proto_message(&field), 10, 6);
		ours = note.name.text && import_is(note.name, "sextant.gpu");
		t->marks |= note.name.text && import_is(note.name, "begin_ns");
	}
	if (!ours || note.number >= IMPORT_DEVICES_MAX)
		return;
	uint32_t id = (uint32_t)note.number;
	struct perfetto_made *made = make_row(t, id, packet->time_ns, packet->time_ns);
	for (message = again; made && read_proto_next(&message, &field);) {
		if (field.number != 4 || field.wire != 2)
			continue;
		note = read_note(read_proto_message(&field), 10, 6);
		label_row(perfetto_counter_rows(t, perfetto_gpu(t, id)), made->row, &note);
	}
	t->slice_gpu = made ? perfetto_gpu(t, id) : NULL;
	t->slice_track = track;
}

void perfetto_slice(struct perfetto *t, const struct perfetto_packet *packet,
		    struct read_proto message)
{
	struct read_proto_field fields[12];
	if (!t->anchors || packet->time_ns == SX_TIME_UNKNOWN)
		return;
	read_proto_fields(message, fields, "---------v-v");
	uint64_t type = fields[9].value, track = fields[11].value;
	if (type == EVENT_BEGIN || type == EVENT_INSTANT)
		begin_slice(t, packet, track, message);
	struct perfetto_made *made = t->slice_gpu ? &t->slice_gpu->made : NULL;
	if (type != EVENT_END || !made || track != t->slice_track)
		return;
	if (made->waits && packet->time_ns >= made->begin_ns) {
		made->end_ns = packet->time_ns;
		import_row_time(perfetto_counter_rows(t, t->slice_gpu), made->row, made->begin_ns,
				made->end_ns);
	}
	t->slice_gpu = NULL;
}

void perfetto_own_stage(struct perfetto *t, uint32_t id, const struct import_span *span,
			struct read_proto message)
{
	struct read_proto_field field;
	struct perfetto_made *made = make_row(t, id, span->begin_ns, span->end_ns);
	while (made && read_proto_next(&message, &field)) {
		if (field.number != 6 || field.wire != 2)
			continue;
		struct note note = read_note(read_proto_message(&field), 1, 2);
		label_row(perfetto_counter_rows(t, perfetto_gpu(t, id)), made->row, &note);
	}
}
