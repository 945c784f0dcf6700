/* The state of a context: folders, log, cache. */
#ifndef CATALOG_SEARCH_CONTEXT_H
#define CATALOG_SEARCH_CONTEXT_H

#include <stdbool.h>
#include "base/mem.h"

#include <pthread.h>
#include <sextant/catalog.h>

struct context_entry {
	const char *name; /* owned by the catalog */
	struct sx_catalog *catalog;
};

struct sx_context {
	struct arena arena;   /* folders, and the list of names */
	const char **folders; /* searched in this order, before what is embedded */
	size_t folder_count, folder_cap;
	sx_log_fn log;
	void *log_user;
	pthread_mutex_t lock; /* guards all below */
	struct context_entry *cache;
	size_t cache_count, cache_cap;
	const char **names; /* NULL until asked for */
	size_t name_count;
	struct sx_catalog *
	    *heads;	  /* of all catalogs, in the order of names; NULL until asked for */
	bool heads_lack;  /* memory was out for one of them */
	bool open_failed; /* memory was out for a catalog that was asked for */
	const struct sx_catalog_info **infos;
	size_t head_count;
	bool index_read;
	const uint8_t *index; /* of names, as pack.h says; NULL: it says nothing here */
};

/* Hands one line to the log callback, if there is one. Thread-safe. */
void context_log(const struct sx_context *context, enum sx_log_level level, const char *fmt, ...)
    SX_PRINTF(3, 4);

/* Fills context->folders from the options and the environment; false when memory is out. */
bool path_init(struct sx_context *context, const char *catalog_path);

#define PATH_BYTES_MAX 4096
#define PATH_SHARED    ".shared" /* what the name of a vendor's shared file ends in */

struct dump_text;

/* Which catalog to open, and how. */
struct path_request {
	const struct sx_context *context;
	const char *name;
	const char *product; /* of the catalog's products, or NULL */
	bool head_only;
	struct dump_text *resolved; /* as that of struct load_job */
};

/*
 * Finds the catalog along the search path: loads the first file that exists, or the embedded copy.
 * Errors as sx_catalog_open(); SX_ERR_NOT_FOUND comes without a remedy.
 */
enum sx_status path_open(const struct path_request *request, struct sx_catalog **out,
			 struct sx_error *err);
/* A catalog's text, and what messages call it. */
struct path_text {
	const char *text;
	size_t size;
	const char *origin;
};
/* As sx_catalog_parse(); what the text builds upon is found along the search path. */
enum sx_status path_parse(const struct sx_context *context, const struct path_text *text,
			  struct sx_catalog **out, struct sx_error *err);
/* Whether a folder of the search path has the catalog, which then goes before the library's. */
bool path_is_in_folder(const struct sx_context *context, const char *name);
/* All names along the search path into the context's arena, sorted; false when memory is out. */
bool path_list(struct sx_context *context, const char ***names, size_t *count);

#endif
