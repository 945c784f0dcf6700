/* Protocol buffers without a schema: numbers and bytes, checked. */
#include <string.h>

#include "import/trace/trace.h"

static bool varint(struct read_proto *m, uint64_t *out)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64 && m->p < m->end; shift += 7) {
		uint8_t byte = *m->p++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = value;
			return true;
		}
	}
	return false;
}

static bool fixed(struct read_proto *m, size_t size, uint64_t *out)
{
	if ((size_t)(m->end - m->p) < size)
		return false;
	*out = 0;
	for (size_t i = size; i-- > 0;)
		*out = *out << 8 | m->p[i];
	m->p += size;
	return true;
}

static bool bytes(struct read_proto *m, struct read_proto_field *field)
{
	uint64_t size;
	if (!varint(m, &size) || size > (uint64_t)(m->end - m->p))
		return false;
	field->data = m->p;
	field->size = (size_t)size;
	m->p += size;
	return true;
}

bool read_proto_next(struct read_proto *m, struct read_proto_field *field)
{
	uint64_t key;
	if (m->bad || m->p >= m->end)
		return false;
	*field = (struct read_proto_field){0};
	bool ok = varint(m, &key) && key >> 3 && key >> 3 < (1u << 29);
	if (ok) {
		field->number = (uint32_t)(key >> 3);
		field->wire = (uint8_t)(key & 7);
		switch (field->wire) {
		case 0:
			ok = varint(m, &field->value);
			break;
		case 1:
			ok = fixed(m, 8, &field->value);
			break;
		case 2:
			ok = bytes(m, field);
			break;
		case 5:
			ok = fixed(m, 4, &field->value);
			break;
		default:
			ok = false;
		}
	}
	m->bad = !ok;
	return ok;
}

void read_proto_fields(struct read_proto message, struct read_proto_field *fields,
		       const char *kinds)
{
	static const char wires[] = "vdb--f";
	struct read_proto_field field;
	size_t count = strlen(kinds);
	memset(fields, 0, count * sizeof(*fields));
	while (read_proto_next(&message, &field))
		if (field.number < count &&
		    (kinds[field.number] == wires[field.wire] || kinds[field.number] == '*'))
			fields[field.number] = field;
}

struct read_proto read_proto_message(const struct read_proto_field *field)
{
	struct read_proto message = {field->data, field->data, false};
	if (field->wire == 2)
		message.end += field->size;
	return message;
}

double read_proto_double(const struct read_proto_field *field)
{
	double value;
	memcpy(&value, &field->value, sizeof(value));
	return value;
}
