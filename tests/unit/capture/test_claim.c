/*
 * Claims: from before its program runs to the end of its index only the recorder has a file,
 * however often another process tries to claim it.
 */
#include <sextant/capture.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define RACES 200

static char folder[] = "/tmp/sextant-claim-XXXXXX";
static char path[64];

/* Whether the file is a capture that ends in its index. */
static bool is_whole(void)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	if (sx_capture_open(path, &reader, NULL))
		return false;
	while (sx_capture_next(reader, &record, NULL) == SX_OK)
		continue;
	bool whole = sx_capture_info(reader)->clean && !sx_capture_account(reader)->what[0];
	sx_capture_close(reader);
	return whole;
}

static void record_into(struct sx_capture_claim *claim)
{
	struct sx_capture_options options = {.claim = claim};
	struct sx_capture_writer *writer = NULL;
	assert_int_equal(sx_capture_create(path, &options, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
}

/* Who holds the file: its own number while it does. Two at once have overwritten each other's. */
static atomic_int holder;
static atomic_int taken, refused, wrong;

static void *recorder(void *user)
{
	int self = *(int *)user;
	struct sx_capture_options options = {0};
	struct sx_capture_writer *writer = NULL;
	struct sx_error err = {0};
	for (int races = 0; races < RACES;) {
		enum sx_status status = sx_capture_claim(path, &options.claim, &err);
		if (status) {
			refused += status == SX_ERR_BUSY;
			wrong += status != SX_ERR_BUSY;
			sched_yield();
			continue;
		}
		races++;
		wrong += atomic_exchange(&holder, self) != 0;
		bool records = races % 4 != 0; /* else its program did not start */
		if (records && sx_capture_create(path, &options, &writer, &err))
			wrong++;
		wrong += atomic_exchange(&holder, 0) != self;
		if (races % 8 == 5)
			unlink(path); /* so that there is one to be made, and to be taken away */
		if (!records)
			sx_capture_unclaim(options.claim);
		else
			wrong += sx_capture_finish(writer, NULL, NULL) != SX_OK;
		taken++;
	}
	return NULL;
}

static void races(void **state)
{
	int numbers[] = {1, 2};
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, recorder, &numbers[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(wrong, 0);
	assert_int_equal(taken, 2 * RACES);
	record_into(NULL);
	assert_true(is_whole());
}

/* The hand-over, while another process tries to claim the file all the time. */
static atomic_bool over;

static void *beggar(void *user)
{
	while (!over) {
		struct sx_capture_claim *claim = NULL;
		if (sx_capture_claim(path, &claim, NULL))
			continue;
		taken++;
		sx_capture_unclaim(claim);
	}
	return NULL;
}

static void no_gap(void **state)
{
	pthread_t thread;
	taken = 0;
	for (int i = 0; i < RACES; i++) {
		struct sx_capture_options options = {0};
		struct sx_capture_writer *writer = NULL;
		while (sx_capture_claim(path, &options.claim, NULL))
			continue;
		over = false;
		assert_int_equal(pthread_create(&thread, NULL, beggar, NULL), 0);
		assert_int_equal(sx_capture_create(path, &options, &writer, NULL), SX_OK);
		assert_int_equal(taken, 0);
		over = true;
		pthread_join(thread, NULL);
		assert_int_equal(taken, 0);
		assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
		assert_true(is_whole());
	}
}

static void what_is_there_stays(void **state)
{
	struct sx_capture_claim *claim = NULL, *second = NULL;
	struct sx_error err = {0};
	char text[8] = "";
	FILE *file = fopen(path, "w");
	assert_true(file && fputs("kept", file) >= 0 && fclose(file) == 0);
	assert_int_equal(sx_capture_claim(path, &claim, NULL), SX_OK);
	assert_int_equal(sx_capture_claim(path, &second, &err), SX_ERR_BUSY);
	assert_int_equal(sx_capture_claim(path, &second, NULL), SX_ERR_BUSY);
	assert_non_null(strstr(err.because, "another recording"));
	assert_true(err.remedy[0] != '\0');
	sx_capture_unclaim(claim);
	file = fopen(path, "r");
	assert_true(file && fgets(text, sizeof(text), file) && fclose(file) == 0);
	assert_string_equal(text, "kept");
	assert_int_equal(sx_capture_claim(path, &claim, NULL), SX_OK);
	record_into(claim);
	assert_true(is_whole());
}

/* What was made for a claim goes with it; what another put there does not. */
static void nothing_is_left(void **state)
{
	struct sx_capture_claim *claim = NULL;
	unlink(path);
	assert_int_equal(sx_capture_claim(path, &claim, NULL), SX_OK);
	assert_int_equal(access(path, F_OK), 0);
	sx_capture_unclaim(claim);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(sx_capture_claim(path, &claim, NULL), SX_OK);
	unlink(path);
	FILE *file = fopen(path, "w");
	assert_true(file && fclose(file) == 0);
	sx_capture_unclaim(claim);
	assert_int_equal(access(path, F_OK), 0);
	sx_capture_unclaim(NULL);
	assert_int_equal(sx_capture_claim("/proc/nonexistent/x.sxc", &claim, NULL),
			 SX_ERR_NOT_FOUND);
}

/* /dev/null and pipes cannot be claimed. */
static void devices_are_for_all(void **state)
{
	struct sx_capture_claim *claim = NULL, *second = NULL;
	assert_int_equal(sx_capture_claim("/dev/null", &claim, NULL), SX_OK);
	assert_int_equal(sx_capture_claim("/dev/null", &second, NULL), SX_OK);
	sx_capture_unclaim(claim);
	sx_capture_unclaim(second);
}

static int setup(void **state)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/run.sxc", folder);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_there_stays),
	    cmocka_unit_test(nothing_is_left),
	    cmocka_unit_test(devices_are_for_all),
	    cmocka_unit_test(races),
	    cmocka_unit_test(no_gap),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
