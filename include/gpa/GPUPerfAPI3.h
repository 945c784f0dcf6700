/*
 * GPUPerfAPI 3.0 to 3.17 as its clients load it: one table of functions, handed out by
 * GPA_GetFuncTable() and GpaGetFuncTable() of every library. The same names, values and layout as
 * AMD's headers. The functions themselves are not exported, since some share their names with those
 * of version 2. All are thread-safe; handles that are unknown are refused, never followed.
 */
#ifndef GPUPERFAPI_3_H
#define GPUPERFAPI_3_H

#include <stddef.h>

#ifndef GPALIB_DECL
#ifdef __cplusplus
#define GPALIB_DECL extern "C"
#else
#define GPALIB_DECL
#endif
#endif

typedef unsigned int GpaUInt32;
typedef unsigned long long GpaUInt64;
typedef double GpaFloat64;

/* Identifies a counter's meaning on every device and in every release. */
typedef struct _GpaUuid {
	unsigned long data_1;
	unsigned short data_2, data_3;
	unsigned char data_4[8];
} GpaUuid;

typedef struct _GpaContextId *GpaContextId;
typedef struct _GpaSessionId *GpaSessionId;
typedef struct _GpaCommandListId *GpaCommandListId;

typedef enum {
	kGpaStatusOk = 0,
	kGpaStatusResultNotReady = 1,
	kGpaStatusErrorNullPointer = -1,
	kGpaStatusErrorContextNotOpen = -2,
	kGpaStatusErrorContextAlreadyOpen = -3,
	kGpaStatusErrorIndexOutOfRange = -4,
	kGpaStatusErrorCounterNotFound = -5,
	kGpaStatusErrorAlreadyEnabled = -6,
	kGpaStatusErrorNoCountersEnabled = -7,
	kGpaStatusErrorNotEnabled = -8,
	kGpaStatusErrorCommandListAlreadyEnded = -9,
	kGpaStatusErrorCommandListAlreadyStarted = -10,
	kGpaStatusErrorCommandListNotEnded = -11,
	kGpaStatusErrorNotEnoughPasses = -12,
	kGpaStatusErrorSampleNotStarted = -13,
	kGpaStatusErrorSampleAlreadyStarted = -14,
	kGpaStatusErrorSampleNotEnded = -15,
	kGpaStatusErrorCannotChangeCountersWhenSampling = -16,
	kGpaStatusErrorSessionNotFound = -17,
	kGpaStatusErrorSampleNotFound = -18,
	kGpaStatusErrorContextNotFound = -19,
	kGpaStatusErrorCommandListNotFound = -20,
	kGpaStatusErrorReadingSampleResult = -21,
	kGpaStatusErrorVariableNumberOfSamplesInPasses = -22,
	kGpaStatusErrorFailed = -23,
	kGpaStatusErrorHardwareNotSupported = -24,
	kGpaStatusErrorDriverNotSupported = -25,
	kGpaStatusErrorApiNotSupported = -26,
	kGpaStatusErrorInvalidParameter = -27,
	kGpaStatusErrorLibLoadFailed = -28,
	kGpaStatusErrorLibLoadMajorVersionMismatch = -29,
	kGpaStatusErrorLibLoadMinorVersionMismatch = -30,
	kGpaStatusErrorGpaNotInitialized = -31,
	kGpaStatusErrorGpaAlreadyInitialized = -32,
	kGpaStatusErrorSampleInSecondaryCommandList = -33,
	kGpaStatusErrorIncompatibleSampleTypes = -34,
	kGpaStatusErrorSessionAlreadyStarted = -35,
	kGpaStatusErrorSessionNotStarted = -36,
	kGpaStatusErrorSessionNotEnded = -37,
	kGpaStatusErrorInvalidDataType = -38,
	kGpaStatusErrorInvalidCounterEquation = -39,
	kGpaStatusErrorTimeout = -40,
	kGpaStatusErrorLibAlreadyLoaded = -41,
	kGpaStatusErrorOtherSessionActive = -42,
	kGpaStatusErrorException = -43,
	kGpaStatusErrorInvalidCounterGroupData = -44
} GpaStatus;

typedef GpaUInt32 GpaFlags;
typedef GpaFlags GpaInitializeFlags; /* 0 */
typedef GpaFlags GpaContextSampleTypeFlags;

/* How a context is opened; the clock modes ask for clocks that this library leaves as they are. */
typedef enum {
	kGpaOpenContextDefaultBit = 0,
	kGpaOpenContextHideDerivedCountersBit = 0x01,
	kGpaOpenContextClockModeNoneBit = 0x08,
	kGpaOpenContextClockModePeakBit = 0x10,
	kGpaOpenContextClockModeMinMemoryBit = 0x20,
	kGpaOpenContextClockModeMinEngineBit = 0x40,
	kGpaOpenContextEnableHardwareCountersBit = 0x80 /* raw events are counters too */
} GpaOpenContextBits;
typedef GpaFlags GpaOpenContextFlags;

typedef enum { kGpaDataTypeFloat64, kGpaDataTypeUint64, kGpaDataTypeLast } GpaDataType;

typedef enum {
	kGpaUsageTypeRatio,
	kGpaUsageTypePercentage,
	kGpaUsageTypeCycles,
	kGpaUsageTypeMilliseconds,
	kGpaUsageTypeBytes,
	kGpaUsageTypeItems,
	kGpaUsageTypeKilobytes,
	kGpaUsageTypeNanoseconds,
	kGpaUsageTypeLast
} GpaUsageType;

typedef enum {
	kGpaLoggingNone = 0,
	kGpaLoggingError = 1,
	kGpaLoggingMessage = 2,
	kGpaLoggingTrace = 4,
	kGpaLoggingAll = 0xFF
} GpaLoggingType;

typedef enum {
	kGpaHwGenerationNone,
	kGpaHwGenerationNvidia,
	kGpaHwGenerationIntel,
	kGpaHwGenerationGfx6,
	kGpaHwGenerationGfx7,
	kGpaHwGenerationGfx8,
	kGpaHwGenerationGfx9
} GpaHwGeneration;

typedef enum {
	kGpaCommandListNone,	  /* OpenGL and OpenCL */
	kGpaCommandListPrimary,	  /* a primary VkCommandBuffer */
	kGpaCommandListSecondary, /* not supported */
	kGpaCommandListLast
} GpaCommandListType;

typedef enum { kGpaCounterSampleTypeDiscrete = 1 } GpaCounterSampleType;
typedef enum {
	kGpaSessionSampleTypeDiscreteCounter,
	kGpaSessionSampleTypeLast
} GpaSessionSampleType;

typedef void (*GpaLoggingCallbackPtrType)(GpaLoggingType type, const char *message);

/*
 * What libGPUPerfAPIVK opens. Where the physical device has pipelineStatisticsQuery and
 * occlusionQueryPrecise, the device must be created with them; this structure cannot say whether it
 * was.
 */
#ifdef VULKAN_CORE_H_
typedef struct GpaVkContextOpenInfoType {
	VkInstance instance;
	VkPhysicalDevice physical_device;
	VkDevice device;
} GpaVkContextOpenInfo;
#endif

/*
 * The functions in the order of the table: X(name, result, parameters). `id`s are handles that the
 * library gives; strings live as long as the context.
 */
#define GPA3_FUNCTIONS(X)                                                                          \
	X(GetFuncTable, GpaStatus, (void *table))                                                  \
	X(RegisterLoggingCallback, GpaStatus,                                                      \
	  (GpaLoggingType type, GpaLoggingCallbackPtrType callback))                               \
	X(Initialize, GpaStatus, (GpaInitializeFlags flags))                                       \
	X(Destroy, GpaStatus, (void))                                                              \
	X(OpenContext, GpaStatus,                                                                  \
	  (void *api_context, GpaOpenContextFlags flags, GpaContextId *id))                        \
	X(CloseContext, GpaStatus, (GpaContextId id))                                              \
	X(GetSupportedSampleTypes, GpaStatus, (GpaContextId id, GpaContextSampleTypeFlags * out))  \
	X(GetDeviceAndRevisionId, GpaStatus,                                                       \
	  (GpaContextId id, GpaUInt32 * device, GpaUInt32 * revision))                             \
	X(GetDeviceName, GpaStatus, (GpaContextId id, const char **out))                           \
	X(GetNumCounters, GpaStatus, (GpaContextId id, GpaUInt32 * out))                           \
	X(GetCounterName, GpaStatus, (GpaContextId id, GpaUInt32 counter, const char **out))       \
	X(GetCounterIndex, GpaStatus, (GpaContextId id, const char *name, GpaUInt32 *out))         \
	X(GetCounterGroup, GpaStatus, (GpaContextId id, GpaUInt32 counter, const char **out))      \
	X(GetCounterDescription, GpaStatus,                                                        \
	  (GpaContextId id, GpaUInt32 counter, const char **out))                                  \
	X(GetCounterDataType, GpaStatus, (GpaContextId id, GpaUInt32 counter, GpaDataType * out))  \
	X(GetCounterUsageType, GpaStatus,                                                          \
	  (GpaContextId id, GpaUInt32 counter, GpaUsageType * out))                                \
	X(GetCounterUuid, GpaStatus, (GpaContextId id, GpaUInt32 counter, GpaUuid * out))          \
	X(GetCounterSampleType, GpaStatus,                                                         \
	  (GpaContextId id, GpaUInt32 counter, GpaCounterSampleType * out))                        \
	X(GetDataTypeAsStr, GpaStatus, (GpaDataType type, const char **out))                       \
	X(GetUsageTypeAsStr, GpaStatus, (GpaUsageType type, const char **out))                     \
	X(CreateSession, GpaStatus,                                                                \
	  (GpaContextId id, GpaSessionSampleType type, GpaSessionId * out))                        \
	X(DeleteSession, GpaStatus, (GpaSessionId id))                                             \
	X(BeginSession, GpaStatus, (GpaSessionId id))                                              \
	X(EndSession, GpaStatus, (GpaSessionId id))                                                \
	X(EnableCounter, GpaStatus, (GpaSessionId id, GpaUInt32 counter))                          \
	X(DisableCounter, GpaStatus, (GpaSessionId id, GpaUInt32 counter))                         \
	X(EnableCounterByName, GpaStatus, (GpaSessionId id, const char *name))                     \
	X(DisableCounterByName, GpaStatus, (GpaSessionId id, const char *name))                    \
	X(EnableAllCounters, GpaStatus, (GpaSessionId id))                                         \
	X(DisableAllCounters, GpaStatus, (GpaSessionId id))                                        \
	X(GetPassCount, GpaStatus, (GpaSessionId id, GpaUInt32 * out))                             \
	X(GetNumEnabledCounters, GpaStatus, (GpaSessionId id, GpaUInt32 * out))                    \
	X(GetEnabledIndex, GpaStatus, (GpaSessionId id, GpaUInt32 number, GpaUInt32 * out))        \
	X(IsCounterEnabled, GpaStatus, (GpaSessionId id, GpaUInt32 counter))                       \
	X(BeginCommandList, GpaStatus,                                                             \
	  (GpaSessionId id, GpaUInt32 pass, void *commands, GpaCommandListType type,               \
	   GpaCommandListId *out))                                                                 \
	X(EndCommandList, GpaStatus, (GpaCommandListId id))                                        \
	X(BeginSample, GpaStatus, (GpaUInt32 sample, GpaCommandListId id))                         \
	X(EndSample, GpaStatus, (GpaCommandListId id))                                             \
	X(ContinueSampleOnCommandList, GpaStatus, (GpaUInt32 sample, GpaCommandListId id))         \
	X(CopySecondarySamples, GpaStatus,                                                         \
	  (GpaCommandListId secondary, GpaCommandListId primary, GpaUInt32 count,                  \
	   GpaUInt32 * samples))                                                                   \
	X(GetSampleCount, GpaStatus, (GpaSessionId id, GpaUInt32 * out))                           \
	X(IsPassComplete, GpaStatus, (GpaSessionId id, GpaUInt32 pass))                            \
	X(IsSessionComplete, GpaStatus, (GpaSessionId id))                                         \
	X(GetSampleResultSize, GpaStatus, (GpaSessionId id, GpaUInt32 sample, size_t * out))       \
	X(GetSampleResult, GpaStatus, (GpaSessionId id, GpaUInt32 sample, size_t size, void *out)) \
	X(GetStatusAsStr, const char *, (GpaStatus status))                                        \
	/* from 3.3 */                                                                             \
	X(GetSampleId, GpaStatus, (GpaSessionId id, GpaUInt32 index, GpaUInt32 * out))             \
	X(GetVersion, GpaStatus,                                                                   \
	  (GpaUInt32 * major, GpaUInt32 * minor, GpaUInt32 * build, GpaUInt32 * update))           \
	/* from 3.17 */                                                                            \
	X(GetDeviceGeneration, GpaStatus, (GpaContextId id, GpaHwGeneration * out))

/*
 * The function table. The table of an older client may end earlier: its `minor_version` is its size
 * in bytes.
 */
typedef struct _GpaFunctionTable {
	GpaUInt32 major_version, minor_version;
#define GPA3_MEMBER(name, result, parameters) result(*name) parameters;
	GPA3_FUNCTIONS(GPA3_MEMBER)
#undef GPA3_MEMBER
} GpaFunctionTable;

#define GPA_FUNCTION_TABLE_MAJOR_VERSION_NUMBER 3
#define GPA_FUNCTION_TABLE_MINOR_VERSION_NUMBER ((GpaUInt32)sizeof(GpaFunctionTable))

/*
 * Fills as much of a table as its minor_version says. NullPointer, LibLoadMajorVersionMismatch (not
 * 3), LibLoadMinorVersionMismatch (more than this library has); the library's versions are written
 * in each of these cases but the first.
 */
GPALIB_DECL GpaStatus GpaGetFuncTable(void *table);
/* The same under the name that headers up to 3.5 ask for. */
GPALIB_DECL GpaStatus GPA_GetFuncTable(void *table);

#endif
