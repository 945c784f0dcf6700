/* NVIDIA's management library: opened when its kernel driver is here, shut down when done. */
#include "source/nvml/nvml.h"

#include <string.h>

#include "base/error.h"

#define LIBRARY "libnvidia-ml.so.1"
#define DRIVER	"/proc/driver/nvidia/version"

struct symbol {
	const char *name;
	size_t offset;
	bool required;
	const char *older; /* a call that takes the same, in libraries without the name; or NULL */
};

static const struct symbol symbols[] = {
#define TEXT(member, symbol)		     {symbol, offsetof(struct nvml_calls, member), true, NULL},
#define REQUIRED(member, symbol, parameters) TEXT(member, symbol)
#define OPTIONAL(member, symbol, parameters)                                                       \
	{symbol, offsetof(struct nvml_calls, member), false, NULL},
#define RENAMED(member, symbol, older, parameters)                                                 \
	{symbol, offsetof(struct nvml_calls, member), false, older},
#include "source/nvml/calls.def"
#undef TEXT
#undef REQUIRED
#undef OPTIONAL
#undef RENAMED
};

bool nvml_driver_is_here(const struct sx_sys *sys)
{
	char text[64];
	return sys->read_file(sys->user, DRIVER, text, sizeof(text)) > 0;
}

const char *nvml_words(const struct nvml_library *library, int code)
{
	const char *words = library->calls.error_string ? library->calls.error_string(code) : NULL;
	return words ? words : "an error that the library does not name";
}

static const char *find_symbols(struct nvml_library *l)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = l->sys->library_symbol(l->sys->user, l->handle, symbols[i].name);
		if (!symbol && symbols[i].older)
			symbol = l->sys->library_symbol(l->sys->user, l->handle, symbols[i].older);
		memcpy((char *)&l->calls + symbols[i].offset, &symbol, sizeof(symbol));
		if (!symbol && symbols[i].required)
			return symbols[i].name;
	}
	return NULL;
}

static enum sx_status not_here(struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "NVIDIA's GPUs cannot be asked");
	error_because(err, LIBRARY " is not here");
	error_try(err, "apt install libnvidia-ml1, or the package that has nvidia-smi");
	return SX_ERR_NOT_FOUND;
}

static enum sx_status refused(const struct nvml_library *l, int code, struct sx_error *err)
{
	enum sx_status status = SX_ERR_UNSUPPORTED;
	error_set(err, status, "NVIDIA's management library does not start");
	error_because(err, "it says: %s", nvml_words(l, code));
	if (code == NVML_ERROR_NO_PERMISSION) {
		status = SX_ERR_PERMISSION;
		error_try(err, "ls -l /dev/nvidia*: the user needs to read and write them");
	} else if (code == NVML_ERROR_LIB_RM_VERSION_MISMATCH) {
		error_try(err, "restart: the kernel still runs the driver from before an update");
	} else {
		error_try(err, "nvidia-smi, which uses the same library");
	}
	if (err)
		err->status = status;
	return status;
}

enum sx_status nvml_library_open(struct nvml_library *l, const struct sx_sys *sys,
				 struct sx_error *err)
{
	l->sys = sys;
	l->handle = sys->library_open ? sys->library_open(sys->user, LIBRARY) : NULL;
	if (!l->handle)
		return not_here(err);
	const char *missing = find_symbols(l);
	if (missing) {
		error_set(err, SX_ERR_UNSUPPORTED, "NVIDIA's management library is too old");
		error_because(err, "it has no %s", missing);
		error_try(err, "a driver of 2013 (319) or later");
		return SX_ERR_UNSUPPORTED;
	}
	int code = l->calls.init();
	l->is_ready = code == NVML_SUCCESS;
	return l->is_ready ? SX_OK : refused(l, code, err);
}

void nvml_library_close(struct nvml_library *l)
{
	if (l->is_ready)
		l->calls.shutdown();
	if (l->handle)
		l->sys->library_close(l->sys->user, l->handle);
	*l = (struct nvml_library){0};
}
