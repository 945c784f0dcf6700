/* What kind of program a process runs, as far as that decides whether a library can be loaded. */
#ifndef SOURCE_GUEST_PROGRAM_H
#define SOURCE_GUEST_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include <sextant/status.h>
#include "base/sys.h"

enum program_kind {
	PROGRAM_UNKNOWN,
	PROGRAM_DYNAMIC, /* a library should have been loaded */
	PROGRAM_STATIC,	 /* has no loader */
	PROGRAM_OTHER,	 /* of another word size or CPU than ours */
	PROGRAM_GUARDED, /* set-user-ID or the like: nobody may look, the loader takes nothing */
	PROGRAM_CLEARED, /* what loads the library is not in its environment */
	PROGRAM_FOREIGN, /* of another user, who does not reach the channel */
};

/* Zero-initialise, then set what is marked. */
struct program {
	const char *variable, *holds; /* set: of the environment, and a part of its value */
	enum program_kind kind;
	char path[256]; /* of what it runs */
	long user;	/* who runs it, of PROGRAM_FOREIGN */
	bool bare;	/* it had no environment at the last look, as within exec */
};

/*
 * Looks at what the process runs now, if that is something else than at the last look. What it runs
 * is not known before it has executed its program.
 */
void program_look(struct program *program, const struct sx_sys *sys, pid_t pid);
/* Why a library was not loaded into it, and the remedy. False when the kind says nothing. */
bool program_explain(const struct program *program, struct sx_error *err);

#endif
