/*
 * Rights beyond those of the user who runs us (a set-user-ID file, file capabilities): given up but
 * while devices are opened and closed, and never passed on. Without such rights all are no-ops; a
 * user who is root stays root. Capabilities are those of the calling thread.
 */
#ifndef BASE_PRIVILEGE_H
#define BASE_PRIVILEGE_H

#include <stdint.h>
#include <sys/types.h>

/* Effective rights, to be restored. */
struct privilege {
	uid_t uid;
	gid_t gid;
	uint32_t capabilities[2];
};

/* Takes all rights that the process may take, and returns those that it had. */
struct privilege privilege_raise(void);
void privilege_restore(const struct privilege *before);
/* Acts as the real user from now on; privilege_raise() is still possible. */
void privilege_lower(void);
/* As the real user, for good: for a program that is started. */
void privilege_forget(void);

#endif
