/* Units by Perfetto's numbers: only those in which a value needs no factor. */
#include "output/perfetto/units.h"

#include <stddef.h>
#include <string.h>

enum {
	UNIT_NONE = 0,
	UNIT_BIT = 1,
	UNIT_BYTE = 7,
	UNIT_MEGABYTE = 9,
	UNIT_GIGABYTE = 10,
	UNIT_HERTZ = 13,
	UNIT_MEGAHERTZ = 15,
	UNIT_NANOSECOND = 19,
	UNIT_MICROSECOND = 20,
	UNIT_MILLISECOND = 21,
	UNIT_SECOND = 22,
	UNIT_VERTEX = 25,
	UNIT_PIXEL = 26,
	UNIT_MILLIWATT = 28,
	UNIT_WATT = 29,
	UNIT_JOULE = 31,
	UNIT_VOLT = 32,
	UNIT_CELSIUS = 34,
	UNIT_PERCENT = 37,
	UNIT_PRIMITIVE = 38,
	UNIT_FRAGMENT = 39,
	UNIT_INSTRUCTION = 40,
};

static const struct {
	const char *unit;
	int32_t number;
	int32_t group; /* VERTICES 2, FRAGMENTS 3, PRIMITIVES 4, MEMORY 5, RAY_TRACING 7 */
} known[] = {
    {"bits", UNIT_BIT, 5},
    {"bytes", UNIT_BYTE, 5},
    {"MB", UNIT_MEGABYTE, 5},
    {"GB", UNIT_GIGABYTE, 5},
    {"Hz", UNIT_HERTZ, 1},
    {"MHz", UNIT_MEGAHERTZ, 1},
    {"ns", UNIT_NANOSECOND, 0},
    {"us", UNIT_MICROSECOND, 0},
    {"ms", UNIT_MILLISECOND, 0},
    {"s", UNIT_SECOND, 0},
    {"vertices", UNIT_VERTEX, 2},
    {"pixels", UNIT_PIXEL, 3},
    {"mW", UNIT_MILLIWATT, 1},
    {"W", UNIT_WATT, 1},
    {"J", UNIT_JOULE, 1},
    {"V", UNIT_VOLT, 1},
    {"degC", UNIT_CELSIUS, 1},
    {"percent", UNIT_PERCENT, 0},
    {"primitives", UNIT_PRIMITIVE, 4},
    {"fragments", UNIT_FRAGMENT, 3},
    {"instructions", UNIT_INSTRUCTION, 0},
    {"count", UNIT_NONE, 0},
    {"beats", UNIT_NONE, 5},
    {"rays", UNIT_NONE, 7},
};

static int find(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(known[i].unit, text, size) == 0 && !known[i].unit[size])
			return (int)i;
	return -1;
}

struct trace_unit trace_unit(const char *unit)
{
	struct trace_unit out = {0};
	const char *slash = strchr(unit, '/');
	int over = find(unit, slash ? (size_t)(slash - unit) : strlen(unit));
	if (over < 0 || (slash && strcmp(slash, "/s") != 0))
		return out;
	out.has_over = true;
	out.over = known[over].number;
	out.has_under = slash != NULL;
	out.under = slash ? UNIT_SECOND : 0;
	return out;
}

int32_t trace_unit_group(const char *unit)
{
	const char *slash = strchr(unit, '/');
	int over = find(unit, slash ? (size_t)(slash - unit) : strlen(unit));
	return over < 0 ? 0 : known[over].group;
}
