/*
 * Trigger and custom event (CEC) registers, as numbers and as text, one register a line, for
 * example "OACEC3_0: compare=equal value=0x0 source=boolean". Fields that are 0 may be left out.
 */
#ifndef OA_TRIGGER_H
#define OA_TRIGGER_H

#include <sextant/oa.h>

/*
 * Trigger and custom event (CEC) registers as text, one register a line, for example
 * "OACEC3_0: compare=equal value=0x0 source=boolean". Fields that are 0 may be left out.
 */
#define OA_TRIGGER_TEXT_MAX 256
/* Writes the line of a register. Errors: SX_ERR_NOT_FOUND (no such register). */
enum sx_status oa_trigger_describe(uint32_t address, uint32_t value, char out[OA_TRIGGER_TEXT_MAX],
				   struct sx_error *err);

/* Reads a line. Errors: SX_ERR_NOT_FOUND (register, field or name), SX_ERR_USAGE (malformed, or a
 * field given twice), SX_ERR_UNSUPPORTED (see oa_trigger_check()). */
enum sx_status oa_trigger_parse(const char *text, uint32_t *address, uint32_t *value,
				struct sx_error *err);

/*
 * Checks a register's value by the manual. *warning, which may be asked for by a pointer, receives
 * what it leaves undefined although published sets use it (static storage), or NULL. Errors:
 * SX_ERR_NOT_FOUND (no such register), SX_ERR_UNSUPPORTED (an encoding without a meaning, or bits
 * that must be zero).
 */
enum sx_status oa_trigger_check(uint32_t address, uint32_t value, const char **warning,
				struct sx_error *err);

/* One field of such a register. */
struct oa_trigger_field {
	const char *name; /* static storage */
	uint32_t value;
	bool shown;	  /* false: the field is 0, and that says nothing */
	char text[20];	  /* the value as encoding reads it: a name, or a number */
	char meaning[96]; /* "inputs left out: 0-2, 4-15" */
};

/* The n-th field, from bit 0 up, of a register with this value; false behind the last one. */
bool oa_trigger_field(uint32_t address, uint32_t value, uint32_t index,
		      struct oa_trigger_field *out);
/* Address of a register by name ("OACEC3_0", "OASTARTTRIG1") or number; 0 when there is none. */
uint32_t oa_trigger_register(const char *text);

#endif
