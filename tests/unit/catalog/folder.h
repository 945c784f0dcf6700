/* A folder of catalogs for one test, and a context that looks there. */
#ifndef UNIT_CATALOG_FOLDER_H
#define UNIT_CATALOG_FOLDER_H

#include <sextant/context.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct folder {
	char path[64];
	struct sx_context *context;
	int warnings; /* about broken.yaml */
};

static inline void folder_write(const struct folder *f, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s.yaml", f->path, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static inline void folder_log(void *user, enum sx_log_level level, const char *line)
{
	if (level == SX_LOG_WARNING && strstr(line, "broken.yaml"))
		++*(int *)user;
}

/* An empty one, as a test's state. */
static inline struct folder *folder_open(void **state)
{
	struct folder *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	strcpy(f->path, "/tmp/sextant-catalogs-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	struct sx_context_options options = {
	    .catalog_path = f->path, .log = folder_log, .log_user = &f->warnings};
	assert_int_equal(sx_context_create(&options, &f->context, NULL), SX_OK);
	*state = f;
	return f;
}

static inline int folder_close(void **state)
{
	struct folder *f = *state;
	char command[128];
	sx_context_destroy(f->context);
	snprintf(command, sizeof(command), "rm -r %s", f->path);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

#endif
