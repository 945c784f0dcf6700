/* Writes the profile of a run as text, JSON or CSV. */
#ifndef TOOLS_PROFILE_OUT_H
#define TOOLS_PROFILE_OUT_H

#include <sextant/session.h>

#include "tools/cli/cli.h"

struct profile {
	struct sx_session *session;
	char *const *argv; /* or NULL */
	int exit_code;
	const struct sx_session_device *devices;
	uint32_t device_count;
};

enum sx_status profile_write(const struct cli *cli, const struct profile *profile,
			     struct sx_error *err);
/* "frame", "time", ...: what samples enclose. */
const char *profile_sample_kind(enum sx_sample_kind kind);

#endif
