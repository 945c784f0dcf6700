/* Programs that come and go: the real writer in forked children, the real reader here. */
#include "unit/source/guest_bench.h"

static void end_killed(void)
{
	raise(SIGKILL);
}

static void end_never(void)
{
	for (;;)
		pause();
}

/* Waits a moment for processes of this machine that are in execve(). */
static bool ends_soon(struct processes *all)
{
	bool running = true;
	for (unsigned i = 0; i < 5000 && running; i++) {
		usleep(1000);
		running = processes_running(all);
	}
	return !running;
}

/* Whether one of this number is known to have our environment: others' are there as well. */
static bool is_heir(const struct processes *all, pid_t pid)
{
	for (size_t i = 0; i < all->descendants.count; i++)
		if (all->descendants.items[i].pid == pid)
			return all->descendants.items[i].sure;
	return false;
}

static void test_what_killed_programs_sent_is_read(void **state)
{
	struct processes all;
	int status;
	open_all(&all);
	pid_t pid = program(all.handover.path, 2, 20, end_killed);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(drain(&all), 40);
	assert_int_equal(all.contexts.count, 2);
	assert_int_equal(all.contexts.items[0].pid, pid);
	assert_int_equal(all.count, 0); /* nothing of it is kept */
	assert_int_equal(processes_activity(&all).contexts, 2);
	assert_true(ends_soon(&all));
	processes_close(&all);
}

/* Ends with some records read, some drafted, and one draft that was on its way to a record. */
static pid_t drafting(const char *path, unsigned records, unsigned drafts)
{
	struct channel_identity identity = {.serial = 1, .api = WIRE_OPENGL};
	struct channel_stream stream = {0};
	struct wire_record record = frame_now(0);
	uint64_t from_ns = record.begin_ns;
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	struct wire_header *channel = channel_open(path);
	if (!channel)
		_exit(9);
	channel->contexts++;
	record.flags = WIRE_CPU_KNOWN | WIRE_GPU_KNOWN;
	for (unsigned i = 0; i < drafts; i++) {
		record.frame = i;
		record.begin_ns = record.end_ns = from_ns + i;
		record.cpu_begin_ns = record.cpu_end_ns = i % 2;
		record.states[0] = WIRE_SPARED;
		record.states[1] = record.states[2] = WIRE_VALID; /* half of a record */
		record.values[1] = 5;
		channel_draft(channel, &stream, &identity, &record, i);
		channel_draft(channel, &stream, &identity, &record, i + 2); /* none before it */
	}
	for (unsigned i = 0; i < records; i++) {
		record.frame = i;
		channel_write(channel, &stream, &identity, &record);
	}
	record.frame = records;
	record.cpu_begin_ns = record.cpu_end_ns = records % 2;
	if (records < drafts)
		channel_draft(channel, &stream, &identity, &record, 0); /* again */
	raise(SIGKILL);
	_exit(0);
}

/* Drafts count after their program has ended, with the counters that they can have. */
static void test_drafts_of_killed_programs_are_read(void **state)
{
	static const struct {
		unsigned records, drafts, all;
	} cases[] = {{0, 3, 3}, {2, 9, 9}, {5, 5, 5}, {6, 4, 6}, {10, 80, 64}, {0, 0, 0}};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct processes all;
		struct wire_sample *sample = malloc(sizeof(*sample) + 64 + PROCESSES_VALUES);
		uint64_t lost = 0;
		unsigned frame = 0;
		assert_non_null(sample);
		open_all(&all);
		pid_t pid = drafting(all.handover.path, cases[c].records, cases[c].drafts);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		for (; processes_next(&all, sample, (char *)(sample + 1), 64, &lost); frame++) {
			const struct wire_record *r = &sample->record;
			bool draft = frame >= cases[c].records;
			assert_int_equal(r->frame, frame);
			assert_int_equal(r->states[1], draft ? WIRE_LATE : WIRE_VALID);
			assert_int_equal(r->values[1], draft ? 0 : 5);
			assert_int_equal(r->states[0], WIRE_SPARED);
			assert_int_equal(r->states[3], WIRE_NOT_COLLECTED);
			if (draft)
				assert_int_equal(r->flags, frame % 2 ? WIRE_CPU_KNOWN : 0);
		}
		assert_int_equal(frame, cases[c].all);
		assert_int_equal(lost, 0);
		assert_int_equal(processes_activity(&all).broken, 0);
		processes_close(&all);
		free(sample);
	}
}

/* As long as the program lives it may still say what was counted. */
static void test_drafts_of_running_programs_wait(void **state)
{
	struct processes all;
	int gate[2];
	open_all(&all);
	assert_int_equal(pipe(gate), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct channel_identity identity = {.serial = 1, .api = WIRE_OPENGL};
		struct channel_stream stream = {0};
		const struct wire_record record = frame_now(0);
		struct wire_header *channel = channel_open(all.handover.path);
		channel->contexts++;
		channel_draft(channel, &stream, &identity, &record, 0);
		channel_draft(channel, &stream, &identity, &record, 1);
		channel_drop_drafts(&stream);
		channel_draft(channel, &stream, &identity, &record, 0);
		write(gate[1], "", 1);
		pause();
	}
	char byte;
	assert_int_equal(read(gate[0], &byte, 1), 1);
	assert_int_equal(drain(&all), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(drain(&all), 1);
	close(gate[0]);
	close(gate[1]);
	processes_close(&all);
}

/* Streams of dead programs come back: today's limit is for those that live. */
static void test_many_programs_one_after_another(void **state)
{
	struct processes all;
	open_all(&all);
	for (unsigned i = 0; i < 100; i++) {
		int status;
		pid_t pid = program(all.handover.path, 3, 2, i % 2 ? end_killed : end_well);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(drain(&all), 6);
	}
	struct processes_activity seen = processes_activity(&all);
	assert_int_equal(seen.processes, 100);
	assert_int_equal(seen.contexts, 300);
	assert_int_equal(seen.refused, 0);
	processes_close(&all);
}

static void test_running_programs_are_known(void **state)
{
	struct processes all;
	open_all(&all);
	assert_true(ends_soon(&all));
	pid_t pid = program(all.handover.path, 1, 1, end_never);
	while (drain(&all) == 0)
		usleep(1000);
	assert_true(processes_running(&all));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	drain(&all);
	assert_true(ends_soon(&all));
	processes_close(&all);
}

/* One that a launcher left behind, and that has not loaded a library of ours yet, may yet do it. */
static void test_programs_with_our_environment_are_awaited(void **state)
{
	struct processes all;
	char variable[256];
	char *const sleeper[] = {"sleep", "60", NULL}, *const environment[] = {variable, NULL};
	open_all(&all);
	assert_true(ends_soon(&all));
	snprintf(variable, sizeof(variable), "%s=%s", WIRE_ENV_VULKAN, all.handover.path);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		execve("/bin/sleep", sleeper, environment);
		_exit(127);
	}
	bool awaited = false;
	for (unsigned i = 0; i < 5000 && !awaited; i++) {
		usleep(1000);
		processes_running(&all);
		awaited = is_heir(&all, pid);
	}
	assert_true(awaited);
	assert_true(processes_waiting(&all)); /* no process is measured meanwhile */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(ends_soon(&all));
	assert_false(is_heir(&all, pid));
	processes_close(&all);
}

static bool has_news(const struct processes *all, int wait_ms)
{
	struct pollfd fd = {.fd = all->handover.news[0], .events = POLLIN};
	return poll(&fd, 1, wait_ms) == 1;
}

/* Programs need no polling: the descriptor is readable until each has been accepted. */
static void test_a_program_that_comes_is_told(void **state)
{
	struct processes all;
	pid_t pids[2];
	open_all(&all);
	assert_false(has_news(&all, 0));
	for (int i = 0; i < 2; i++) {
		pids[i] = program(all.handover.path, 0, 0, end_never);
		assert_true(has_news(&all, 10000));
	}
	while (processes_activity(&all).processes < 2) {
		drain(&all);
		usleep(1000);
	}
	assert_false(has_news(&all, 0));
	assert_true(processes_awaited(&all)); /* none of them has drawn */
	for (int i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	drain(&all);
	assert_false(processes_awaited(&all));
	assert_int_equal(drain(&all), 0);
	waitpid(program(all.handover.path, 1, 3, end_well), NULL, 0);
	assert_true(has_news(&all, 10000));
	assert_int_equal(drain(&all), 3);
	assert_false(has_news(&all, 0));
	processes_close(&all);
}

static void test_too_many_contexts_are_told(void **state)
{
	struct processes all;
	open_all(&all);
	waitpid(program(all.handover.path, WIRE_STREAMS + 7, 1, end_well), NULL, 0);
	assert_int_equal(drain(&all), WIRE_STREAMS);
	assert_int_equal(processes_activity(&all).refused, 7);
	processes_close(&all);
}

/* Each context draws three frames, and one more sample, in which nothing is done, ends it. */
static void draw_and_tidy(const char *path, unsigned contexts)
{
	struct wire_header *channel = channel_open(path);
	for (unsigned c = 0; channel && c < contexts; c++) {
		struct channel_identity identity = {.serial = c + 1, .api = WIRE_OPENGL};
		struct channel_stream stream = {0};
		struct wire_record record = frame_now(0);
		record.draws = 1;
		for (; record.frame < 3; record.frame++)
			channel_write(channel, &stream, &identity, &record);
		record = frame_now(0);
		record.kind = WIRE_TIME;
		record.flags = WIRE_LAST;
		channel_write(channel, &stream, &identity, &record);
	}
	_exit(!channel);
}

static void test_no_more_is_dropped_than_there_was(void **state)
{
	struct processes all;
	open_all(&all);
	pid_t pid = fork();
	if (pid == 0)
		draw_and_tidy(all.handover.path, WIRE_STREAMS + 5);
	waitpid(pid, NULL, 0);
	drain(&all);
	assert_int_equal(processes_activity(&all).dropped, 5 * 3);
	processes_close(&all);
}

#define MANY 100u /* values of the driver's, which take three records */

static pid_t program_with_values(const char *path)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	struct wire_header *channel = channel_open(path);
	struct channel_identity identity = {.serial = 1, .api = WIRE_VULKAN};
	struct channel_stream stream = {0};
	struct wire_value values[MANY];
	if (!channel || channel->driver_count != 2 || channel->driver_ids[1][15] != 9)
		_exit(9);
	channel->contexts++;
	for (uint64_t frame = 0; frame < 200; frame++) {
		for (uint64_t i = 0; i < MANY; i++)
			values[i] =
			    (struct wire_value){.bits = 1000 * frame + i, .state = WIRE_VALID};
		const struct wire_record record = frame_now(frame);
		const struct channel_sample sample = {&record, values, frame % 2 ? MANY : 0};
		channel_write_values(channel, &stream, &identity, &sample);
	}
	_exit(0);
}

/* Samples arrive with their values or not at all: a ring of 64 holds twelve pairs, then what needs
 * one record. */
static void test_values_of_the_driver(void **state)
{
	static const uint8_t ids[2][WIRE_ID_BYTES] = {[1] = {[15] = 9}};
	struct processes all;
	struct channel_wish more = wish;
	struct wire_sample sample;
	char path[64 + PROCESSES_VALUES];
	uint64_t lost, count = 0;
	more.driver_ids = ids;
	more.driver_count = 2;
	open_all(&all);
	processes_set_wish(&all, &more);
	pid_t pid = program_with_values(all.handover.path);
	int how;
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_int_equal(how, 0);
	while (processes_next(&all, &sample, path, 64, &lost)) {
		struct wire_value value;
		uint64_t frame = sample.record.frame;
		assert_int_equal(sample.driver_count, frame % 2 ? MANY : 0);
		for (uint64_t i = 0; i < sample.driver_count; i++) {
			memcpy(&value, path + sample.label_length + i * sizeof(value),
			       sizeof(value));
			assert_int_equal(value.bits, 1000 * frame + i);
			assert_int_equal(value.state, WIRE_VALID);
		}
		count++;
	}
	assert_int_equal(count, 28);
	assert_int_equal(processes_activity(&all).broken, 0);
	processes_close(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values_of_the_driver),
	    cmocka_unit_test(test_what_killed_programs_sent_is_read),
	    cmocka_unit_test(test_drafts_of_killed_programs_are_read),
	    cmocka_unit_test(test_drafts_of_running_programs_wait),
	    cmocka_unit_test(test_many_programs_one_after_another),
	    cmocka_unit_test(test_running_programs_are_known),
	    cmocka_unit_test(test_programs_with_our_environment_are_awaited),
	    cmocka_unit_test(test_a_program_that_comes_is_told),
	    cmocka_unit_test(test_too_many_contexts_are_told),
	    cmocka_unit_test(test_no_more_is_dropped_than_there_was),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
