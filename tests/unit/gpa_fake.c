/* The fake back end. */
#include "gpa_fake.h"

#include <stdlib.h>

struct fake_state fake;

struct gpa_request {
	uint32_t raws[FAKE_COUNTERS], count, number;
	int delay;
};

static const uint32_t raws[FAKE_COUNTERS] = {0, 1, 2, 3, 4, 5, 6, 7};
static const struct gpa_counter counters[FAKE_COUNTERS] = {
    {"Alpha", "#Timing#First.", GPA_TYPE_UINT64, GPA_USAGE_TYPE_ITEMS, &raws[0], 1},
    {"Beta", "#General#Second.", GPA_TYPE_FLOAT64, GPA_USAGE_TYPE_PERCENTAGE, &raws[1], 1},
    {"Gamma", "#General#Third.", GPA_TYPE_UINT32, GPA_USAGE_TYPE_CYCLES, &raws[2], 1},
    {"Delta", "#General#Fourth.", GPA_TYPE_FLOAT32, GPA_USAGE_TYPE_RATIO, &raws[3], 1},
    {"Epsilon", "#General#Fifth.", GPA_TYPE_UINT64, GPA_USAGE_TYPE_BYTES, &raws[4], 1},
    {"Zeta", "#General#Sixth.", GPA_TYPE_FLOAT64, GPA_USAGE_TYPE_MILLISECONDS, &raws[5], 1},
    {"Eta", "#General#Seventh.", GPA_TYPE_UINT32, GPA_USAGE_TYPE_KILOBYTES, &raws[6], 1},
    {"Theta", "#General#Eighth.", GPA_TYPE_FLOAT32, GPA_USAGE_TYPE_ITEMS, &raws[7], 1},
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

static struct gpa_request *begin(struct gpa_context *context, const uint32_t *list, uint32_t count)
{
	(void)context;
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

static bool end(struct gpa_context *context, struct gpa_request *request)
{
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

const struct gpa_backend gpa_backend = {open, close, plan, begin, end, collect, release, value};
