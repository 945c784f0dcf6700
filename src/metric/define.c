/*
 * Counters that a user defines become columns with a formula; the decoder that knows them reads the
 * definition.
 */
#include "metric/metrics.h"

#include <string.h>

#include "base/error.h"
#include "decode/decode.h"

bool sx_definition_is(const char *pattern)
{
	return decode_definer(pattern) != NULL;
}

static enum sx_status defines_nothing(const char *pattern, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "\"%.64s\" defines no counter", pattern);
	error_because(err, "no device's counters are programmed so");
	error_try(err, "a metric or counter by name");
	return SX_ERR_NOT_FOUND;
}

enum sx_status sx_definition_read(const struct sx_catalog *catalog, const char *pattern,
				  struct sx_definition *out, struct sx_error *err)
{
	const struct decoder_ops *ops = decode_definer(pattern);
	struct decoder_defining known = {.catalog = catalog};
	return ops ? ops->define(&known, pattern, out, err) : defines_nothing(pattern, err);
}

enum sx_status sx_definition_fits(const struct sx_catalog *catalog, uint32_t group,
				  const char *pattern, struct sx_error *err)
{
	const struct decoder_ops *ops = decode_definer(pattern);
	return ops ? ops->fits(catalog, group, pattern, err) : defines_nothing(pattern, err);
}

/* What a counter was called when it was defined first; NULL: it is new. */
static const char *earlier_name(const struct sx_metrics *m, uint32_t counter)
{
	for (uint32_t i = 0; i < m->definition_count; i++)
		if (m->defined[i] == counter)
			return m->definitions[i];
	return NULL;
}

/* Keeps the text of a definition; NULL when memory is out. */
static const char *keep(struct sx_metrics *m, const char *pattern, uint32_t counter)
{
	const char *copy = arena_strndup(&m->arena, pattern, strlen(pattern));
	uint32_t at = m->definition_count;
	if (!copy ||
	    !mem_grow(&m->definitions, &m->definition_cap, at + 1, sizeof(*m->definitions)) ||
	    !mem_grow(&m->defined, &m->defined_cap, at + 1, sizeof(*m->defined)))
		return NULL;
	m->definitions[at] = copy;
	m->defined[at] = counter;
	m->definition_count++;
	return copy;
}

enum sx_status define_column(struct sx_metrics *m, const char *pattern,
			     struct sx_metric_column *column, struct sx_expr **expr,
			     struct sx_error *err)
{
	struct sx_definition definition;
	struct decoder_defining known = {m->catalog, m->definitions, m->definition_count};
	enum sx_status status = decode_definer(pattern)->define(&known, pattern, &definition, err);
	if (status)
		return status;
	uint32_t counter = sx_catalog_find_counter(m->catalog, definition.counter, SX_NONE, NULL);
	/* The same, spelled otherwise, is one column. */
	const char *name = earlier_name(m, counter);
	if (!name)
		name = keep(m, pattern, counter);
	if (!name)
		return error_nomem(err, "selecting metrics");
	*column = (struct sx_metric_column){.name = name,
					    .title = definition.title,
					    .unit = definition.unit,
					    .type = SX_F64,
					    .over_time = SX_REDUCE_RATIO,
					    .metric = SX_NONE,
					    .counter = counter};
	return sx_expr_parse(definition.formula, definition.notation, expr, err);
}
