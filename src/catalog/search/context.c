/* The context: created once, shared by threads; it remembers the catalogs that were opened. */
#include "catalog/search/context.h"
#include "base/error.h"
#include "base/suggest.h"
#include "catalog/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void context_log(const struct sx_context *context, enum sx_log_level level, const char *fmt, ...)
{
	if (!context->log)
		return;
	char line[SX_ERROR_TEXT_MAX];
	va_list args;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	context->log(context->log_user, level, line);
}

enum sx_status sx_context_create(const struct sx_context_options *options, struct sx_context **out,
				 struct sx_error *err)
{
	struct sx_context *context = calloc(1, sizeof(*context));
	if (!context)
		return error_nomem(err, "creating a context");
	if (options) {
		context->log = options->log;
		context->log_user = options->log_user;
	}
	pthread_mutex_init(&context->lock, NULL);
	if (!path_init(context, options ? options->catalog_path : NULL)) {
		sx_context_destroy(context);
		return error_nomem(err, "creating a context");
	}
	*out = context;
	return SX_OK;
}

void sx_context_destroy(struct sx_context *context)
{
	if (!context)
		return;
	for (size_t i = 0; i < context->cache_count; i++)
		sx_catalog_unref(context->cache[i].catalog);
	for (size_t i = 0; i < context->head_count; i++)
		sx_catalog_unref(context->heads[i]);
	free(context->heads);
	free(context->infos);
	free(context->cache);
	free(context->folders);
	arena_finish(&context->arena);
	pthread_mutex_destroy(&context->lock);
	free(context);
}

/* A further reference to the cached catalog, or NULL. Call with the lock held. */
static struct sx_catalog *cached(const struct sx_context *context, const char *name)
{
	for (size_t i = 0; i < context->cache_count; i++)
		if (strcmp(context->cache[i].name, name) == 0)
			return sx_catalog_ref(context->cache[i].catalog);
	return NULL;
}

/* Keeps what was opened; another thread may have been quicker, then its copy is the one. */
static struct sx_catalog *remember(struct sx_context *context, struct sx_catalog *opened)
{
	const char *name = sx_catalog_info(opened)->name;
	pthread_mutex_lock(&context->lock);
	struct sx_catalog *first = cached(context, name);
	if (!first && mem_grow(&context->cache, &context->cache_cap, context->cache_count + 1,
			       sizeof(*context->cache)))
		context->cache[context->cache_count++] =
		    (struct context_entry){.name = name, .catalog = sx_catalog_ref(opened)};
	pthread_mutex_unlock(&context->lock);
	if (!first)
		return opened;
	sx_catalog_unref(opened);
	return first;
}

static void suggest_names(struct sx_context *context, const char *name, struct sx_error *err)
{
	size_t count;
	const struct sx_catalog_info *const *heads = sx_catalog_heads(context, &count);
	struct suggest near;
	char text[SX_ERROR_TEXT_MAX];
	suggest_begin(&near, name, 3);
	for (size_t i = 0; i < count; i++) {
		suggest_offer(&near, heads[i]->name);
		for (uint32_t p = 0; p < heads[i]->product_count; p++)
			if (strcmp(heads[i]->products[p].name, heads[i]->name) != 0)
				suggest_offer(&near, heads[i]->products[p].name);
	}
	size_t length = strlen(name);
	if (length > 5 && strcmp(name + length - 5, ".yaml") == 0)
		error_try(err, "./%s, if it is a file of this folder", name);
	else if (near.count)
		error_try(err, "did you mean %s?", suggest_text(&near, text, sizeof(text)));
	else
		error_try(err, "sextant devices lists every catalog");
}

static struct sx_catalog *cached_locked(struct sx_context *context, const char *name)
{
	pthread_mutex_lock(&context->lock);
	struct sx_catalog *catalog = cached(context, name);
	pthread_mutex_unlock(&context->lock);
	return catalog;
}

/* A name that no catalog's file has may be a product's, an alias, or a matter of case. */
static enum sx_status open_product(struct sx_context *context, const char *name,
				   struct sx_catalog **out, struct sx_error *err)
{
	struct match_found found;
	size_t count = match_name(context, name, &found);
	if (count == 0 && !sx_catalog_heads(context, NULL))
		return error_nomem(err, "reading the catalogs' heads");
	if (count == 0) {
		suggest_names(context, name, err);
		return SX_ERR_NOT_FOUND;
	}
	if (count > 1) {
		error_set(err, SX_ERR_NOT_FOUND, "%zu products are called \"%s\"", count, name);
		error_because(err, "one of them is %s of catalog %s", found.title, found.catalog);
		error_try(err, "sextant list devices shows all; name a catalog");
		return SX_ERR_NOT_FOUND;
	}
	*out = cached_locked(context, found.name);
	if (*out)
		return SX_OK;
	bool is_product = strcmp(found.name, found.catalog) != 0;
	struct path_request request = {
	    .context = context, .name = found.catalog, .product = is_product ? found.name : NULL};
	return path_open(&request, out, err);
}

static enum sx_status open_named(struct sx_context *context, const char *name,
				 struct sx_catalog **out, struct sx_error *err)
{
	if (strchr(name, '/'))
		return catalog_open_file(context, name, out, err);
	struct sx_catalog *catalog = cached_locked(context, name);
	if (!catalog) {
		struct path_request request = {.context = context, .name = name};
		/* Parsed without the lock, so that threads do not wait for each other's files. */
		enum sx_status status = path_open(&request, &catalog, err);
		if (status == SX_ERR_NOT_FOUND)
			status = open_product(context, name, &catalog, err);
		if (status != SX_OK)
			return status;
		catalog = remember(context, catalog);
		context_log(context, SX_LOG_DEBUG, "catalog %s from %s", name,
			    sx_catalog_info(catalog)->origin);
	}
	*out = catalog;
	return SX_OK;
}

enum sx_status sx_catalog_open(struct sx_context *context, const char *name,
			       struct sx_catalog **out, struct sx_error *err)
{
	enum sx_status status = open_named(context, name, out, err);
	if (status == SX_ERR_NO_MEMORY) {
		pthread_mutex_lock(&context->lock);
		context->open_failed = true;
		pthread_mutex_unlock(&context->lock);
	}
	return status;
}

enum sx_status sx_context_status(struct sx_context *context)
{
	pthread_mutex_lock(&context->lock);
	bool incomplete = context->open_failed || context->heads_lack;
	pthread_mutex_unlock(&context->lock);
	return incomplete ? SX_ERR_NO_MEMORY : SX_OK;
}

enum sx_status catalog_open_name(struct sx_context *context, const char *name,
				 struct sx_catalog **out, struct sx_error *err)
{
	if (!strchr(name, '/'))
		return sx_catalog_open(context, name, out, err);
	error_set(err, SX_ERR_BAD_INPUT, "a catalog cannot be named \"%s\"", name);
	error_because(err, "a recording names its catalog; it does not say which file to read");
	error_try(err, "another recording; sextant devices lists every catalog");
	return SX_ERR_BAD_INPUT;
}

const char *const *sx_catalog_names(struct sx_context *context, size_t *count)
{
	pthread_mutex_lock(&context->lock);
	if (!context->names && !path_list(context, &context->names, &context->name_count))
		context->names = NULL;
	const char *const *names = context->names;
	if (count)
		*count = names ? context->name_count : 0;
	pthread_mutex_unlock(&context->lock);
	return names;
}
