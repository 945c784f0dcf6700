/* Start triggers, report triggers and custom events: register values to text and back. */
#include "wire/oa/oa.h"

#include "base/error.h"
#include "base/text_buf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define START_BASE  0x2710u
#define REPORT_BASE 0x2740u
#define CEC_BASE    0x2770u
#define FIELDS_MAX  8
#define BLANKS	    " \t\r\n"

enum kind {
	NUMBER,
	SELECT,	 /* a number that means something also when it is 0, if another field is set */
	NAMES,	 /* of an encoding each */
	BITS,	 /* one for each signal */
	ZERO,	 /* the manual: must be zero */
	RESERVED /* the manual says nothing */
};

struct field {
	const char *name;
	uint8_t shift, width, kind;
	bool always;		       /* printed also when the field is 0 */
	const char *const (*names)[2]; /* by value: name and meaning; NULL where undefined */
	const char *about;
};

static const char *const compares[8][2] = {
    {"any-equal", "while any input bit equals the value's"},
    {"greater", "while inputs exceed the value"},
    {"equal", "while inputs equal the value"},
    {"greater-equal", "while inputs are at least the value"},
    {"less", "while inputs are below the value"},
    {"unequal", "while inputs differ from the value"},
    {"less-equal", "while inputs are at most the value"},
};
static const char *const sources[4][2] = {
    {"noa", "inputs are the signals of the NOA network"},
    {"previous", "inputs are those of the event before"},
    {"boolean", "inputs are the boolean unit's"},
};

/* Rows of registers: the first and fifth of a trigger alike, and so on. */
enum row { START1, START2, START3, START4, REPORT1, REPORT2, REPORT3, REPORT4, CEC0, CEC1 };

#define INVERTS                                                                                    \
	{"invert-a", 0, 16, BITS, false, NULL, "inverted at stage A:"},                            \
	    {"invert-b", 16, 4, BITS, false, NULL, "inverted at stage B:"},                        \
	    {"invert-c", 20, 2, BITS, false, NULL, "inverted at stage C:"},                        \
	    {"invert-d", 22, 1, BITS, false, NULL, "inverted at stage D:"},                        \
	{                                                                                          \
		"threshold-enable", 23, 1, NUMBER, false, NULL, "the threshold is in force"        \
	}
#define NOA(n, place)                                                                              \
	{                                                                                          \
		"noa" #n, 4 * place, 4, SELECT, false, NULL, "NOA signal that drives input " #n    \
	}

static const struct field fields[][FIELDS_MAX] = {
    [START1] = {{"threshold", 0, 16, NUMBER, true, NULL, "events before the trigger fires"},
		{"count", 16, 16, ZERO, false, NULL, NULL}},
    [START2] = {INVERTS,
		{"flag", 24, 1, ZERO, false, NULL, NULL},
		{"reserved", 25, 3, RESERVED, false, NULL, NULL},
		{"events", 28, 4, BITS, false, NULL, "events that start it:"}},
    [START3] = {NOA(8, 0), NOA(9, 1), NOA(10, 2), NOA(11, 3), NOA(12, 4), NOA(13, 5), NOA(14, 6),
		NOA(15, 7)},
    [START4] = {NOA(0, 0), NOA(1, 1), NOA(2, 2), NOA(3, 3), NOA(4, 4), NOA(5, 5), NOA(6, 6),
		NOA(7, 7)},
    [REPORT1] = {{"threshold", 0, 16, NUMBER, true, NULL, "events before a report is written"},
		 {"edge", 16, 16, BITS, false, NULL, "on an edge, others on a level:"}},
    [REPORT2] = {INVERTS,
		 {"reserved", 24, 7, RESERVED, false, NULL, NULL},
		 {"report-enable", 31, 1, NUMBER, false, NULL, "the trigger writes reports"}},
    [CEC0] = {{"compare", 0, 3, NAMES, true, compares, NULL},
	      {"value", 3, 16, NUMBER, true, NULL, "what inputs are compared with"},
	      {"source", 19, 2, NAMES, true, sources, NULL},
	      {"reserved", 21, 11, RESERVED, false, NULL, NULL}},
    [CEC1] = {{"mask", 0, 16, BITS, true, NULL, "inputs left out:"},
	      {"considerations", 16, 16, BITS, false, NULL, "considerations:"}},
};

/* The row of an address, and its name; false when it is none of these registers. */
static bool identify(uint32_t address, enum row *row, char name[20])
{
	uint32_t n;
	if (address % 4)
		return false;
	if (address >= START_BASE && address < START_BASE + 32) {
		n = (address - START_BASE) / 4;
		*row = (enum row)(START1 + n % 4);
		snprintf(name, 20, "OASTARTTRIG%u", n + 1);
	} else if (address >= REPORT_BASE && address < REPORT_BASE + 32) {
		n = (address - REPORT_BASE) / 4;
		*row = (enum row)(REPORT1 + n % 4);
		snprintf(name, 20, "OAREPORTTRIG%u", n + 1);
	} else if (address >= CEC_BASE && address < CEC_BASE + 64) {
		n = (address - CEC_BASE) / 4;
		*row = (enum row)(CEC0 + n % 2);
		snprintf(name, 20, "OACEC%u_%u", n / 2, n % 2);
	} else {
		return false;
	}
	return true;
}

/* Report triggers select signals as start triggers do. */
static const struct field *fields_of(enum row row)
{
	return fields[row == REPORT3 ? START3 : row == REPORT4 ? START4 : row];
}

uint32_t oa_trigger_register(const char *text)
{
	enum row row;
	char name[20], *end;
	unsigned long value = strtoul(text, &end, 0);
	if (*text && !*end)
		return value <= UINT32_MAX && identify((uint32_t)value, &row, name)
			   ? (uint32_t)value
			   : 0;
	for (uint32_t address = START_BASE; address < CEC_BASE + 64; address += 4)
		if (identify(address, &row, name) && strcasecmp(name, text) == 0)
			return address;
	return 0;
}

static enum sx_status no_register(const char *what, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "no trigger register \"%.32s\"", what);
	error_because(err, "triggers are programmed by two dozen registers, and it is none");
	error_try(err, "OASTARTTRIG1 to 8, OAREPORTTRIG1 to 8, OACEC0_0 to OACEC7_1");
	return SX_ERR_NOT_FOUND;
}

static uint32_t mask_of(const struct field *field)
{
	return (1u << field->width) - 1;
}

/* "equal", or a number: of one bit in decimal, of several in hexadecimal. */
static void write_value(const struct field *f, uint32_t part, char *out, size_t size)
{
	if (f->names && f->names[part][0])
		snprintf(out, size, "%s", f->names[part][0]);
	else
		snprintf(out, size, f->width == 1 ? "%u" : "0x%x", part);
}

/* The bits of a mask as ranges: "0-2, 5", or "none". */
static void write_bits(uint32_t mask, uint32_t first, char *out, size_t size)
{
	out[0] = '\0';
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t last = i;
		if (!(mask >> i & 1))
			continue;
		while (last < 31 && mask >> (last + 1) & 1)
			last++;
		text_append_item(out, size, ", ", "%u", i + first);
		if (last > i)
			text_append(out, size, "-%u", last + first);
		i = last;
	}
	if (!out[0])
		snprintf(out, size, "none");
}

static void write_meaning(const struct field *f, uint32_t address, uint32_t part,
			  struct oa_trigger_field *out)
{
	char bits[64];
	bool second = address >= START_BASE + 16 && address < START_BASE + 32;
	if (f->kind == NAMES && !f->names[part][0])
		snprintf(out->meaning, sizeof(out->meaning), "undefined");
	else if (f->kind == NAMES && strcmp(f->name, "compare") == 0)
		snprintf(out->meaning, sizeof(out->meaning), "B%u counts %s",
			 (address - CEC_BASE) / 8, f->names[part][1]);
	else if (f->kind == NAMES)
		snprintf(out->meaning, sizeof(out->meaning), "%s", f->names[part][1]);
	else if (f->kind == ZERO)
		snprintf(out->meaning, sizeof(out->meaning), "must be zero");
	else if (f->kind == RESERVED)
		snprintf(out->meaning, sizeof(out->meaning), "not in the manual");
	else if (f->kind == NUMBER || f->kind == SELECT)
		snprintf(out->meaning, sizeof(out->meaning), "%s", f->about);
	else {
		/* The second start trigger chooses among events 4 to 7. */
		write_bits(part, second && strcmp(f->name, "events") == 0 ? 4 : 0, bits,
			   sizeof(bits));
		snprintf(out->meaning, sizeof(out->meaning), "%s %s", f->about, bits);
	}
}

bool oa_trigger_field(uint32_t address, uint32_t value, uint32_t index,
		      struct oa_trigger_field *out)
{
	enum row row;
	char name[20];
	if (index >= FIELDS_MAX || !identify(address, &row, name) || !fields_of(row)[index].name)
		return false;
	const struct field *f = &fields_of(row)[index];
	uint32_t part = value >> f->shift & mask_of(f);
	*out = (struct oa_trigger_field){.name = f->name, .value = part};
	out->shown = part || f->always || (f->kind == SELECT && value);
	write_value(f, part, out->text, sizeof(out->text));
	write_meaning(f, address, part, out);
	return true;
}

enum sx_status oa_trigger_describe(uint32_t address, uint32_t value, char out[OA_TRIGGER_TEXT_MAX],
				   struct sx_error *err)
{
	enum row row;
	char name[20];
	struct oa_trigger_field field;
	if (!identify(address, &row, name)) {
		snprintf(name, sizeof(name), "0x%x", address);
		return no_register(name, err);
	}
	snprintf(out, OA_TRIGGER_TEXT_MAX, "%s:", name);
	for (uint32_t i = 0; oa_trigger_field(address, value, i, &field); i++)
		if (field.shown)
			text_append(out, OA_TRIGGER_TEXT_MAX, " %s=%s", field.name, field.text);
	return SX_OK;
}

enum sx_status oa_trigger_check(uint32_t address, uint32_t value, const char **warning,
				struct sx_error *err)
{
	enum row row;
	char name[20];
	const char *found = NULL;
	if (!identify(address, &row, name)) {
		snprintf(name, sizeof(name), "0x%x", address);
		return no_register(name, err);
	}
	const struct field *f = fields_of(row);
	for (int i = 0; i < FIELDS_MAX && f[i].name; i++) {
		uint32_t part = value >> f[i].shift & mask_of(&f[i]);
		bool undefined = f[i].kind == NAMES && !f[i].names[part][0];
		bool published = f[i].names == compares; /* TestOa compares so */
		if ((f[i].kind == ZERO && part) || (undefined && !published)) {
			error_set(err, SX_ERR_UNSUPPORTED, "%s: %s=0x%x is not defined", name,
				  f[i].name, part);
			error_because(err, f[i].kind == ZERO
					       ? "the manual of Broadwell wants these bits zero"
					       : "the manual of Broadwell gives this encoding no "
						 "meaning");
			error_try(err, f[i].kind == ZERO ? "%s=0" : "%s=noa, previous or boolean",
				  f[i].name);
			return SX_ERR_UNSUPPORTED;
		}
		if (undefined)
			found = "compare code 7 is undefined; the published set TestOa uses it";
		else if (f[i].kind == RESERVED && part)
			found = "bits are set that the manual does not name";
	}
	if (warning)
		*warning = found;
	return SX_OK;
}

/* All names of a field, separated by commas; "" when it has none. */
static void trigger_list_names(const struct field *field, char *out, size_t size)
{
	out[0] = '\0';
	for (uint32_t i = 0; field->names && i <= mask_of(field); i++)
		if (field->names[i][0])
			text_append_item(out, size, ", ", "%s", field->names[i][0]);
}

static enum sx_status field_value(const struct field *field, const char *text, uint32_t *out,
				  struct sx_error *err)
{
	char *end, names[128];
	unsigned long value = strtoul(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end) {
		trigger_list_names(field, names, sizeof(names));
		for (uint32_t i = 0; field->names && i <= mask_of(field); i++)
			if (field->names[i][0] && strcasecmp(field->names[i][0], text) == 0) {
				*out = i;
				return SX_OK;
			}
		error_set(err, SX_ERR_NOT_FOUND, "%s cannot be \"%.32s\"", field->name, text);
		error_because(err, field->names ? "it is none of the field's names"
						: "the field holds a number");
		error_try(err, "%s", field->names ? names : "a number");
		return SX_ERR_NOT_FOUND;
	}
	if (value > mask_of(field)) {
		error_set(err, SX_ERR_USAGE, "%s=%.32s is out of range", field->name, text);
		error_because(err, "the field has %u bits", field->width);
		error_try(err, "0 to 0x%x", mask_of(field));
		return SX_ERR_USAGE;
	}
	*out = (uint32_t)value;
	return SX_OK;
}

static enum sx_status no_field(const struct field *f, const char *word, struct sx_error *err)
{
	char names[192] = "";
	for (int i = 0; i < FIELDS_MAX && f[i].name; i++)
		text_append_item(names, sizeof(names), ", ", "%s", f[i].name);
	error_set(err, SX_ERR_NOT_FOUND, "the register has no field \"%.32s\"", word);
	error_because(err, "its name is none of the fields'");
	error_try(err, "%s", names);
	return SX_ERR_NOT_FOUND;
}

/* One "field=value"; *seen has a bit for each field that was there before. */
static enum sx_status set_field(const struct field *f, char *word, unsigned *seen, uint32_t *value,
				struct sx_error *err)
{
	char *equals = strchr(word, '=');
	uint32_t part = 0;
	int i = 0;
	if (!equals) {
		error_set(err, SX_ERR_USAGE, "\"%.32s\" has no value", word);
		error_because(err, "fields and their values follow the register");
		error_try(err, "field=value");
		return SX_ERR_USAGE;
	}
	*equals = '\0';
	while (i < FIELDS_MAX && f[i].name && strcasecmp(f[i].name, word) != 0)
		i++;
	if (i == FIELDS_MAX || !f[i].name)
		return no_field(f, word, err);
	if (*seen >> i & 1) {
		error_set(err, SX_ERR_USAGE, "%s is given twice", f[i].name);
		error_because(err, "a register holds one value of it");
		error_try(err, "one of them");
		return SX_ERR_USAGE;
	}
	*seen |= 1u << i;
	enum sx_status status = field_value(&f[i], equals + 1, &part, err);
	*value |= part << f[i].shift;
	return status;
}

enum sx_status oa_trigger_parse(const char *text, uint32_t *address, uint32_t *value,
				struct sx_error *err)
{
	char copy[OA_TRIGGER_TEXT_MAX], name[20], *rest = NULL;
	enum row row;
	unsigned seen = 0;
	if (strlen(text) >= sizeof(copy))
		return error_set(err, SX_ERR_USAGE, "a register's line of more than %d characters",
				 OA_TRIGGER_TEXT_MAX);
	memcpy(copy, text, strlen(text) + 1);
	char *word = strtok_r(copy, BLANKS ":", &rest);
	uint32_t found = word ? oa_trigger_register(word) : 0;
	if (!found || !identify(found, &row, name))
		return no_register(word ? word : "", err);
	*value = 0;
	*address = found;
	while ((word = strtok_r(NULL, BLANKS, &rest))) {
		enum sx_status status = set_field(fields_of(row), word, &seen, value, err);
		if (status)
			return status;
	}
	return oa_trigger_check(found, *value, NULL, err);
}
