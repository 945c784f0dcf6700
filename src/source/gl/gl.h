/* The GL source: what its files share. */
#ifndef SOURCE_GL_H
#define SOURCE_GL_H

#include "source/guest/inject.h"

extern const struct source_ops source_gl;
extern const struct inject_api gl_api;

/* Finds out which driver answers here, within a second; fills in at least a name. */
void gl_probe(const struct source_host *host, source_found_fn found, void *user);

#endif
