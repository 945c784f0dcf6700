/* Invariants of a card's numbers, on this machine's hardware. */
#include "source/drm/drm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/error.h"

#define NS_PER_MS UINT64_C(1000000)
#define WAIT_MS	  500

struct test {
	const struct sx_sys *sys;
	struct drm_card card;
	const struct note_sink *to;
	uint32_t checks, failures;
	struct drm_number numbers[DRM_COLUMNS];
	uint64_t interval_ns, implausible;
};

static void SX_PRINTF(3, 4) check(struct test *t, bool holds, const char *fmt, ...)
{
	char what[160];
	va_list args;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	t->checks++;
	t->failures += !holds;
	note_sink_write(t->to, "%s: %s", holds ? "ok" : "FAILED", what);
}

static double value_of(const struct test *t, uint32_t column)
{
	const struct drm_number *n = &t->numbers[column];
	return drm_columns()[column].type == SX_F64 ? n->f : (double)n->u;
}

static void note_values(struct test *t)
{
	for (uint32_t i = 0; i < DRM_COLUMNS; i++)
		if (t->numbers[i].known)
			note_sink_write(t->to, "value: %s = %.17g", drm_columns()[i].name,
					value_of(t, i));
}

/* A column that is known and lies beyond what can be. */
static void check_range(struct test *t, uint32_t column, double low, double high)
{
	if (!t->numbers[column].known)
		return;
	double value = value_of(t, column);
	check(t, value >= low && value <= high, "%s is %g, from %g to %g",
	      drm_columns()[column].name, value, low, high);
}

static void check_values(struct test *t)
{
	const struct drm_number *n = t->numbers;
	double time = (double)t->interval_ns,
	       total = n[DRM_VRAM_TOTAL].known ? (double)n[DRM_VRAM_TOTAL].u : 0;
	for (uint32_t i = 0; i < DRM_VALUES; i++)
		if (t->implausible >> i & 1)
			check(t, false, "%s is what cannot be", drm_columns()[i].name);
	check_range(t, DRM_BUSY, 0, time * 1.1);
	check_range(t, DRM_AWAKE, 0, time * 1.1);
	check_range(t, DRM_WORK_BUSY, 0, time * 1.25);
	if (n[DRM_CLOCK_HIGHEST].known)
		check_range(t, DRM_CLOCK, 0, n[DRM_CLOCK_HIGHEST].f * 1.05);
	if (total > 0)
		check_range(t, DRM_VRAM_USED, 0, total);
	check_range(t, DRM_TEMPERATURE, -50, 150);
	check_range(t, DRM_HOTSPOT, -50, 150);
	check_range(t, DRM_POWER, 0, 2e6);
	for (uint32_t i = 0; i < DRM_ENGINES; i++)
		check_range(t, DRM_COLUMN_ENGINE + i, 0, time * 1.25);
}

/* Our own descriptor must be found like any other program's. */
static void check_own_client(struct test *t)
{
	struct drm_node node = {.card = t->card.card, .render = t->card.render};
	struct drm_clients c = {.sys = t->sys, .card = &t->card, .root = getpid()};
	struct drm_sum sum;
	int fd;
	if (nodes_open(t->sys, &node, &fd, NULL)) {
		note_sink_write(t->to,
				"skipped: the card's nodes may not be opened, so that our own "
				"client cannot be looked for");
		return;
	}
	if (drm_clients_init(&c, NULL) == SX_OK) {
		drm_clients_read(&c);
		drm_clients_sum(&c, true, 0, &sum);
		check(t, sum.clients > 0, "a descriptor of our own is seen as a client");
		if (!sum.knows_engines)
			note_sink_write(t->to,
					"note: the driver says nothing of programs' engines");
	}
	drm_clients_finish(&c);
	t->sys->close(t->sys->user, fd);
}

static enum sx_status read_twice(struct test *t, struct sx_error *err)
{
	struct drm_clients c = {.sys = t->sys, .card = &t->card, .all = true};
	struct drm_state state = {0};
	struct drm_sum sum;
	enum sx_status status = drm_clients_init(&c, err);
	if (status)
		return status;
	drm_sensors_find(t->sys, &t->card, &state.sensors);
	uint64_t before = 0;
	for (int turn = 0; turn < 2; turn++) {
		uint64_t now = sys_now_ns(t->sys);
		t->interval_ns = turn ? now - before : WAIT_MS * NS_PER_MS;
		memset(t->numbers, 0, sizeof(t->numbers));
		drm_device_read(t->sys, &t->card, &state, t->interval_ns, t->numbers);
		drm_clients_read(&c);
		before = now;
		if (!turn)
			t->sys->poll(t->sys->user, NULL, 0, WAIT_MS);
	}
	drm_clients_sum(&c, false, 0, &sum);
	drm_put_u64(t->numbers, DRM_CLIENTS, sum.clients);
	drm_put_u64(t->numbers, DRM_PROCESSES, sum.processes);
	if (sum.knows_engines)
		drm_put_u64(t->numbers, DRM_WORK_BUSY, sum.busy_ns);
	for (uint32_t i = 0; i < DRM_ENGINES; i++)
		if (c.seen_engine[i])
			drm_put_u64(t->numbers, DRM_COLUMN_ENGINE + i, sum.engine_ns[i]);
	t->implausible = state.implausible;
	if (*state.refused_metrics)
		note_sink_write(t->to, "note: %s", state.refused_metrics);
	drm_clients_finish(&c);
	return SX_OK;
}

enum sx_status drm_selftest_card(const struct sx_sys *sys, const struct drm_card *card,
				 const struct note_sink *to, struct sx_error *err)
{
	struct test t = {.sys = sys, .card = *card, .to = to};
	enum sx_status status = read_twice(&t, err);
	if (status)
		return status;
	note_values(&t);
	check_values(&t);
	check_own_client(&t);
	if (t.checks && !t.failures)
		return SX_OK;
	error_set(err, SX_INCOMPLETE,
		  t.checks ? "%u of %u invariants do not hold"
			   : "nothing could be checked: %u of %u",
		  t.failures, t.checks);
	error_because(err, t.checks ? "the lines above name them"
				    : "the driver reports nothing that has bounds");
	error_try(err, "send this report in");
	return SX_INCOMPLETE;
}
