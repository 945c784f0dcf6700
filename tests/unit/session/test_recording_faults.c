/*
 * Recordings and replays with every call of the C library failing once that does not go through the
 * table of system calls: the file sink, the reader of captures, the sockets of OpenGL programs. The
 * calls are the linker's (--wrap). Every lost sample is reported, a file that cannot be
 * written to the end is readable up to there, and no descriptor stays open.
 */
#include <sextant/capture.h>
#include <sextant/session.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "devices/i915_oa.h"
#include "devices/machine.h"
#include "session/session.h"

#define INTERVAL_NS UINT64_C(10000000)
#define RUN_NS	    (30 * INTERVAL_NS)

static struct sx_context *context;
static char folder[] = "/tmp/sextant-faults-XXXXXX";
static char path[64];

/* Also from the writer's thread. */
static atomic_uint calls, fail_at;
static atomic_int fail_errno;

static bool fails(void)
{
	if (atomic_fetch_add(&calls, 1) + 1 != atomic_load(&fail_at))
		return false;
	errno = atomic_load(&fail_errno);
	return true;
}

#define WRAP(type, name, params, args)                                                             \
	type __real_##name params;                                                                 \
	type __wrap_##name params;                                                                 \
	type __wrap_##name params                                                                  \
	{                                                                                          \
		return fails() ? -1 : __real_##name args;                                          \
	}

WRAP(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
WRAP(int, open64, (const char *name, int flags, mode_t mode), (name, flags, mode))
WRAP(ssize_t, pread64, (int fd, void *to, size_t size, off_t at), (fd, to, size, at))
WRAP(int, fallocate64, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
WRAP(int, ftruncate64, (int fd, off_t size), (fd, size))
WRAP(off_t, lseek64, (int fd, off_t at, int from), (fd, at, from))
WRAP(int, fdatasync, (int fd), (fd))
WRAP(int, flock, (int fd, int how), (fd, how))
WRAP(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
WRAP(int, bind, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size))
WRAP(int, listen, (int fd, int count), (fd, count))

/* As the kernel's, closed all the same. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int closed = __real_close(fd);
	return fails() ? -1 : closed;
}

static void arm(unsigned k, int why)
{
	atomic_store(&calls, 0);
	atomic_store(&fail_errno, why);
	atomic_store(&fail_at, k);
}

static bool disarm(void)
{
	return atomic_exchange(&fail_at, 0) <= atomic_load(&calls);
}

static int count_open(void)
{
	int count = 0;
	DIR *dir = opendir("/proc/self/fd");
	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

struct rig {
	struct fake_i915 fake;
	struct machine machine;
};

static struct sx_session *open_rig(struct rig *r, const char *input, struct sx_error *err)
{
	static const char *const devices[] = {"i915"}, *const metrics[] = {"GpuBusy"};
	struct sx_session_options options = {.devices = input ? NULL : devices,
					     .device_count = input ? 0 : 1,
					     .metrics = metrics,
					     .metric_count = 1,
					     .input = input,
					     .interval_ns = INTERVAL_NS};
	struct sx_session *session = NULL;
	fake_i915_init(&r->fake);
	machine_init(&r->machine, &r->fake.sys, &r->fake.now_ns);
	session_create_on(&r->machine.sys, context, &options, &session, err);
	return session;
}

/* How many rows a recording has, in order; -1: it is none. */
static long count_recorded(bool *whole)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	long rows = 0;
	uint64_t last = 0;
	if (sx_capture_open(path, &reader, NULL))
		return -1;
	while (sx_capture_next(reader, &record, NULL) == SX_OK) {
		if (record.type != SX_CAPTURE_ROWS)
			continue;
		for (size_t i = 0; i < record.rows.count; i++, rows++) {
			assert_true(record.rows.begin_ns[i] >= last);
			last = record.rows.begin_ns[i];
		}
	}
	*whole = sx_capture_info(reader)->clean;
	sx_capture_close(reader);
	return rows;
}

/* A whole recording with the k-th call failing. */
static bool faulty_recording(unsigned k, int why)
{
	struct rig r;
	struct sx_error err = {0}, ignored = {0};
	struct sx_capture_writer *writer = NULL;
	struct sx_session_limits limits = {.duration_ns = RUN_NS};
	uint64_t samples = 0;
	uint32_t count;
	unlink(path);
	struct sx_session *session = open_rig(&r, NULL, &ignored);
	assert_non_null(session);
	int before = count_open();
	arm(k, why);
	enum sx_status status = sx_capture_create(path, NULL, &writer, &err);
	bool created = !status;
	if (created) {
		sx_session_record(session, writer);
		assert_int_equal(sx_session_run(session, NULL, &limits, &ignored), SX_OK);
		samples = sx_session_devices(session, &count)->samples;
		status = sx_capture_finish(writer, NULL, &err);
	}
	bool reached = disarm(), whole = false;
	assert_int_equal(count_open(), before);
	if (status && !(err.message[0] && err.status == status))
		fail_msg("call %u, errno %d: status %d without a word", k, why, status);
	long rows = created ? count_recorded(&whole) : 0;
	if (!status && (rows != (long)samples || !whole))
		fail_msg("call %u, errno %d: %ld of %lu rows, and nothing was told", k, why, rows,
			 (unsigned long)samples);
	assert_true(rows <= (long)samples);
	/* What was written before stays; the failing call costs a record, not the file. */
	if (created && rows < 0)
		fail_msg("call %u, errno %d: the file is not readable", k, why);
	sx_session_destroy(session);
	assert_true(machine_clean(&r.machine));
	fake_i915_finish(&r.fake);
	return reached;
}

static const int errors[] = {EIO, ENOSPC, EINTR, EACCES};

static void recordings(void **state)
{
	for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
		unsigned k = 1;
		while (faulty_recording(k, errors[e]))
			k++;
		assert_true(k > 8);
	}
}

/* The same rows, or fewer and the reason. */
static bool faulty_replay(unsigned k, int why, uint64_t all)
{
	struct rig r;
	struct sx_error err = {0};
	uint32_t count;
	int before = count_open();
	arm(k, why);
	struct sx_session *session = open_rig(&r, path, &err);
	enum sx_status status = session ? sx_session_run(session, NULL, NULL, &err) : SX_ERR_IO;
	bool reached = disarm();
	uint64_t rows = session && (!status || status == SX_INCOMPLETE)
			    ? sx_session_devices(session, &count)->samples
			    : 0;
	assert_true(!status || err.message[0]);
	if (!status && rows != all)
		fail_msg("call %u, errno %d: %lu of %lu rows, and nothing was told", k, why,
			 (unsigned long)rows, (unsigned long)all);
	sx_session_destroy(session);
	assert_int_equal(count_open(), before);
	fake_i915_finish(&r.fake);
	return reached;
}

static void replays(void **state)
{
	bool whole;
	faulty_recording(UINT32_MAX, EIO);
	long all = count_recorded(&whole);
	assert_true(all > 20 && whole);
	for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
		unsigned k = 1;
		while (faulty_replay(k, errors[e], (uint64_t)all))
			k++;
		assert_true(k > 5);
	}
}

/* A program that never draws; the library need only be there to be found. */
static bool faulty_program(unsigned k, int why)
{
	static const char *const devices[] = {"gl"};
	char *const program[] = {(char[]){"true"}, NULL};
	struct sx_session_options options = {.devices = devices, .device_count = 1, .child = true};
	struct sx_session *session = NULL;
	struct sx_error err = {0};
	uint32_t count;
	int before = count_open();
	arm(k, why);
	enum sx_status status = sx_session_create(context, &options, &session, &err);
	if (!status)
		status = sx_session_run(session, program, NULL, &err);
	bool reached = disarm();
	if (status)
		assert_true(err.message[0] != '\0');
	else
		assert_non_null(sx_session_devices(session, &count)->run.silence);
	sx_session_destroy(session);
	assert_int_equal(count_open(), before);
	return reached;
}

static void programs(void **state)
{
	static const int some[] = {EIO, EINTR}; /* each run waits for a real program */
	for (size_t e = 0; e < sizeof(some) / sizeof(some[0]); e++) {
		unsigned k = 1;
		while (faulty_program(k, some[e]))
			k++;
		assert_true(k > 5);
	}
}

static int setup(void **state)
{
	char library[96];
	if (!mkdtemp(folder) || sx_context_create(NULL, &context, NULL))
		return 1;
	snprintf(path, sizeof(path), "%s/run.sxc", folder);
	snprintf(library, sizeof(library), "%s/libsextant-gl.so", folder);
	FILE *file = fopen(library, "w");
	/* Sockets that others left in the user's own folder are looked at by each of 900 runs. */
	return !file || fclose(file) || setenv("SEXTANT_PRELOAD_DIR", folder, 1) ||
	       setenv("XDG_RUNTIME_DIR", folder, 1);
}

static int teardown(void **state)
{
	char library[96];
	snprintf(library, sizeof(library), "%s/libsextant-gl.so", folder);
	unlink(library);
	unlink(path);
	rmdir(folder);
	sx_context_destroy(context);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(recordings),
	    cmocka_unit_test(replays),
	    cmocka_unit_test(programs),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
