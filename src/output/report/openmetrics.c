/*
 * A report as OpenMetrics text. Amounts of the whole run are counters, shares and rates are gauges
 * of their mean, in base units; what has no data has no series. Families of all devices are
 * adjacent, as the format requires, and devices differ by hw_id.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/no_data.h"
#include "base/number.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "output/report/report.h"

#define NAME_BYTES 256

enum family_type { FAMILY_GAUGE, FAMILY_COUNTER, FAMILY_INFO };

/* One time series. */
struct series {
	uint32_t family, device;
	const char *metric;	 /* exact, where the family's name does not say it; or NULL */
	const char *rule, *task; /* labels of findings and of hw.gpu; or NULL */
	const char *why;	 /* of what is incomplete, or NULL */
	double value;
	uint64_t whole; /* all digits of a counter, with `exact` */
	bool exact;
};

struct family {
	enum family_type type;
	char unit[NAME_BYTES];
	const char *help;
};

struct exposition {
	const struct view *view;
	const struct report *report;
	struct strings names;
	struct family *families;
	struct series *series;
	size_t family_cap, series_count, series_cap;
	bool failed;
};

/* "MaliGPUCyclesGPUActive" and "L2 slice reads": mali_gpu_cycles_gpu_active, l2_slice_reads. */
static void slug(const char *text, char *out, size_t size)
{
	size_t used = 0;
	for (const char *p = text; *p && used + 2 < size; p++) {
		unsigned char c = (unsigned char)*p;
		bool word = c < 0x80 && isalnum(c);
		bool hump = isupper(c) && p > text &&
			    (islower((unsigned char)p[-1]) ||
			     (isupper((unsigned char)p[-1]) && islower((unsigned char)p[1])));
		if ((!word || hump) && used && out[used - 1] != '_')
			out[used++] = '_';
		if (word)
			out[used++] = (char)tolower(c);
	}
	while (used && out[used - 1] == '_')
		used--;
	out[used] = '\0';
}

/* What the format calls a base unit, "" for plain numbers; *factor to it. */
static void unit_word(const struct units *units, const char *unit, char *out, size_t size,
		      double *factor)
{
	static const char *const words[][2] = {
	    {"s", "seconds"}, {"percent", "ratio"}, {"W", "watts"}, {"degC", "celsius"},
	    {"Hz", "hertz"},  {"J", "joules"},	    {"count", ""},  {"boolean", ""}};
	const struct unit *over, *under;
	char left[NAME_BYTES], right[NAME_BYTES];
	double part;
	*factor = strcmp(unit, "percent") == 0 ? 0.01 : 1;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i][0], unit) == 0) {
			snprintf(out, size, "%s", words[i][1]);
			return;
		}
	if (units_split(units, unit, &over, &under)) {
		unit_word(units, over->name, left, sizeof(left), &part);
		slug(*under->symbol && strcmp(under->name, "s") != 0 ? under->below : "second",
		     right, sizeof(right));
		snprintf(out, size, "%.100s_per_%.100s", *left ? left : "count", right);
		return;
	}
	if (strcmp(unit, "bytes/s") == 0)
		snprintf(out, size, "bytes_per_second");
	else
		slug(unit, out, size);
}

/* A family by its name without the unit, which is added unless the name ends in it. */
static uint32_t family_of(struct exposition *e, const char *name, enum family_type type,
			  const char *unit, const char *help)
{
	char full[2 * NAME_BYTES];
	size_t have = strlen(name), tail = strlen(unit);
	bool ends = !tail || (have > tail && name[have - tail - 1] == '_' &&
			      strcmp(name + have - tail, unit) == 0);
	bool added;
	snprintf(full, sizeof(full), "%.250s%s%.250s", name, ends ? "" : "_", ends ? "" : unit);
	uint32_t at = strings_intern(&e->names, full, strlen(full), &added);
	if (at == UINT32_MAX ||
	    !mem_grow(&e->families, &e->family_cap, (size_t)at + 1, sizeof(*e->families))) {
		e->failed = true;
		return UINT32_MAX;
	}
	if (!added && e->families[at].type != type) {
		/* The same amount adds up on one device and is a level on another. */
		snprintf(full, sizeof(full), "%.250s_mean", name);
		return family_of(e, full, type, unit, help);
	}
	if (added) {
		e->families[at] = (struct family){.type = type, .help = help};
		snprintf(e->families[at].unit, NAME_BYTES, "%s", unit);
	}
	return at;
}

static void add(struct exposition *e, const struct series *series)
{
	if (series->family == UINT32_MAX || (!series->exact && !isfinite(series->value)))
		return;
	if (!mem_grow(&e->series, &e->series_cap, e->series_count + 1, sizeof(*e->series)))
		e->failed = true;
	else
		e->series[e->series_count++] = *series;
}

/* What OpenTelemetry names, under its names. */
static void add_common(struct exposition *e, uint32_t device, const struct report_row *row,
		       double value)
{
	static const struct {
		const char *neutral, *name, *unit, *help, *task;
	} known[] = {
	    {"gpu.busy", "hw_gpu_utilization", "ratio", "Share of time in which the GPU had work",
	     "general"},
	    {"gpu.memory.used", "hw_gpu_memory_usage", "bytes", "Memory of the GPU in use", NULL},
	    {"gpu.power", "hw_power", "watts", "Electrical power of the device", NULL},
	    {"gpu.temperature", "hw_temperature", "celsius", "Temperature of the device", NULL},
	};
	for (size_t i = 0; row->neutral && i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].neutral, row->neutral) == 0)
			add(e, &(struct series){.family = family_of(e, known[i].name, FAMILY_GAUGE,
								    known[i].unit, known[i].help),
						.device = device,
						.task = known[i].task,
						.value = value});
}

/* A counter that spells its name as a metric does: under one name a sum would count it twice. */
static bool is_twin(const struct report_device *d, const struct report_row *row, const char *plain)
{
	for (uint32_t i = 0; strcmp(row->name, plain) != 0 && i < d->row_count; i++)
		if (strcmp(d->rows[i].name, plain) == 0)
			return true;
	return false;
}

static void openmetrics_add_row(struct exposition *e, uint32_t device, const struct report_row *row)
{
	char name[NAME_BYTES], unit[NAME_BYTES], plain[NAME_BYTES];
	struct machine_row m;
	double factor;
	if (!row->stats.count || row->stats.why) /* of an amount without a total: nothing */
		return;
	machine_row(e->view, row, &m);
	unit_word(&e->view->human.units, m.unit, unit, sizeof(unit), &factor);
	slug(row->name, plain, sizeof(plain));
	/* The format reserves this suffix. */
	for (size_t n = strlen(plain); n > 6 && strcmp(plain + n - 6, "_total") == 0; n -= 6)
		plain[n - 6] = '\0';
	bool twin = is_twin(&e->report->devices[device], row, plain);
	snprintf(name, sizeof(name), "sextant_%s%.230s", twin ? "counter_" : "",
		 *plain ? plain : "metric");
	bool adds = stats_adds_up(row->unit) && !isnan(m.total) && m.total >= 0;
	add(e, &(struct series){.family = family_of(e, name, adds ? FAMILY_COUNTER : FAMILY_GAUGE,
						    unit, row->title),
				.device = device,
				.metric = strcmp(plain, row->name) == 0 ? NULL : row->name,
				.value = (adds ? m.total : m.mean) * factor,
				.exact = adds && m.exact,
				.whole = m.total_u64});
	add_common(e, device, row, m.mean * factor);
}

/* Only where something is missing; the label says what. */
static void add_partial(struct exposition *e, uint32_t device)
{
	const struct report_device *d = &e->report->devices[device];
	const char *why = d->run.lost || d->run.lost_more ? no_data_text(NO_DATA_LOST) : NULL;
	if (d->run.partial)
		why = d->run.notes.count ? d->run.notes.items[0] : NULL;
	if (d->run.failure)
		why = d->run.failure->message;
	if (why)
		add(e, &(struct series){.family = family_of(e, "sextant_incomplete", FAMILY_GAUGE,
							    "", "Samples are missing"),
					.device = device,
					.why = why,
					.value = 1});
}

static void add_device(struct exposition *e, uint32_t device)
{
	const struct report_device *d = &e->report->devices[device];
	add(e, &(struct series){.family = family_of(e, "sextant_device", FAMILY_INFO, "",
						    "What was measured, and by what"),
				.device = device,
				.value = 1});
	add(e, &(struct series){.family = family_of(e, "sextant_samples", FAMILY_COUNTER, "",
						    "Samples that were taken"),
				.device = device,
				.exact = true,
				.whole = d->samples});
	add(e, &(struct series){.family = family_of(e, "sextant_samples_lost", FAMILY_COUNTER, "",
						    "Samples that are known to be lost"),
				.device = device,
				.exact = true,
				.whole = d->run.lost});
	add_partial(e, device);
	if (d->duration_ns) /* 0: the samples have no times */
		add(e,
		    &(struct series){.family = family_of(e, "sextant_run", FAMILY_GAUGE, "seconds",
							 "Time between first and last sample"),
				     .device = device,
				     .value = (double)d->duration_ns / 1e9});
	for (uint32_t i = 0; i < d->row_count; i++)
		openmetrics_add_row(e, device, &d->rows[i]);
	for (size_t i = 0; i < d->finding_count; i++) {
		const struct sx_finding *f = &d->findings[i];
		if (f->fired && f->rows)
			add(e, &(struct series){
				   .family = family_of(e, "sextant_finding", FAMILY_GAUGE, "ratio",
						       "Share of samples that fulfil a rule of "
						       "the catalog's advice"),
				   .device = device,
				   .rule = f->rule->rule,
				   .value = (double)f->samples / (double)f->rows});
	}
}

/* Text between quotes, or with `help` behind a name. Controls are escaped as text, as in CSV. */
static void escaped(FILE *out, const char *text)
{
	char escape[8];
	while (*text) {
		size_t n = utf8_length(text);
		if (*text == '\\' || *text == '"')
			fprintf(out, "\\%c", *text);
		else if (*text == '\n')
			fputs("\\n", out);
		else if (n && utf8_control(text, escape))
			fprintf(out, "\\%s", escape);
		else if (n)
			fwrite(text, 1, n, out);
		else
			fputs("\xef\xbf\xbd", out);
		text += n ? n : 1;
	}
}

struct labels {
	FILE *out;
	bool any;
};

static void label(struct labels *labels, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(labels->out, "%c%s=\"", labels->any ? ',' : '{', key);
	escaped(labels->out, value);
	fputc('"', labels->out);
	labels->any = true;
}

static void write_labels(const struct exposition *e, const struct series *s, enum family_type type)
{
	char id[NAME_BYTES];
	const struct report_device *d = &e->report->devices[s->device];
	struct labels labels = {.out = e->view->out.out};
	snprintf(id, sizeof(id), "%s-%u", d->facts.source ? d->facts.source : "device",
		 (unsigned)d->facts.instance);
	label(&labels, "hw_id", id);
	if (type == FAMILY_INFO) {
		label(&labels, "hw_name", d->facts.name);
		label(&labels, "hw_vendor", sx_catalog_info(d->catalog)->vendor);
		label(&labels, "hw_driver_version", d->facts.driver);
		label(&labels, "catalog", sx_catalog_info(d->catalog)->name);
		label(&labels, "source", d->facts.source);
		label(&labels, "set", d->facts.set);
		label(&labels, "kind", sx_sample_kind_name(d->kind));
	}
	label(&labels, "hw_gpu_task", s->task);
	label(&labels, "metric", s->metric);
	label(&labels, "rule", s->rule);
	label(&labels, "why", s->why);
	if (d->facts.simulated)
		label(&labels, "simulated", "true");
	fputc('}', labels.out);
}

static void write_series(const struct exposition *e, const struct series *s)
{
	static const char *const suffixes[] = {"", "_total", "_info"};
	FILE *out = e->view->out.out;
	enum family_type type = e->families[s->family].type;
	const char *name = strings_get(&e->names, s->family);
	char digits[NUMBER_F64_MAX];
	fprintf(out, "%s%s", name, suffixes[type]);
	write_labels(e, s, type);
	size_t n = s->exact ? number_put_u64(digits, s->whole) : number_put_f64(digits, s->value);
	fprintf(out, " %.*s\n", (int)n, digits);
	if (type != FAMILY_COUNTER || !e->report->created_ns)
		return;
	fprintf(out, "%s_created", name);
	write_labels(e, s, type);
	fprintf(out, " %.9f\n", (double)e->report->created_ns / 1e9);
}

static void write_family(const struct exposition *e, uint32_t at)
{
	static const char *const types[] = {"gauge", "counter", "info"};
	FILE *out = e->view->out.out;
	const struct family *f = &e->families[at];
	const char *name = strings_get(&e->names, at);
	bool any = false;
	for (size_t i = 0; i < e->series_count && !any; i++)
		any = e->series[i].family == at;
	if (!any)
		return;
	fprintf(out, "# TYPE %s %s\n", name, types[f->type]);
	if (*f->unit)
		fprintf(out, "# UNIT %s %s\n", name, f->unit);
	if (f->help && *f->help) {
		fprintf(out, "# HELP %s ", name);
		escaped(out, f->help);
		fputc('\n', out);
	}
	for (size_t i = 0; i < e->series_count; i++)
		if (e->series[i].family == at)
			write_series(e, &e->series[i]);
}

static enum sx_status report_write_openmetrics(const struct view *view, const struct report *r,
					       struct sx_error *err)
{
	struct exposition e = {.view = view, .report = r};
	for (uint32_t d = 0; d < r->device_count; d++)
		add_device(&e, d);
	for (uint32_t i = 0; !e.failed && i < e.names.count; i++)
		write_family(&e, i);
	if (!e.failed)
		fputs("# EOF\n", view->out.out);
	strings_finish(&e.names);
	free(e.families);
	free(e.series);
	return e.failed ? error_nomem(err, "writing OpenMetrics") : SX_OK;
}

const struct report_view view_openmetrics = {.write = report_write_openmetrics};
