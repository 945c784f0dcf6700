/* A running session as input of a report. */
#include "base/clock.h"
#include "base/sys.h"
#include "input/input.h"

#define POLL_MS	    100
#define ROWS_LEAST  512u /* worth adding to the report, or what came in so long a time */
#define ROWS_AGE_NS UINT64_C(200000000)

enum sx_status input_session_begin(const struct input_session *in, struct sx_error *err)
{
	uint32_t count;
	enum sx_status status = SX_OK;
	const struct sx_session_device *devices = sx_session_devices(in->session, &count);
	for (uint32_t i = 0; !status && i < count; i++) {
		const struct sx_session_device *d = &devices[i];
		const struct report_source source = {.catalog = d->catalog,
						     .facts = d->facts,
						     .metrics = d->metrics,
						     .chosen = in->chosen};
		status = report_add_device(in->fill, &source, NULL, err);
	}
	return status;
}

/* Moves the rows that came since the last time from the session to the report. */
static enum sx_status session_rows(const struct input_session *in, struct sx_error *err)
{
	uint32_t count;
	enum sx_status status = SX_OK;
	const struct sx_session_device *devices = sx_session_devices(in->session, &count);
	for (uint32_t i = 0; !status && i < count; i++) {
		if (!devices[i].raw || !sx_table_row_count(devices[i].raw))
			continue;
		status = report_add_rows(in->fill, i, devices[i].raw, err);
		if (!status && in->rows)
			status = in->rows(in->user, i, &devices[i], err);
	}
	sx_session_drop_rows(in->session);
	return status;
}

/*
 * Whether it is time to take rows: few rows at a time cost the report more than their number does,
 * and what measures must not take the CPUs from what is measured.
 */
static bool is_worth_taking(const struct input_session *in, uint64_t now_ns, uint64_t *last_ns)
{
	uint32_t count;
	size_t rows = 0;
	const struct sx_session_device *devices = sx_session_devices(in->session, &count);
	for (uint32_t i = 0; i < count; i++)
		rows += devices[i].raw ? sx_table_row_count(devices[i].raw) : 0;
	if (rows < ROWS_LEAST && now_ns - *last_ns < ROWS_AGE_NS)
		return false;
	*last_ns = now_ns;
	return true;
}

enum sx_status input_session_run(const struct input_session *in, char *const *argv,
				 enum sx_status *filled, struct sx_error *err)
{
	struct sx_error ignored = {0};
	uint64_t last_ns = 0;
	*filled = SX_OK;
	enum sx_status status = sx_session_start(in->session, argv, &in->limits, err);
	if (status)
		return status;
	if (in->started)
		in->started(in->user);
	uint64_t begin_ns = sys_now_ns(sys_real()) + in->delay_ns;
	do {
		status = sx_session_poll(in->session, POLL_MS, &ignored);
		if (in->polled)
			in->polled(in->user);
		uint64_t now_ns = sys_now_ns(sys_real());
		if (now_ns < begin_ns)
			sx_session_drop_rows(in->session);
		else if (is_worth_taking(in, now_ns, &last_ns))
			*filled = session_rows(in, err);
	} while (!*filled && (!status || status == SX_AGAIN));
	status = sx_session_finish(in->session, *filled ? &ignored : err);
	if (!*filled)
		*filled = session_rows(in, err);
	if (!*filled)
		*filled = report_join_rows(in->fill, err);
	return *filled ? *filled : status;
}

enum sx_status input_session_end(const struct input_session *in, const struct sx_error *silence,
				 struct sx_error *err)
{
	uint32_t count;
	enum sx_status status = SX_OK;
	const struct sx_session_device *devices = sx_session_devices(in->session, &count);
	for (uint32_t i = 0; !status && i < count; i++) {
		struct sx_run_facts run = devices[i].run;
		run.silence = silence ? silence : run.silence;
		status = report_set_facts(in->fill, i, &devices[i].facts, &run, err);
	}
	return status;
}
