/* Rights of a file: raised for one thread at a time, and gone for good when forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/privilege.h"
#include "base/sys.h"

#define NOBODY 65534
#define ROUNDS 20000

/* Runs a test in a process that is as a set-user-ID file of root makes it. */
static void as_set_user_id(int (*body)(void))
{
	int status;
	if (getuid() != 0)
		skip();
	pid_t pid = fork();
	if (pid == 0) {
		if (setresgid(NOBODY, 0, 0) != 0 || setresuid(NOBODY, 0, 0) != 0)
			_exit(100);
		privilege_lower();
		_exit(geteuid() == NOBODY && getegid() == NOBODY ? body() : 101);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static int raises_and_restores(void)
{
	struct privilege before = privilege_raise();
	if (!before.raised || geteuid() != 0 || getegid() != 0)
		return 1;
	errno = 7;
	privilege_restore(&before);
	return errno == 7 && geteuid() == NOBODY && getegid() == NOBODY ? 0 : 2;
}

/* A file that only root may read, by a path that is not the system's own, and one that is. */
static int devices_alone(void)
{
	const struct sx_sys *sys = sys_real();
	char text[64];
	if (sys->open(sys->user, "/etc/shadow", O_RDONLY) >= 0 ||
	    sys->read_file(sys->user, "/etc/shadow", text, sizeof(text)) >= 0)
		return 1;
	if (sys->open(sys->user, "/sys/../etc/shadow", O_RDONLY) >= 0)
		return 2;
	return geteuid() == NOBODY ? 0 : 3;
}

/* Counting one's own threads, and those of a process of root's. */
static int own_programs_alone(void)
{
	const struct sx_sys *sys = sys_real();
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK};
	int fd = sys->perf_event_open(sys->user, &attr, 0, -1, -1, 0);
	if (fd < 0)
		return 77; /* the kernel has no such events */
	sys->close(sys->user, fd);
	fd = sys->perf_event_open(sys->user, &attr, getppid(), -1, -1, 0);
	return fd < 0 && errno == EACCES && geteuid() == NOBODY ? 0 : 1;
}

static void *watch(void *arg)
{
	volatile bool *stop = arg;
	while (!*stop)
		if (syscall(SYS_geteuid) != NOBODY || syscall(SYS_getegid) != NOBODY)
			return arg;
	return NULL;
}

/* While one thread raises, another keeps the user's rights. */
static int one_thread(void)
{
	static volatile bool stop;
	pthread_t other;
	void *seen = NULL;
	if (pthread_create(&other, NULL, watch, (void *)&stop) != 0)
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		struct privilege before = privilege_raise();
		privilege_restore(&before);
	}
	stop = true;
	pthread_join(other, &seen);
	return seen ? 2 : 0;
}

static int forgets(void)
{
	privilege_forget();
	struct privilege before = privilege_raise();
	return !before.raised && setresuid(0, 0, 0) != 0 && geteuid() == NOBODY ? 0 : 1;
}

static void test_raises(void **state)
{
	as_set_user_id(raises_and_restores);
}

static void test_devices_alone(void **state)
{
	as_set_user_id(devices_alone);
}

static void test_own_programs_alone(void **state)
{
	as_set_user_id(own_programs_alone);
}

static void test_one_thread(void **state)
{
	as_set_user_id(one_thread);
}

static void test_forgets(void **state)
{
	as_set_user_id(forgets);
}

/* Without such rights nothing happens. */
static void test_without(void **state)
{
	struct privilege before = privilege_raise();
	if (getuid() == 0)
		assert_false(before.raised);
	privilege_restore(&before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_raises),
	    cmocka_unit_test(test_devices_alone),
	    cmocka_unit_test(test_own_programs_alone),
	    cmocka_unit_test(test_one_thread),
	    cmocka_unit_test(test_forgets),
	    cmocka_unit_test(test_without),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
