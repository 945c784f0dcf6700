/*
 * Privileges beyond those of the user (a set-user-ID file, file capabilities): dropped at the
 * start, raised by the system table only around calls to devices, never inherited. Without such
 * privileges all are no-ops; a user who is root stays root.
 */
#ifndef BASE_PRIVILEGE_H
#define BASE_PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Effective rights of a thread, to be restored. Zero-initialised there is nothing to restore. */
struct privilege {
	bool raised;
	uid_t uid;
	gid_t gid;
	uint32_t capabilities[2];
};

/*
 * Takes all rights that the process may take, for the calling thread alone, and returns those that
 * it had. For base/sys.c; nothing else may run between the two, and no path of a user's or a file's
 * may be opened.
 */
struct privilege privilege_raise(void);
/* Leaves errno as it is. */
void privilege_restore(const struct privilege *before);
/* Acts as the real user from now on; privilege_raise() is still possible. For a program's start,
 * before there are threads. */
void privilege_lower(void);
/*
 * As the real user, for good: for a program that is started, or a library of others that is loaded.
 * For a process of one thread; ends it when that is refused.
 */
void privilege_forget(void);

#endif
