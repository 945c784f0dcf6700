/*
 * Flexible EU events: names and legality by the manual's tables, encoding, decoding, and the text
 * of a user-defined counter. The encodings are arithmetic of the hardware, so they live in code;
 * the catalog holds what the published sets program with them.
 */
#include "wire/oa/flex.h"

#include <sextant/oa.h>
#include "base/error.h"
#include "base/text_buf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIRST_COUNTER 7
#define COUNTERS      14
#define FIELD_BITS    12

struct encoding {
	const char *name, *alias; /* alias: what a reader of the manual may type */
	const char *about;
	uint16_t coarse, fine; /* events: bit masks of the filters that the manual allows */
};

#define ALL 0xffff

static const struct encoding events[16] = {
    [0] = {"fpu0-active", "fpu0", "EU clocks in which FPU0 executes", ALL, ALL},
    [1] = {"fpu1-active", "fpu1", "EU clocks in which FPU1, also extended math, executes", ALL,
	   ALL},
    [2] = {"send-active", "send", "EU clocks in which the SEND pipe executes", ALL, 0x07e1},
    [3] = {"fpu-both-active", "fpu01", "EU clocks in which both FPU pipes execute", 0x0181, 0x0781},
    [4] = {"eu-active", "active", "EU clocks in which any pipe executes", 0x0181, 0x07e1},
    [5] = {"eu-stall", "stall", "EU clocks with threads loaded and no pipe executing", 0x0181,
	   0x0781},
    [8] = {"eu-occupancy", "occupancy",
	   "sum of loaded threads over EU clocks, counted once for each 8", 0x0181, 0x0781},
};

static const struct encoding coarse[16] = {
    [0] = {"none", "all", "every EU clock", 0, 0},
    [1] = {"vs", NULL, "while a thread of a vertex shader executes", 0, 0},
    [2] = {"hs", NULL, "while a thread of a hull shader executes", 0, 0},
    [3] = {"ds", NULL, "while a thread of a domain shader executes", 0, 0},
    [4] = {"gs", NULL, "while a thread of a geometry shader executes", 0, 0},
    [5] = {"ps", "fs", "while a thread of a fragment shader executes", 0, 0},
    [6] = {"ts", "cs", "while a thread of the thread spawner (compute) executes", 0, 0},
    [7] = {"row0", NULL, "EUs of row 0 only", 0, 0},
    [8] = {"row1", NULL, "EUs of row 1 only", 0, 0},
};

static const struct encoding fine[16] = {
    [0] = {"none", "all", "whatever executes", 0, 0},
    [1] = {"hybrid", NULL, "hybrid instructions; unreliable with 64-bit immediates", 0, 0},
    [2] = {"ternary", NULL, "instructions of three sources", 0, 0},
    [3] = {"binary", NULL, "instructions of two sources", 0, 0},
    [4] = {"mov", "move", "moves and conversions", 0, 0},
    [5] = {"send-start", NULL, "the start of a send", 0, 0},
    [7] = {"eu0", NULL, "EU 0 of each row only", 0, 0},
    [8] = {"eu1", NULL, "EU 1 of each row only", 0, 0},
    [9] = {"eu2", NULL, "EU 2 of each row only", 0, 0},
    [10] = {"eu3", NULL, "EU 3 of each row only", 0, 0},
};

static const struct encoding *const parts[] = {
    [OA_FLEX_EVENT] = events, [OA_FLEX_COARSE] = coarse, [OA_FLEX_FINE] = fine};
static const char part_names[][16] = {"increment event", "coarse filter", "fine filter"};

static const uint32_t addresses[7] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
static const char register_names[7][20] = {
    "EU_PERF_CNT_CTL0", "EU_PERF_CNT_CTL1", "EU_PERF_CNT_CTL2", "EU_PERF_CNT_CTL3",
    "EU_PERF_CNT_CTL4", "EU_PERF_CNT_CTL5", "EU_PERF_CNT_CTL6"};

const char *oa_flex_name(enum oa_flex_part part, uint32_t encoding)
{
	return encoding < 16 ? parts[part][encoding].name : NULL;
}

const char *oa_flex_describe(enum oa_flex_part part, uint32_t encoding)
{
	return encoding < 16 ? parts[part][encoding].about : NULL;
}

/* A whole number in decimal, hexadecimal or binary (0b0101); false when text is none. */
static bool number(const char *text, unsigned long *out)
{
	int base = 0;
	char *end;
	if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
		text += 2;
		base = 2;
	}
	if (!isxdigit((unsigned char)*text))
		return false;
	*out = strtoul(text, &end, base);
	return !*end;
}

static enum sx_status undefined(enum oa_flex_part part, unsigned long encoding,
				struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "%s %lu is not defined", part_names[part], encoding);
	error_because(err, "the manual of Broadwell gives this encoding no meaning");
	error_try(err, part == OA_FLEX_EVENT	? "0 to 5, or 8"
		       : part == OA_FLEX_COARSE ? "0 to 8"
						: "0 to 5, or 7 to 10");
	return SX_ERR_UNSUPPORTED;
}

/* All names of a part, separated by commas. */
static void flex_list_names(enum oa_flex_part part, char *out, size_t size)
{
	out[0] = '\0';
	for (uint32_t i = 0; i < 16; i++)
		if (parts[part][i].name)
			text_append_item(out, size, ", ", "%s", parts[part][i].name);
}

enum sx_status oa_flex_find(enum oa_flex_part part, const char *text, uint8_t *out,
			    struct sx_error *err)
{
	unsigned long value;
	char names[256];
	if (number(text, &value)) {
		if (value > 15 || !parts[part][value].name)
			return undefined(part, value, err);
		*out = (uint8_t)value;
		return SX_OK;
	}
	for (uint8_t i = 0; i < 16; i++) {
		const struct encoding *e = &parts[part][i];
		if (e->name && (strcasecmp(e->name, text) == 0 ||
				(e->alias && strcasecmp(e->alias, text) == 0))) {
			*out = i;
			return SX_OK;
		}
	}
	flex_list_names(part, names, sizeof(names));
	error_set(err, SX_ERR_NOT_FOUND, "unknown %s \"%.64s\"", part_names[part], text);
	error_because(err, "the manual of the counters has none of that name or number");
	error_try(err, "%s", names);
	return SX_ERR_NOT_FOUND;
}

bool oa_flex_place(uint32_t counter, struct oa_flex_place *out)
{
	if (counter < FIRST_COUNTER || counter >= FIRST_COUNTER + COUNTERS)
		return false;
	uint32_t flex = counter - FIRST_COUNTER;
	*out = (struct oa_flex_place){.counter = counter,
				      .register_name = register_names[flex / 2],
				      .address = addresses[flex / 2],
				      .shift = flex % 2 * FIELD_BITS};
	return true;
}

uint32_t oa_flex_register(const char *text)
{
	unsigned long value;
	bool is_number = number(text, &value);
	for (uint32_t i = 0; i < 7; i++) {
		char kernel[16];
		snprintf(kernel, sizeof(kernel), "EU_PERF_CNTL%u", i);
		if (strcasecmp(text, register_names[i]) == 0 || strcasecmp(text, kernel) == 0 ||
		    (is_number && value == addresses[i]))
			return FIRST_COUNTER + 2 * i;
	}
	return 0;
}

uint32_t oa_flex_field(const struct oa_flex *flex)
{
	return (uint32_t)flex->event | (uint32_t)flex->coarse << 4 | (uint32_t)flex->fine << 8;
}

struct oa_flex oa_flex_decode(uint32_t counter, uint32_t value)
{
	uint32_t field = value >> ((counter - FIRST_COUNTER) % 2 * FIELD_BITS);
	return (struct oa_flex){field & 15, field >> 4 & 15, field >> 8 & 15};
}

enum sx_status oa_flex_check(const struct oa_flex *flex, const char *warnings[OA_FLEX_WARNINGS_MAX],
			     uint32_t *count, bool *supported, struct sx_error *err)
{
	const uint8_t encodings[] = {flex->event, flex->coarse, flex->fine};
	const struct encoding *event = &events[flex->event & 15];
	const char *found[OA_FLEX_WARNINGS_MAX];
	uint32_t n = 0;
	for (int i = 0; i < 3; i++)
		if (!oa_flex_name((enum oa_flex_part)i, encodings[i]))
			return undefined((enum oa_flex_part)i, encodings[i], err);
	if (!(event->coarse >> flex->coarse & 1))
		found[n++] = "the manual supports no such coarse filter with this event";
	if (!(event->fine >> flex->fine & 1))
		found[n++] = "the manual supports no such fine filter with this event";
	if (supported)
		*supported = n == 0;
	if (flex->fine == 5 && flex->event != 2)
		found[n++] = "send-start with an event of another pipe is not well defined";
	for (uint32_t i = 0; warnings && i < n; i++)
		warnings[i] = found[i];
	if (count)
		*count = n;
	return SX_OK;
}

/* Cuts the next word off *text: up to a delimiter, blanks trimmed. The delimiter goes to *end. */
static bool next_word(const char **text, const char *delimiters, char *out, size_t size, char *end)
{
	while (isspace((unsigned char)**text))
		++*text;
	size_t len = strcspn(*text, delimiters);
	*end = (*text)[len];
	size_t used = len;
	while (used && isspace((unsigned char)(*text)[used - 1]))
		used--;
	if (used >= size)
		return false;
	memcpy(out, *text, used);
	out[used] = '\0';
	*text += len + (*end ? 1 : 0);
	return used > 0;
}

static enum sx_status bad_text(const char *text, const char *why, struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "bad counter \"%.128s\"", text);
	error_because(err, "%s", why);
	error_try(err, "A12=eu(fpu0-active, coarse=ps, fine=ternary)");
	return SX_ERR_USAGE;
}

/* One argument; *seen has a bit for each part that was there before. */
static enum sx_status parse_argument(const char *text, const char *word, unsigned *seen,
				     struct oa_flex *flex, struct sx_error *err)
{
	enum oa_flex_part part = OA_FLEX_EVENT;
	uint8_t *to = &flex->event;
	if (strncmp(word, "coarse=", 7) == 0) {
		part = OA_FLEX_COARSE;
		to = &flex->coarse;
	} else if (strncmp(word, "fine=", 5) == 0) {
		part = OA_FLEX_FINE;
		to = &flex->fine;
	}
	bool again = *seen >> part & 1;
	if (part == OA_FLEX_EVENT && *seen)
		return bad_text(text, "after the event come coarse= and fine=", err);
	if (again)
		return bad_text(text, "a filter is given twice", err);
	if (part != OA_FLEX_EVENT && !*seen)
		return bad_text(text, "the event comes first", err);
	*seen |= 1u << part;
	return oa_flex_find(part, part ? strchr(word, '=') + 1 : word, to, err);
}

enum sx_status oa_flex_parse(const char *text, struct oa_flex_counter *out, struct sx_error *err)
{
	struct oa_flex_place place;
	struct oa_flex flex = {0};
	const char *p = text;
	char word[64], end;
	unsigned long value;
	unsigned seen = 0;
	if (!next_word(&p, "=", word, sizeof(word), &end) || end != '=' || word[0] != 'A' ||
	    !number(word + 1, &value) || !oa_flex_place((uint32_t)value, &place))
		return bad_text(text, "it begins with one of A7 to A20 and =", err);
	if (!next_word(&p, "(", word, sizeof(word), &end) || end != '(' || strcmp(word, "eu") != 0)
		return bad_text(text, "after = comes eu(event, ...)", err);
	for (;;) {
		if (!next_word(&p, ",)", word, sizeof(word), &end) || !end)
			return bad_text(text, "the parenthesis is not closed, or empty", err);
		enum sx_status status = parse_argument(text, word, &seen, &flex, err);
		if (status)
			return status;
		if (end == ')')
			break;
	}
	if (p[strspn(p, " \t")])
		return bad_text(text, "something follows the parenthesis", err);
	*out = (struct oa_flex_counter){(uint32_t)value, flex};
	return oa_flex_check(&flex, NULL, NULL, NULL, err);
}
