/*
 * The request in a channel of hardware counters. Its samples are records (WIRE_DRIVER_VALUES) that
 * follow records of values, one for each value of the program. docs/guest-channel.md explains it.
 * The command writes the program into the room for labels before the measured program sees the
 * memory; the injected library copies it before the room is used. Counters are named as the driver
 * names them, since numbers differ from context to context.
 */
#ifndef WIRE_COUNTERS_H
#define WIRE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "wire/channel.h"

#define WIRE_ENV_COUNTERS     "SEXTANT_CHANNEL_COUNTERS"
#define WIRE_PROGRAM_MAGIC    UINT32_C(0x504e5453) /* "STNP", little endian */
#define WIRE_PROGRAM_PASSES   64u
#define WIRE_PROGRAM_VALUES   WIRE_VALUES_MOST
#define WIRE_PROGRAM_EVENTS   8192u
#define WIRE_PROGRAM_NAME_MAX 256u /* bytes of a name, the NUL included */

enum wire_counter_api { WIRE_AMD_MONITOR = 1, WIRE_INTEL_QUERY = 2 };

/* How the driver gives a number; a value is a u64, or the bits of an f64. */
enum wire_counter_type {
	WIRE_TYPE_U32 = 1,
	WIRE_TYPE_U64,
	WIRE_TYPE_F32, /* an f64 in records, from here on */
	WIRE_TYPE_F64,
};
static inline int wire_type_is_real(unsigned type)
{
	return type >= WIRE_TYPE_F32;
}
static inline size_t wire_type_size(unsigned type)
{
	return type == WIRE_TYPE_U32 || type == WIRE_TYPE_F32 ? 4 : 8;
}

/*
 * One counter of the driver in one pass. Several may add to one value; a value that none adds to is
 * 0: a unit that this chip lacks.
 */
struct wire_event {
	uint16_t pass, value;
	uint8_t type;	  /* enum wire_counter_type */
	uint8_t is_level; /* a share or a rate: those of several segments do not add up */
	uint8_t reserved[2];
	uint32_t group, counter; /* offsets of their names in the texts */
};

/* Then the events, then the texts: NUL-terminated names. */
struct wire_program {
	uint32_t magic;
	uint32_t api; /* enum wire_counter_api */
	uint32_t pass_count, value_count, event_count, text_bytes;
	char renderer[192]; /* the driver that was asked; others have other counters */
};

/* Why a value will never be had in a context; in the bits of one that is not collected. */
enum wire_never {
	WIRE_NEVER_OTHER_DRIVER = 1, /* the context's renderer is another one */
	WIRE_NEVER_NO_EXTENSION,     /* the context lacks the extension */
	WIRE_NEVER_NO_COUNTER,	     /* the context's driver has no such counter */
	WIRE_NEVER_OTHER_TYPE,	     /* or one of another type */
	WIRE_NEVER_REFUSED,	     /* the driver refuses the counters of this pass */
	WIRE_NEVER_NONSENSE,	     /* the driver's answers have a form that cannot be */
	WIRE_NEVER_END,
};

static inline const struct wire_event *wire_program_events(const struct wire_program *program)
{
	return (const struct wire_event *)(program + 1);
}
static inline const char *wire_program_texts(const struct wire_program *program)
{
	return (const char *)(wire_program_events(program) + program->event_count);
}
static inline size_t wire_program_bytes(const struct wire_program *program)
{
	return sizeof(*program) + program->event_count * sizeof(struct wire_event) +
	       program->text_bytes;
}

_Static_assert(sizeof(struct wire_event) == 16, "an event is 16 bytes");
_Static_assert(sizeof(struct wire_program) == 216, "no padding");

#endif
