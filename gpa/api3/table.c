/* Version 3: the table, the library as a whole, and names of values. */
#include "gpa/api3/api3.h"

#include <stdatomic.h>
#include <string.h>

/* The last release with this table. */
enum { GPA3_MAJOR = 3, GPA3_MINOR = 17 };

/* The interface has one switch for the whole process. */
static atomic_bool initialized;

GpaStatus gpa3_leave(struct gpa_call *call, GpaStatus status, const char *message)
{
	gpa_leave(call, status < 0 ? GPA_STATUS_ERROR_FAILED : GPA_STATUS_OK, message);
	return status;
}

GpaStatus gpa3_GetFuncTable(void *table)
{
	static const GpaFunctionTable mine = {.major_version =
						  GPA_FUNCTION_TABLE_MAJOR_VERSION_NUMBER,
					      .minor_version = sizeof(GpaFunctionTable),
#define MEMBER(name, result, parameters) .name = gpa3_##name,
					      GPA3_FUNCTIONS(MEMBER)
#undef MEMBER
	};
	GpaUInt32 versions[2];
	if (!table)
		return kGpaStatusErrorNullPointer;
	memcpy(versions, table, sizeof(versions));
	memcpy(table, &mine, sizeof(versions));
	if (versions[0] != mine.major_version)
		return kGpaStatusErrorLibLoadMajorVersionMismatch;
	if (versions[1] > mine.minor_version)
		return kGpaStatusErrorLibLoadMinorVersionMismatch;
	/* An older client's table ends earlier. */
	if (versions[1] > sizeof(versions))
		memcpy(table, &mine, versions[1]);
	return kGpaStatusOk;
}

GpaStatus GpaGetFuncTable(void *table)
{
	return gpa3_GetFuncTable(table);
}

GpaStatus GPA_GetFuncTable(void *table)
{
	return gpa3_GetFuncTable(table);
}

GpaStatus gpa3_GetVersion(GpaUInt32 *major, GpaUInt32 *minor, GpaUInt32 *build, GpaUInt32 *update)
{
	if (!major || !minor || !build || !update)
		return kGpaStatusErrorNullPointer;
	*major = GPA3_MAJOR;
	*minor = GPA3_MINOR;
	*build = *update = 0;
	return kGpaStatusOk;
}

GpaStatus gpa3_RegisterLoggingCallback(GpaLoggingType type, GpaLoggingCallbackPtrType callback)
{
	GPA_LoggingCallbackPtrType same;
	memcpy(&same, &callback, sizeof(same)); /* kinds are int in both, with the same values */
	return GPA_RegisterLoggingCallback((GPA_Logging_Type)type, same) == GPA_STATUS_OK
		   ? kGpaStatusOk
		   : kGpaStatusErrorNullPointer;
}

GpaStatus gpa3_Initialize(GpaInitializeFlags flags)
{
	struct gpa_call call = gpa_enter("GpaInitialize");
	if (flags)
		return gpa3_leave(&call, kGpaStatusErrorInvalidParameter, "there are no flags");
	if (atomic_exchange(&initialized, true))
		return gpa3_leave(&call, kGpaStatusErrorGpaAlreadyInitialized,
				  "it is initialized already");
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_Destroy(void)
{
	struct gpa_call call = gpa_enter("GpaDestroy");
	if (!atomic_exchange(&initialized, false))
		return gpa3_leave(&call, kGpaStatusErrorGpaNotInitialized, "it is not initialized");
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

static GpaStatus name_of(const char *const *names, size_t count, size_t value, const char **out)
{
	if (!out)
		return kGpaStatusErrorNullPointer;
	if (value >= count)
		return kGpaStatusErrorInvalidParameter;
	*out = names[value];
	return kGpaStatusOk;
}

GpaStatus gpa3_GetDataTypeAsStr(GpaDataType type, const char **out)
{
	static const char *const names[] = {"gpa_float64", "gpa_uint64"};
	return name_of(names, kGpaDataTypeLast, type, out);
}

GpaStatus gpa3_GetUsageTypeAsStr(GpaUsageType type, const char **out)
{
	static const char *const names[] = {"ratio", "percentage", "cycles",	"milliseconds",
					    "bytes", "items",	   "kilobytes", "nanoseconds"};
	return name_of(names, kGpaUsageTypeLast, type, out);
}

/* Words for states, from 0 up. */
static const char *const gpa3_good[] = {"Ok", "Result Not Ready"};

/* From -1 down. */
static const char *const gpa3_bad[] = {
    "Null Pointer",
    "Context Not Open",
    "Context Already Open",
    "Index Out Of Range",
    "Counter Not Found",
    "Already Enabled",
    "No Counters Enabled",
    "Not Enabled",
    "Command List Already Ended",
    "Command List Already Started",
    "Command List Not Ended",
    "Not Enough Passes",
    "Sample Not Started",
    "Sample Already Started",
    "Sample Not Ended",
    "Cannot Change Counters When Sampling",
    "Session Not Found",
    "Sample Not Found",
    "Context Not Found",
    "Command List Not Found",
    "Reading Sample Result",
    "Variable Number Of Samples In Passes",
    "Failed",
    "Hardware Not Supported",
    "Driver Not Supported",
    "API Not Supported",
    "Invalid Parameter",
    "Library Load Failed",
    "Library Major Version Mismatch",
    "Library Minor Version Mismatch",
    "Not Initialized",
    "Already Initialized",
    "Sample In Secondary Command List",
    "Incompatible Sample Types",
    "Session Already Started",
    "Session Not Started",
    "Session Not Ended",
    "Invalid Data Type",
    "Invalid Counter Equation",
    "Timeout",
    "Library Already Loaded",
    "Other Session Active",
    "Exception",
    "Invalid Counter Group Data",
};

const char *gpa3_GetStatusAsStr(GpaStatus status)
{
	if (status >= 0)
		return (size_t)status < sizeof(gpa3_good) / sizeof(gpa3_good[0]) ? gpa3_good[status]
										 : "Unknown Status";
	size_t index = (size_t) - (status + 1);
	return index < sizeof(gpa3_bad) / sizeof(gpa3_bad[0]) ? gpa3_bad[index] : "Unknown Error";
}
