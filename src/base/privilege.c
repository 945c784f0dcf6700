/* Effective user, group and capabilities. A refusal leaves things as they were, which is never
 * more. */
#include "base/privilege.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* The order matters: the group first while the user may still change it. */
static void set_ids(uid_t uid, gid_t gid)
{
	int ignored = setegid(gid);
	ignored |= seteuid(uid);
	(void)ignored;
}

struct privilege privilege_raise(void)
{
	static const uint32_t all[2] = {UINT32_MAX, UINT32_MAX};
	struct privilege before = {.uid = geteuid(), .gid = getegid()};
	struct capabilities c;
	uid_t real, effective, saved;
	gid_t real_group, effective_group, saved_group;
	if (getresuid(&real, &effective, &saved) != 0 || real == 0 ||
	    getresgid(&real_group, &effective_group, &saved_group) != 0)
		return before;
	if (read_capabilities(&c))
		for (int i = 0; i < 2; i++)
			before.capabilities[i] = c.data[i].effective;
	set_ids(saved, saved_group);
	if (read_capabilities(&c))
		set_effective(&c, all);
	return before;
}

void privilege_restore(const struct privilege *before)
{
	struct capabilities c;
	if (getuid() == 0)
		return;
	set_ids(before->uid, before->gid);
	if (read_capabilities(&c))
		set_effective(&c, before->capabilities);
}

void privilege_lower(void)
{
	struct privilege real = {.uid = getuid(), .gid = getgid()};
	privilege_restore(&real);
}

void privilege_forget(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	if (uid == 0)
		return;
	privilege_raise();
	if (setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0)
		_exit(127);
	privilege_lower();
}
