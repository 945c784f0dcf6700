/* Recordings of OA sources, kept in memory. Include cmocka before. */
#ifndef UNIT_SOURCE_RECORDED_H
#define UNIT_SOURCE_RECORDED_H

#include <stdlib.h>
#include <string.h>

#include <sextant/oa.h>
#include "session/session.h"

struct recorded {
	uint8_t *data;
	size_t size, limit; /* limit: bytes that there is room for, 0: no limit */
};

static inline bool recorded_append(void *user, const uint8_t *data, size_t size)
{
	struct recorded *r = user;
	if (r->limit && r->size + size > r->limit)
		return false;
	r->data = realloc(r->data, r->size + size + 1);
	assert_non_null(r->data);
	memcpy(r->data + r->size, data, size);
	r->size += size;
	return true;
}

/* Records, and reads the recording to its end: one row of it all. The caller destroys the decoder.
 */
static inline struct sx_oa_decoder *recorded_total(const struct source_host *host,
						   const struct sx_raw_recording *recording)
{
	struct sx_error err = {0};
	struct recorded r = {.data = NULL};
	struct sx_oa_options options = {.input = SX_OA_RECORDING, .rows = SX_OA_TOTAL};
	struct sx_oa_decoder *d = NULL;
	size_t used = 0;
	assert_int_equal(record_raw(host, recording, recorded_append, &r, &err), SX_OK);
	assert_int_equal(sx_oa_decoder_create(&options, &d, &err), SX_OK);
	assert_int_equal(sx_oa_decoder_feed(d, r.data, r.size, &used, &err), SX_OK);
	assert_int_equal(used, r.size);
	assert_int_equal(sx_oa_decoder_finish(d, 0, &err), SX_OK);
	free(r.data);
	return d;
}

#endif
