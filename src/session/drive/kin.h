/*
 * A program and what it has started, as far as that can be told: those whose parents are of it, and
 * its process group where it has one of its own. (It shares ours where it has not, so that a
 * terminal serves it; whoever else is in ours is none of the run.) Found in /proc.
 */
#ifndef SESSION_DRIVE_KIN_H
#define SESSION_DRIVE_KIN_H

#include "base/sys.h"

struct kinsman {
	pid_t pid, parent, group;
	uint64_t begun; /* tells it from others of its number */
	bool met, here; /* met: it is of the program; here: it ran at the last look */
};

/* Zero-initialise, then set what is marked; kin_finish() frees. */
struct kin {
	const struct sx_sys *sys; /* set */
	pid_t root;		  /* set: the program; nobody has waited for it yet */
	struct kinsman *items;	  /* parents before their children */
	size_t count, cap;
};

/* Looks who is there now: those who were met before, and who has come. Without /proc: nobody. */
void kin_look(struct kin *kin);
/* Whether any but the program itself ran at the last look. */
bool kin_any(const struct kin *kin);
/* Sends a signal to all of them that ran at the last look, and in any case to the program. */
void kin_signal(const struct kin *kin, int signal_number);
void kin_finish(struct kin *kin);

#endif
