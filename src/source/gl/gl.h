/*
 * The OpenGL sources: frames and draws of any driver, and the hardware counters of one. What a
 * driver has is asked in a child before the program runs; what is wanted of it goes to the program
 * by the channel, in the driver's own names.
 */
#ifndef SOURCE_GL_GL_H
#define SOURCE_GL_GL_H

#include <stdbool.h>

#include "base/mem.h"
#include "source/guest/inject.h"
#include "wire/counters.h"

/* What both say of themselves to inject_open(). */
#define GL_API                                                                                     \
	.title = "OpenGL", .variable = "LD_PRELOAD", .holds = "libsextant-",                       \
	.find_library = library_find, .environment = library_environment,                          \
	.not_loaded = "it did not load libsextant-gl.so: it is statically linked, setuid, or "     \
		      "clears LD_PRELOAD",                                                         \
	.load_it = "start the dynamically linked program itself, as the same user",                \
	.no_context = "no OpenGL context was made current in it",                                  \
	.use_context = "check that it draws with OpenGL, not Vulkan or on the CPU"

struct egl {
	void *(*get_proc)(const char *name);
	void *(*get_display)(void *native);
	unsigned (*initialize)(void *display, int *major, int *minor);
	unsigned (*bind_api)(unsigned api);
	unsigned (*choose_config)(void *display, const int *attributes, void **configs, int size,
				  int *count);
	void *(*create_context)(void *display, void *config, void *share, const int *attributes);
	unsigned (*make_current)(void *display, void *draw, void *read, void *context);
};

/* Makes a context current, without a surface. False: no driver answers. */
bool egl_begin(struct egl *egl);

#define GL_COUNTERS_CONSTANTS 8u

struct gl_counter {
	const char *name, *about; /* the driver's; about may be empty */
	const char *label;	  /* ours, GROUP.counter, once it is known */
	uint32_t group, id;
	uint8_t type;  /* enum wire_counter_type */
	bool is_share; /* percent */
	bool is_level; /* a share, a rate or an average: it does not add up */
};

struct gl_group {
	const char *name;
	const char *label; /* ours */
	uint32_t limit;	   /* counters at once; 0: no limit */
	uint32_t first, count;
};

/* What a driver has. Zero-initialise. */
struct gl_list {
	struct arena texts;
	enum wire_counter_api api; /* 0: the driver has none of both extensions */
	char vendor[128], renderer[192], version[192];
	struct gl_group *groups;
	struct gl_counter *counters;
	size_t group_count, group_cap, counter_count, counter_cap;
	/* The shape of an AMD chip, as its driver counts it; 0: not reported. */
	uint32_t units, engines;
};

/* In the child: writes what the driver has, a line each (counters_ask.c). */
bool gl_counters_ask(int to, void *unused);
/*
 * Parses such lines; they come from a process with a foreign driver in it. `rest` holds an
 * incomplete line. False: too much, or no memory (counters.c).
 */
struct gl_lines {
	struct gl_list *list;
	char rest[2048];
	size_t length;
	bool skipping; /* the line is too long */
	bool failed;
	bool ended; /* the last line has come */
};
bool gl_lines_take(struct gl_lines *lines, const char *bytes, size_t size);
void gl_list_finish(struct gl_list *list);

/* What the counters of a driver are to the session (counters_catalog.c). */
struct gl_counters {
	struct inject_source in; /* first */
	struct gl_list list;
	struct sx_catalog *catalog, *units; /* units: describes the chip, or NULL */
	const char **usual;
	uint32_t usual_count;
	struct sx_constant_value constants[GL_COUNTERS_CONSTANTS];
	struct sx_column *columns;
	uint32_t column_count;
	struct arena texts; /* of all of it */
};
/* Chooses and makes the catalog. Errors: SX_ERR_NO_MEMORY, SX_ERR_BAD_INPUT. */
enum sx_status gl_counters_describe(struct gl_counters *s, struct sx_error *err);
/*
 * Makes the program and the columns of a request (counters_program.c). Errors: SX_ERR_USAGE (more
 * than fits), SX_ERR_NO_MEMORY.
 */
enum sx_status gl_counters_program(struct gl_counters *s, const struct source_request *request,
				   struct sx_error *err);

#endif
