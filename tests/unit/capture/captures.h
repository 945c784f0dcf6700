/* Captures in files, and what reading them gave. */
#ifndef UNIT_CAPTURE_CAPTURES_H
#define UNIT_CAPTURE_CAPTURES_H

#include "capture/format/bytes.h"
#include "capture/format/format.h"
#include "capture/reader.h"
#include "unit/capture/sample.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <cmocka.h>

/* What came out of a capture. */
struct outcome {
	enum sx_status opened, ended;
	uint64_t rows[2], marks, wrong;
	struct sx_capture_account account;
	bool clean;
};

static char folder[] = "/tmp/sextant-capture-XXXXXX";

static inline const char *path_of(const char *name)
{
	static char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static inline void drain(struct sx_capture_reader *reader, struct outcome *out)
{
	struct sx_capture_record record;
	while ((out->ended = sx_capture_next(reader, &record, NULL)) == SX_OK) {
		uint64_t first;
		if (record.type != SX_CAPTURE_ROWS)
			out->marks++;
		else if (!sample_matches(&record.rows, &first))
			out->wrong++;
		else if (record.device < 2)
			out->rows[record.device] += record.rows.count;
	}
	out->account = *sx_capture_account(reader);
	out->clean = sx_capture_info(reader)->clean;
}

static inline int set_up(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static inline int tear_down(void **state)
{
	static const char *const names[] = {"whole",  "growing", "flush",  "dump", "full",
					    "locked", "overrun", "misuse", NULL};
	for (int i = 0; names[i]; i++)
		unlink(path_of(names[i]));
	return rmdir(folder);
}

#endif
