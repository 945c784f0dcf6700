/* Entry points: log, contexts, device, and the names of statuses and types. */
#include "gpa/core.h"

#include <stdlib.h>
#include <string.h>

GPA_Status GPA_RegisterLoggingCallback(GPA_Logging_Type loggingType,
				       GPA_LoggingCallbackPtrType pCallbackFuncPtr)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!pCallbackFuncPtr && loggingType != GPA_LOGGING_NONE)
		return gpa_leave(&call, GPA_STATUS_ERROR_NULL_POINTER, "no callback was given");
	gpa_log_set(loggingType, pCallbackFuncPtr);
	gpa_log(GPA_LOGGING_MESSAGE, "Logging callback registered successfully.");
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_Initialize(void)
{
	struct gpa_call call = gpa_enter(__func__);
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_Destroy(void)
{
	struct gpa_call call = gpa_enter(__func__);
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

void gpa_context_destroy(struct gpa_context *context)
{
	for (uint32_t i = 1; i <= GPA_SESSIONS; i++) /* the oldest first */
		gpa_session_destroy(context,
				    context->sessions[(context->last_id + i) % GPA_SESSIONS]);
	gpa_backend.close(context);
	gpa_schedule_finish(&context->schedule);
	free(context->enabled);
	free(context);
}

static void read_text(const char *name, char *out, size_t size)
{
	const char *text = getenv(name);
	if (text && strlen(text) >= size)
		gpa_log(GPA_LOGGING_ERROR, "%s is too long and ignored", name);
	else if (text)
		memcpy(out, text, strlen(text) + 1);
}

static void read_settings(struct gpa_settings *out)
{
	read_text("SEXTANT_GPA_OUTPUT", out->output, sizeof(out->output));
	read_text("SEXTANT_GPA_CONSTANTS", out->constants, sizeof(out->constants));
	out->raw = getenv("SEXTANT_GPA_RAW") != NULL;
}

GPA_Status gpa_context_create(void *native, int version, bool raw, struct gpa_context **out)
{
	struct gpa_context *context = calloc(1, sizeof(*context));
	if (!context)
		return GPA_STATUS_ERROR_FAILED;
	context->native = native;
	context->version = version;
	read_settings(&context->settings);
	context->settings.raw = context->settings.raw || raw;
	GPA_Status status = gpa_backend.open(context);
	if (status == GPA_STATUS_OK) {
		context->enabled = calloc(context->counter_count + 1, sizeof(uint32_t));
		if (!context->enabled)
			status = GPA_STATUS_ERROR_FAILED;
	}
	if (status != GPA_STATUS_OK)
		gpa_context_destroy(context);
	else
		*out = context;
	return status;
}

static GPA_Status context_open(void *native)
{
	struct gpa_context *context = NULL;
	GPA_Status status = gpa_context_create(native, 2, false, &context);
	if (status != GPA_STATUS_OK)
		return status;
	gpa_context_add(context);
	gpa_context_use(context);
	return status;
}

GPA_Status GPA_OpenContext(void *pContext)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!pContext)
		return gpa_leave(&call, GPA_STATUS_ERROR_NULL_POINTER, "no context was given");
	if (gpa_context_find(pContext))
		return gpa_leave(&call, GPA_STATUS_ERROR_COUNTERS_ALREADY_OPEN,
				 "this context is open already");
	return gpa_leave(&call, context_open(pContext), "the context cannot be opened");
}

GPA_Status GPA_CloseContext(void)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!call.context)
		return gpa_leave(&call, GPA_STATUS_ERROR_COUNTERS_NOT_OPEN, "no context is open");
	if (call.context->active)
		return gpa_leave(&call, GPA_STATUS_ERROR_SAMPLING_NOT_ENDED, "a session is active");
	/* What goes to a file is waited for, as sessions that leave the ring are. */
	for (uint32_t id = call.context->last_id, i = 0; i < GPA_SESSIONS && id > i; i++)
		if (call.context->settings.output[0] && !gpa_session_wait(&call, id - i))
			return gpa_leave(&call, GPA_STATUS_ERROR_COUNTERS_NOT_OPEN,
					 "another thread has closed the context");
	if (call.context->active)
		return gpa_leave(&call, GPA_STATUS_ERROR_SAMPLING_NOT_ENDED, "a session is active");
	gpa_context_remove(call.context);
	gpa_context_destroy(call.context);
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_SelectContext(void *pContext)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!pContext)
		return gpa_leave(&call, GPA_STATUS_ERROR_NULL_POINTER, "no context was given");
	struct gpa_context *context = gpa_context_find(pContext);
	if (!context)
		return gpa_leave(&call, GPA_STATUS_ERROR_COUNTERS_NOT_OPEN,
				 "this context is not open");
	gpa_context_use(context);
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetDeviceID(gpa_uint32 *pDeviceID)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!call.context)
		return gpa_leave(&call, GPA_STATUS_ERROR_COUNTERS_NOT_OPEN, "no context is open");
	if (!pDeviceID)
		return gpa_leave(&call, GPA_STATUS_ERROR_NULL_POINTER, "no place for the id");
	if (!call.context->device_id)
		return gpa_leave(&call, GPA_STATUS_ERROR_NOT_FOUND, "the device has no known id");
	*pDeviceID = call.context->device_id;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetDeviceDesc(const char **ppDesc)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!call.context)
		return gpa_leave(&call, GPA_STATUS_ERROR_COUNTERS_NOT_OPEN, "no context is open");
	if (!ppDesc)
		return gpa_leave(&call, GPA_STATUS_ERROR_NULL_POINTER, "no place for the name");
	if (!call.context->device_name)
		return gpa_leave(&call, GPA_STATUS_ERROR_NOT_FOUND, "the device has no known name");
	*ppDesc = call.context->device_name;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetDataTypeAsStr(GPA_Type counterDataType, const char **ppTypeStr)
{
	static const char *const names[GPA_TYPE__LAST] = {
	    "gpa_float32", "gpa_float64", "gpa_uint32", "gpa_uint64", "gpa_int32", "gpa_int64"};
	struct gpa_call call = gpa_enter(__func__);
	if ((unsigned)counterDataType >= GPA_TYPE__LAST)
		return gpa_leave(&call, GPA_STATUS_ERROR_NOT_FOUND, "no such data type");
	if (!ppTypeStr)
		return gpa_leave(&call, GPA_STATUS_ERROR_NULL_POINTER, "no place for the name");
	*ppTypeStr = names[counterDataType];
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetUsageTypeAsStr(GPA_Usage_Type counterUsageType, const char **ppUsageTypeStr)
{
	static const char *const names[GPA_USAGE_TYPE__LAST] = {
	    "ratio", "percentage", "cycles", "milliseconds", "bytes", "items", "kilobytes"};
	struct gpa_call call = gpa_enter(__func__);
	if ((unsigned)counterUsageType >= GPA_USAGE_TYPE__LAST)
		return gpa_leave(&call, GPA_STATUS_ERROR_NOT_FOUND, "no such usage type");
	if (!ppUsageTypeStr)
		return gpa_leave(&call, GPA_STATUS_ERROR_NULL_POINTER, "no place for the name");
	*ppUsageTypeStr = names[counterUsageType];
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

const char *GPA_GetStatusAsStr(GPA_Status status)
{
	static const char *const names[] = {
	    "Ok",
	    "Null Pointer",
	    "Counters Not Open",
	    "Counters Already Opened",
	    "Index Out Of Range",
	    "Not Found",
	    "Already Enabled",
	    "No Counters Enabled",
	    "Not Enabled",
	    "Sampling Not Started",
	    "Sampling Already Started",
	    "Sampling Not Ended",
	    "Not Enough Passes",
	    "Pass Not Ended",
	    "Pass Not Started",
	    "Pass Already Started",
	    "Sample Not Started",
	    "Sample Already Started",
	    "Sample Not Ended",
	    "Cannot Change Counters When Sampling",
	    "Session Not Found",
	    "Sample Not Found",
	    "Sample Not Found In All Passes",
	    "Counter Not Of Specified Type",
	    "Reading Counter Result",
	    "Variable Number Of Samples In Passes",
	    "Failed",
	    "Hardware Not Supported",
	};
	return (unsigned)status < sizeof(names) / sizeof(names[0]) ? names[status]
								   : "Unknown error";
}
