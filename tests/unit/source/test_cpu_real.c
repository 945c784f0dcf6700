/* The CPU source on this machine, held against what wait4() and the clock say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <sextant/expr.h>
#include "source/cpu/cpu.h"

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define BURN_NS	  (150 * NS_PER_MS)

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;
	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void burn(uint64_t ns)
{
	volatile uint64_t sink;
	uint64_t x = 0;
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < ns)
		for (int i = 0; i < 10000; i++)
			sink = x += (uint64_t)i;
	(void)sink;
}

/* A child that waits for a byte, burns CPU itself and in a child of its own, and ends. */
static pid_t start_child(int *go)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char c;
		close(fds[1]);
		if (read(fds[0], &c, 1) != 1)
			_exit(1);
		if (fork() == 0) {
			burn(BURN_NS);
			_exit(0);
		}
		burn(BURN_NS);
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	close(fds[0]);
	*go = fds[1];
	return pid;
}

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t value;
	memcpy(&value, p, sizeof(value));
	return value;
}

static struct source *start(const struct sx_sys *sys, const struct source_request *request)
{
	struct source *source;
	struct sx_error err = {0};
	if (source_cpu.open(&(struct source_host){.sys = sys}, "cpu", &source, &err) != SX_OK ||
	    source_cpu.start(source, request, &err) != SX_OK)
		fail_msg("%s: %s", err.message, err.because);
	return source;
}

static int no_perf_event_open(void *user, void *attr, pid_t pid, int cpu, int group_fd,
			      unsigned long flags)
{
	errno = EACCES;
	return -1;
}

/* A process and its child against the kernel's own account of them. */
static void check_process(const struct sx_sys *sys)
{
	static const char *const names[] = {"TaskClock", "PageFaults"};
	struct raw_sample raw;
	struct sx_error err = {0};
	int go, status;
	pid_t pid = start_child(&go);
	struct source *source = start(sys, &(struct source_request){.counters = names,
								    .counter_count = 2,
								    .interval_ns = 20 * NS_PER_MS,
								    .pid = pid});
	uint64_t total = 0, samples = 0, last = 0;
	assert_int_equal(write(go, "x", 1), 1);
	enum sx_status got;
	while ((got = source_cpu.read(source, 5000, &raw, &err)) == SX_OK) {
		if (raw.kind == RAW_NOTE)
			continue;
		assert_int_equal(raw.data[2 * 8] & SX_QUALITY_NO_DATA_MASK, 0);
		assert_true(last == 0 || raw.begin_ns == last);
		last = raw.end_ns;
		total += u64_at(raw.data);
		samples++;
	}
	assert_int_equal(got, SX_END);
	struct rusage usage;
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	uint64_t want = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
			(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
	print_message("TaskClock %lu ns in %lu samples, wait4 %lu ns\n", total, samples, want);
	assert_true(want >= 2 * BURN_NS);
	/* The times of children that ended come in ticks of 10 ms without perf events. */
	uint64_t slack = want / 50 + 20 * NS_PER_MS;
	assert_true(total > want - slack && total < want + slack);
	assert_true(samples >= 3);
	source_cpu.close(source);
	close(go);
}

static void test_process(void **state)
{
	check_process(sys_real());
}

static void test_process_without_events(void **state)
{
	struct sx_sys sys = *sys_real();
	sys.perf_event_open = no_perf_event_open;
	check_process(&sys);
}

/* All CPUs' time adds up to elapsed time: clusters, and every state of the machine. */
static void test_machine(void **state)
{
	struct raw_sample raw;
	struct sx_error err = {0};
	struct source *source =
	    start(sys_real(), &(struct source_request){.interval_ns = 300 * NS_PER_MS});
	const struct source_desc *desc = source_describe(source);
	do
		assert_int_equal(source_cpu.read(source, 5000, &raw, &err), SX_OK);
	while (raw.kind == RAW_NOTE);
	uint64_t clusters = 0, states = 0;
	for (uint32_t i = 0; i < desc->counter_count; i++) {
		uint64_t value = u64_at(raw.data + 8 * (size_t)i);
		if (strncmp(desc->counters[i], "ClusterTime", 11) == 0)
			clusters += value;
		for (int c = CPU_USER_TIME; c <= CPU_STEAL_TIME; c++)
			if (strcmp(desc->counters[i], cpu_counter_defs[c].name) == 0)
				states += value;
	}
	uint64_t want = (raw.end_ns - raw.begin_ns) * (uint64_t)desc->facts.constants[0].value;
	print_message("clusters %lu ns, states %lu ns, CPUs by time %lu ns\n", clusters, states,
		      want);
	assert_int_equal(clusters, states);
	/* Each of eight states of a CPU is rounded to ticks, and an idle CPU's may lag. */
	uint64_t slack = want / 4 + 80 * NS_PER_MS * (uint64_t)desc->facts.constants[0].value;
	assert_true(clusters + slack > want && clusters < want + slack);
	source_cpu.close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_process),
	    cmocka_unit_test(test_process_without_events),
	    cmocka_unit_test(test_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
