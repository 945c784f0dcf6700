/* The GL of one context: version, features, and the functions that we call. */
#ifndef PRELOAD_REAL_API_H
#define PRELOAD_REAL_API_H

#include <stdbool.h>
#include <GL/glcorearb.h>

#include "guest/channel.h"

/* Query functions, except those of timer queries. */
#define API_QUERIES(X)                                                                             \
	X(PFNGLGENQUERIESPROC, GenQueries)                                                         \
	X(PFNGLDELETEQUERIESPROC, DeleteQueries)                                                   \
	X(PFNGLBEGINQUERYPROC, BeginQuery)                                                         \
	X(PFNGLENDQUERYPROC, EndQuery)                                                             \
	X(PFNGLGETQUERYIVPROC, GetQueryiv)                                                         \
	X(PFNGLGETQUERYOBJECTUIVPROC, GetQueryObjectuiv)
#define API_TIMER(X)                                                                               \
	X(PFNGLGETQUERYOBJECTUI64VPROC, GetQueryObjectui64v)                                       \
	X(PFNGLQUERYCOUNTERPROC, QueryCounter)
#define API_FUNCTIONS(X)                                                                           \
	X(PFNGLGETSTRINGPROC, GetString)                                                           \
	X(PFNGLGETSTRINGIPROC, GetStringi)                                                         \
	X(PFNGLGETINTEGERVPROC, GetIntegerv)                                                       \
	X(PFNGLGETINTEGER64VPROC, GetInteger64v)                                                   \
	X(PFNGLGETERRORPROC, GetError)                                                             \
	X(PFNGLISENABLEDPROC, IsEnabled)                                                           \
	X(PFNGLENABLEPROC, Enable)                                                                 \
	X(PFNGLDISABLEPROC, Disable)                                                               \
	X(PFNGLBEGINQUERYINDEXEDPROC, BeginQueryIndexed)                                           \
	X(PFNGLENDQUERYINDEXEDPROC, EndQueryIndexed)                                               \
	X(PFNGLGETQUERYINDEXEDIVPROC, GetQueryIndexediv)                                           \
	X(PFNGLBINDBUFFERPROC, BindBuffer)                                                         \
	X(PFNGLISBUFFERPROC, IsBuffer)                                                             \
	API_QUERIES(X)                                                                             \
	API_TIMER(X)

/* Features of the version and extensions. */
struct api_features {
	bool occlusion;	    /* GL_SAMPLES_PASSED */
	bool occlusion_any; /* GL_ANY_SAMPLES_PASSED */
	bool conservative;  /* GL_ANY_SAMPLES_PASSED_CONSERVATIVE */
	bool statistics;    /* pipeline statistics */
	bool timer;	    /* GL_TIME_ELAPSED and GL_TIMESTAMP */
	bool feedback;	    /* GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN */
	bool generated;	    /* GL_PRIMITIVES_GENERATED */
	bool indexed;	    /* glBeginQueryIndexed and streams 1 to 3 */
	bool overflow;	    /* transform feedback overflow */
	bool pausable;	    /* transform feedback can be paused, and its state read */
	bool results64;	    /* 64-bit results */
	bool disjoint;	    /* GL_EXT_disjoint_timer_query */
	bool bits;	    /* GL_QUERY_COUNTER_BITS may be asked of any target */
	bool debug;	    /* GL_DEBUG_OUTPUT */
	bool lists;	    /* display lists */
	bool amd_monitor;   /* GL_AMD_performance_monitor */
	bool intel_query;   /* GL_INTEL_performance_query */
	bool query_buffer;  /* GL_QUERY_BUFFER */
	bool flush_control; /* GL_CONTEXT_RELEASE_BEHAVIOR can be read */
};

struct api {
#define API_FIELD(type, name) type name;
	API_FUNCTIONS(API_FIELD)
#undef API_FIELD
	struct api_features has;
	bool es;
	bool invents_names; /* names of query objects need not be generated */
	int version;	    /* 46 is 4.6 */
};

/* Loads the functions of the current context and fills in the identity. false: there are none. */
bool api_load(struct api *gl, bool egl, struct channel_identity *identity);

#endif
