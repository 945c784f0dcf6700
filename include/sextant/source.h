/* Sources: what this machine can measure, and why the rest cannot be measured. */
#ifndef SEXTANT_SOURCE_H
#define SEXTANT_SOURCE_H

#include <sextant/catalog.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_device_list;

enum sx_device_state {
	SX_DEVICE_READY,     /* can be measured now */
	SX_DEVICE_INJECT,    /* can be measured in a program that Sextant starts */
	SX_DEVICE_UNUSABLE,  /* present, but `because` and `remedy` say what prevents it */
	SX_DEVICE_ABSENT,    /* the source found nothing; `because` says where it looked */
	SX_DEVICE_SIMULATED, /* no hardware: values come from a model */
};

/* One device as a source sees it. Strings are owned by the list. */
struct sx_device {
	const char *id;	     /* selector for --device, for example "gl", "i915:card0", "mali0" */
	const char *source;  /* name of the source */
	const char *name;    /* the driver's or chip's own name */
	const char *catalog; /* name of the catalog that describes it, or NULL */
	const char *driver;  /* kernel or API driver and version, or NULL */
	enum sx_device_state state;
	/*
	 * Unusable: the status that opening it would return (SX_ERR_PERMISSION, SX_ERR_BUSY,
	 * SX_ERR_UNSUPPORTED, SX_ERR_NOT_FOUND for no catalog, …).
	 */
	enum sx_status obstacle;
	/*
	 * What prevents measuring, and a remedy. For a device that is ready: what would give more;
	 * NULL when nothing is missing.
	 */
	const char *because, *remedy;
	const char *gives; /* of a GPU: one line on what its driver gives; or NULL */
};

/*
 * Asks every source for its devices; does not fail because one source does. *out is owned by the
 * caller. `ask_drivers`: loads drivers where only they know their name (OpenGL), which takes up to
 * a second, and asks Intel's whether an OA stream is free, without opening one: a device with a
 * stream in use is unusable. Without it, nothing is loaded and no process started, which takes
 * milliseconds. Errors: SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_devices_probe(struct sx_context *context, bool ask_drivers,
				       struct sx_device_list **out, struct sx_error *err);
/* Releases a list and its strings; NULL is fine. */
SX_API void sx_devices_destroy(struct sx_device_list *list);
/* The devices, best first. They live as long as the list. Thread-safe. */
SX_API const struct sx_device *sx_devices_get(const struct sx_device_list *list, size_t *count);
/*
 * Whether a selector, as in -d, means this device, regardless of case: its id ("i915:card0"),
 * either half of it, its source, its catalog, or its name, with or without a part in parentheses at
 * its end. Thread-safe.
 */
SX_API bool sx_device_means(const struct sx_device *device, const char *selector);

struct sx_capture_device;
/*
 * The catalog of a recorded device, together with the counters of the device's driver ("hw.…") as
 * they were recorded. *out holds a reference. Errors: as sx_catalog_open(), SX_ERR_BAD_INPUT for
 * invalid names or units of columns. Thread-safe.
 */
SX_API enum sx_status sx_recorded_catalog(struct sx_context *context,
					  const struct sx_capture_device *device,
					  struct sx_catalog **out, struct sx_error *err);
/*
 * The catalog of a device of this machine. Where the driver has counters of its own and can be
 * asked, they are in it ("hw.…"); the driver is loaded in a child process, which takes up to five
 * seconds. *out holds a reference. Errors: as sx_catalog_open(). Thread-safe.
 */
SX_API enum sx_status sx_device_catalog(struct sx_context *context, const struct sx_device *device,
					struct sx_catalog **out, struct sx_error *err);
/* Counters of a driver ("hw.…"), and the passes in which it counts them. */
struct sx_counter_passes {
	const char *const *names; /* the counters, `count` of them; owned by the caller */
	uint32_t count;
	uint32_t *pass_of;   /* room for `count`, the caller's: pass of each name, from 0 */
	uint32_t pass_count; /* written */
};

/*
 * Whether the driver of a device counts only some of its own counters at once, so that they are
 * multiplexed over frames. Then pass_of[i] is set for names[i] (SX_NONE: no pass counts it), and
 * pass_count is the number of passes. 0 passes: it is no such device, or these are no such
 * counters. Errors: SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_device_passes(struct sx_context *context, const struct sx_device *device,
				       struct sx_counter_passes *passes, struct sx_error *err);

/* One line of a self-test's report, without a newline. */
typedef void (*sx_selftest_fn)(void *user, const char *line);

/*
 * Checks invariants of the hardware behind a device ("i915:card0", or a source's name) and reports
 * each through `say`, so that the first user who has the hardware can confirm the whole path. Takes
 * seconds. Errors: SX_ERR_NOT_FOUND, SX_ERR_PERMISSION, SX_ERR_UNSUPPORTED (nothing to check),
 * SX_INCOMPLETE (an invariant does not hold).
 */
SX_API enum sx_status sx_device_selftest(struct sx_context *context, const char *id,
					 sx_selftest_fn say, void *user, struct sx_error *err);

#ifdef __cplusplus
}
#endif

#endif
