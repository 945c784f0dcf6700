/* AMD's derived counters on Mesa: which can be delivered, their passes, and their values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpa/gl/backend.h"
#include "gpa/core.h"

/* Counters of the group, in Mesa's order: chip, compute units, back ends, SPIs, engines. */
enum { GPIN_UNITS = 1, GPIN_ENGINES = 4, GPIN_COUNT };
#define GPIN_ASKS 1000 /* they are no queries of the GPU: the first answer is there at once */

static const struct amd_group *find_gpin(const struct gl_amd *amd)
{
	for (size_t i = 0; i < amd->group_count; i++)
		if (strcmp(amd->groups[i].name, "GPIN") == 0)
			return &amd->groups[i];
	return NULL;
}

static bool is_there(const struct gl_api *gl, GLuint monitor)
{
	for (int i = 0; i < GPIN_ASKS; i++) {
		GLuint there = 0;
		gl->GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD,
						 sizeof(there), &there, NULL);
		if (there)
			return true;
	}
	return false;
}

/* Triples of group, counter and a value of 32 bits. */
static void amd_gpin_collect(const struct gl_api *gl, GLuint monitor, GLuint *values)
{
	GLuint data[3 * GPIN_COUNT] = {0};
	GLint written = 0;
	gl->GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
					 &written);
	for (GLint i = 0; i + 2 < written / 4 && i + 2 < 3 * GPIN_COUNT; i += 3)
		if (data[i + 1] < GPIN_COUNT)
			values[data[i + 1]] = data[i + 2];
}

/* Takes the shape of the chip from the driver's group GPIN, if it has one. */
static void amd_gpin_read(struct gl_amd *amd, const struct gl_api *gl)
{
	const struct amd_group *group = find_gpin(amd);
	GLuint monitor = 0, values[GPIN_COUNT] = {0};
	GLuint counters[2] = {GPIN_UNITS, GPIN_ENGINES};
	GLenum type = 0;
	if (!group || group->counters != GPIN_COUNT)
		return;
	gl->GetPerfMonitorCounterInfoAMD(group->id, GPIN_UNITS, GL_COUNTER_TYPE_AMD, &type);
	if (type != GL_UNSIGNED_INT)
		return;
	gl->GenPerfMonitorsAMD(1, &monitor);
	gl->SelectPerfMonitorCountersAMD(monitor, GL_TRUE, group->id, 2, counters);
	gl->BeginPerfMonitorAMD(monitor);
	gl->EndPerfMonitorAMD(monitor);
	if (is_there(gl, monitor))
		amd_gpin_collect(gl, monitor, values);
	gl->DeletePerfMonitorsAMD(1, &monitor);
	gl_api_take_error(gl);
	if (values[GPIN_UNITS] && values[GPIN_ENGINES])
		amdgpu_set_shape(&amd->constants, values[GPIN_ENGINES], values[GPIN_UNITS]);
}

static bool add(struct gl_backend *b, const struct sx_counter_info *info, uint32_t raw,
		struct gpa_list *list)
{
	uint32_t blocks, instance = b->amd->raws[raw].instance;
	const char *block = sx_catalog_blocks(b->guide.catalog, &blocks)[info->block].name;
	char name[96], text[512];
	const uint32_t raws[1] = {RAW_COUNT + raw};
	const char *event = strchr(info->name, '.');
	struct gl_amd *amd = b->amd;
	if (instance == SX_NONE || !event)
		snprintf(name, sizeof(name), "%s", info->name);
	else
		snprintf(name, sizeof(name), "%s[%u]%s", block, (unsigned)instance, event);
	snprintf(text, sizeof(text), "#%s#%s", block, info->description);
	struct gpa_counter counter = {
	    .name = arena_strndup(&b->guide.arena, name, strlen(name)),
	    .description = arena_strndup(&b->guide.arena, text, strlen(text)),
	    .type = GPA_TYPE_UINT64,
	    .usage =
		strcmp(info->unit, "cycles") == 0 ? GPA_USAGE_TYPE_CYCLES : GPA_USAGE_TYPE_ITEMS};
	if (counter.name)
		uuid_make(counter.name, (uint64_t)info->slot << 32 | instance, counter.uuid);
	if (!counter.name || !counter.description ||
	    !mem_grow(&amd->metrics, &amd->metric_capacity, amd->metric_count + 1,
		      sizeof(*amd->metrics)) ||
	    !guide_add(&b->guide, list, counter, raws, 1))
		return false;
	amd->metrics[amd->metric_count++] = NULL;
	return true;
}

static bool amd_raw_add_event(struct gl_backend *b, uint32_t counter, struct gpa_list *list)
{
	uint32_t n;
	const struct sx_catalog *catalog = b->guide.catalog;
	const struct sx_counter_info *info = &sx_catalog_counters(catalog, &n)[counter];
	const struct sx_block_info *block = &sx_catalog_blocks(catalog, &n)[info->block];
	bool each = info->reduce == SX_REDUCE_EACH;
	for (uint32_t i = 0; i < (each ? block->instances : 1); i++) {
		uint32_t instance = each ? i : SX_NONE;
		uint32_t raw = amd_raw_find(b->amd, &b->gl, catalog, counter, instance);
		if (raw == UINT32_MAX || !b->amd->raws[raw].count)
			return true; /* the chip has no more of them */
		if (!add(b, info, raw, list))
			return false;
	}
	return true;
}

/* Adds a counter for each raw event of the catalog that the driver has. */
static bool amd_offer_raw(struct gl_backend *b, struct gpa_list *list)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(b->guide.catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (counters[i].block != SX_NONE && counters[i].slot != SX_NONE &&
		    !amd_raw_add_event(b, i, list))
			return false;
	return true;
}

static const char *const catalogs[] = {"amd-gcn2", "amd-gcn3", "amd-gcn1"};
static const uint32_t generations[] = {7, 8, 6};

/* Mesa names the chip between the parentheses of the renderer: "(radeonsi, hawaii, LLVM …)". */
static bool renderer_has(const char *renderer, const char *chip)
{
	const char *at = strchr(renderer, '(');
	size_t len = strlen(chip);
	while (at) {
		at += strspn(at, "(, ");
		if (strncasecmp(at, chip, len) == 0 && strchr(",) ", at[len]))
			return true;
		at = strchr(at, ',');
	}
	return false;
}

static bool catalog_matches(const char *name, const char *renderer)
{
	struct gpa_guide guide;
	bool matches = false;
	if (!guide_open(&guide, name))
		return false;
	const struct sx_catalog_info *info = sx_catalog_info(guide.catalog);
	for (uint32_t i = 0; i < info->match_count && !matches; i++)
		matches = strcmp(info->matches[i].driver, "radeonsi") == 0 &&
			  renderer_has(renderer, info->matches[i].value);
	guide_close(&guide);
	return matches;
}

const char *gl_amd_catalog(const struct gl_api *gl)
{
	const char *renderer = (const char *)gl->GetString(GL_RENDERER);
	bool all = gl->GetPerfMonitorGroupsAMD && gl->GetPerfMonitorCountersAMD &&
		   gl->GetPerfMonitorGroupStringAMD && gl->GetPerfMonitorCounterInfoAMD &&
		   gl->GenPerfMonitorsAMD && gl->DeletePerfMonitorsAMD &&
		   gl->SelectPerfMonitorCountersAMD && gl->BeginPerfMonitorAMD &&
		   gl->EndPerfMonitorAMD && gl->GetPerfMonitorCounterDataAMD;
	if (!renderer || !all || !gl_api_has(gl, "GL_AMD_performance_monitor"))
		return NULL;
	for (size_t i = 0; i < sizeof(catalogs) / sizeof(catalogs[0]); i++)
		if (catalog_matches(catalogs[i], renderer))
			return catalogs[i];
	return NULL;
}

uint32_t gl_amd_generation(const char *catalog)
{
	for (size_t i = 0; catalog && i < sizeof(catalogs) / sizeof(catalogs[0]); i++)
		if (strcmp(catalogs[i], catalog) == 0)
			return generations[i];
	return 0;
}

static struct sx_metrics *compile(struct gl_backend *b, const char *name)
{
	struct sx_metrics *metrics = NULL;
	struct sx_error err = {0};
	const struct sx_metrics_options options = {.patterns = &name,
						   .pattern_count = 1,
						   .variant = "opengl",
						   .constants = b->amd->constants.items,
						   .constant_count = b->amd->constants.count};
	if (sx_metrics_create(b->guide.catalog, &options, &metrics, &err) != SX_OK)
		gpa_log(GPA_LOGGING_MESSAGE, "%s is left out: %s", name, err.message);
	return metrics;
}

/* The inputs that the one column of a selection reads, in its order. */
static const struct sx_metric_input *input(const struct sx_metrics *metrics, uint32_t i)
{
	uint32_t count;
	const struct sx_metric_input *all = sx_metrics_inputs(metrics, &count);
	return &all[sx_metrics_column_inputs(metrics, 0, &count)[i]];
}

/* The raws behind the inputs of a metric; false when the driver lacks one. */
static bool map_inputs(struct gl_backend *b, const struct sx_metrics *metrics, uint32_t *raws,
		       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct sx_metric_input *in = input(metrics, i);
		if (in->counter == b->amd->time_counter) {
			raws[i] = RAW_TIME;
			if (!b->raws.have[RAW_TIME])
				return false;
			continue;
		}
		uint32_t raw =
		    in->counter == SX_NONE
			? UINT32_MAX
			: amd_raw_find(b->amd, &b->gl, b->guide.catalog, in->counter, in->instance);
		if (raw == UINT32_MAX)
			return false;
		raws[i] = RAW_COUNT + raw;
	}
	return true;
}

static bool offer(struct gl_backend *b, const struct sx_metric_info *info, struct gpa_list *list)
{
	struct gl_amd *amd = b->amd;
	struct gpa_counter counter;
	struct sx_metrics *metrics = compile(b, info->name);
	uint32_t columns, count = 0;
	if (!metrics)
		return true;
	const struct sx_metric_column *column = sx_metrics_columns(metrics, &columns);
	if (columns == 1)
		sx_metrics_column_inputs(metrics, 0, &count);
	uint32_t *raws = calloc(count + 1, sizeof(*raws));
	bool usable = raws && columns == 1 && !column->why && map_inputs(b, metrics, raws, count);
	bool ok = true;
	if (usable)
		ok = mem_grow(&amd->metrics, &amd->metric_capacity, amd->metric_count + 1,
			      sizeof(metrics)) &&
		     guide_counter(&b->guide, info->name, NULL, &counter) &&
		     guide_add(&b->guide, list, counter, raws, count);
	else
		gpa_log(GPA_LOGGING_MESSAGE, "%s is left out: %s", info->name,
			columns && column->why ? column->why : "the driver lacks an event of it");
	if (usable && ok)
		amd->metrics[amd->metric_count++] = metrics;
	else
		sx_metrics_destroy(metrics);
	free(raws);
	return ok;
}

static bool for_opengl(const struct sx_metric_info *info)
{
	bool gl = false;
	for (uint32_t i = 0; i < info->apis.count; i++)
		gl = gl || strcmp(info->apis.items[i], "opengl") == 0;
	return gl && !info->unavailable;
}

static bool is_constant(const void *user, const char *name)
{
	return sx_catalog_find_constant(user, name) != SX_NONE;
}

/* From the kernel, from the driver itself, which surely means this chip, and from the user. */
static void read_constants(struct gl_backend *b, const struct gpa_settings *settings)
{
	struct amdgpu_device device;
	gl_device_find(&b->gl, &device);
	amdgpu_read_kernel(&b->amd->constants, &device, sys_real());
	amd_gpin_read(b->amd, &b->gl);
	amdgpu_read_user(&b->amd->constants, settings->constants, is_constant, b->guide.catalog);
}

bool gl_amd_open(struct gl_backend *b, const struct gpa_settings *settings, struct gpa_list *list)
{
	uint32_t blocks, count;
	sx_catalog_blocks(b->guide.catalog, &blocks);
	b->amd = calloc(1, sizeof(*b->amd));
	if (!b->amd)
		return false;
	b->amd->block_limits = calloc(blocks + 1, sizeof(uint32_t));
	b->amd->time_counter =
	    sx_catalog_find_counter(b->guide.catalog, "GPUTime.Bottom_To_Bottom", SX_NONE, NULL);
	if (!b->amd->block_limits || !amd_groups_read(b->amd, &b->gl))
		return false;
	read_constants(b, settings);
	b->device_id = b->amd->constants.device_id;
	const struct sx_metric_info *metrics = sx_catalog_metrics(b->guide.catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (for_opengl(&metrics[i]) && !offer(b, &metrics[i], list))
			return false;
	if (settings->raw && !amd_offer_raw(b, list))
		return false;
	return list->count > 0;
}

void gl_amd_close(struct gl_backend *b)
{
	struct gl_amd *amd = b->amd;
	if (!amd)
		return;
	for (size_t i = 0; i < amd->metric_count; i++)
		sx_metrics_destroy(amd->metrics[i]);
	free(amd->metrics);
	free(amd->groups);
	free(amd->events);
	free(amd->raws);
	free(amd->block_limits);
	free(amd);
	b->amd = NULL;
}

bool gl_amd_value(struct gl_backend *b, uint32_t counter, const uint64_t *raws,
		  union gpa_value *out)
{
	const struct sx_metrics *metrics = b->amd->metrics[counter];
	struct sx_table *in = NULL, *result = NULL;
	struct sx_column *columns = NULL;
	uint32_t count;
	bool ok = false;
	if (!metrics) {
		out->u64 = raws[0];
		return true;
	}
	sx_metrics_column_inputs(metrics, 0, &count);
	columns = calloc(count + 1, sizeof(*columns));
	if (!columns)
		return false;
	for (uint32_t i = 0; i < count; i++)
		columns[i] = (struct sx_column){
		    .name = input(metrics, i)->name, .unit = "count", .type = SX_U64};
	if (sx_table_create(columns, count, SX_SAMPLE_ROW, &in, NULL) == SX_OK &&
	    sx_table_add_rows(in, 1, NULL, NULL) == SX_OK) {
		for (uint32_t i = 0; i < count; i++)
			sx_table_set_u64(in, i, 0, raws[i], SX_QUALITY_VALID);
		ok = sx_metrics_eval(metrics, in, &result, NULL) == SX_OK;
	}
	if (ok) {
		out->f64 = sx_table_get(result, 0, 0);
		ok = out->f64 == out->f64; /* not a number: no data */
	}
	sx_table_destroy(in);
	sx_table_destroy(result);
	free(columns);
	return ok;
}
