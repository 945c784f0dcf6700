/* sextant doctor: tries each source and says what is in the way, and the remedy. */
#include "tools/verbs/device_list.h"
#include "tools/verbs/run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text_buf.h"

static bool usable(const struct sx_device *d)
{
	return d->state == SX_DEVICE_READY || d->state == SX_DEVICE_INJECT;
}

static size_t count_usable(const struct sx_device *devices, size_t count)
{
	size_t n = 0;
	for (size_t i = 0; i < count; i++)
		n += usable(&devices[i]);
	return n;
}

static void doctor_json(const struct cli *cli, const struct sx_device *devices, size_t count)
{
	struct json json = view_json_begin(&cli->view, "doctor");
	json_kv_u64(&json, "usable", count_usable(devices, count));
	json_kv_array(&json, "sources");
	for (size_t i = 0; i < count; i++) {
		json_object_begin(&json);
		json_kv_string(&json, "source", devices[i].source);
		json_kv_string(&json, "device", devices[i].id);
		json_kv_string(&json, "name", devices[i].name);
		json_kv_string(&json, "catalog", devices[i].catalog);
		json_kv_string(&json, "state", device_state_name(devices[i].state));
		json_kv_string(&json, "reason", devices[i].because);
		json_kv_string(&json, "remedy", devices[i].remedy);
		if (devices[i].gives)
			json_kv_string(&json, "gives", devices[i].gives);
		json_object_end(&json);
	}
	json_array_end(&json);
	view_json_end(&json);
}

/* What docs/gpus.md says of the GPUs that are here, each driver once. */
static void doctor_gives(const struct cli *cli, const struct sx_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool shown = !devices[i].gives;
		for (size_t k = 0; !shown && k < i; k++)
			shown = devices[k].gives && !strcmp(devices[k].gives, devices[i].gives);
		if (shown)
			continue;
		fputc('\n', cli->view.out.out);
		text_wrap(&cli->view.out, 0, devices[i].gives);
	}
}

#define DOCTOR_COLUMN 11

/* "ready      cpu  Intel Core i7  (catalog cpu)" */
static void doctor_line(const struct text_target *target, const struct sx_device *d)
{
	static const enum text_style colors[] = {TEXT_GREEN, TEXT_GREEN, TEXT_YELLOW, TEXT_DIM,
						 TEXT_DIM};
	char rest[2 * SX_ERROR_TEXT_MAX] = "";
	const char *state = device_state_name(d->state);
	text_append(rest, sizeof(rest), "%s", d->name ? d->name : "");
	if (d->catalog)
		text_append_item(rest, sizeof(rest), " ", "(catalog %s)", d->catalog);
	text_styled(target, colors[d->state], state);
	fprintf(target->out, "%*s%s", (int)(DOCTOR_COLUMN - strlen(state)), "", d->id);
	fputs(rest[0] ? "  " : "\n", target->out);
	text_continue(target, DOCTOR_COLUMN + (int)text_width(d->id) + 2, rest);
}

static void doctor_text(const struct cli *cli, const struct sx_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct sx_device *d = &devices[i];
		doctor_line(&cli->view.out, d);
		char line[2 * SX_ERROR_TEXT_MAX];
		if (d->because) {
			snprintf(line, sizeof(line), "%s: %s", usable(d) ? "missing" : "because",
				 d->because);
			text_wrap(&cli->view.out, DOCTOR_COLUMN, line);
		}
		if (d->remedy) {
			snprintf(line, sizeof(line), "try: %s", d->remedy);
			text_wrap(&cli->view.out, DOCTOR_COLUMN, line);
		}
	}
	fprintf(cli->view.out.out,
		"\ninject: measured within a program that sextant starts\n"
		"%zu of %s can measure here\n",
		count_usable(devices, count), COUNTED(count, "source"));
	doctor_gives(cli, devices, count);
}

static bool find(const struct sx_device *devices, size_t count, const char *id,
		 struct sx_device *out)
{
	for (size_t i = 0; i < count; i++) {
		if (!sx_device_means(&devices[i], id))
			continue;
		*out = devices[i];
		return true;
	}
	return false;
}

static int no_device(const struct cli *cli, const char *id)
{
	struct sx_error err;
	error_set(&err, SX_ERR_NOT_FOUND, "no device %s", id);
	error_because(&err, "no source of this machine knows it");
	error_try(&err, "sextant doctor, without -d, shows all");
	return cli_fail(cli, &err);
}

struct report {
	struct cli *cli;
	struct json json;
	const char *device;
	bool begun;
};

/* The first line brings the head: a device that cannot be tested gets no report. */
static void begin_report(struct report *report)
{
	if (report->begun)
		return;
	report->begun = true;
	if (report->cli->view.format == FORMAT_JSON) {
		report->json = view_json_begin(&report->cli->view, "selftest");
		json_kv_string(&report->json, "version", sx_version());
		json_kv_string(&report->json, "device", report->device);
		json_kv_array(&report->json, "lines");
		return;
	}
	fprintf(report->cli->view.out.out, "sextant %s self-test of %s\n", sx_version(),
		report->device);
}

static void doctor_say(void *user, const char *line)
{
	struct report *report = user;
	begin_report(report);
	if (report->cli->view.format == FORMAT_JSON)
		json_string(&report->json, line);
	else
		fprintf(report->cli->view.out.out, "%s\n", line);
}

/* What came out; an error that left no line is no report but an error. */
static int end_report(struct report *report, enum sx_status status, const struct sx_error *err)
{
	bool json = report->cli->view.format == FORMAT_JSON && report->begun;
	if (json) {
		json_array_end(&report->json);
		json_kv_bool(&report->json, "passed", status == SX_OK);
		json_kv_string(&report->json, "error", status ? err->message : NULL);
		json_kv_string(&report->json, "because", status ? err->because : NULL);
		json_kv_string(&report->json, "try", status ? err->remedy : NULL);
		view_json_end(&report->json);
	}
	if (status)
		return cli_fail(report->cli, err);
	if (!json)
		fputs("every invariant holds\n", report->cli->view.out.out);
	return EXIT_OK;
}

/* A report to send in: what was checked, on which device, with which version. */
static int doctor_selftest(struct cli *cli)
{
	struct sx_error err = {0};
	const struct string_list *devices = &cli->options.devices;
	if (devices->count != 1) {
		error_set(&err, SX_ERR_USAGE, "--selftest needs one device");
		error_because(&err, "it checks the hardware behind it");
		error_try(&err, "sextant doctor --selftest -d DEVICE; sextant devices lists them");
		return cli_fail(cli, &err);
	}
	struct report report = {.cli = cli, .device = devices->items[0]};
	/* Seconds at most; a signal then kills, but the device is left as it was found. */
	run_note_signals(true);
	enum sx_status status =
	    sx_device_selftest(cli->context, report.device, doctor_say, &report, &err);
	run_note_signals(false);
	if (run_noted_signal())
		raise(run_noted_signal());
	return end_report(&report, status, &err);
}

static int doctor_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_device_list *list = NULL;
	size_t count = 0;
	enum sx_status status = SX_OK;
	if (!status && cli->options.selftest)
		return doctor_selftest(cli);
	if (!status)
		status = sx_devices_probe(cli->context, true, &list, &err);
	if (status)
		return cli_fail(cli, &err);
	const struct sx_device *devices = sx_devices_get(list, &count);
	struct sx_device one;
	if (cli->options.devices.count) {
		const char *id = cli->options.devices.items[0];
		if (!find(devices, count, id, &one)) {
			sx_devices_destroy(list);
			return no_device(cli, id);
		}
		devices = &one;
		count = 1;
	}
	if (cli->view.format == FORMAT_JSON)
		doctor_json(cli, devices, count);
	else
		doctor_text(cli, devices, count);
	int code = count_usable(devices, count) ? EXIT_OK : EXIT_PERMISSION;
	sx_devices_destroy(list);
	return code;
}

const struct command cmd_doctor = {
    .verb = {.name = "doctor",
	     .synopsis = "[--json] [--selftest -d DEVICE]",
	     .summary = "tries each source: state, reason, remedy",
	     .about =
		 "Asks every source whether it can measure on this machine, and when it cannot, "
		 "says why and what would help. Exit status 4 when nothing works. "
		 "--selftest checks the invariants of one device's hardware and writes a "
		 "report that can be sent in.",
	     .formats = FORMATS_TEXT_JSON,
	     .options = "device format output selftest"},
    .run = doctor_run,
};
