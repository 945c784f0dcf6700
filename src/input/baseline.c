/* Reads baselines. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/json.h"
#include "base/error.h"
#include "base/number.h"
#include "input/input.h"

#define BYTES_MAX  (64u << 20)
#define RUNS_MAX   100000u
#define HEAD_BYTES 256

bool baseline_is(const char *path)
{
	char head[HEAD_BYTES + 1] = "";
	FILE *file = fopen(path, "re");
	size_t size = file ? fread(head, 1, HEAD_BYTES, file) : 0;
	if (file)
		fclose(file);
	head[size] = '\0';
	return strstr(head, BASELINE_SCHEMA) != NULL;
}

/* The metric or device that is read. */
struct reading {
	struct compare_set *set;
	struct compare_metric *metric;
	struct compare_device *device;
	uint32_t filled[6]; /* of means, totals, samples, within, blocks; seconds */
	size_t fired;	    /* of a device's advice, in how many runs */
	bool failed, no_memory;
};

/* Text with its escapes undone; escapes of other characters than quotes and such stay. */
static const char *text_of(struct reading *r, struct import_cell cell)
{
	char *copy = arena_strndup(&r->set->arena, cell.text, cell.size), *to = copy;
	for (const char *c = copy; c && *c; c++) {
		if (c[0] == '\\' && (c[1] == '"' || c[1] == '\\' || c[1] == '/'))
			c++;
		*to++ = *c;
	}
	if (to)
		*to = '\0';
	r->no_memory = r->no_memory || !copy;
	return copy;
}

static bool is_key(const struct read_json_place *place, size_t depth, const char *key)
{
	return place->depth > depth && import_is(place->keys[depth], key);
}

static double number_of(struct import_cell cell)
{
	double value;
	return number_f64(cell.text, cell.size, &value) ? value : (double)NAN;
}

static void begin_object(struct reading *r, const struct read_json_place *place)
{
	if (place->depth == 1 && is_key(place, 0, "metrics")) {
		r->metric = compare_set_metric(r->set, "", r->set->runs);
		r->no_memory = r->no_memory || !r->metric;
		memset(r->filled, 0, sizeof(r->filled));
	} else if (place->depth == 1 && is_key(place, 0, "devices")) {
		r->device = compare_set_device(r->set);
		r->fired = 0;
		r->no_memory = r->no_memory || !r->device;
	}
}

static void read_array(struct reading *r, struct import_cell value, size_t which)
{
	struct compare_metric *m = r->metric;
	double *const arrays[] = {m->means, m->totals, NULL, m->within, m->blocks, m->seconds};
	uint32_t i = r->filled[which]++;
	double number = number_of(value);
	if (i >= r->set->runs)
		r->failed = true;
	else if (arrays[which])
		arrays[which][i] = number;
	else
		m->samples[i] = number > 0 && number < 1e18 ? (uint64_t)number : 0;
}

static void read_metric(struct reading *r, const struct read_json_place *place,
			enum read_json_event event, struct import_cell value)
{
	static const char *const arrays[] = {"means",  "totals", "samples",
					     "within", "blocks", "seconds"};
	struct compare_metric *m = r->metric;
	struct {
		const char *key, **text;
	} const texts[] = {{"name", &m->name},
			   {"title", &m->title},
			   {"unit", &m->unit},
			   {"neutral", &m->neutral},
			   {"heading", &m->heading}};
	struct {
		const char *key;
		double *number;
	} const stats[] = {{"min", &m->stats.min},
			   {"p50", &m->stats.p50},
			   {"p95", &m->stats.p95},
			   {"p99", &m->stats.p99},
			   {"max", &m->stats.max}};
	struct {
		const char *key;
		bool *flag;
	} const flags[] = {{"counts", &m->counts},   {"scaled", &m->scaled},
			   {"partial", &m->partial}, {"hidden", &m->hidden},
			   {"amount", &m->amount},   {"constant", &m->constant}};
	for (size_t i = 0; i < 6; i++)
		if (is_key(place, 1, arrays[i]) && event == READ_JSON_BARE)
			read_array(r, value, i);
	for (size_t i = 0; i < 5; i++) {
		if (is_key(place, 1, texts[i].key) && event == READ_JSON_TEXT)
			*texts[i].text = text_of(r, value);
		if (is_key(place, 1, stats[i].key) && event == READ_JSON_BARE)
			*stats[i].number = number_of(value);
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (is_key(place, 1, flags[i].key))
			*flags[i].flag = import_is(value, "true");
	if (is_key(place, 1, "direction"))
		m->direction = import_is(value, "lower")    ? SX_DIRECTION_LOWER
			       : import_is(value, "higher") ? SX_DIRECTION_HIGHER
							    : SX_DIRECTION_UNKNOWN;
	if (is_key(place, 1, "device"))
		m->device = number_of(value) >= 0 && number_of(value) < 1e6
				? (uint32_t)number_of(value)
				: UINT32_MAX;
}

static void add_advice(struct reading *r, struct import_cell title)
{
	struct compare_device *d = r->device;
	size_t i = d->advice_count;
	if (!mem_grow(&d->advice, &d->advice_capacity, i + 1, sizeof(*d->advice)) ||
	    !mem_grow(&d->fired, &d->fired_capacity, i + 1, sizeof(*d->fired))) {
		r->no_memory = true;
		return;
	}
	d->advice[i] = text_of(r, title);
	d->fired[i] = 0;
	d->advice_count += d->advice[i] != NULL;
}

static void read_advice(struct reading *r, const struct read_json_place *place,
			enum read_json_event event, struct import_cell value)
{
	struct compare_device *d = r->device;
	double count = event == READ_JSON_BARE ? number_of(value) : 0;
	if (is_key(place, 1, "advised"))
		r->set->no_advice = !import_is(value, "true");
	if (is_key(place, 1, "advice") && event == READ_JSON_TEXT)
		add_advice(r, value);
	if (!is_key(place, 1, "fired") || event != READ_JSON_BARE)
		return;
	r->failed = r->fired >= d->advice_count || !(count >= 1 && count <= r->set->runs);
	if (!r->failed)
		d->fired[r->fired++] = (uint32_t)count;
}

static void baseline_read_device(struct reading *r, const struct read_json_place *place,
				 enum read_json_event event, struct import_cell value)
{
	struct compare_device *d = r->device;
	bool text = event == READ_JSON_TEXT;
	double number = text ? 0 : number_of(value);
	uint64_t count = number > 0 && number < 1e18 ? (uint64_t)number : 0;
	if (is_key(place, 1, "catalog") && text)
		d->catalog = text_of(r, value);
	else if (is_key(place, 1, "name") && text)
		d->name = text_of(r, value);
	else if (is_key(place, 1, "driver") && text)
		d->driver = text_of(r, value);
	else if (is_key(place, 1, "simulated"))
		d->simulated = import_is(value, "true");
	else if (is_key(place, 1, "samples"))
		d->samples = count;
	else if (is_key(place, 1, "lost"))
		d->lost = count;
	else
		read_advice(r, place, event, value);
}

static void baseline_see(void *user, enum read_json_event event,
			 const struct read_json_place *place, struct import_cell value)
{
	struct reading *r = user;
	if (r->failed || r->no_memory)
		return;
	if (event == READ_JSON_BEGIN) {
		begin_object(r, place);
	} else if (event == READ_JSON_END && place->depth == 1 && r->metric) {
		r->metric->runs = r->filled[0];
		for (int i = 1; i < 5; i++)
			r->failed = r->failed || r->filled[i] != r->filled[0];
		/* Baselines of before have no lengths of samples. */
		r->failed = r->failed || (r->filled[5] && r->filled[5] != r->filled[0]);
		r->metric = NULL;
	} else if (event == READ_JSON_END && place->depth == 1 && r->device) {
		r->failed = r->fired != r->device->advice_count;
		r->device = NULL;
	} else if (is_key(place, 0, "runs") && place->depth == 1) {
		double runs = number_of(value);
		r->failed = !(runs >= 1 && runs <= RUNS_MAX);
		r->set->runs = r->failed ? 0 : (uint32_t)runs;
	} else if (is_key(place, 0, "ended") && place->depth == 1) {
		r->set->ended = import_is(value, "true");
	} else if (is_key(place, 0, "about") && event == READ_JSON_TEXT) {
		r->set->about = text_of(r, value);
	} else if (place->depth >= 2 && is_key(place, 0, "metrics") && r->metric) {
		read_metric(r, place, event, value);
	} else if (place->depth >= 2 && is_key(place, 0, "devices") && r->device) {
		baseline_read_device(r, place, event, value);
	}
}

/* Whether everything that others rely on is there. */
static bool is_sound(const struct reading *r)
{
	const struct compare_set *set = r->set;
	bool sound = !r->failed && set->runs && set->device_count && set->metric_count;
	for (size_t d = 0; sound && d < set->device_count; d++)
		sound = set->devices[d].catalog && set->devices[d].name;
	for (size_t i = 0; sound && i < set->metric_count; i++) {
		struct compare_metric *m = &set->metrics[i];
		m->title = m->title ? m->title : m->name;
		sound = *m->name && m->unit && m->device < set->device_count && m->runs;
		for (uint32_t k = 0; sound && k < m->runs; k++)
			sound = isfinite(m->means[k]) && m->within[k] >= 0 && m->blocks[k] >= 0 &&
				(!m->amount || isfinite(m->totals[k])) && m->seconds[k] >= 0;
	}
	return sound;
}

static enum sx_status baseline_finish(struct reading *r, const char *path,
				      enum read_json_result result, size_t line,
				      struct sx_error *err)
{
	if (r->no_memory)
		return error_nomem(err, "reading a baseline");
	if (result == READ_JSON_WHOLE && is_sound(r)) {
		struct compare_set *set = r->set;
		/* done() divides what are sums elsewhere. */
		for (size_t i = 0; i < set->metric_count; i++) {
			struct compare_metric *m = &set->metrics[i];
			m->stats.p50 *= m->runs;
			m->stats.p95 *= m->runs;
			m->stats.p99 *= m->runs;
		}
		return compare_set_done(set, err);
	}
	error_set(err, SX_ERR_BAD_INPUT, "%s:%zu: this is no whole baseline", path, line);
	error_because(err, result == READ_JSON_WHOLE ? "a value is missing or of the wrong kind"
						     : "the JSON breaks off or is malformed");
	error_try(err, "sextant diff A B --update-baseline %s",
		  error_word((char[ERROR_WORD_MAX]){0}, path));
	return SX_ERR_BAD_INPUT;
}

enum sx_status baseline_read(const char *path, struct compare_set *set, struct sx_error *err)
{
	struct reading r = {.set = set};
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(BYTES_MAX + 1) : NULL;
	size_t size = text ? fread(text, 1, BYTES_MAX + 1, file) : 0, line = 0;
	bool bad = file && ferror(file);
	int saved = errno;
	if (file)
		fclose(file);
	if (!file || bad) {
		free(text);
		return error_input(err, saved, "cannot read", path);
	}
	if (!text)
		return error_nomem(err, "reading a baseline");
	enum sx_status status;
	if (size > BYTES_MAX) {
		status = error_set(err, SX_ERR_LIMIT, "%s is larger than 64 MiB", path);
		error_because(err, "a baseline holds numbers of metrics, not samples");
		error_try(err, "sextant diff A --update-baseline BASELINE.json");
	} else {
		set->file_count = 0;
		set->no_advice = true;
		struct import_job whole = {.text = text, .size = size};
		enum read_json_result result = read_json_walk(&whole, baseline_see, &r, &line);
		status = baseline_finish(&r, path, result, line, err);
	}
	free(text);
	if (!status && mem_grow(&set->files, &set->file_capacity, 1, sizeof(*set->files)) &&
	    (set->files[0] = compare_set_text(set, path)))
		set->file_count = 1;
	return status;
}
