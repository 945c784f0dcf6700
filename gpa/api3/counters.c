/* Version 3: the counters of a context. */
#include "gpa/api3/api3.h"

#include <string.h>

GpaStatus gpa3_GetNumCounters(GpaContextId id, GpaUInt32 *out)
{
	struct gpa_call call = gpa_enter("GpaGetNumCounters");
	GpaStatus status = kGpaStatusErrorNullPointer;
	const struct gpa_context *context = out ? gpa3_context(id, &status) : NULL;
	if (context)
		*out = context->counter_count;
	return gpa3_leave(&call, status, "no such context");
}

/* The checks that every query of a counter starts with; leaves the call when one fails. */
static const struct gpa_counter *look_up(struct gpa_call *call, GpaContextId id, GpaUInt32 index,
					 const void *out, GpaStatus *status)
{
	*status = kGpaStatusErrorNullPointer;
	const struct gpa_context *context = out ? gpa3_context(id, status) : NULL;
	if (context && index >= context->counter_count) {
		*status = kGpaStatusErrorIndexOutOfRange;
		context = NULL;
	}
	if (context)
		return &context->counters[index];
	gpa3_leave(call, *status, "no such counter");
	return NULL;
}

#define LOOK_UP(name)                                                                              \
	GpaStatus status;                                                                          \
	struct gpa_call call = gpa_enter(name);                                                    \
	const struct gpa_counter *counter = look_up(&call, id, index, out, &status);               \
	if (!counter)                                                                              \
	return status

GpaStatus gpa3_GetCounterName(GpaContextId id, GpaUInt32 index, const char **out)
{
	LOOK_UP("GpaGetCounterName");
	*out = counter->name;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_GetCounterIndex(GpaContextId id, const char *name, GpaUInt32 *out)
{
	struct gpa_call call = gpa_enter("GpaGetCounterIndex");
	GpaStatus status = kGpaStatusErrorNullPointer;
	const struct gpa_context *context = name && out ? gpa3_context(id, &status) : NULL;
	if (!context)
		return gpa3_leave(&call, status, "no such context");
	uint32_t index = gpa_counter_find(context, name);
	if (index == UINT32_MAX)
		return gpa3_leave(&call, kGpaStatusErrorCounterNotFound,
				  "no counter has this name");
	*out = index;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

/* Descriptions are "#Group#text"; version 3 hands out the two apart. */
GpaStatus gpa3_GetCounterGroup(GpaContextId id, GpaUInt32 index, const char **out)
{
	LOOK_UP("GpaGetCounterGroup");
	*out = counter->group;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_GetCounterDescription(GpaContextId id, GpaUInt32 index, const char **out)
{
	LOOK_UP("GpaGetCounterDescription");
	const char *text = counter->description;
	const char *end = *text == '#' ? strchr(text + 1, '#') : NULL;
	*out = end ? end + 1 : text;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_GetCounterDataType(GpaContextId id, GpaUInt32 index, GpaDataType *out)
{
	LOOK_UP("GpaGetCounterDataType");
	bool real = counter->type == GPA_TYPE_FLOAT64 || counter->type == GPA_TYPE_FLOAT32;
	*out = real ? kGpaDataTypeFloat64 : kGpaDataTypeUint64;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_GetCounterUsageType(GpaContextId id, GpaUInt32 index, GpaUsageType *out)
{
	LOOK_UP("GpaGetCounterUsageType");
	*out = (GpaUsageType)counter->usage; /* version 3 only adds one */
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_GetCounterUuid(GpaContextId id, GpaUInt32 index, GpaUuid *out)
{
	LOOK_UP("GpaGetCounterUuid");
	const uint8_t *u = counter->uuid;
	*out = (GpaUuid){.data_1 = (unsigned long)u[0] << 24 | (unsigned long)u[1] << 16 |
				   (unsigned long)u[2] << 8 | u[3],
			 .data_2 = (unsigned short)(u[4] << 8 | u[5]),
			 .data_3 = (unsigned short)(u[6] << 8 | u[7])};
	memcpy(out->data_4, u + 8, sizeof(out->data_4));
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_GetCounterSampleType(GpaContextId id, GpaUInt32 index, GpaCounterSampleType *out)
{
	LOOK_UP("GpaGetCounterSampleType");
	*out = kGpaCounterSampleTypeDiscrete;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}
