/* The guide's counters that queries of a graphics API give, on any driver. */
#ifndef GPA_QUERIES_H
#define GPA_QUERIES_H

#include "gpa/core.h"

/* Numbers of raws; a back end's own come behind RAW_COUNT. */
enum query_raw {
	RAW_TIME, /* ns between two timestamps */
	RAW_OCCLUSION,
	RAW_VERTICES,
	RAW_PRIMITIVES,
	RAW_VS,
	RAW_TCS_PATCHES,
	RAW_TES,
	RAW_GS,
	RAW_GS_PRIMITIVES,
	RAW_FS,
	RAW_CS,
	RAW_CLIP_IN,
	RAW_CLIP_OUT,
	RAW_WRITTEN, /* four streams */
	RAW_NEEDED = RAW_WRITTEN + 4,
	RAW_OVERFLOW = RAW_NEEDED + 4, /* any stream */
	RAW_STREAM_OVERFLOW,
	RAW_FEEDBACK = RAW_STREAM_OVERFLOW + 4, /* whether transform feedback was on */
	RAW_COUNT
};

/* Classes of raws: one pass each. */
enum { CLASS_TIME, CLASS_QUERIES, CLASS_MORE, CLASS_COUNT };

/* How the descriptions say where a value comes from. */
enum query_words { QUERY_OPENGL, QUERY_VULKAN };

/*
 * Adds what the driver counts (`have` by raw): the counters of the guide that a query gives exactly
 * (those that the list does not have from hardware), and the D3D11-style group.
 */
bool query_counters_add(struct gpa_guide *guide, const bool *have, enum query_words words,
			struct gpa_list *list);
/* A counter's value from its raws; `counter` is one that query_counters_add() has added. */
bool query_counters_value(const struct gpa_counter *counter, const uint64_t *raws,
			  union gpa_value *out);

#endif
