/*
 * Encodes events for perf, by the formats that the kernel shows, or by the names that libpfm4
 * knows.
 */
#include "source/pmu/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define PATH_MAX_BYTES (sizeof(PMU_FOLDER) + PMU_NAME_MAX + PMU_TERMS_MAX + 32)

static const struct {
	const char *name;
	uint32_t config;
} software[] = {
    {"cpu-clock", PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
    {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS},
};

/* Encodes one of the kernel's software events by its name; false when there is none. */
static bool pmu_encode_software(const char *name, struct pmu_code *out)
{
	for (size_t i = 0; i < sizeof(software) / sizeof(software[0]); i++) {
		if (strcmp(software[i].name, name) != 0)
			continue;
		*out = (struct pmu_code){.type = PERF_TYPE_SOFTWARE, .scale = 1};
		out->config[0] = software[i].config;
		if (software[i].config <= PERF_COUNT_SW_TASK_CLOCK)
			snprintf(out->unit, sizeof(out->unit), "ns");
		return true;
	}
	return false;
}

/* One encoding in progress. */
struct encoding {
	const struct sx_sys *sys;
	const struct pmu_device *device;
	struct pmu_code *code;
	struct sx_error *err;
	const char *terms; /* terms as they were given */
	bool inside;	   /* of an event's own definition */
	bool is_cut;	   /* a file had more than there is room for */
};

static bool events_read_attribute(struct encoding *e, const char *folder, const char *name,
				  char *out, size_t size)
{
	char path[PATH_MAX_BYTES];
	snprintf(path, sizeof(path), PMU_FOLDER "/%s/%s/%s", e->device->name, folder, name);
	ssize_t n = e->sys->read_file(e->sys->user, path, out, size);
	if (n <= 0)
		return false;
	/* Half a definition is another event. */
	size_t line = strcspn(out, "\n");
	e->is_cut |= (size_t)n >= size - 1 && line == size - 1;
	out[line] = '\0';
	return true;
}

static enum sx_status bad(struct encoding *e, enum sx_status status, const char *what,
			  const char *name, const char *because)
{
	error_set(e->err, status, "%s %.200s of PMU %s cannot be used", what, name,
		  e->device->name);
	error_because(e->err, "%s", because);
	error_try(e->err, "ls " PMU_FOLDER "/%s/events " PMU_FOLDER "/%s/format", e->device->name,
		  e->device->name);
	return status;
}

/* The word of attr that a format names: "config1:0-7" is 1; SX_NONE for none that is known. */
static uint32_t config_index(const char *text, size_t length)
{
	if (length == 6 && memcmp(text, "config", 6) == 0)
		return 0;
	if (length == 7 && memcmp(text, "config", 6) == 0 && text[6] >= '1' && text[6] <= '2')
		return (uint32_t)(text[6] - '0');
	return SX_NONE;
}

/* Next "a-b" or "a" of a list of bits; false at its end or where it is malformed. */
static bool next_bits(const char **text, uint32_t *first, uint32_t *last)
{
	char *end;
	if (!isdigit((unsigned char)**text))
		return false;
	unsigned long from = strtoul(*text, &end, 10), to = from;
	if (*end == '-' && isdigit((unsigned char)end[1]))
		to = strtoul(end + 1, &end, 10);
	if (*end != ',' && *end != '\0')
		return false;
	*text = *end ? end + 1 : end;
	*first = (uint32_t)from;
	*last = (uint32_t)to;
	return from <= to && to < 64;
}

/* Puts the value into the bits of a format, lowest first; false when they are malformed. */
static bool put_bits(const char *bits, uint64_t *word, uint64_t *value)
{
	uint32_t first, last;
	const char *at = bits;
	while (next_bits(&at, &first, &last)) {
		uint32_t width = last - first + 1;
		uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
		*word = (*word & ~(mask << first)) | (*value & mask) << first;
		*value = width == 64 ? 0 : *value >> width;
	}
	return *bits && !*at;
}

static enum sx_status set_field(struct encoding *e, const char *name, const char *format,
				uint64_t value)
{
	const char *colon = strchr(format, ':');
	uint32_t word = colon ? config_index(format, (size_t)(colon - format)) : SX_NONE;
	if (word == SX_NONE)
		return bad(e, SX_ERR_BAD_INPUT, "format", name,
			   "the kernel's description of it is not one that is known");
	if (!put_bits(colon + 1, &e->code->config[word], &value))
		return bad(e, SX_ERR_BAD_INPUT, "format", name, "its list of bits is malformed");
	if (value)
		return bad(e, SX_ERR_BAD_INPUT, "the value of field", name,
			   "it has more bits than the field");
	return SX_OK;
}

static bool parse_value(const char *text, uint64_t *out)
{
	char *end;
	errno = 0;
	if (!isdigit((unsigned char)text[0]))
		return false;
	*out = strtoull(text, &end, 0);
	return !*end && !errno;
}

/* The scale and unit that the kernel states for an event: files beside its own. */
static void read_scale(struct encoding *e, const char *event)
{
	char name[PMU_TERMS_MAX + 16], text[64], *end;
	snprintf(name, sizeof(name), "%s.scale", event);
	if (events_read_attribute(e, "events", name, text, sizeof(text))) {
		double scale = strtod(text, &end);
		if (end != text && !*end && isfinite(scale) && scale > 0)
			e->code->scale = scale;
	}
	snprintf(name, sizeof(name), "%s.unit", event);
	if (events_read_attribute(e, "events", name, text, sizeof(text)))
		snprintf(e->code->unit, sizeof(e->code->unit), "%.*s", PMU_UNIT_MAX - 1, text);
	snprintf(name, sizeof(name), "%s.snapshot", event);
	e->code->is_state =
	    events_read_attribute(e, "events", name, text, sizeof(text)) && strcmp(text, "1") == 0;
}

static enum sx_status encode_terms(struct encoding *e, char *terms);

/* A name of the PMU's folder of events, which is terms in turn. */
static enum sx_status encode_alias(struct encoding *e, const char *name, char *definition)
{
	if (e->inside)
		return bad(e, SX_ERR_BAD_INPUT, "event", name, "it is defined by another event");
	e->inside = true;
	enum sx_status status = encode_terms(e, definition);
	e->inside = false;
	if (!status)
		read_scale(e, name);
	return status;
}

/* Whether "name=" is among the terms. */
static bool is_given(const char *terms, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = terms; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return true;
	}
	return false;
}

static enum sx_status encode_term(struct encoding *e, char *term)
{
	char text[PMU_TERMS_MAX];
	char *value = strchr(term, '=');
	uint64_t number = 1;
	if (value)
		*value++ = '\0';
	if (!*term || strchr(term, '/') || strstr(term, ".."))
		return bad(e, SX_ERR_BAD_INPUT, "term", term, "it has no name");
	if (!value && events_read_attribute(e, "events", term, text, sizeof(text)))
		return encode_alias(e, term, text);
	if (value && strcmp(value, "?") == 0 && e->inside && is_given(e->terms, term))
		return SX_OK; /* the parameter's value comes behind the event's name */
	if (value && strcmp(value, "?") == 0)
		return bad(e, SX_ERR_USAGE, "event", term,
			   "it wants a value for this parameter: NAME,PARAMETER=VALUE");
	if (value && !parse_value(value, &number))
		return bad(e, SX_ERR_BAD_INPUT, "the value of field", term, "it is no number");
	uint32_t word = config_index(term, strlen(term));
	if (value && word != SX_NONE) {
		e->code->config[word] = number;
		return SX_OK;
	}
	if (!events_read_attribute(e, "format", term, text, sizeof(text)))
		return bad(e, SX_ERR_NOT_FOUND, value ? "field" : "event", term,
			   "the PMU has none of this name");
	return set_field(e, term, text, number);
}

static enum sx_status encode_terms(struct encoding *e, char *terms)
{
	char *rest = NULL;
	enum sx_status status = SX_OK;
	for (char *term = strtok_r(terms, ",", &rest); term && !status;
	     term = strtok_r(NULL, ",", &rest))
		status = encode_term(e, term);
	return status;
}

enum sx_status pmu_encode(const struct sx_sys *sys, const struct pmu_device *device,
			  const char *terms, struct pmu_code *out, struct sx_error *err)
{
	char copy[PMU_TERMS_MAX];
	struct encoding e = {.sys = sys, .device = device, .code = out, .err = err, .terms = terms};
	*out = (struct pmu_code){.type = device->type, .scale = 1};
	if (device->type == PERF_TYPE_SOFTWARE && pmu_encode_software(terms, out))
		return SX_OK;
	if (!*terms || strlen(terms) >= sizeof(copy))
		return bad(&e, SX_ERR_BAD_INPUT, "event", terms, "it is empty or too long");
	snprintf(copy, sizeof(copy), "%s", terms);
	enum sx_status status = encode_terms(&e, copy);
	return e.is_cut ? bad(&e, SX_ERR_BAD_INPUT, "event", terms,
			      "the kernel's description of it is too long")
			: status;
}

/* Names of events that libpfm4 knows; the library is opened when a name is asked for. */

#define LIBRARY "libpfm.so.4"

/* From perfmon/pfmlib.h and pfmlib_perf_event.h; their ABI is that of the soname. */
#define PFM_SUCCESS_	   0
#define PFM_PLM_ALL_	   0x9 /* PFM_PLM3 | PFM_PLM0: user and kernel */
#define PFM_OS_PERF_EVENT_ 1
struct pfm_encoding {
	struct perf_event_attr *attr;
	char **full_name;
	size_t size;
	int index, cpu, flags;
};

struct pfm {
	int (*initialize)(void);
	void (*terminate)(void);
	int (*encode)(const char *name, int levels, int os, void *encoding);
	const char *(*error)(int code);
};

static bool find_symbols(const struct sx_sys *sys, void *library, struct pfm *out)
{
	*(void **)&out->initialize = sys->library_symbol(sys->user, library, "pfm_initialize");
	*(void **)&out->terminate = sys->library_symbol(sys->user, library, "pfm_terminate");
	*(void **)&out->encode =
	    sys->library_symbol(sys->user, library, "pfm_get_os_event_encoding");
	*(void **)&out->error = sys->library_symbol(sys->user, library, "pfm_strerror");
	return out->initialize && out->terminate && out->encode && out->error;
}

static enum sx_status no_library(const char *name, struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "event %.200s cannot be looked up", name);
	error_because(err, "it names no PMU, and " LIBRARY ", which knows names, is not here");
	error_try(err, "PMU/EVENT/, as ls " PMU_FOLDER " shows them; or apt install libpfm4");
	return SX_ERR_UNSUPPORTED;
}

static enum sx_status ask_started(const struct pfm *pfm, const char *name, struct pmu_code *out,
				  struct sx_error *err)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	struct pfm_encoding encoding = {.attr = &attr, .size = sizeof(encoding), .cpu = -1};
	int code = pfm->encode(name, PFM_PLM_ALL_, PFM_OS_PERF_EVENT_, &encoding);
	if (code != PFM_SUCCESS_) {
		error_set(err, SX_ERR_NOT_FOUND, "event %.200s is not known", name);
		error_because(err, "libpfm4 says: %s", pfm->error(code));
		error_try(err, "PMU/EVENT/, as ls " PMU_FOLDER " shows them");
		return SX_ERR_NOT_FOUND;
	}
	*out = (struct pmu_code){.type = attr.type, .scale = 1};
	out->config[0] = attr.config;
	out->config[1] = attr.config1;
	out->config[2] = attr.config2;
	return SX_OK;
}

/* What it takes to know the PMUs of the machine is given back: the library is closed then. */
static enum sx_status names_ask(const struct pfm *pfm, const char *name, struct pmu_code *out,
				struct sx_error *err)
{
	int code = pfm->initialize();
	if (code != PFM_SUCCESS_) {
		error_set(err, SX_ERR_UNSUPPORTED, "event %.200s cannot be looked up", name);
		error_because(err, "libpfm4 says: %s", pfm->error(code));
		error_try(err, "PMU/EVENT/, as ls " PMU_FOLDER " shows them");
		return SX_ERR_UNSUPPORTED;
	}
	enum sx_status status = ask_started(pfm, name, out, err);
	pfm->terminate();
	return status;
}

enum sx_status pmu_encode_name(const struct sx_sys *sys, const char *name, struct pmu_code *out,
			       struct sx_error *err)
{
	struct pfm pfm;
	void *library = sys->library_open ? sys->library_open(sys->user, LIBRARY) : NULL;
	if (!library)
		return no_library(name, err);
	enum sx_status status = find_symbols(sys, library, &pfm) ? names_ask(&pfm, name, out, err)
								 : no_library(name, err);
	sys->library_close(sys->user, library);
	return status;
}
