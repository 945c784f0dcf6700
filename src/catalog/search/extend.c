/* Catalogs with further counters: a catalog in memory that extends the one of the name. */
#include "catalog/internal.h"
#include "base/error.h"
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
		"kind: %s\ndialect: %s\nnotation: %s\nextends: %s\n",
		kinds[base->kind], dialects[base->dialect],
		base->notation == SX_INFIX ? "infix" : "postfix", base->catalog);
}

static void put_word(FILE *to, const char *key, const char *text)
{
	if (!text)
		return;
	fputs(", ", to);
	put_quoted(to, key, text);
}

static void put_blocks(FILE *to, const struct catalog_more *more)
{
	if (more->block_count)
		fputs("blocks:\n", to);
	for (size_t i = 0; i < more->block_count; i++) {
		const struct catalog_block *b = &more->blocks[i];
		put_quoted(to, "  - {name", b->name);
		if (b->limit)
			fprintf(to, ", limit: %u", (unsigned)b->limit);
		put_word(to, "family", b->family);
		put_word(to, "stage", b->stage);
		put_word(to, "windowed", b->windowed);
		fputs("}\n", to);
	}
}

static void put_counters(FILE *to, const struct catalog_more *more)
{
	if (more->counter_count)
		fputs("counters:\n", to);
	for (size_t i = 0; i < more->counter_count; i++) {
		const struct catalog_addition *c = &more->counters[i];
		put_quoted(to, "  - {name", c->name);
		put_word(to, "unit", c->unit);
		put_word(to, "block", c->block);
		put_word(to, "description", c->description);
		fputs(c->is_real ? ", type: f64" : "", to);
		fputs(c->is_mean ? ", over-time: mean" : "", to);
		fputs("}\n", to);
	}
}

static char *write_text(const struct sx_catalog_info *base, const struct catalog_more *more,
			size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);
	if (!to)
		return NULL;
	put_head(to, base);
	put_blocks(to, more);
	put_counters(to, more);
	bool good = !ferror(to);
	if (fclose(to) == 0 && good)
		return text;
	free(text);
	return NULL;
}

/* The extended catalog has a name and hash of its own; the base may be released before it. */
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
			      const struct catalog_more *more, struct sx_catalog **out,
			      struct sx_error *err)
{
	struct sx_catalog *base = NULL, *made = NULL;
	size_t size = 0;
	enum sx_status status = catalog_open_name(context, name, &base, err);
	if (status || (!more->counter_count && !more->block_count)) {
		*out = base;
		return status;
	}
	char *text = write_text(sx_catalog_info(base), more, &size);
	const struct path_text all = {text, size, "what is added to a catalog"};
	status =
	    text ? path_parse(context, &all, &made, err) : error_nomem(err, "loading a catalog");
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
