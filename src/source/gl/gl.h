/*
 * The GL source beyond the common interface: which contexts were seen, and why there may be no
 * samples. The functions take a source that source_gl opened.
 */
#ifndef SOURCE_GL_H
#define SOURCE_GL_H

#include "source/source.h"

extern const struct source_ops source_gl;

/* One OpenGL context of a measured program. Texts are NUL-terminated, cut if need be. */
struct gl_context_info {
	int32_t pid;
	uint32_t serial; /* of the context in its process, from 1 */
	char process[32], vendor[128], renderer[192], version[192];
	bool egl, es, core_profile;
	bool closed;	 /* it handed over all that it had */
	uint64_t frames; /* frames read so far */
	uint64_t rests;	 /* samples that no swap ended */
	uint64_t lost;	 /* frames lost because nobody read them in time */
	uint64_t broken; /* records that made no sense */
};

/* What became known about programs that the library was loaded into. */
struct gl_activity {
	uint32_t processes; /* programs that loaded it */
	uint32_t contexts;  /* contexts that they made current */
	uint32_t refused;   /* contexts without a place in the channel */
};

/* The contexts seen so far, in order of appearance; valid until the next call to the source. */
const struct gl_context_info *gl_source_contexts(struct source *source, size_t *count);
struct gl_activity gl_source_activity(struct source *source);
/*
 * When a program ended without a sample: fills in why, and the remedy. Returns the error's status.
 */
enum sx_status gl_source_explain(struct source *source, struct sx_error *err);

/*
 * Path of libsextant-gl.so: in $SEXTANT_PRELOAD_DIR, else beside the command, in its build tree, or
 * where it is installed. Errors: SX_ERR_NOT_FOUND, SX_ERR_UNSUPPORTED (a path that LD_PRELOAD
 * cannot hold).
 */
enum sx_status gl_find_library(const struct sx_sys *sys, char *path, size_t size,
			       struct sx_error *err);
/* Finds out which driver answers here, within a second; fills in at least a name. */
void gl_probe(const struct source_host *host, source_found_fn found, void *user);

#endif
