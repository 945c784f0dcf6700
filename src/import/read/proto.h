/* The wire form of protocol buffers, field by field. */
#ifndef IMPORT_READ_PROTO_H
#define IMPORT_READ_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct read_proto {
	const uint8_t *p, *end;
	bool bad; /* a field breaks off or has a wire type that does not exist */
};

struct read_proto_field {
	uint32_t number;
	uint8_t wire;	     /* 0 varint, 1 fixed64, 2 bytes, 5 fixed32 */
	uint64_t value;	     /* of 0, 1 and 5 */
	const uint8_t *data; /* of 2 */
	size_t size;
};

/* The next field of a message; false at its end, and where it is bad. */
bool read_proto_next(struct read_proto *message, struct read_proto_field *field);
/* The fields of a field that is a message itself; empty when it is not of bytes. */
struct read_proto read_proto_message(const struct read_proto_field *field);
/* A fixed64 as the double that it holds. */
double read_proto_double(const struct read_proto_field *field);

#endif
