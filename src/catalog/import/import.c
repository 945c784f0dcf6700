/* Importing: the list of kinds, and text as YAML has it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "catalog/import/import.h"
#include "base/error.h"
#include "base/text_buf.h"

/* Registers that equations read beside the report. */
#define PERFCNT_SLOTS 2

/* Media's eight counters are PEC or A, as the file likes. */
static const struct oa_slots formats[] = {
    {"A32u40_A4u32_B8_C8", 36, 8, 8, 0},
    {"C4_B8", 0, 8, 4, 0},
    {"A12", 19, 0, 0, 0}, /* A7 to A18 */
    {"A12_B8_C8", 19, 8, 8, 0},
    {"OAR_A32u40_A4u32_B8_C8", 36, 8, 8, 0},
    {"A24u40_A14u32_B8_C8", 38, 8, 8, 0},
    {"A13", 13, 0, 0, 0},
    {"A29", 29, 0, 0, 0},
    {"A13_B8_C8", 13, 8, 8, 0},
    {"B4_C8", 0, 4, 8, 0},
    {"A45_B8_C8", 45, 8, 8, 0},
    {"B4_C8_A16", 45, 4, 8, 0},
    {"HSW_C4_B8", 0, 8, 4, 0},
    {"MPEC8u64_B8_C8", 8, 8, 8, 8},
    {"MPEC8u32_B8_C8", 8, 8, 8, 8},
    {"PEC64u64", 0, 0, 0, 64},
    {"PEC64u64_B8_C8", 0, 8, 8, 64},
    {"PEC64u32", 0, 0, 0, 64},
    {"PEC32u64_G1", 0, 0, 0, 32},
    {"PEC32u32_G1", 0, 0, 0, 32},
    {"PEC32u64_G2", 0, 0, 0, 64},
    {"PEC32u32_G2", 0, 0, 0, 64},
    {"PEC36u64_G1_32_G2_4", 0, 0, 0, 64},
    {"PEC36u64_G1_4_G2_32", 0, 0, 0, 64},
};

/* Files since Meteor Lake have the names of Intel's metrics library. */
static const struct {
	const char *theirs, *ours;
} aliases[] = {
    {"256B_GENERIC_NOA16", "A24u40_A14u32_B8_C8"},
    {"576B_PEC64LL", "PEC64u64"},
    {"128B_MPEC8_NOA16", "MPEC8u32_B8_C8"},
};

static const struct oa_slots any = {NULL, 45, 8, 8, 64};

const struct oa_slots *oa_slots_find(const char *format)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcasecmp(aliases[i].theirs, format) == 0)
			format = aliases[i].ours;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcasecmp(formats[i].format, format) == 0)
			return &formats[i];
	return NULL;
}

const struct oa_slots *oa_slots_any(void)
{
	return &any;
}

bool oa_slots_has(const struct oa_slots *slots, const char *file, unsigned long number)
{
	return strcmp(file, "A") == 0	      ? number < slots->a
	       : strcmp(file, "B") == 0	      ? number < slots->b
	       : strcmp(file, "C") == 0	      ? number < slots->c
	       : strcmp(file, "PEC") == 0     ? number < slots->pec
	       : strcmp(file, "PERFCNT") == 0 ? number < PERFCNT_SLOTS
					      : true;
}

static const struct {
	const char *kind;
	bool (*read)(struct vendor *in);
} kinds[] = {
    {"igt-xml", vendor_igt_xml}, {"gator-xml", vendor_gator_xml}, {"mali-spec", vendor_mali_spec}};

bool vendor_no_memory(struct vendor *in)
{
	in->status = error_nomem(in->err, "importing a catalog");
	return false;
}

static void text_grow(struct vendor_text *text, const char *fmt, va_list args)
{
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, args);
	if (len < 0 || !mem_grow(&text->data, &text->cap, text->size + (size_t)len + 1, 1))
		text->failed = true;
	else
		text->size +=
		    (size_t)vsnprintf(text->data + text->size, (size_t)len + 1, fmt, again);
	va_end(again);
}

void vendor_text_put(struct vendor_text *text, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	text_grow(text, fmt, args);
	va_end(args);
}

void vendor_put(struct vendor *in, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	text_grow(&in->out, fmt, args);
	va_end(args);
}

/* Where a text of at most `max` bytes ends, at a word when it is cut. */
static size_t cut(const char *text, size_t max)
{
	size_t fits = text_fit(text, max), len = fits;
	if (!text[len])
		return len;
	while (len > 0 && text[len] != ' ')
		len--;
	return len ? len : fits; /* one long word */
}

void vendor_put_quoted(struct vendor *in, const char *text, size_t max)
{
	size_t len = cut(text, max);
	vendor_put(in, "\"");
	for (size_t i = 0; i < len; i++)
		vendor_put(in, text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
	vendor_put(in, "\"");
}

void vendor_note(struct vendor *in, const char *fmt, ...)
{
	char line[SX_ERROR_TEXT_MAX];
	va_list args;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	in->untranslated++;
	if (in->request->note)
		in->request->note(in->request->user, line);
}

bool vendor_is_name(const char *text)
{
	size_t len = text ? strlen(text) : 0;
	return len >= 1 && len <= 128 &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "_.-+:/") == len;
}

const char *vendor_unit(const char *text)
{
	static const char *const same[] = {
	    "percent", "events",       "messages",     "bytes",	 "threads",    "pixels",
	    "cycles",  "texels",       "ns",	       "us",	 "primitives", "requests",
	    "beats",   "instructions", "tiles",	       "tasks",	 "jobs",       "quads",
	    "warps",   "interrupts",   "transactions", "bits",	 "instances",  "rays",
	    "nodes",   "tests",	       "boxes",	       "issues", "vertices",
	};
	static const struct {
		const char *theirs, *ours;
	} others[] = {{"hz", "Hz"},
		      {"number", "count"},
		      {"gbps", "GB/s"},
		      {"utilization", "ratio"},
		      {"eu sends to l3 cache lines", "ratio"},
		      {"eu requests to l3 cache lines", "ratio"},
		      {"eu atomic requests to l3 cache lines", "ratio"},
		      {"eu bytes per l3 cache line", "bytes/message"},
		      {"bytes/second", "bytes/s"}};
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (strcmp(text, same[i]) == 0)
			return same[i];
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(text, others[i].theirs) == 0)
			return others[i].ours;
	return NULL;
}

static enum sx_status no_kind(const char *kind, struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "no kind of file is called \"%s\"", kind);
	error_because(err, "it takes igt-xml, gator-xml and mali-spec");
	error_try(err, "sextant catalog import igt-xml oa-tglgt2.xml");
	return SX_ERR_USAGE;
}

enum sx_status sx_catalog_import(const struct sx_import_request *request, char **out,
				 uint32_t *untranslated, struct sx_error *err)
{
	size_t kind = 0;
	while (kind < sizeof(kinds) / sizeof(kinds[0]) &&
	       strcmp(kinds[kind].kind, request->kind) != 0)
		kind++;
	if (kind == sizeof(kinds) / sizeof(kinds[0]))
		return no_kind(request->kind, err);
	struct vendor in = {.request = request, .err = err};
	const struct xml_input input = {request->text, request->size, request->origin};
	bool good = xml_begin(&in.xml, &input, &in.arena, err);
	in.status = in.xml.status;
	good = good && kinds[kind].read(&in);
	if (good && in.out.failed)
		good = vendor_no_memory(&in);
	arena_finish(&in.arena);
	if (!good) {
		free(in.out.data);
		return in.status;
	}
	*out = in.out.data;
	if (untranslated)
		*untranslated = in.untranslated;
	return SX_OK;
}
