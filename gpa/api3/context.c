/* Version 3: contexts by handle. */
#include "gpa/api3/api3.h"

#include <string.h>

#define CLOCK_MODES                                                                                \
	(kGpaOpenContextClockModeNoneBit | kGpaOpenContextClockModePeakBit |                       \
	 kGpaOpenContextClockModeMinMemoryBit | kGpaOpenContextClockModeMinEngineBit)

struct gpa_context *gpa3_context(GpaContextId id, GpaStatus *status)
{
	const void *handle = id;
	struct gpa_context *context = (struct gpa_context *)(uintptr_t)handle;
	*status = kGpaStatusOk;
	if (!id)
		*status = kGpaStatusErrorNullPointer;
	else if (!gpa_context_known(handle) || context->version != 3)
		*status = kGpaStatusErrorContextNotFound;
	return *status == kGpaStatusOk ? context : NULL;
}

/* Whether the native context is open; of Vulkan it is the device, not where it is written. */
static bool is_open(const void *native)
{
	for (const struct gpa_context *c = gpa_context_first(); c; c = c->next) {
		if (c->version != 3)
			continue;
		if (c->native == native)
			return true;
		if (gpa_backend.same && gpa_backend.same(c, native))
			return true;
	}
	return false;
}

static GpaStatus status_of(GPA_Status status)
{
	switch (status) {
	case GPA_STATUS_OK:
		return kGpaStatusOk;
	case GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED:
		return kGpaStatusErrorHardwareNotSupported;
	default:
		return kGpaStatusErrorFailed;
	}
}

GpaStatus gpa3_OpenContext(void *api_context, GpaOpenContextFlags flags, GpaContextId *id)
{
	struct gpa_call call = gpa_enter("GpaOpenContext");
	struct gpa_context *context = NULL;
	GpaFlags modes = flags & CLOCK_MODES;
	if (!api_context || !id)
		return gpa3_leave(&call, kGpaStatusErrorNullPointer, "no context was given");
	if (modes & (modes - 1))
		return gpa3_leave(&call, kGpaStatusErrorInvalidParameter, "two modes of the clock");
	if (modes & ~(GpaFlags)kGpaOpenContextClockModeNoneBit)
		gpa_log(GPA_LOGGING_MESSAGE, "clocks stay as they are");
	if (flags & kGpaOpenContextHideDerivedCountersBit)
		gpa_log(GPA_LOGGING_MESSAGE, "derived counters are not hidden");
	if (is_open(api_context))
		return gpa3_leave(&call, kGpaStatusErrorContextAlreadyOpen,
				  "this context is open already");
	bool raw = flags & kGpaOpenContextEnableHardwareCountersBit;
	GpaStatus status = status_of(gpa_context_create(api_context, 3, raw, &context));
	if (status == kGpaStatusOk) {
		gpa_context_add(context);
		*id = (GpaContextId)(void *)context;
	}
	return gpa3_leave(&call, status, "the context cannot be opened");
}

GpaStatus gpa3_CloseContext(GpaContextId id)
{
	struct gpa_call call = gpa_enter("GpaCloseContext");
	GpaStatus status;
	struct gpa_context *context = gpa3_context(id, &status);
	if (!context)
		return gpa3_leave(&call, status, "no such context");
	while (context->sessions3)
		gpa3_session_destroy(context->sessions3);
	gpa_context_remove(context);
	gpa_context_destroy(context);
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

/* The context of a query with one result; NULL and *status when either is missing. */
static struct gpa_context *api3_ask(GpaContextId id, const void *out, GpaStatus *status)
{
	*status = kGpaStatusErrorNullPointer;
	return out ? gpa3_context(id, status) : NULL;
}

GpaStatus gpa3_GetSupportedSampleTypes(GpaContextId id, GpaContextSampleTypeFlags *out)
{
	struct gpa_call call = gpa_enter("GpaGetSupportedSampleTypes");
	GpaStatus status;
	if (api3_ask(id, out, &status))
		*out = 0; /* discrete counters: the bit has the value 0 */
	return gpa3_leave(&call, status, "no such context");
}

GpaStatus gpa3_GetDeviceAndRevisionId(GpaContextId id, GpaUInt32 *device, GpaUInt32 *revision)
{
	struct gpa_call call = gpa_enter("GpaGetDeviceAndRevisionId");
	GpaStatus status;
	const struct gpa_context *context =
	    api3_ask(id, device && revision ? device : NULL, &status);
	if (!context)
		return gpa3_leave(&call, status, "no such context");
	if (!context->device_id)
		return gpa3_leave(&call, kGpaStatusErrorFailed, "the device has no known id");
	*device = context->device_id;
	*revision = 0;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_GetDeviceName(GpaContextId id, const char **out)
{
	struct gpa_call call = gpa_enter("GpaGetDeviceName");
	GpaStatus status;
	const struct gpa_context *context = api3_ask(id, out, &status);
	if (!context)
		return gpa3_leave(&call, status, "no such context");
	if (!context->device_name)
		return gpa3_leave(&call, kGpaStatusErrorFailed, "the device has no known name");
	*out = context->device_name;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_GetDeviceGeneration(GpaContextId id, GpaHwGeneration *out)
{
	struct gpa_call call = gpa_enter("GpaGetDeviceGeneration");
	GpaStatus status;
	const struct gpa_context *context = api3_ask(id, out, &status);
	if (context)
		*out = context->generation == 6	  ? kGpaHwGenerationGfx6
		       : context->generation == 7 ? kGpaHwGenerationGfx7
		       : context->generation == 8 ? kGpaHwGenerationGfx8
						  : kGpaHwGenerationNone;
	return gpa3_leave(&call, status, "no such context");
}
