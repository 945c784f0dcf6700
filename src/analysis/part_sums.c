/* Sums by stratum: see part_sums.h. */
#include "analysis/part_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define COLUMN_SKETCHES (PART_SKETCHES + 1)

/* Those of one part keep their order. */
static void order_rows(struct sampled_rows *rows, const struct parts_rows *blocks, size_t count)
{
	size_t next[PARTS_MAX] = {0}, at = 0;
	for (size_t i = 0; i < count; i++)
		next[parts_number(blocks, i)]++;
	rows->straight = !count || next[blocks->of[0]] == count;
	for (unsigned part = 0; part < PARTS_MAX; part++) {
		rows->first[part] = at;
		at += next[part];
		next[part] = rows->first[part];
	}
	rows->first[PARTS_MAX] = at;
	for (size_t i = 0; i < count; i++)
		rows->order[next[parts_number(blocks, i)]++] = (uint32_t)i;
}

static void size_row(const struct parts *parts, const struct extent *extent, bool slice,
		     struct sampled_size *out)
{
	out->extent = *extent;
	out->rest = slice && out->extent.ns ? out->extent.ns : out->extent.rows;
	bool known = slices_know_calls(&parts->slices);
	for (unsigned basis = 0; basis < BASIS_DEVICE; basis++)
		out->idle[basis] =
		    known && !extent_work(&out->extent, (enum basis)basis) ? out->extent.rows : 0;
}

static void size_add(struct sampled_size *to, const struct sampled_size *more)
{
	extent_add(&to->extent, &more->extent);
	to->rest += more->rest;
	for (unsigned basis = 0; basis < BASIS_DEVICE; basis++)
		to->idle[basis] += more->idle[basis];
}

/* False when memory is out. */
static bool sampled_rows_look(struct sampled_rows *rows, const struct parts *parts,
			      const struct parts_rows *blocks, size_t count)
{
	if (!mem_grow(&rows->order, &rows->order_cap, count + 1, sizeof(*rows->order)) ||
	    !mem_grow(&rows->before, &rows->before_cap, count + 1, sizeof(*rows->before)))
		return false;
	order_rows(rows, blocks, count);
	struct sampled_size all = {.rest = 0}, one;
	for (size_t i = 0; i < count; i++) {
		size_t row = rows->order[i];
		rows->before[i] = all;
		size_row(parts, parts_extent(blocks, row),
			 parts_are_slices(parts, parts_number(blocks, row)), &one);
		size_add(&all, &one);
	}
	rows->before[count] = all;
	return true;
}

/* How much `count` places from `first` on are. */
static void sampled_rows_size(const struct sampled_rows *rows, size_t first, size_t count,
			      struct sampled_size *out)
{
	const struct sampled_size *from = &rows->before[first], *to = &rows->before[first + count];
	out->extent.rows = to->extent.rows - from->extent.rows;
	out->extent.ns = to->extent.ns - from->extent.ns;
	out->extent.draws = to->extent.draws - from->extent.draws;
	out->extent.dispatches = to->extent.dispatches - from->extent.dispatches;
	out->extent.busy_ns = to->extent.busy_ns - from->extent.busy_ns;
	out->extent.unknown = to->extent.unknown - from->extent.unknown;
	out->rest = to->rest - from->rest;
	for (unsigned basis = 0; basis < BASIS_DEVICE; basis++)
		out->idle[basis] = to->idle[basis] - from->idle[basis];
}

/* How many from there on, at most `most`, have one quality. */
static size_t sampled_rows_alike(const struct sampled_rows *rows, const struct sx_vector *v,
				 size_t first, size_t most, uint8_t *quality)
{
	const uint8_t *q = v->quality;
	const uint32_t *order = rows->order + first;
	size_t count = 1;
	*quality = q ? q[order[0]] : 0;
	if (!q || (rows->straight && memcmp(q + first, q + first + 1, most - 1) == 0))
		return most;
	while (count < most && q[order[count]] == *quality)
		count++;
	return count;
}

/* Their values; `room` has place for these. */
static const double *sampled_rows_values(const struct sampled_rows *rows, const struct sx_vector *v,
					 size_t first, size_t count, double *room)
{
	const uint32_t *order = rows->order + first;
	const double *doubles = v->data;
	const uint64_t *whole = v->data;
	if (v->type != SX_U64 && rows->straight)
		return doubles + first;
	if (v->type != SX_U64)
		for (size_t i = 0; i < count; i++)
			room[i] = doubles[order[i]];
	else if (rows->straight)
		for (size_t i = 0; i < count; i++)
			room[i] = (double)whole[first + i];
	else
		for (size_t i = 0; i < count; i++)
			room[i] = (double)whole[order[i]];
	return room;
}

/* Rows of one stratum represent each other as the caller knows, by number or by time. */
static bool are_one(const struct part_sums *p)
{
	return p->parts.count < 2 && !slices_know_calls(&p->parts.slices) &&
	       (p->parts.slices.all || !parts_are_slices(&p->parts, 0));
}

bool part_sums_look(struct part_sums *p, const struct sx_table *raw)
{
	size_t end = sx_table_row_count(raw);
	if (!mem_grow(&p->blocks, &p->block_cap, end / PARTS_BLOCK + 1, sizeof(*p->blocks)))
		return false;
	struct parts_rows *block = p->blocks;
	for (size_t at = 0; at < end; at += block++->count) {
		parts_note(&p->parts, raw, (struct row_span){at, end - at}, block);
		parts_measure(&p->parts, block);
	}
	return are_one(p) || sampled_rows_look(&p->rows, &p->parts, p->blocks, end);
}

bool part_sums_begin(struct part_sums *p, uint32_t count)
{
	if (p->sums || are_one(p))
		return false;
	p->sums = calloc((size_t)count * PARTS_MAX + 1, sizeof(*p->sums));
	p->sketches = calloc((size_t)count * COLUMN_SKETCHES + 1, sizeof(*p->sketches));
	if (!p->sums || !p->sketches) {
		free(p->sums);
		free(p->sketches);
		p->sums = NULL;
		p->sketches = NULL;
	}
	p->count = p->sums ? count : 0;
	return p->sums != NULL;
}

static struct sketch *idle_sketch(const struct part_sums *p, uint32_t column)
{
	return &p->sketches[(size_t)column * COLUMN_SKETCHES + PART_SKETCHES];
}

static struct sketch *sketch_of(const struct part_sums *p, uint32_t column, uint32_t part)
{
	uint32_t at = part < PART_SKETCHES ? part : PART_SKETCHES - 1;
	return &p->sketches[(size_t)column * COLUMN_SKETCHES + at];
}

struct sketch *part_sums_sketch(const struct part_sums *p, uint32_t column)
{
	return sketch_of(p, column, 0);
}

bool part_sums_join(const struct part_sums *p, uint32_t column, struct sketch *out)
{
	bool fine = true;
	for (uint32_t i = 0; fine && i < COLUMN_SKETCHES; i++)
		fine = sketch_join(out, &p->sketches[(size_t)column * COLUMN_SKETCHES + i]);
	return fine;
}

/* Where the values of a column go that are of one part. */
struct part_column {
	const struct part_sums *p;
	struct sx_vector v;
	uint32_t column, part;
	enum basis basis;
	struct part_sum *sum;
};

#define STRETCH 512 /* values that are added at once */

static uint64_t idle_of(const struct part_column *c, const struct sampled_size *size)
{
	return c->basis < BASIS_DEVICE ? size->idle[c->basis] : 0;
}

/* Keeps samples without any work of the quantity's basis apart. */
static bool keep_values(const struct part_column *c, const struct sampled_size *size, size_t first,
			const double *values, const struct sketch_look *look)
{
	uint64_t idle = idle_of(c, size);
	struct sketch *own = sketch_of(c->p, c->column, c->part);
	struct sketch *apart = idle_sketch(c->p, c->column);
	bool fine = true;
	if (!idle || idle == size->extent.rows) {
		return sketch_add_looked(idle ? apart : own, values, look);
	}
	for (size_t i = 0; fine && i < look->count; i++) {
		struct sampled_size one;
		sampled_rows_size(&c->p->rows, first + i, 1, &one);
		fine = sketch_add(idle_of(c, &one) ? apart : own, values[i]);
	}
	return fine;
}

static bool add_stretch(struct part_column *c, size_t first, size_t count)
{
	double room[STRETCH];
	struct sampled_size size;
	bool fine = true;
	room[0] = 0; /* for compilers that do not see that there is a value at least */
	const double *values = sampled_rows_values(&c->p->rows, &c->v, first, count, room);
	const struct sketch_look look = sketch_look(values, count);
	if (!isfinite(look.sum)) {
		for (size_t i = 0; count > 1 && fine && i < count; i++)
			fine = add_stretch(c, first + i, 1);
		return fine;
	}
	sampled_rows_size(&c->p->rows, first, count, &size);
	double work = (double)(c->basis == BASIS_DEVICE ? size.extent.busy_ns
							: extent_work(&size.extent, c->basis));
	c->sum->sum += look.sum;
	extent_add(&c->sum->with, &size.extent);
	c->sum->idle += idle_of(c, &size);
	spread_add(&c->sum->spread, &(struct spread_run){look.sum, {work, (double)size.rest}});
	return keep_values(c, &size, first, values, &look);
}

static void skip_stretch(struct part_column *c, size_t first, size_t count)
{
	struct sampled_size size;
	sampled_rows_size(&c->p->rows, first, count, &size);
	extent_add(&c->sum->skipped, &size.extent);
	c->sum->idle_skipped += idle_of(c, &size);
	spread_skip(&c->sum->spread);
}

static bool part_sums_add_part(struct part_column *c)
{
	const struct sampled_rows *rows = &c->p->rows;
	size_t end = rows->first[c->part + 1];
	uint8_t quality;
	bool fine = true;
	for (size_t at = rows->first[c->part], count; fine && at < end; at += count) {
		size_t most = end - at < STRETCH ? end - at : STRETCH;
		count = sampled_rows_alike(rows, &c->v, at, most, &quality);
		if (!(quality & SX_QUALITY_NO_DATA_MASK))
			fine = add_stretch(c, at, count);
		else if (sx_quality_is_skipped(quality))
			skip_stretch(c, at, count);
	}
	return fine;
}

bool part_sums_add(struct part_sums *p, const struct sx_table *values, uint32_t column,
		   enum basis basis)
{
	struct part_column c = {p, sx_table_vector(values, column), column, 0, basis, NULL};
	bool fine = true;
	for (; fine && c.v.data && c.part < p->parts.count; c.part++) {
		c.sum = &p->sums[(size_t)column * PARTS_MAX + c.part];
		fine = part_sums_add_part(&c);
	}
	return fine;
}

static uint64_t measured_parts(const struct part_sums *p, const struct part_sum *sums)
{
	uint64_t bits = 0;
	for (uint32_t i = 0; i < p->parts.count; i++)
		bits |= (uint64_t)(sums[i].with.rows != 0) << i;
	return bits;
}

/* How many times as much. */
static double part_more(const struct extent *more, const struct extent *with, enum extent_by by)
{
	double base = (double)extent_get(with, by);
	return base > 0 ? (double)extent_get(more, by) / base : 0;
}

/* How much is represented by the rows with data of a stratum, or of another in its place. */
struct represented {
	const struct part_sum *of; /* NULL: nothing is known of the part */
	double times, rows;	   /* their sum, and their number */
};

static struct represented part_represented(const struct part_sums *p, const struct part_sum *sums,
					   uint32_t part, enum basis basis)
{
	bool apart = parts_are_slices(&p->parts, part);
	const struct part_sum *s = &sums[part];
	bool idle = extent_is_idle(&s->with, &s->skipped, basis);
	uint32_t at = part;
	if (!s->with.rows || idle)
		at = parts_proxy(&p->parts, part, measured_parts(p, sums), &apart);
	const struct part_sum *other = at < PARTS_MAX ? &sums[at] : NULL;
	struct represented out = {.of = other};
	if (!other)
		return out;
	enum extent_by by = extent_choose(&other->with, &s->skipped, apart, basis);
	double own = other == s ? 1 : 0;
	out.times = own + part_more(&s->skipped, &other->with, by);
	/* A mean of frames is one of all of them. */
	out.rows = apart ? out.times : own + part_more(&s->skipped, &other->with, EXTENT_ROWS);
	if (idle) {
		out.times += other->sum > 0 ? s->sum / other->sum : 0;
		out.rows += part_more(&s->with, &other->with, EXTENT_ROWS);
	}
	return out;
}

/* Strata of which something was measured, and those of which nothing was, nor of their context. */
struct known_parts {
	struct extent known, unknown;
	bool slices;
};

static void know_part(struct known_parts *parts, const struct part_sum *sum, bool slices,
		      bool known)
{
	parts->slices |= slices;
	extent_add(known ? &parts->known : &parts->unknown, &sum->with);
	extent_add(known ? &parts->known : &parts->unknown, &sum->skipped);
}

/* How much of these there is beside those, as the others were. */
static double unknown_more(const struct known_parts *parts, enum basis basis)
{
	bool by_time = parts->slices && parts->known.ns && parts->unknown.ns;
	return part_more(&parts->unknown, &parts->known,
			 extent_choose_unknown(&parts->known, &parts->unknown, by_time, basis));
}

/* The spread of rows in strata that were measured often enough; it is used for the others. */
struct usual_spread {
	double variance[SPREAD_BYS], freedom[SPREAD_BYS], size[SPREAD_BYS];
};

static enum spread_by spread_by(const struct part_sum *sum, double *size)
{
	struct spread spread = sum->spread;
	spread_skip(&spread);
	enum spread_by by = spread.all.size[SPREAD_WORK] > 0 ? SPREAD_WORK : SPREAD_REST;
	*size = spread.all.size[by];
	return by;
}

static struct usual_spread find_usual(const struct part_sums *p, const struct part_sum *sums)
{
	struct usual_spread usual = {.size = {0}};
	for (uint32_t i = 0; i < p->parts.count; i++) {
		double size, freedom;
		enum spread_by by = spread_by(&sums[i], &size);
		double variance = spread_variance(&sums[i].spread, by, &freedom);
		if (isnan(variance))
			continue;
		usual.variance[by] += variance * size;
		usual.freedom[by] += freedom;
		usual.size[by] += size;
	}
	return usual;
}

/* The error of what a stratum represents, `times` as much as itself. */
static void add_error(struct spread_sum *to, const struct usual_spread *usual,
		      const struct part_sum *sum, double times)
{
	double size, freedom;
	enum spread_by by = spread_by(sum, &size);
	double variance = spread_variance(&sum->spread, by, &freedom);
	if (isnan(variance)) {
		variance = usual->variance[by] / usual->size[by];
		freedom = usual->freedom[by];
	}
	spread_extrapolate(to, variance * size, freedom, times);
}

struct part_whole part_sums_whole(const struct part_sums *p, uint32_t column, enum basis basis)
{
	const struct part_sum *sums = &p->sums[(size_t)column * PARTS_MAX];
	const struct usual_spread usual = find_usual(p, sums);
	struct part_whole whole = {0};
	struct known_parts parts = {.slices = false};
	struct spread_sum error = {0};
	struct spread between = {.runs_on = false}; /* parts are what is drawn by chance */
	double times[PARTS_MAX] = {0}, freedom;
	for (uint32_t i = 0; i < p->parts.count; i++) {
		const struct represented r = part_represented(p, sums, i, basis);
		know_part(&parts, &sums[i], parts_are_slices(&p->parts, i), r.of);
		if (!r.of)
			continue;
		whole.sum += r.of->sum * r.times;
		whole.rows += (double)r.of->with.rows * r.rows;
		times[r.of - sums] += r.times - (r.of == &sums[i] ? 1 : 0);
		spread_add(&between, &(struct spread_run){r.of->sum * r.times,
							  {0, (double)sums[i].with.rows +
								  (double)sums[i].skipped.rows}});
		spread_skip(&between);
	}
	double all = unknown_more(&parts, basis);
	for (uint32_t i = 0; i < p->parts.count; i++)
		add_error(&error, &usual, &sums[i], times[i]);
	error.variance *= (1 + all) * (1 + all);
	error.weakest *= pow(1 + all, 4);
	double variance = spread_variance(&between, SPREAD_REST, &freedom);
	spread_extrapolate(&error, variance * between.all.size[SPREAD_REST], freedom, all);
	whole.error = spread_error(&error);
	whole.sum *= 1 + all;
	whole.rows *=
	    1 + (parts.slices ? all : part_more(&parts.unknown, &parts.known, EXTENT_ROWS));
	return whole;
}

bool part_sums_are_idle(const struct part_sums *p, uint32_t column, enum basis basis)
{
	const struct part_sum *sums = &p->sums[(size_t)column * PARTS_MAX];
	struct extent with = {0}, skipped = {0};
	double sum = 0;
	for (uint32_t i = 0; i < p->parts.count; i++) {
		extent_add(&with, &sums[i].with);
		extent_add(&skipped, &sums[i].skipped);
		sum += sums[i].sum;
	}
	return !(sum > 0) && extent_is_idle(&with, &skipped, basis);
}

bool part_sums_percentiles(const struct part_sums *p, uint32_t column, enum basis basis,
			   const double percent[PART_RANKS], double out[PART_RANKS])
{
	const struct part_sum *sums = &p->sums[(size_t)column * PARTS_MAX];
	struct sketch_weighed list[COLUMN_SKETCHES] = {{0}};
	for (uint32_t i = 0; i < PART_SKETCHES; i++)
		list[i].sketch = sketch_of(p, column, i);
	list[PART_SKETCHES].sketch = idle_sketch(p, column);
	for (uint32_t i = 0; i < p->parts.count; i++) {
		const struct represented r = part_represented(p, sums, i, basis);
		if (!r.of)
			continue;
		size_t at = (size_t)(r.of - sums);
		struct sketch_weighed *to = &list[at < PART_SKETCHES ? at : PART_SKETCHES - 1];
		double all = r.rows * (double)r.of->with.rows;
		double idle = (double)(sums[i].idle + sums[i].idle_skipped);
		idle = list[PART_SKETCHES].sketch->count && idle <= all ? idle : 0;
		if (idle > 0)
			list[PART_SKETCHES].weight +=
			    idle / (double)list[PART_SKETCHES].sketch->count;
		if (to->sketch->count)
			to->weight += (all - idle) / (double)to->sketch->count;
	}
	return sketch_percentiles_weighed(list, COLUMN_SKETCHES, percent, out, PART_RANKS);
}

uint64_t part_sums_guessed(const struct part_sums *p)
{
	uint64_t most = 0;
	for (uint32_t i = 0; p->sums && i < p->count; i++) {
		const struct part_sum *sums = &p->sums[(size_t)i * PARTS_MAX];
		uint64_t known = 0, unknown = 0;
		for (uint32_t k = 0; k < p->parts.count; k++) {
			bool counted = part_represented(p, sums, k, BASIS_NONE).of;
			known += sums[k].with.rows;
			unknown += counted ? 0 : sums[k].skipped.rows;
		}
		most = known && unknown > most ? unknown : most;
	}
	return most;
}

void part_sums_finish(struct part_sums *p)
{
	parts_finish(&p->parts);
	for (size_t i = 0; p->sketches && i < (size_t)p->count * COLUMN_SKETCHES; i++)
		sketch_finish(&p->sketches[i]);
	free(p->sketches);
	free(p->sums);
	free(p->blocks);
	free(p->rows.order);
	free(p->rows.before);
	*p = (struct part_sums){.count = 0};
}
