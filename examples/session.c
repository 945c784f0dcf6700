/* A session in 80 lines: a device sampled while something else is waited for, metrics as the
 * samples come. DEVICE is any of `sextant devices` ("mali-g310" is simulated and runs anywhere). */
#include <sextant/sextant.h>

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

static int fail(const struct sx_error *err)
{
	fprintf(stderr, "error: %s\nbecause: %s\ntry: %s\n", err->message, err->because,
		err->remedy);
	return 1;
}

/* One line for each new sample: the first metrics of the device. */
static enum sx_status print_rows(const struct sx_session_device *device, struct sx_error *err)
{
	struct sx_table *values = NULL;
	enum sx_status status = sx_metrics_eval(device->metrics, device->raw, &values, err);
	for (size_t row = 0; !status && row < sx_table_row_count(values); row++) {
		for (uint32_t c = 0; c < sx_table_column_count(values); c++)
			printf("%s=%g %s  ", sx_table_column(values, c)->name,
			       sx_table_get(values, c, row), sx_table_column(values, c)->unit);
		printf("\n");
	}
	sx_table_destroy(values);
	return status;
}

static enum sx_status run(struct sx_session *session, struct sx_error *err)
{
	const struct sx_session_limits limits = {.samples = 5};
	uint32_t count;
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	enum sx_status status = sx_session_start(session, NULL, &limits, err);
	if (status)
		return status;
	/* Other descriptors of the program would stand beside this one. */
	struct pollfd wait = {.fd = sx_session_descriptor(session, err), .events = POLLIN};
	while (wait.fd >= 0 && !sx_failed(status) && status != SX_END) {
		poll(&wait, 1, 1000);
		status = sx_session_poll(session, 0, err); /* SX_AGAIN: nothing new */
		if (!sx_failed(status) && print_rows(&devices[0], err))
			break;
		sx_session_drop_rows(session);
	}
	enum sx_status ended = sx_session_finish(session, sx_failed(status) ? NULL : err);
	return sx_failed(status) ? status : ended;
}

int main(int argc, char **argv)
{
	static const char *const wanted[] = {"gpu_active_cycles", "output_external_read_bytes"};
	const char *device = argc > 1 ? argv[1] : "mali-g310";
	const struct sx_session_options options = {.devices = &device,
						   .device_count = 1,
						   .metrics = wanted,
						   .metric_count = 2,
						   .interval_ns = 20000000};
	struct sx_context *context = NULL;
	struct sx_session *session = NULL;
	struct sx_error err = {0};
	if (sx_context_create(NULL, &context, &err) ||
	    sx_session_create(context, &options, &session, &err)) {
		sx_context_destroy(context);
		return fail(&err);
	}
	enum sx_status status = run(session, &err);
	uint32_t count;
	const struct sx_session_device *used = sx_session_devices(session, &count);
	printf("%" PRIu64 " samples of %s\n", used->samples, used->facts.name);
	sx_session_destroy(session);
	sx_context_destroy(context);
	/* SX_INCOMPLETE: samples were lost, and err says how many; those that came are good. */
	return sx_failed(status) ? fail(&err) : 0;
}
