/*
 * Files of Intel's OA unit: recordings of i915-perf-recorder, and reports back to back. What such a
 * file is of, and its bytes on their way through the decoder.
 */
#ifndef IMPORT_RAW_OA_H
#define IMPORT_RAW_OA_H

#include <sextant/oa.h>

#include "import/raw/input.h"

/* A file on its way through a decoder: `rows` takes what is complete. */
struct raw_oa_sink {
	struct sx_oa_decoder *decoder;
	enum sx_status (*rows)(void *user, struct sx_error *err);
	void *user;
};

struct raw_oa_units {
	uint32_t eus, slices, subslices;
};

/* What --as says: "oa:A32u40_A4u32_B8_C8", and ":command" behind it for reports of
 * MI_REPORT_PERF_COUNT. */
enum sx_status raw_oa_kind(const char *kind, struct sx_oa_options *options, struct sx_error *err);
/* What is known before the first byte: of bare reports the device, and frequencies. */
enum sx_status raw_oa_prepare(struct raw_input *in, struct sx_oa_options *options,
			      struct sx_error *err);
/*
 * What a recording's device tells: its catalog, constants and metric set. *known: the set is one
 * of the catalog's.
 */
enum sx_status raw_oa_meet(struct raw_input *in, const struct sx_oa_device *device, bool *known,
			   struct sx_error *err);
/* Why a metric's name is of several sets: the recording's is unknown, or it says none. */
void raw_oa_ambiguous(const struct raw_input *in, struct sx_error *err);
/* Counts of a known topology, else 0. */
struct raw_oa_units raw_oa_units(const struct sx_oa_device *device);
/* Reads to the end; *left receives the bytes that were no whole record. */
enum sx_status raw_oa_pump(const struct raw_oa_sink *pump, int fd, size_t *left,
			   struct sx_error *err);

#endif
