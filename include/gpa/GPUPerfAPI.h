/*
 * GPUPerfAPI 2.x: counters of a GPU over sessions, passes and samples. Calls act on the current
 * context: a thread that opened or selected one keeps it as its own, others share the one opened
 * last. All calls are thread-safe. Each comment lists the statuses (without GPA_STATUS_ERROR_) in
 * the order in which they are checked.
 */
#ifndef GPUPERFAPI_H
#define GPUPERFAPI_H

#include <assert.h> /* old sources rely on it */
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "GPUPerfAPITypes.h"
#include "GPUPerfAPIFunctionTypes.h"

/*
 * Sets the one log callback and the mask of kinds that it wants; GPA_LOGGING_NONE with NULL
 * removes it. Works at any time. Otherwise NULL_POINTER for no callback.
 */
GPALIB_DECL GPA_Status GPA_RegisterLoggingCallback(GPA_Logging_Type loggingType,
						   GPA_LoggingCallbackPtrType pCallbackFuncPtr);

/* Call before the device or context is made. Calling it again does no harm. */
GPALIB_DECL GPA_Status GPA_Initialize(void);

/* Call last, after contexts are closed. It closes none itself. */
GPALIB_DECL GPA_Status GPA_Destroy(void);

/*
 * Opens the counters of a context, which becomes the current one of this thread. OpenGL: the
 * handle of the context that is current here (EGLContext or GLXContext); OpenCL: a
 * cl_command_queue with profiling; Vulkan: a GPA_VulkanContext (GPUPerfAPIVK.h). NULL_POINTER,
 * COUNTERS_ALREADY_OPEN, HARDWARE_NOT_SUPPORTED, FAILED.
 */
GPALIB_DECL GPA_Status GPA_OpenContext(void *pContext);

/*
 * Closes the current context with its sessions; the oldest context still open becomes current.
 * COUNTERS_NOT_OPEN, SAMPLING_NOT_ENDED.
 */
GPALIB_DECL GPA_Status GPA_CloseContext(void);

/* Makes an open context the current one of this thread. NULL_POINTER, COUNTERS_NOT_OPEN. */
GPALIB_DECL GPA_Status GPA_SelectContext(void *pContext);

/* Number of counters of the current context. COUNTERS_NOT_OPEN, NULL_POINTER. */
GPALIB_DECL GPA_Status GPA_GetNumCounters(gpa_uint32 *pCount);

/*
 * Name of a counter; the library's, valid while the context is open. COUNTERS_NOT_OPEN,
 * INDEX_OUT_OF_RANGE, NULL_POINTER.
 */
GPALIB_DECL GPA_Status GPA_GetCounterName(gpa_uint32 index, const char **ppName);

/* What a counter means, as "#Group#text". Statuses as GPA_GetCounterName(). */
GPALIB_DECL GPA_Status GPA_GetCounterDescription(gpa_uint32 index, const char **ppDescription);

/* Type of a counter's result. Statuses as GPA_GetCounterName(). */
GPALIB_DECL GPA_Status GPA_GetCounterDataType(gpa_uint32 index, GPA_Type *pCounterDataType);

/* Unit of a counter's result. Statuses as GPA_GetCounterName(). */
GPALIB_DECL GPA_Status GPA_GetCounterUsageType(gpa_uint32 index, GPA_Usage_Type *pCounterUsageType);

/*
 * Index of a counter by name, upper and lower case alike. NULL_POINTER (name),
 * COUNTERS_NOT_OPEN, NULL_POINTER (index), NOT_FOUND.
 */
GPALIB_DECL GPA_Status GPA_GetCounterIndex(const char *pCounter, gpa_uint32 *pIndex);

/* Name of a type, "gpa_float64" and so on. Needs no context. NOT_FOUND, NULL_POINTER. */
GPALIB_DECL GPA_Status GPA_GetDataTypeAsStr(GPA_Type counterDataType, const char **ppTypeStr);

/* Name of a usage, "percentage" and so on. Needs no context. NOT_FOUND, NULL_POINTER. */
GPALIB_DECL GPA_Status GPA_GetUsageTypeAsStr(GPA_Usage_Type counterUsageType,
					     const char **ppUsageTypeStr);

/* Text of a status; never NULL. */
GPALIB_DECL const char *GPA_GetStatusAsStr(GPA_Status status);

/*
 * Enables a counter for the sessions to come. COUNTERS_NOT_OPEN, INDEX_OUT_OF_RANGE,
 * CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING, ALREADY_ENABLED.
 */
GPALIB_DECL GPA_Status GPA_EnableCounter(gpa_uint32 index);

/* The same by name. NULL_POINTER, COUNTERS_NOT_OPEN, NOT_FOUND, then as GPA_EnableCounter(). */
GPALIB_DECL GPA_Status GPA_EnableCounterStr(const char *pCounter);

/*
 * Enables every counter, in the order of their indices. COUNTERS_NOT_OPEN,
 * CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING.
 */
GPALIB_DECL GPA_Status GPA_EnableAllCounters(void);

/*
 * Disables a counter. COUNTERS_NOT_OPEN, INDEX_OUT_OF_RANGE,
 * CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING, NOT_ENABLED.
 */
GPALIB_DECL GPA_Status GPA_DisableCounter(gpa_uint32 index);

/* The same by name. NULL_POINTER, COUNTERS_NOT_OPEN, NOT_FOUND, then as GPA_DisableCounter(). */
GPALIB_DECL GPA_Status GPA_DisableCounterStr(const char *pCounter);

/* Disables every counter. COUNTERS_NOT_OPEN, CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING. */
GPALIB_DECL GPA_Status GPA_DisableAllCounters(void);

/* Number of enabled counters. COUNTERS_NOT_OPEN, NULL_POINTER. */
GPALIB_DECL GPA_Status GPA_GetEnabledCount(gpa_uint32 *pCount);

/*
 * Index of the n-th enabled counter, in the order of enabling. COUNTERS_NOT_OPEN, NULL_POINTER,
 * INDEX_OUT_OF_RANGE.
 */
GPALIB_DECL GPA_Status GPA_GetEnabledIndex(gpa_uint32 enabledNumber,
					   gpa_uint32 *pEnabledCounterIndex);

/*
 * OK when the counter is enabled, NOT_FOUND when it is not. COUNTERS_NOT_OPEN,
 * INDEX_OUT_OF_RANGE.
 */
GPALIB_DECL GPA_Status GPA_IsCounterEnabled(gpa_uint32 counterIndex);

/*
 * Passes that the enabled counters need; 0 for none. The same work has to run once in each.
 * NULL_POINTER, COUNTERS_NOT_OPEN, FAILED.
 */
GPALIB_DECL GPA_Status GPA_GetPassCount(gpa_uint32 *pNumPasses);

/*
 * Begins a session of the enabled counters; ids count up from 1. At least four sessions are
 * kept: the oldest is then dropped. COUNTERS_NOT_OPEN, NULL_POINTER, NO_COUNTERS_ENABLED,
 * SAMPLING_ALREADY_STARTED.
 */
GPALIB_DECL GPA_Status GPA_BeginSession(gpa_uint32 *pSessionID);

/*
 * Ends the session. COUNTERS_NOT_OPEN, SAMPLING_NOT_STARTED, PASS_NOT_ENDED, NOT_ENOUGH_PASSES
 * (ended all the same).
 */
GPALIB_DECL GPA_Status GPA_EndSession(void);

/*
 * Begins a pass. Passes beyond those needed do nothing. COUNTERS_NOT_OPEN, SAMPLING_NOT_STARTED,
 * PASS_ALREADY_STARTED.
 */
GPALIB_DECL GPA_Status GPA_BeginPass(void);

/*
 * Ends the pass. COUNTERS_NOT_OPEN, SAMPLING_NOT_STARTED, PASS_NOT_STARTED, SAMPLE_NOT_ENDED,
 * VARIABLE_NUMBER_OF_SAMPLES_IN_PASSES (ended all the same).
 */
GPALIB_DECL GPA_Status GPA_EndPass(void);

/*
 * Begins a sample; the same id in every pass. An id that the pass has already seen replaces the
 * earlier sample. COUNTERS_NOT_OPEN, SAMPLING_NOT_STARTED, PASS_NOT_STARTED,
 * SAMPLE_ALREADY_STARTED, FAILED.
 */
GPALIB_DECL GPA_Status GPA_BeginSample(gpa_uint32 sampleID);

/* Ends the sample. COUNTERS_NOT_OPEN, SAMPLE_NOT_STARTED, FAILED. */
GPALIB_DECL GPA_Status GPA_EndSample(void);

/*
 * Samples of a session. NULL_POINTER, COUNTERS_NOT_OPEN, SESSION_NOT_FOUND, NOT_FOUND (no pass
 * begun).
 */
GPALIB_DECL GPA_Status GPA_GetSampleCount(gpa_uint32 sessionID, gpa_uint32 *pSamples);

/*
 * Whether all passes of a sample have delivered; never waits. COUNTERS_NOT_OPEN, NULL_POINTER,
 * SESSION_NOT_FOUND, SAMPLE_NOT_FOUND_IN_ALL_PASSES.
 */
GPALIB_DECL GPA_Status GPA_IsSampleReady(bool *pReadyResult, gpa_uint32 sessionID,
					 gpa_uint32 sampleID);

/*
 * Whether a session has ended and all its samples have delivered; never waits.
 * COUNTERS_NOT_OPEN, NULL_POINTER, SESSION_NOT_FOUND.
 */
GPALIB_DECL GPA_Status GPA_IsSessionReady(bool *pReadyResult, gpa_uint32 sessionID);

/*
 * A counter's value in a sample; waits for the GPU, some seconds at most. NULL_POINTER,
 * COUNTERS_NOT_OPEN, INDEX_OUT_OF_RANGE, COUNTER_NOT_OF_SPECIFIED_TYPE, SESSION_NOT_FOUND,
 * NOT_ENABLED (in that session), SAMPLING_NOT_ENDED (still active), SAMPLE_NOT_FOUND,
 * READING_COUNTER_RESULT (no answer, or no data).
 */
GPALIB_DECL GPA_Status GPA_GetSampleUInt64(gpa_uint32 sessionID, gpa_uint32 sampleID,
					   gpa_uint32 counterID, gpa_uint64 *pResult);

/* As GPA_GetSampleUInt64(), for counters of this type. */
GPALIB_DECL GPA_Status GPA_GetSampleUInt32(gpa_uint32 sessionID, gpa_uint32 sampleID,
					   gpa_uint32 counterIndex, gpa_uint32 *pResult);

/* As GPA_GetSampleUInt64(), for counters of this type. */
GPALIB_DECL GPA_Status GPA_GetSampleFloat64(gpa_uint32 sessionID, gpa_uint32 sampleID,
					    gpa_uint32 counterIndex, gpa_float64 *pResult);

/* As GPA_GetSampleUInt64(), for counters of this type. */
GPALIB_DECL GPA_Status GPA_GetSampleFloat32(gpa_uint32 sessionID, gpa_uint32 sampleID,
					    gpa_uint32 counterIndex, gpa_float32 *pResult);

/* PCI device id of the GPU. COUNTERS_NOT_OPEN, NULL_POINTER, NOT_FOUND. */
GPALIB_DECL GPA_Status GPA_GetDeviceID(gpa_uint32 *pDeviceID);

/*
 * Name of the GPU; the library's, valid while the context is open. COUNTERS_NOT_OPEN,
 * NULL_POINTER, NOT_FOUND.
 */
GPALIB_DECL GPA_Status GPA_GetDeviceDesc(const char **ppDesc);

#endif
