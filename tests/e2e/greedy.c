/*
 * A library that a user puts in a driver's place: takes back what rights it can, and writes what it
 * has to the file named by $GREEDY.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((constructor)) static void grab(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	const char *path = getenv("GREEDY");
	char text[8192];

	if (syscall(SYS_capget, &head, data) == 0) {
		for (int i = 0; i < 2; i++)
			data[i].effective = data[i].inheritable = data[i].permitted;
		(void)!syscall(SYS_capset, &head, data);
	}
	(void)!setresuid(0, 0, 0);
	int from = open("/proc/self/status", O_RDONLY), to = -1;
	if (path)
		to = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
	ssize_t n = read(from, text, sizeof(text));
	if (to >= 0 && n > 0)
		(void)!write(to, text, (size_t)n);
	close(from);
	close(to);
}
