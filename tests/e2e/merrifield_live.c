/*
 * Merrifield's metrics from a made-up machine's memory controllers, through a session: prints what
 * the machine counted a second and what came out, as JSON, for check_merrifield.py.
 * usage: merrifield-live COUNTS[7]: read 0, write 0, read 1, write 1, CPU, GPU, devices
 */
#include <sextant/session.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../devices/machine.h"
#include "../devices/pmu.h"
#include "session/session.h"

#define COUNTS 7

static void set_rates(struct fake_pmu *fake, char **argv)
{
	static const struct {
		uint32_t type;
		uint64_t config;
	} events[COUNTS] = {{20, 0x304}, {20, 0xc04}, {21, 0x304}, {21, 0xc04},
			    {22, 4},	 {22, 3},     {22, 5}};
	for (int i = 0; i < COUNTS; i++)
		fake_pmu_rate(fake, events[i].type, events[i].config,
			      strtoull(argv[i + 1], NULL, 10));
}

static int print(const struct sx_session *session)
{
	uint32_t count, columns;
	struct sx_table *table = NULL;
	const struct sx_session_device *d = sx_session_devices(session, &count);
	if (sx_metrics_eval(d->metrics, d->raw, &table, NULL))
		return 1;
	const struct sx_metric_column *column = sx_metrics_columns(d->metrics, &columns);
	size_t last = sx_table_row_count(table) - 1;
	printf("{");
	for (uint32_t i = 0; i < columns; i++) {
		double value = sx_table_get(table, i, last);
		bool has = !isnan(value);
		printf(has ? "%s\"%s\": %.17g" : "%s\"%s\": null", i ? ", " : "", column[i].name,
		       value);
	}
	printf("}\n");
	sx_table_destroy(table);
	return 0;
}

int main(int argc, char **argv)
{
	struct fake_pmu fake;
	struct machine machine = {.lasts_ns = 0};
	struct sx_context *context;
	struct sx_session *session = NULL;
	struct sx_error err = {0};
	static const char *const devices[] = {"pmu"};
	static const char *const metrics[] = {"UNC_SOC_Memory_DDR_BW.*", "UNC_SOC_All_Reqs.*"};
	struct sx_session_options options = {.devices = devices,
					     .device_count = 1,
					     .metrics = metrics,
					     .metric_count = 2,
					     .catalog = "intel-merrifield",
					     .interval_ns = 100000000};
	struct sx_session_limits limits = {.samples = 3};
	if (argc != COUNTS + 1 || sx_context_create(NULL, &context, NULL))
		return 2;
	fake_pmu_init(&fake);
	fake_pmu_uncore(&fake);
	set_rates(&fake, argv);
	machine_init(&machine, &fake.sys, &fake.now_ns);
	int code = 1;
	if (session_create_on(&machine.sys, context, &options, &session, &err) ||
	    sx_session_run(session, NULL, &limits, &err))
		fprintf(stderr, "%s: %s\n", err.message, err.because);
	else
		code = print(session);
	sx_session_destroy(session);
	sx_context_destroy(context);
	return code;
}
