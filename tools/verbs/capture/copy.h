/* Copies of captures: a part of one, several in one, or one without what names its owner. */
#ifndef TOOLS_VERBS_CAPTURE_COPY_H
#define TOOLS_VERBS_CAPTURE_COPY_H

#include <sextant/capture.h>

#include "tools/cli/cli.h"

struct capture_copy {
	const struct cli *cli; /* who is shown how far it is */
	const char *const *inputs;
	size_t input_count;
	const char *output;
	uint64_t from_ns, to_ns; /* since the first row; 0: from the beginning, to the end */
	bool anonymise;
	const int64_t *offset_ns; /* to add to the times of all inputs but the first, or NULL */
	/* Of several inputs: how the times of one became those of the first; may be NULL. */
	void (*aligned)(void *user, const char *line);
	void *aligned_user;
};

/* What a copy left out or could not read. */
struct capture_copied {
	uint64_t rows, damaged_records, damaged_bytes;
	uint64_t duration_ns; /* of the last input, all of it */
	char what[160];	      /* the first damage, or empty */
	const char *cut;      /* the first input that did not end cleanly, or NULL */
};

/* Errors: those of opening and writing captures; SX_ERR_USAGE when output is one of the inputs, or
 * one recording is given twice. */
enum sx_status capture_copy_run(const struct capture_copy *copy, struct capture_copied *out,
				struct sx_error *err);

#endif
