/* The fake back end. */
#include "unit/gpa/fake.h"

#include <stdlib.h>

struct fake_state fake;

struct gpa_request {
	uint32_t raws[FAKE_COUNTERS], count, number;
	int delay;
};

static const uint32_t raws[FAKE_COUNTERS] = {0, 1, 2, 3, 4, 5, 6, 7};
static const struct gpa_counter counters[FAKE_COUNTERS] = {
    {.name = "Alpha",
     .description = "#Timing#First.",
     .group = "Timing",
     .type = GPA_TYPE_UINT64,
     .usage = GPA_USAGE_TYPE_ITEMS,
     .raws = &raws[0],
     .raw_count = 1,
     .uuid = {0}},
    {.name = "Beta",
     .description = "#General#Second.",
     .group = "General",
     .type = GPA_TYPE_FLOAT64,
     .usage = GPA_USAGE_TYPE_PERCENTAGE,
     .raws = &raws[1],
     .raw_count = 1,
     .uuid = {1}},
    {.name = "Gamma",
     .description = "#General#Third.",
     .group = "General",
     .type = GPA_TYPE_UINT32,
     .usage = GPA_USAGE_TYPE_CYCLES,
     .raws = &raws[2],
     .raw_count = 1,
     .uuid = {2}},
    {.name = "Delta",
     .description = "#General#Fourth.",
     .group = "General",
     .type = GPA_TYPE_FLOAT32,
     .usage = GPA_USAGE_TYPE_RATIO,
     .raws = &raws[3],
     .raw_count = 1,
     .uuid = {3}},
    {.name = "Epsilon",
     .description = "#General#Fifth.",
     .group = "General",
     .type = GPA_TYPE_UINT64,
     .usage = GPA_USAGE_TYPE_BYTES,
     .raws = &raws[4],
     .raw_count = 1,
     .uuid = {4}},
    {.name = "Zeta",
     .description = "#General#Sixth.",
     .group = "General",
     .type = GPA_TYPE_FLOAT64,
     .usage = GPA_USAGE_TYPE_MILLISECONDS,
     .raws = &raws[5],
     .raw_count = 1,
     .uuid = {5}},
    {.name = "Eta",
     .description = "#General#Seventh.",
     .group = "General",
     .type = GPA_TYPE_UINT32,
     .usage = GPA_USAGE_TYPE_KILOBYTES,
     .raws = &raws[6],
     .raw_count = 1,
     .uuid = {6}},
    {.name = "Theta",
     .description = "#General#Eighth.",
     .group = "General",
     .type = GPA_TYPE_FLOAT32,
     .usage = GPA_USAGE_TYPE_ITEMS,
     .raws = &raws[7],
     .raw_count = 1,
     .uuid = {7}},
};

static GPA_Status open(struct gpa_context *context)
{
	if (fake.unusable)
		return GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED;
	context->counters = (struct gpa_counter *)counters;
	context->counter_count = FAKE_COUNTERS;
	context->device_id = 0x1234;
	context->device_name = "fake";
	return GPA_STATUS_OK;
}

static void close(struct gpa_context *context)
{
	(void)context;
}

static uint32_t class_of(const struct gpa_context *context, uint32_t raw)
{
	(void)context;
	return raw == 0 ? 0 : 1;
}

static GPA_Status plan(struct gpa_context *context, struct gpa_schedule *schedule)
{
	return gpa_plan_classes(context, schedule, class_of, 2);
}

static struct gpa_request *begin(struct gpa_context *context, void *commands, const uint32_t *list,
				 uint32_t count)
{
	(void)context;
	(void)commands;
	struct gpa_request *r = fake.unusable ? NULL : calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		r->raws[i] = list[i];
	r->count = count;
	r->number = fake.begun++;
	r->delay = fake.delay;
	fake.open_requests++;
	return r;
}

static bool end(struct gpa_context *context, void *commands, struct gpa_request *request)
{
	(void)commands;
	(void)context;
	(void)request;
	return !fake.end_fails;
}

static enum gpa_answer collect(struct gpa_context *context, struct gpa_request *request,
			       uint64_t *values, bool *valid)
{
	(void)context;
	if (fake.never || request->delay-- > 0)
		return GPA_NOT_YET;
	for (uint32_t i = 0; i < request->count; i++) {
		values[i] = request->number * 1000ull + request->raws[i];
		valid[i] = true;
	}
	return GPA_READY;
}

static void release(struct gpa_context *context, struct gpa_request *request)
{
	(void)context;
	fake.open_requests--;
	free(request);
}

static bool value(struct gpa_context *context, uint32_t counter, const uint64_t *values,
		  union gpa_value *out)
{
	GPA_Type type = context->counters[counter].type;
	if (type == GPA_TYPE_UINT64 || type == GPA_TYPE_UINT32)
		out->u64 = values[0];
	else
		out->f64 = (double)values[0];
	return true;
}

const struct gpa_backend gpa_backend = {.open = open,
					.close = close,
					.plan = plan,
					.begin = begin,
					.end = end,
					.collect = collect,
					.release = release,
					.value = value};
