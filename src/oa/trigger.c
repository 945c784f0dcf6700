/* Start triggers, report triggers and custom events: register values to text and back. */
#include <sextant/oa.h>
#include "base/error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define START_BASE  0x2710u
#define REPORT_BASE 0x2740u
#define CEC_BASE    0x2770u
#define FIELDS_MAX  8

struct field {
	const char *name;
	uint8_t shift, width;
	const char *const *values; /* names by value, or NULL */
};

static const char *const compares[8] = {"any-equal", "greater", "equal",      "greater-equal",
					"less",	     "unequal", "less-equal", "7"};
static const char *const sources[4] = {"noa", "previous", "boolean", "3"};

/* Rows of registers: the first and fifth of a trigger alike, and so on. */
enum row { START1, START2, START3, START4, REPORT1, REPORT2, REPORT3, REPORT4, CEC0, CEC1 };

static const struct field fields[][FIELDS_MAX] = {
    [START1] = {{"threshold", 0, 16, NULL}, {"count", 16, 16, NULL}},
    [START2] = {{"invert-a", 0, 16, NULL},
		{"invert-b", 16, 4, NULL},
		{"invert-c", 20, 2, NULL},
		{"invert-d", 22, 1, NULL},
		{"threshold-enable", 23, 1, NULL},
		{"flag", 24, 1, NULL},
		{"reserved", 25, 3, NULL},
		{"events", 28, 4, NULL}},
    [START3] = {{"noa8", 0, 4, NULL},
		{"noa9", 4, 4, NULL},
		{"noa10", 8, 4, NULL},
		{"noa11", 12, 4, NULL},
		{"noa12", 16, 4, NULL},
		{"noa13", 20, 4, NULL},
		{"noa14", 24, 4, NULL},
		{"noa15", 28, 4, NULL}},
    [START4] = {{"noa0", 0, 4, NULL},
		{"noa1", 4, 4, NULL},
		{"noa2", 8, 4, NULL},
		{"noa3", 12, 4, NULL},
		{"noa4", 16, 4, NULL},
		{"noa5", 20, 4, NULL},
		{"noa6", 24, 4, NULL},
		{"noa7", 28, 4, NULL}},
    [REPORT1] = {{"threshold", 0, 16, NULL}, {"edge", 16, 16, NULL}},
    [REPORT2] = {{"invert-a", 0, 16, NULL},
		 {"invert-b", 16, 4, NULL},
		 {"invert-c", 20, 2, NULL},
		 {"invert-d", 22, 1, NULL},
		 {"threshold-enable", 23, 1, NULL},
		 {"reserved", 24, 7, NULL},
		 {"report-enable", 31, 1, NULL}},
    [CEC0] = {{"compare", 0, 3, compares},
	      {"value", 3, 16, NULL},
	      {"source", 19, 2, sources},
	      {"reserved", 21, 11, NULL}},
    [CEC1] = {{"mask", 0, 16, NULL}, {"considerations", 16, 16, NULL}},
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

uint32_t sx_oa_trigger_register(const char *text)
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
	error_try(err, "OASTARTTRIG1 to 8, OAREPORTTRIG1 to 8, OACEC0_0 to OACEC7_1");
	return SX_ERR_NOT_FOUND;
}

static uint32_t mask_of(const struct field *field)
{
	return (1u << field->width) - 1;
}

enum sx_status sx_oa_trigger_describe(uint32_t address, uint32_t value,
				      char out[SX_OA_TRIGGER_TEXT_MAX], struct sx_error *err)
{
	enum row row;
	char name[20];
	if (!identify(address, &row, name)) {
		snprintf(name, sizeof(name), "0x%x", address);
		return no_register(name, err);
	}
	const struct field *f = fields_of(row);
	size_t at = (size_t)snprintf(out, SX_OA_TRIGGER_TEXT_MAX, "%s:", name);
	for (int i = 0; i < FIELDS_MAX && f[i].name; i++) {
		uint32_t part = value >> f[i].shift & mask_of(&f[i]);
		size_t room = SX_OA_TRIGGER_TEXT_MAX - at;
		if (f[i].values)
			at += (size_t)snprintf(out + at, room, " %s=%s", f[i].name,
					       f[i].values[part]);
		else if (part || strcmp(f[i].name, "reserved") != 0)
			at += (size_t)snprintf(out + at, room, " %s=0x%x", f[i].name, part);
	}
	return SX_OK;
}

static enum sx_status field_value(const struct field *field, const char *text, uint32_t *out,
				  struct sx_error *err)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end) {
		for (uint32_t i = 0; field->values && i <= mask_of(field); i++)
			if (strcasecmp(field->values[i], text) == 0) {
				*out = i;
				return SX_OK;
			}
		error_set(err, SX_ERR_NOT_FOUND, "%s cannot be \"%.32s\"", field->name, text);
		error_try(err, field->values ? "a name that decoding shows" : "a number");
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

static enum sx_status set_field(const struct field *f, char *word, uint32_t *value,
				struct sx_error *err)
{
	char *equals = strchr(word, '=');
	uint32_t part = 0;
	if (!equals) {
		error_set(err, SX_ERR_USAGE, "\"%.32s\" has no value", word);
		error_try(err, "field=value");
		return SX_ERR_USAGE;
	}
	*equals = '\0';
	for (int i = 0; i < FIELDS_MAX && f[i].name; i++) {
		if (strcasecmp(f[i].name, word) != 0)
			continue;
		enum sx_status status = field_value(&f[i], equals + 1, &part, err);
		*value = (*value & ~(mask_of(&f[i]) << f[i].shift)) | part << f[i].shift;
		return status;
	}
	error_set(err, SX_ERR_NOT_FOUND, "the register has no field \"%.32s\"", word);
	error_try(err, "%s and the others that decoding shows", f[0].name);
	return SX_ERR_NOT_FOUND;
}

enum sx_status sx_oa_trigger_parse(const char *text, uint32_t *address, uint32_t *value,
				   struct sx_error *err)
{
	char copy[SX_OA_TRIGGER_TEXT_MAX], name[20], *rest = NULL;
	enum row row;
	if (strlen(text) >= sizeof(copy))
		return error_set(err, SX_ERR_USAGE, "a register's line of more than %d characters",
				 SX_OA_TRIGGER_TEXT_MAX);
	memcpy(copy, text, strlen(text) + 1);
	char *word = strtok_r(copy, ": \t", &rest);
	uint32_t found = word ? sx_oa_trigger_register(word) : 0;
	if (!found || !identify(found, &row, name))
		return no_register(word ? word : "", err);
	*value = 0;
	*address = found;
	while ((word = strtok_r(NULL, " \t", &rest))) {
		enum sx_status status = set_field(fields_of(row), word, value, err);
		if (status)
			return status;
	}
	return SX_OK;
}

int sx_oa_cec_holds(const struct sx_oa_cec *cec, uint32_t inputs)
{
	uint32_t considered = ~cec->mask & 0xffff; /* a mask bit of 1 leaves its input out */
	uint32_t value = cec->control >> 3 & considered;
	uint32_t seen = inputs & considered;
	switch (cec->control & 7) {
	case 0:
		return (~(seen ^ value) & considered) != 0;
	case 1:
		return seen > value;
	case 2:
		return seen == value;
	case 3:
		return seen >= value;
	case 4:
		return seen < value;
	case 5:
		return seen != value;
	case 6:
		return seen <= value;
	default:
		return -1;
	}
}
