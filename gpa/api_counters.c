/* Entry points: the counters of a context, and which of them are enabled. */
#include "gpa/core.h"

#define NOT_OPEN     GPA_STATUS_ERROR_COUNTERS_NOT_OPEN, "no context is open"
#define NULL_POINTER GPA_STATUS_ERROR_NULL_POINTER, "no place for the result"
#define OUT_OF_RANGE GPA_STATUS_ERROR_INDEX_OUT_OF_RANGE, "no counter has this index"

GPA_Status GPA_GetNumCounters(gpa_uint32 *pCount)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!call.context)
		return gpa_leave(&call, NOT_OPEN);
	if (!pCount)
		return gpa_leave(&call, NULL_POINTER);
	*pCount = call.context->counter_count;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

/* The checks that every query of a counter starts with. Leaves the call when they fail. */
static GPA_Status look_up(struct gpa_call *call, uint32_t index, const void *out,
			  const struct gpa_counter **counter)
{
	if (!call->context)
		return gpa_leave(call, NOT_OPEN);
	if (index >= call->context->counter_count)
		return gpa_leave(call, OUT_OF_RANGE);
	if (!out)
		return gpa_leave(call, NULL_POINTER);
	*counter = &call->context->counters[index];
	return GPA_STATUS_OK;
}

GPA_Status GPA_GetCounterName(gpa_uint32 index, const char **ppName)
{
	struct gpa_call call = gpa_enter(__func__);
	const struct gpa_counter *counter = NULL;
	GPA_Status status = look_up(&call, index, ppName, &counter);
	if (status != GPA_STATUS_OK)
		return status;
	*ppName = counter->name;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetCounterDescription(gpa_uint32 index, const char **ppDescription)
{
	struct gpa_call call = gpa_enter(__func__);
	const struct gpa_counter *counter = NULL;
	GPA_Status status = look_up(&call, index, ppDescription, &counter);
	if (status != GPA_STATUS_OK)
		return status;
	*ppDescription = counter->description;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetCounterDataType(gpa_uint32 index, GPA_Type *pCounterDataType)
{
	struct gpa_call call = gpa_enter(__func__);
	const struct gpa_counter *counter = NULL;
	GPA_Status status = look_up(&call, index, pCounterDataType, &counter);
	if (status != GPA_STATUS_OK)
		return status;
	*pCounterDataType = counter->type;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetCounterUsageType(gpa_uint32 index, GPA_Usage_Type *pCounterUsageType)
{
	struct gpa_call call = gpa_enter(__func__);
	const struct gpa_counter *counter = NULL;
	GPA_Status status = look_up(&call, index, pCounterUsageType, &counter);
	if (status != GPA_STATUS_OK)
		return status;
	*pCounterUsageType = counter->usage;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetCounterIndex(const char *pCounter, gpa_uint32 *pIndex)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!pCounter)
		return gpa_leave(&call, GPA_STATUS_ERROR_NULL_POINTER, "no name was given");
	if (!call.context)
		return gpa_leave(&call, NOT_OPEN);
	if (!pIndex)
		return gpa_leave(&call, NULL_POINTER);
	uint32_t index = gpa_counter_find(call.context, pCounter);
	if (index == UINT32_MAX)
		return gpa_leave(&call, GPA_STATUS_ERROR_NOT_FOUND, "no counter has this name");
	*pIndex = index;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

/* Leaves with the status of the checks for a change, or changes. */
static GPA_Status change(struct gpa_call *call, uint32_t index, bool enable)
{
	struct gpa_context *c = call->context;
	if (index >= c->counter_count)
		return gpa_leave(call, OUT_OF_RANGE);
	if (c->active)
		return gpa_leave(call, GPA_STATUS_ERROR_CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING,
				 "a session is active");
	bool is = gpa_enabled(c->enabled, c->enabled_count, index);
	if (is && enable)
		return gpa_leave(call, GPA_STATUS_ERROR_ALREADY_ENABLED,
				 "the counter is enabled already");
	if (!is && !enable)
		return gpa_leave(call, GPA_STATUS_ERROR_NOT_ENABLED, "the counter is not enabled");
	if (enable) {
		c->enabled[c->enabled_count++] = index;
	} else {
		uint32_t n = 0;
		for (uint32_t i = 0; i < c->enabled_count; i++)
			if (c->enabled[i] != index)
				c->enabled[n++] = c->enabled[i];
		c->enabled_count = n;
	}
	c->scheduled = false;
	return gpa_leave(call, GPA_STATUS_OK, NULL);
}

static GPA_Status change_by_name(struct gpa_call *call, const char *name, bool enable)
{
	if (!name)
		return gpa_leave(call, GPA_STATUS_ERROR_NULL_POINTER, "no name was given");
	if (!call->context)
		return gpa_leave(call, NOT_OPEN);
	uint32_t index = gpa_counter_find(call->context, name);
	if (index == UINT32_MAX)
		return gpa_leave(call, GPA_STATUS_ERROR_NOT_FOUND, "no counter has this name");
	return change(call, index, enable);
}

GPA_Status GPA_EnableCounter(gpa_uint32 index)
{
	struct gpa_call call = gpa_enter(__func__);
	return call.context ? change(&call, index, true) : gpa_leave(&call, NOT_OPEN);
}

GPA_Status GPA_EnableCounterStr(const char *pCounter)
{
	struct gpa_call call = gpa_enter(__func__);
	return change_by_name(&call, pCounter, true);
}

GPA_Status GPA_DisableCounter(gpa_uint32 index)
{
	struct gpa_call call = gpa_enter(__func__);
	return call.context ? change(&call, index, false) : gpa_leave(&call, NOT_OPEN);
}

GPA_Status GPA_DisableCounterStr(const char *pCounter)
{
	struct gpa_call call = gpa_enter(__func__);
	return change_by_name(&call, pCounter, false);
}

static GPA_Status change_all(struct gpa_call *call, bool enable)
{
	struct gpa_context *c = call->context;
	if (!c)
		return gpa_leave(call, NOT_OPEN);
	if (c->active)
		return gpa_leave(call, GPA_STATUS_ERROR_CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING,
				 "a session is active");
	c->enabled_count = enable ? c->counter_count : 0;
	for (uint32_t i = 0; i < c->enabled_count; i++)
		c->enabled[i] = i;
	c->scheduled = false;
	return gpa_leave(call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_EnableAllCounters(void)
{
	struct gpa_call call = gpa_enter(__func__);
	return change_all(&call, true);
}

GPA_Status GPA_DisableAllCounters(void)
{
	struct gpa_call call = gpa_enter(__func__);
	return change_all(&call, false);
}

GPA_Status GPA_GetEnabledCount(gpa_uint32 *pCount)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!call.context)
		return gpa_leave(&call, NOT_OPEN);
	if (!pCount)
		return gpa_leave(&call, NULL_POINTER);
	*pCount = call.context->enabled_count;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetEnabledIndex(gpa_uint32 enabledNumber, gpa_uint32 *pEnabledCounterIndex)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!call.context)
		return gpa_leave(&call, NOT_OPEN);
	if (!pEnabledCounterIndex)
		return gpa_leave(&call, NULL_POINTER);
	if (enabledNumber >= call.context->enabled_count)
		return gpa_leave(&call, GPA_STATUS_ERROR_INDEX_OUT_OF_RANGE,
				 "fewer counters are enabled");
	*pEnabledCounterIndex = call.context->enabled[enabledNumber];
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_IsCounterEnabled(gpa_uint32 counterIndex)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!call.context)
		return gpa_leave(&call, NOT_OPEN);
	if (counterIndex >= call.context->counter_count)
		return gpa_leave(&call, OUT_OF_RANGE);
	if (gpa_enabled(call.context->enabled, call.context->enabled_count, counterIndex))
		return gpa_leave(&call, GPA_STATUS_OK, NULL);
	gpa_log(GPA_LOGGING_MESSAGE, "%s: the counter is not enabled", __func__);
	return gpa_leave(&call, GPA_STATUS_ERROR_NOT_FOUND, NULL);
}

GPA_Status GPA_GetPassCount(gpa_uint32 *pNumPasses)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!pNumPasses)
		return gpa_leave(&call, NULL_POINTER);
	if (!call.context)
		return gpa_leave(&call, NOT_OPEN);
	const struct gpa_session *active = call.context->active;
	GPA_Status status = active ? GPA_STATUS_OK : gpa_context_schedule(call.context);
	if (status == GPA_STATUS_OK)
		*pNumPasses =
		    active ? active->schedule.pass_count : call.context->schedule.pass_count;
	return gpa_leave(&call, status, "the passes cannot be planned");
}
