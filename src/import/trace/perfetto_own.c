/* What traces that sextant export wrote say beside what every trace does. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "import/trace/perfetto_state.h"
#include "table/label.h"

static bool key_is(const struct read_proto_field *field, const char *text)
{
	return field->wire == 2 && field->size == strlen(text) &&
	       memcmp(field->data, text, field->size) == 0;
}

void perfetto_attributes(struct perfetto *t, struct read_proto message)
{
	struct read_proto_field attribute, field;
	while (read_proto_next(&message, &attribute)) {
		struct read_proto inner = read_proto_message(&attribute);
		bool ours = false;
		while (attribute.number == 1 && read_proto_next(&inner, &field)) {
			if (field.number == 1)
				ours = key_is(&field, "sextant.anchor_sequence");
			else if (field.number == 2 && field.wire == 0 && ours)
				t->anchors = (uint32_t)field.value;
		}
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

/* A counter of which something is said: its name stands behind `head`. */
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
	struct read_proto_field field, key = {0}, value = {0};
	while (read_proto_next(&message, &field)) {
		if (field.number == 1 && field.wire == 2)
			key = field;
		else if (field.number == 2 && field.wire == 2)
			value = field;
	}
	if (!key.data || !value.data)
		return;
	if (key_is(&key, "sextant.name"))
		facts->name = perfetto_text(t, &value);
	else if (key_is(&key, "sextant.set"))
		facts->set = perfetto_text(t, &value);
	else if (key_is(&key, "sextant.kind"))
		facts->kind = perfetto_text(t, &value);
	else if (key_is(&key, "sextant.driver"))
		facts->driver = perfetto_text(t, &value);
	else if (key_is(&key, "sextant.simulated"))
		facts->simulated = key_is(&value, "true");
	else if (key_is(&key, "sextant.number"))
		take_number(facts, &value);
	else if (!take_counter_of(t, &facts->skipped, "sextant.skipped.", &key) &&
		 !take_counter_of(t, &facts->levels, "sextant.level.", &key) &&
		 !take_label(t, facts, &key, &value))
		perfetto_own_take_constant(t, facts, &key, &value);
}

void perfetto_fact(struct perfetto *t, uint32_t id, const struct read_proto_field *field)
{
	if (id >= IMPORT_DEVICES_MAX || field->wire != 2)
		return;
	if (field->number == 3)
		t->facts[id].model = perfetto_text(t, field);
	else if (field->number == 6)
		take_info(t, &t->facts[id], read_proto_message(field));
}
