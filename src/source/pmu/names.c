/* Names of events that libpfm4 knows; the library is opened when a name is asked for. */
#include "source/pmu/pmu.h"

#include <linux/perf_event.h>

#include "base/error.h"

#define LIBRARY "libpfm.so.4"

/* From perfmon/pfmlib.h and pfmlib_perf_event.h, whose ABI is that of the soname. */
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
