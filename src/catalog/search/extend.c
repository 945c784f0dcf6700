/* Catalogs with further counters: a catalog in memory that extends the one of the name. */
#include "catalog/extend.h"
#include "base/error.h"
#include "catalog/internal.h"
#include "catalog/search/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In double quotes; what they cannot hold as it is becomes a blank. */
static void put_quoted(FILE *to, const char *key, const char *text)
{
	fprintf(to, "%s: \"", key);
	for (; *text; text++)
		fputc(*text == '"' || *text == '\\' || (unsigned char)*text < ' ' ? ' ' : *text,
		      to);
	fputc('"', to);
}

static void put_head(FILE *to, const struct sx_catalog_info *base)
{
	static const char *const kinds[] = {"gpu", "cpu", "uncore", "api"};
	static const char *const dialects[] = {"standard", "intel", "amd"};
	fprintf(to,
		"sextant-catalog: 1\nname: extended\ntitle: extended\nvendor: extended\n"
		"kind: %s\ndialect: %s\nnotation: %s\nextends: %s\ncounters:\n",
		kinds[base->kind], dialects[base->dialect],
		base->notation == SX_INFIX ? "infix" : "postfix", base->catalog);
}

static char *write_text(const struct sx_catalog_info *base, const struct catalog_addition *more,
			size_t count, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);
	if (!to)
		return NULL;
	put_head(to, base);
	for (size_t i = 0; i < count; i++) {
		put_quoted(to, "  - {name", more[i].name);
		put_quoted(to, ", unit", more[i].unit);
		put_quoted(to, ", description", more[i].description);
		fputs("}\n", to);
	}
	bool good = !ferror(to);
	if (fclose(to) == 0 && good)
		return text;
	free(text);
	return NULL;
}

/* It goes by its own name and hash; the base may go before it. */
static bool bear(struct sx_catalog *catalog, const struct sx_catalog_info *base)
{
	const char *from[] = {base->name, base->title, base->vendor, base->catalog, base->origin};
	const char **to[] = {&catalog->info.name, &catalog->info.title, &catalog->info.vendor,
			     &catalog->info.catalog, &catalog->info.origin};
	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
		*to[i] = arena_strndup(&catalog->arena, from[i], strlen(from[i]));
		if (!*to[i])
			return false;
	}
	catalog->info.hash = base->hash;
	catalog->info.extends = NULL;
	return true;
}

enum sx_status catalog_extend(struct sx_context *context, const char *name,
			      const struct catalog_addition *more, size_t count,
			      struct sx_catalog **out, struct sx_error *err)
{
	struct sx_catalog *base = NULL, *made = NULL;
	size_t size = 0;
	enum sx_status status = sx_catalog_open_name(context, name, &base, err);
	if (status || !count) {
		*out = base;
		return status;
	}
	char *text = write_text(sx_catalog_info(base), more, count, &size);
	status = text ? path_parse(context, text, size, "what is added to a catalog", &made, err)
		      : error_nomem(err, "loading a catalog");
	if (!status && !bear(made, sx_catalog_info(base)))
		status = error_nomem(err, "loading a catalog");
	free(text);
	sx_catalog_unref(base);
	if (status)
		sx_catalog_unref(made);
	else
		*out = made;
	return status;
}
