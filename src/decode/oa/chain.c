/*
 * The chain of reports: which intervals count, to which context they belong, and what may be wrong
 * with them.
 */
#include "decode/oa/decoder.h"

#include "wire/oa/oa.h"

enum sx_status oa_chain_break(struct sx_oa_decoder *d, struct sx_error *err)
{
	d->has_last = false;
	d->before_matched = false;
	d->pending |= SX_QUALITY_LOST;
	return d->rows ? oa_rows_break(d->rows, err) : SX_OK;
}

/*
 * Whether the interval after the last report counts. With a filter: when that report was of the
 * context, or when it was a single one without a valid id between two of the context, as the unit
 * writes them when the same context is submitted again.
 */
static bool wanted(const struct sx_oa_decoder *d, uint64_t owner)
{
	if (!d->options.only_context || d->owner == d->options.context)
		return true;
	return d->before_matched && d->owner == OA_IDLE && owner == d->options.context;
}

/*
 * The clock over a span in which it may have wrapped several times: when only one number of wraps
 * fits the frequency limits, the value is repaired.
 */
static uint8_t repair_clock(const struct sx_oa_decoder *d, uint64_t span, uint64_t *clock)
{
	double low = d->clocks_min * (double)span - (double)*clock;
	double high = d->clocks_max * (double)span - (double)*clock;
	double wrap = 4294967296.0;
	uint64_t least = low > 0 ? (uint64_t)(low / wrap) + (low > 0) : 0;
	uint64_t most = high > 0 ? (uint64_t)(high / wrap) : 0;
	if (!d->device.gt_min_hz || least != most)
		return SX_QUALITY_WRAPPED;
	*clock += least << 32;
	return 0;
}

/* How long an interval is, and how many clocks passed in it: what may have wrapped unseen. */
static void check_span(struct sx_oa_decoder *d, struct oa_interval *interval)
{
	uint64_t span = interval->end - interval->begin;
	if (span > d->wrap_eu_ticks)
		interval->quality_eu = SX_QUALITY_WRAPPED;
	if (span > d->wrap32_ticks) {
		interval->quality32 = SX_QUALITY_WRAPPED;
		if (d->shape.head == OA_HEAD_SHORT)
			interval->quality_clock = repair_clock(d, span, &interval->clock);
	} else if ((double)interval->clock > d->clocks_max * ((double)span + 2)) {
		interval->quality_clock = SX_QUALITY_WRAPPED;
		d->stats.fast_clocks++;
		oa_note(d, NOTE_CLOCK, "%llu clocks within %llu ticks are more than the device can",
			(unsigned long long)interval->clock, (unsigned long long)span);
	}
	if (interval->quality_eu | interval->quality32) {
		d->stats.ambiguous++;
		oa_note(d, NOTE_CLOCK,
			"%.3g s between two reports: counters of %u bits may have "
			"wrapped more than once",
			(double)span / (double)d->device.timestamp_hz,
			interval->quality32 || !d->eu40 ? 32u : 40u);
	}
}

/* Render clocks from one report to the next. */
static uint64_t clocks_between(const struct sx_oa_decoder *d, const uint8_t *a, const uint8_t *b)
{
	if (d->shape.head == OA_HEAD_LONG)
		return little_u64(b + 24) - little_u64(a + 24);
	return d->shape.head == OA_HEAD_SHORT ? (uint32_t)(little_u32(b + 12) - little_u32(a + 12))
					      : 0;
}

static enum sx_status interval(struct sx_oa_decoder *d, const uint8_t *report, uint32_t reason,
			       uint64_t ticks, struct sx_error *err)
{
	struct oa_interval now = {.first = d->last,
				  .second = report,
				  .begin = d->ticks,
				  .end = ticks,
				  .clock = clocks_between(d, d->last, report),
				  .owner = d->options.only_context ? d->options.context : d->owner,
				  .reason = reason,
				  .quality = d->pending};
	check_span(d, &now);
	d->stats.intervals++;
	d->pending = 0;
	return oa_rows_add(d->rows, &now, err);
}

static void skip_unwritten(struct sx_oa_decoder *d)
{
	oa_note(d, NOTE_DAMAGE, "a report that was never written; skipped");
	d->stats.skipped_bytes += d->report_size;
	d->pending |= SX_QUALITY_LOST;
}

/*
 * The context of a report with a short head, or OA_IDLE. The unit says whether its id is valid; a
 * command is sure.
 */
static uint64_t owner_of(const struct sx_oa_decoder *d, const uint8_t *report, uint32_t id)
{
	uint32_t context = little_u32(report + 8);
	bool valid = d->options.header == SX_OA_HEADER_COMMAND || (id & d->shape.context_bit);
	return valid && context != OA_NO_CONTEXT ? context : OA_IDLE;
}

enum sx_status oa_chain_report(struct sx_oa_decoder *d, const uint8_t *report, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct oa_report head;
	bool backwards;
	oa_head_read(&d->shape, report, &head);
	uint32_t timestamp = (uint32_t)head.timestamp, reason = head.reason;
	uint64_t owner = head.context_valid ? head.context : OA_IDLE;
	/*
	 * Memory that was never written. The very first report may be all zero, though: it is where
	 * the counting began.
	 */
	if (!head.id && !head.timestamp && d->stats.reports) {
		skip_unwritten(d);
		return SX_OK;
	}
	d->stats.reports++;
	if (!reason && d->shape.reasons && d->options.header == SX_OA_HEADER_BUFFER &&
	    !d->stats.zero_reasons++)
		oa_note(d, NOTE_RECORD, "a report without a reason");
	uint64_t ticks = oa_clock_report(&d->clock, timestamp, &backwards);
	if (backwards) {
		d->stats.backwards++;
		oa_note(d, NOTE_TIME, "the timestamp goes back to 0x%08x; sums begin anew",
			timestamp);
		status = oa_chain_break(d, err);
	}
	if (!status && d->has_last && wanted(d, owner))
		status = interval(d, report, reason, ticks, err);
	d->stats.switches += d->has_last && owner != d->owner;
	d->before_matched = d->has_last && d->owner == d->options.context;
	d->owner = owner;
	d->ticks = ticks;
	d->last = report;
	d->has_last = true;
	return status;
}

/*
 * Whether the timestamps of reports alone are enough to extend them to 64 bits: the newest clock
 * pair is not so far ahead that it could show wraps in between.
 */
static bool ticks_follow(const struct oa_clock *clock)
{
	return !clock->count ||
	       clock->points[clock->count - 1].ticks <= clock->last_ticks + (UINT64_C(1) << 31);
}

/* A report as an interval's end when nothing about it needs a closer look; else false. */
static bool usual(const struct sx_oa_decoder *d, const uint8_t *report, struct oa_interval *now)
{
	uint32_t id = little_u32(report), timestamp = little_u32(report + 4);
	uint64_t span = timestamp - (uint32_t)now->begin;
	bool command = d->options.header == SX_OA_HEADER_COMMAND;
	now->second = report;
	now->end = now->begin + span;
	now->clock = little_u32(report + 12) - little_u32(now->first + 12);
	now->reason = command ? 0 : id >> 19 & d->shape.reasons;
	return (now->reason || (command && (id | timestamp))) && span <= d->usual_ticks &&
	       span <= d->wrap32_ticks && (double)now->clock <= d->clocks_max * ((double)span + 2);
}

size_t oa_chain_burst(struct sx_oa_decoder *d, const uint8_t *report, size_t stride, size_t count)
{
	struct oa_burst *burst = oa_rows_burst(d->rows);
	size_t room = OA_BURST - burst->count, n = 0, switches = 0;
	if (!d->has_last || d->pending || d->options.only_context || !ticks_follow(&d->clock) ||
	    d->shape.head != OA_HEAD_SHORT)
		return 0;
	struct oa_interval now = {.first = d->last, .begin = d->ticks, .owner = d->owner};
	for (; n < count && n < room && usual(d, report, &now); n++, report += stride) {
		oa_burst_add(burst, &now);
		uint64_t owner = owner_of(d, report, little_u32(report));
		switches += owner != now.owner;
		now.first = report;
		now.begin = now.end;
		now.owner = owner;
	}
	d->last = now.first;
	d->ticks = d->clock.last_ticks = now.begin;
	d->owner = now.owner;
	d->stats.reports += n;
	d->stats.intervals += n;
	d->stats.switches += switches;
	return n;
}
