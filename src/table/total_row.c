/* Totals as rows: the sums, scaled by what was not measured. */
#include "base/error.h"
#include "base/no_data.h"
#include "table/fill.h"
#include "table/table.h"
#include "table/total_state.h"

#include <math.h>

/* Rows with data, and the rows that they represent besides, in the unit that relates both. */
struct share {
	uint64_t with, more;
};

static struct share share_by(const struct total_span *span, bool whole, enum extent_by by)
{
	uint64_t lost = whole ? extent_get(&span->lost, by) : 0;
	return (struct share){extent_get(&span->with, by), extent_get(&span->skipped, by) + lost};
}

/* What a total is worked out over: these parts alone, bits. */
struct scope {
	const struct total *total;
	enum total_of of;
	uint64_t parts;
};

static bool is_known(const struct scope *scope, uint32_t part)
{
	return scope->parts >> part & 1;
}

/* A column over all strata. Rows with data of a stratum represent those of the same stratum. */
struct answer {
	struct total_column all; /* counts, qualities and the pick; no sums */
	bool scaled;
	unsigned __int128 sum; /* u64, of all rows with data and those that they represent */
	double fsum;	       /* f64, likewise */
	double weighted, weight, value, rows; /* for means: by time, and by rows */
	bool slices;			      /* rows of any part are slices of time */
	enum basis basis;		      /* as in total_column */
	bool by_proxy;			      /* one stratum represents another */
	struct total_span known, unknown;     /* parts with any row with data, and those without */
	uint64_t measured;		      /* bits of parts with data */
	bool alone;			      /* there is one part */
};

/* A sum over `with`, for that and `more`. */
static unsigned __int128 scaled_sum(unsigned __int128 sum, uint64_t with, uint64_t more)
{
	unsigned __int128 mean = sum / with, rest = sum % with;
	return sum + mean * more + (rest * more + with / 2) / with;
}

static void take_counts(struct answer *to, const struct total_column *part, bool known)
{
	struct total_column *all = &to->all;
	bool first = !all->span.with.rows, max = part->rule == SX_REDUCE_MAX;
	bool better = part->type == SX_U64 ? part->pick > all->pick : part->fpick > all->fpick;
	if (part->span.with.rows && (first || (max ? better : part->at > all->at))) {
		all->pick = part->pick;
		all->fpick = part->fpick;
		all->at = part->at;
	}
	total_span_add(known ? &to->known : &to->unknown, &part->span);
	total_span_add(&all->span, &part->span);
	all->unweighted += part->unweighted;
}

/* Rows with data of a part: its `own`, or of one that represents it. */
static void take_sums(struct answer *to, const struct total_column *part, struct share share,
		      bool own)
{
	double value = sum_value(&part->fsum);
	double times = (own ? 1 : 0) + (double)share.more / (double)share.with;
	to->scaled |= share.more != 0;
	to->sum += scaled_sum(part->sum, share.with, share.more) - (own ? 0 : part->sum);
	to->fsum += value * times;
	if (to->alone) /* a mean of its own needs no weight */
		times = 1;
	to->weighted += part->weighted * times;
	to->weight += part->weight * times;
	to->value += (part->type == SX_U64 ? (double)part->sum : value) * times;
	to->rows += (double)part->span.with.rows * times;
}

/*
 * Scales the sums by the strata of which nothing was measured: the measured ones represent them,
 * for lack of anything better, by calls or by time, as in share_of().
 */
static void take_unknown(bool whole, struct answer *to)
{
	bool by_time = to->slices || (whole && !to->unknown.skipped.rows);
	by_time = by_time && to->known.with.ns && to->unknown.skipped.ns + to->unknown.lost.ns;
	enum extent_by by =
	    extent_choose_unknown(&to->known.with, &to->unknown.skipped, by_time, to->basis);
	struct share known = share_by(&to->known, whole, by);
	uint64_t with = known.with + known.more, more = share_by(&to->unknown, whole, by).more;
	if (!with || !more)
		return;
	to->scaled = true;
	to->sum = scaled_sum(to->sum, with, more);
	to->fsum *= 1 + (double)more / (double)with;
}

/* The same stratum's column in the whole run, where that has data; or NULL. */
static const struct total_column *in_run(const struct total *total, uint32_t part, uint32_t index)
{
	uint32_t at = total->run ? parts_find(total->run->parts, total->parts, part) : PARTS_MAX;
	const struct total_column *column =
	    at < PARTS_MAX && at < total->run->of_count ? &total->run->of[at][index] : NULL;
	return column && column->span.with.rows ? column : NULL;
}

/* How much is represented by a stratum's rows with data, or by those of `other` in its place. */
static struct share share_of(const struct scope *scope, const struct total_column *part,
			     const struct total_column *other, bool slices)
{
	bool whole = scope->of == TOTAL_WHOLE;
	struct total_span span = part->span;
	if (other)
		span.with = other->span.with;
	enum extent_by by = extent_choose(&span.with, &span.skipped, slices, part->basis);
	/* Lost rows are weighted by time, where it is known. */
	if (!other && whole && span.lost.rows && span.with.ns && span.lost.ns && !span.skipped.rows)
		by = EXTENT_NS;
	return share_by(&span, whole, by);
}

/* A part of which nothing was measured is represented by itself in the whole run, or by others. */
static void take_part(struct answer *to, const struct scope *scope, uint32_t part, uint32_t index)
{
	const struct total *total = scope->total;
	const struct total_column *own = &total->of[part][index], *other = NULL;
	const struct total_span *span = &own->span;
	bool slices = parts_are_slices(total->parts, part), measured = span->with.rows;
	bool idle = !to->alone && extent_is_idle(&span->with, &span->skipped, own->basis);
	to->slices |= slices;
	to->scaled |= measured && span->skipped.rows;
	struct share share = {1, 0};
	if (measured && !idle)
		share = share_of(scope, own, NULL, slices);
	else if (!to->alone)
		other = in_run(total, part, index);
	if (!to->alone && (!measured || idle) && !other) {
		uint32_t at = parts_proxy(total->parts, part, to->measured, &slices);
		other = at < PARTS_MAX ? &total->of[at][index] : NULL;
	}
	take_counts(to, own, (measured && !idle) || other);
	if (measured)
		take_sums(to, own, share, true);
	if (!other)
		return;
	to->by_proxy = true;
	to->scaled |= span->skipped.rows != 0;
	take_sums(to, other, share_of(scope, own, other, slices), false);
}

static struct answer answer_of(const struct scope *scope, uint32_t index)
{
	const struct total *total = scope->total;
	struct answer answer = {.all.type = total->of[0][index].type,
				.all.rule = total->of[0][index].rule,
				.basis = total->of[0][index].basis,
				.alone = (scope->parts & (scope->parts - 1)) == 0};
	for (uint32_t i = 0; i < total->of_count; i++)
		if (is_known(scope, i) && total->of[i][index].span.with.rows)
			answer.measured |= UINT64_C(1) << i;
	for (uint32_t i = 0; i < total->of_count; i++)
		if (is_known(scope, i))
			take_part(&answer, scope, i, index);
	if (!answer.alone && answer.all.span.with.rows)
		take_unknown(scope->of == TOTAL_WHOLE, &answer);
	return answer;
}

/* A value of a table of totals. */
struct place {
	struct sx_table *table;
	uint32_t column;
	size_t row;
};

/* A whole number or another, by the column's type. */
static void set_value(const struct place *to, uint64_t whole, double value, uint8_t quality)
{
	if (sx_table_column(to->table, to->column)->type == SX_U64)
		sx_table_set_u64(to->table, to->column, to->row, whole, quality);
	else
		sx_table_set_f64(to->table, to->column, to->row, value, quality);
}

static void set_none(const struct place *to, uint8_t quality)
{
	set_value(to, 0, (double)NAN, quality);
}

/* A row of unknown length, as the first of a log, has no weight in a mean over time. */
static void set_mean(const struct answer *answer, const struct place *to, uint8_t quality)
{
	bool mostly = answer->all.unweighted <= answer->all.span.with.rows / 2;
	bool by_time = mostly && answer->weight > 0;
	double mean = by_time ? answer->weighted / answer->weight : answer->value / answer->rows;
	unsigned __int128 exact =
	    (answer->sum + answer->all.span.with.rows / 2) / answer->all.span.with.rows;
	bool fits = mean >= 0 && round(mean) < 0x1p64;
	uint64_t nearest = fits ? (uint64_t)round(mean) : UINT64_MAX;
	set_value(to, by_time || answer->scaled ? nearest : (uint64_t)exact, mean, quality);
}

/* The only stratum with rows, where all of these have data: no scaling is needed. */
static const struct total_column *whole_column(const struct scope *scope, uint32_t index)
{
	uint64_t parts = scope->parts;
	if (!parts || parts & (parts - 1))
		return NULL;
	const struct total_column *part = &scope->total->of[__builtin_ctzll(parts)][index];
	bool all = !part->span.skipped.rows && !part->span.lost.rows;
	return part->span.with.rows && all ? part : NULL;
}

/* Such a column, which most are of most rows; false where it takes more than what it holds. */
static bool set_whole(const struct total_column *column, const struct place *to)
{
	uint8_t quality = column->span.quality;
	bool picked = column->rule == SX_REDUCE_SINGLE || column->rule == SX_REDUCE_MAX ||
		      column->rule == SX_REDUCE_LAST;
	if (column->type != SX_U64 || !(picked || column->rule == SX_REDUCE_SUM))
		return false;
	if (!picked && column->sum > UINT64_MAX)
		quality |= SX_QUALITY_WRAPPED;
	sx_table_set_u64(to->table, to->column, to->row,
			 picked ? column->pick : (uint64_t)column->sum, quality);
	return true;
}

/* What was counted made no call of those that count: that says nothing of rows that did. */
static bool is_of_idle(const struct answer *answer)
{
	const struct total_span *span = &answer->all.span;
	return !answer->by_proxy && !answer->sum && !(answer->fsum > 0) &&
	       extent_is_idle(&span->with, &span->skipped, answer->basis);
}

/*
 * As much was missed as counted, by rows or by the calls in them: a sum of the counted ones is not
 * that of the run. Pieces of work may lie within each other, and one that has no count of its own
 * misses nothing.
 */
static bool is_mostly_uncounted(const struct total *total, const struct answer *answer)
{
	enum sx_sample_kind kind = sx_table_kind(total->like->table);
	bool follow = kind == SX_SAMPLE_FRAME || slices_by_time(kind);
	const struct total_span *span = &answer->all.span;
	const struct extent *missed = follow ? &span->lost : &span->uncounted;
	struct extent counted = span->with;
	extent_add(&counted, &span->skipped);
	uint64_t work = extent_work(missed, answer->basis);
	return answer->all.rule == SX_REDUCE_SUM &&
	       (missed->rows >= counted.rows ||
		(work && work >= extent_work(&counted, answer->basis)));
}

/* False when the rule says nothing about time. */
static bool set_column(const struct scope *scope, const struct place *to)
{
	const struct total_column *simple = whole_column(scope, to->column);
	if (simple && set_whole(simple, to))
		return true;
	struct answer answer = answer_of(scope, to->column);
	const struct total_column *all = &answer.all;
	if (!all->span.with.rows) {
		/* A column that was not collected stays one without memory, as in the rows. */
		if (all->span.absence & ~SX_QUALITY_NOT_COLLECTED)
			set_none(to, all->span.absence);
		return true;
	}
	if (is_of_idle(&answer)) {
		set_none(to, SX_QUALITY_SKIPPED);
		return true;
	}
	if (scope->of == TOTAL_RUN && is_mostly_uncounted(scope->total, &answer)) {
		set_none(to, all->span.absence);
		return true;
	}
	uint8_t quality = all->span.quality;
	if (all->span.lost.rows)
		quality |= SX_QUALITY_LOST;
	if (answer.scaled)
		quality |= SX_QUALITY_MULTIPLEXED;
	switch (all->rule) {
	case SX_REDUCE_SUM:
		if (all->type == SX_U64 && answer.sum > UINT64_MAX)
			quality |= SX_QUALITY_WRAPPED;
		set_value(to, (uint64_t)answer.sum, answer.fsum, quality);
		return true;
	case SX_REDUCE_MEAN:
		set_mean(&answer, to, quality);
		return true;
	case SX_REDUCE_SINGLE:
	case SX_REDUCE_MAX:
	case SX_REDUCE_LAST:
		set_value(to, all->pick, all->fpick, quality);
		return true;
	default:
		set_none(to, SX_QUALITY_UNDEFINED);
		return false;
	}
}

bool total_lacks(const struct total *total)
{
	for (uint32_t i = 0; i < total->count; i++) {
		uint64_t with = 0, lost = 0;
		for (uint32_t p = 0; p < total->of_count; p++) {
			with += total->of[p][i].span.with.rows;
			lost += total->of[p][i].span.lost.rows;
		}
		if (with && lost)
			return true;
	}
	return false;
}

/* Writes all columns of one row, which has none of them yet. */
static enum sx_status write_row(const struct scope *scope, struct sx_table *table, size_t row,
				struct sx_error *err)
{
	const struct total *total = scope->total;
	for (uint32_t k = 0; k < total->open_count; k++) {
		uint32_t i = total->open[k];
		if (!set_column(scope, &(struct place){table, i, row}) &&
		    table_set_why(table, i, no_data_text(NO_DATA_NO_TOTAL)))
			return error_nomem(err, "a table's totals");
	}
	if (total->begin_ns != SX_TIME_UNKNOWN)
		sx_table_set_time(table, row, total->begin_ns,
				  total->begin_ns + cover_ns(&total->cover));
	return sx_table_add_rows(table, 0, NULL, err); /* fails when a value got no memory */
}

static uint64_t frames_of(const struct total *total)
{
	uint64_t frames = total->touched;
	for (uint32_t i = 0; i < total->of_count; i++)
		if (parts_are_slices(total->parts, i))
			frames &= ~(UINT64_C(1) << i);
	return frames;
}

/* Whether metrics of frames come out otherwise of the frames alone. */
static bool frames_differ(const struct total *total)
{
	uint64_t frames = frames_of(total);
	const struct total_pictures *p = &total->pictures;
	return frames && (frames != total->touched || p->vary || p->ns > cover_ns(&p->cover));
}

/*
 * The frames alone. Of pictures of several sizes the row has one of as many pixels, such that
 * times the number of frames it is all of theirs; its length is the time that frames take.
 */
static enum sx_status write_frames(const struct scope *scope, struct sx_table *table, size_t row,
				   struct sx_error *err)
{
	const struct total *total = scope->total;
	const struct total_pictures *p = &total->pictures;
	const struct scope frames = {total, scope->of, frames_of(total)};
	enum sx_status status = write_row(&frames, table, row, err);
	if (p->vary && p->frames > 0) {
		sx_table_set_u64(table, p->width, row, (uint64_t)round(p->pixels / p->frames), 0);
		sx_table_set_u64(table, p->height, row, 1, 0);
	}
	if (total->begin_ns != SX_TIME_UNKNOWN)
		sx_table_set_time(table, row, total->begin_ns,
				  total->begin_ns + cover_ns(&p->cover));
	return status;
}

/* A row's frames: those of the same total, or of another that has them alone. */
static enum sx_status append_frames(const struct scope *scope, const struct total *apart,
				    struct sx_table *to, struct sx_error *err)
{
	size_t row;
	const struct scope of = {apart ? apart : scope->total, scope->of,
				 apart ? apart->touched : scope->parts};
	enum sx_status status = sx_table_add_rows(to, 1, &row, err);
	to->combined = true;
	if (status)
		return status;
	return frames_differ(of.total) ? write_frames(&of, to, row, err)
				       : write_row(&of, to, row, err);
}

enum sx_status total_write_whole(const struct total *total, struct sx_table *to, size_t row,
				 struct sx_error *err)
{
	to->combined = true;
	return write_row(&(struct scope){total, TOTAL_WHOLE, total->touched}, to, row, err);
}

enum sx_status total_append(const struct total *total, enum total_of of, const struct total *frames,
			    struct sx_table *to, struct sx_error *err)
{
	size_t row;
	const struct scope scope = {total, of, total->touched};
	enum sx_status status = frames || frames_differ(total) ? frames_begin(to, err) : SX_OK;
	if (!status)
		status = sx_table_add_rows(to, 1, &row, err);
	to->combined = true;
	if (!status)
		status = write_row(&scope, to, row, err);
	if (!status && to->frames)
		status = append_frames(&scope, frames, to->frames, err);
	return status;
}

enum sx_status total_table(const struct total *total, enum total_of of, struct sx_table **out,
			   struct sx_error *err)
{
	struct sx_table *table = NULL;
	enum sx_status status = table_like_totals(total->like->table, &table, err);
	if (!status)
		status = total_append(total, of, NULL, table, err);
	if (status) {
		sx_table_destroy(table);
		return status;
	}
	*out = table;
	return SX_OK;
}

enum sx_status total_of_table(const struct sx_table *in, enum total_of of, struct sx_table **out,
			      struct sx_error *err)
{
	struct total *total = NULL;
	enum sx_status status = total_create(in, &total, err);
	if (status != SX_OK)
		return status;
	total_add(total, in);
	status = total_table(total, of, out, err);
	total_destroy(total);
	return status;
}

enum sx_status sx_table_total(const struct sx_table *in, struct sx_table **out,
			      struct sx_error *err)
{
	return total_of_table(in, TOTAL_RUN, out, err);
}
