/* Memory and folders that programs share with a session are protected, and removed at the end. */
#include "unit/source/guest_bench.h"

/* Receives the descriptor that a program is sent, as an attacker would. */
static int fetch(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct wire_hello hello;
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec part = {&hello, sizeof(hello)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), memory;
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(recvmsg(fd, &message, 0), sizeof(hello));
	memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(memory));
	close(fd);
	return memory;
}

/* The reader once died of SIGBUS when a program shortened the file; then with all other programs.
 */
static void test_memory_cannot_be_taken_away(void **state)
{
	struct processes all;
	open_all(&all);
	int fd = fetch(all.handover.path);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, 1 << 30), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	/* Holes may be punched: they read as zeros. */
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20), 0);
	assert_int_equal(drain(&all), 0);
	waitpid(program(all.handover.path, 1, 5, end_well), NULL, 0);
	assert_int_equal(drain(&all), 5);
	close(fd);
	processes_close(&all);
}

static void test_no_program_reaches_anothers_memory(void **state)
{
	struct processes all;
	struct stat a, b;
	open_all(&all);
	int one = fetch(all.handover.path), two = fetch(all.handover.path);
	assert_int_equal(fstat(one, &a), 0);
	assert_int_equal(fstat(two, &b), 0);
	assert_true(a.st_ino != b.st_ino);
	close(one);
	close(two);
	processes_close(&all);
}

static void test_nothing_is_left_behind(void **state)
{
	struct processes all;
	char path[sizeof(all.handover.path)], folder[sizeof(all.handover.folder)];
	struct stat info;
	open_all(&all);
	memcpy(path, all.handover.path, sizeof(path));
	memcpy(folder, all.handover.folder, sizeof(folder));
	assert_int_equal(stat(folder, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	processes_close(&all);
	assert_int_equal(stat(folder, &info), -1);
	assert_null(channel_open(path));
}

/* The folders in this one were made a minute ago. */
static void make_old(const char *runtime)
{
	DIR *dir = opendir(runtime);
	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		struct timespec times[2] = {{.tv_sec = time(NULL) - 60},
					    {.tv_sec = time(NULL) - 60}};
		if (e->d_name[0] != '.')
			assert_int_equal(utimensat(dirfd(dir), e->d_name, times, 0), 0);
	}
	closedir(dir);
}

/* A session that was killed leaves its folder; a later one removes it. */
static void test_stale_folders_are_removed(void **state)
{
	char runtime[] = "/tmp/sextant-test-XXXXXX", folder[64], path[80];
	struct processes all;
	struct stat info;
	assert_non_null(mkdtemp(runtime));
	setenv("XDG_RUNTIME_DIR", runtime, 1);
	pid_t pid = fork();
	if (pid == 0) {
		_exit(processes_open(&all, sys_real(), &wish, NULL) ? 1 : 0);
	}
	waitpid(pid, NULL, 0);
	open_all(&all); /* one that has just begun stays: its socket may not listen yet */
	assert_int_equal(stat(runtime, &info), 0);
	assert_int_equal(info.st_nlink, 4);
	processes_close(&all);
	make_old(runtime);
	open_all(&all);
	assert_memory_equal(all.handover.folder, runtime, strlen(runtime));
	memcpy(folder, all.handover.folder, sizeof(folder));
	memcpy(path, all.handover.path, sizeof(path));
	assert_int_equal(stat(runtime, &info), 0);
	assert_int_equal(info.st_nlink, 3); /* one folder in it: ours */
	processes_close(&all);
	assert_int_equal(rmdir(runtime), 0);
	unsetenv("XDG_RUNTIME_DIR");
}

/* A session that begins looks whether others still live, and is no program to them. */
static void test_sessions_do_not_take_each_other_for_programs(void **state)
{
	char runtime[] = "/tmp/sextant-test-XXXXXX";
	struct processes all, later;
	assert_non_null(mkdtemp(runtime));
	setenv("XDG_RUNTIME_DIR", runtime, 1);
	open_all(&all);
	make_old(runtime);
	open_all(&later);
	pid_t pid = fork();
	if (pid == 0)
		_exit(channel_open(all.handover.path) == NULL);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(processes_waiting(&all));
	assert_int_equal(processes_activity(&all).processes, 1);
	assert_int_equal(processes_activity(&later).processes, 0);
	processes_close(&later);
	processes_close(&all);
	assert_int_equal(rmdir(runtime), 0);
	unsetenv("XDG_RUNTIME_DIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memory_cannot_be_taken_away),
	    cmocka_unit_test(test_no_program_reaches_anothers_memory),
	    cmocka_unit_test(test_nothing_is_left_behind),
	    cmocka_unit_test(test_stale_folders_are_removed),
	    cmocka_unit_test(test_sessions_do_not_take_each_other_for_programs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
