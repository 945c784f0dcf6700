/*
 * Effective user, group and capabilities. Raising and restoring use the system calls themselves,
 * which change the calling thread alone; libc's functions change every thread. A refusal leaves
 * things as they were, which is never more.
 */
#include "base/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SAME ((uid_t)-1) /* leaves an id as it is */

struct capabilities {
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct data[2];
};

static bool read_capabilities(struct capabilities *c)
{
	*c = (struct capabilities){.head = {.version = _LINUX_CAPABILITY_VERSION_3}};
	return syscall(SYS_capget, &c->head, c->data) == 0;
}

static void set_effective(struct capabilities *c, const uint32_t effective[2])
{
	for (int i = 0; i < 2; i++)
		c->data[i].effective = effective[i] & c->data[i].permitted;
	syscall(SYS_capset, &c->head, c->data);
}

struct ids {
	uid_t user, effective_user, saved_user;
	gid_t group, effective_group, saved_group;
};

static bool read_ids(struct ids *ids)
{
	return getresuid(&ids->user, &ids->effective_user, &ids->saved_user) == 0 &&
	       getresgid(&ids->group, &ids->effective_group, &ids->saved_group) == 0;
}

/* Of the calling thread alone. */
static void set_ids(uid_t uid, gid_t gid)
{
	syscall(SYS_setresgid, SAME, gid, SAME);
	syscall(SYS_setresuid, SAME, uid, SAME);
}

struct privilege privilege_raise(void)
{
	static const uint32_t all[2] = {UINT32_MAX, UINT32_MAX};
	struct privilege before = {0};
	struct capabilities c;
	struct ids ids;
	if (!read_ids(&ids) || ids.user == 0 || !read_capabilities(&c))
		return before;
	before.uid = ids.effective_user;
	before.gid = ids.effective_group;
	before.raised =
	    ids.effective_user != ids.saved_user || ids.effective_group != ids.saved_group;
	for (int i = 0; i < 2; i++) {
		before.capabilities[i] = c.data[i].effective;
		before.raised |= c.data[i].effective != c.data[i].permitted;
	}
	if (!before.raised)
		return before;
	set_ids(ids.saved_user, ids.saved_group);
	if (read_capabilities(&c))
		set_effective(&c, all);
	return before;
}

void privilege_restore(const struct privilege *before)
{
	struct capabilities c;
	int saved = errno;
	if (!before->raised)
		return;
	set_ids(before->uid, before->gid);
	if (read_capabilities(&c))
		set_effective(&c, before->capabilities);
	errno = saved;
}

void privilege_lower(void)
{
	static const uint32_t none[2];
	struct capabilities c;
	if (getuid() == 0)
		return;
	int ignored = setegid(getgid());
	ignored |= seteuid(getuid());
	(void)ignored;
	if (read_capabilities(&c))
		set_effective(&c, none);
}

/*
 * What a file's rights do not account for, its user had before, and keeps: ambient capabilities,
 * which a file with rights clears.
 */
static void keep_capabilities(struct capabilities *c)
{
	bool by_file = getauxval(AT_SECURE) != 0;
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t bit = 1u << i % 32;
		bool keep = !by_file && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, i, 0, 0) == 1;
		if (!keep)
			c->data[i / 32].permitted &= ~bit;
		if (by_file)
			c->data[i / 32].inheritable &= ~bit;
		c->data[i / 32].effective &= c->data[i / 32].permitted;
	}
	if (by_file)
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

/* Whether nothing is left that could be taken back. */
static bool is_forgotten(const struct capabilities *wanted)
{
	struct capabilities c;
	struct ids ids;
	return read_ids(&ids) && ids.user == ids.effective_user && ids.user == ids.saved_user &&
	       ids.group == ids.effective_group && ids.group == ids.saved_group &&
	       read_capabilities(&c) && memcmp(c.data, wanted->data, sizeof(c.data)) == 0;
}

void privilege_forget(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	struct capabilities c;
	if (uid == 0)
		return;
	privilege_raise();
	if (setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0 ||
	    !read_capabilities(&c))
		_exit(127);
	keep_capabilities(&c);
	if (syscall(SYS_capset, &c.head, c.data) != 0 || !is_forgotten(&c))
		_exit(127);
}
