/* Captures while they are written: growing, flushed, in a ring, on a full disk. */
#include "unit/capture/captures.h"

static void test_grows(void **state)
{
	struct sx_capture_writer *writer = NULL;
	struct sx_capture_reader *reader = NULL;
	uint32_t device;
	assert_int_equal(sx_capture_create(path_of("growing"), NULL, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, sample_device(), &device, NULL), SX_OK);
	assert_true(sample_write(writer, device, 0, 5));
	assert_int_equal(sx_capture_flush(writer, NULL), SX_OK);
	assert_int_equal(sx_capture_open(path_of("growing"), &reader, NULL), SX_OK);
	struct outcome out = {0};
	drain(reader, &out);
	assert_int_equal(out.ended, SX_AGAIN);
	assert_int_equal(out.rows[0], 5);
	assert_true(sample_write(writer, device, 5, 5));
	assert_int_equal(sx_capture_flush(writer, NULL), SX_OK);
	drain(reader, &out);
	assert_int_equal(out.ended, SX_AGAIN);
	assert_int_equal(out.rows[0], 10);
	assert_int_equal(sx_capture_info(reader)->rows, 10);
	struct sx_capture_progress progress;
	assert_int_equal(sx_capture_finish(writer, &progress, NULL), SX_OK);
	assert_int_equal(progress.rows, 10);
	assert_int_equal(progress.chunks, 2);
	drain(reader, &out);
	assert_int_equal(out.ended, SX_END);
	assert_int_equal(out.wrong, 0);
	assert_string_equal(out.account.what, "");
	sx_capture_close(reader);
}

static void test_flushes_by_itself(void **state)
{
	struct sx_capture_options options = {.flush_ns = 20000000};
	struct sx_capture_writer *writer = NULL;
	struct sx_capture_progress progress = {0};
	uint32_t device;
	assert_int_equal(sx_capture_create(path_of("flush"), &options, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, sample_device(), &device, NULL), SX_OK);
	assert_true(sample_write(writer, device, 0, 1));
	for (int i = 0; i < 6000 && !progress.chunks; i++) {
		usleep(10000);
		sx_capture_progress(writer, &progress);
	}
	assert_int_equal(progress.chunks, 1);
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
}

static void test_ring(void **state)
{
	struct sx_capture_options options = {.keep_ns = 60000000000};
	struct sx_capture_writer *writer = NULL;
	struct sx_capture_reader *reader = NULL;
	uint32_t device;
	assert_int_equal(sx_capture_create("ring", &options, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, sample_device(), &device, NULL), SX_OK);
	assert_true(sample_write(writer, device, 0, 10));
	assert_int_equal(sx_capture_dump(writer, path_of("dump"), NULL), SX_OK);
	assert_true(sample_write(writer, device, 10, 10));
	assert_int_equal(sx_capture_dump(writer, path_of("dump"), NULL), SX_OK);
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
	assert_int_equal(sx_capture_open(path_of("dump"), &reader, NULL), SX_OK);
	struct outcome out = {0};
	drain(reader, &out);
	assert_int_equal(out.ended, SX_END);
	assert_int_equal(out.rows[0], 20);
	assert_int_equal(out.account.missing_records, 0);
	sx_capture_close(reader);
}

static void test_ring_forgets(void **state)
{
	struct sx_capture_options options = {.keep_ns = 1000000};
	struct sx_capture_writer *writer = NULL;
	struct sx_capture_reader *reader = NULL;
	uint32_t device;
	assert_int_equal(sx_capture_create("ring", &options, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, sample_device(), &device, NULL), SX_OK);
	for (uint64_t i = 0; i < 5; i++) {
		assert_true(sample_write(writer, device, i * 10, 10));
		assert_int_equal(sx_capture_flush(writer, NULL), SX_OK);
		usleep(5000);
	}
	assert_int_equal(sx_capture_dump(writer, path_of("dump"), NULL), SX_OK);
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
	assert_int_equal(sx_capture_open(path_of("dump"), &reader, NULL), SX_OK);
	struct outcome out = {0};
	drain(reader, &out);
	assert_int_equal(out.rows[0], 10);
	assert_int_equal(out.wrong, 0);
	sx_capture_close(reader);
}

/* Samples without room in the queue are lost, counted, and reported by the file. */
static void test_overrun(void **state)
{
	struct sx_capture_options options = {.queue_bytes = 1, .flush_ns = 10000000000};
	struct sx_capture_writer *writer = NULL;
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_progress progress;
	uint32_t device;
	assert_int_equal(sx_capture_create(path_of("overrun"), &options, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, sample_device(), &device, NULL), SX_OK);
	bool all = true;
	for (uint64_t i = 0; i < 400 && all; i++)
		all = sample_write(writer, device, i * 1000, 1000);
	assert_int_equal(sx_capture_finish(writer, &progress, NULL), SX_OK);
	assert_int_equal(sx_capture_open(path_of("overrun"), &reader, NULL), SX_OK);
	struct outcome out = {0};
	drain(reader, &out);
	assert_int_equal(out.wrong, 0);
	assert_int_equal(out.rows[0], progress.rows);
	assert_int_equal(out.account.lost_rows, progress.lost_rows);
	assert_true(all == (progress.lost_rows == 0));
	sx_capture_close(reader);
}

/* A disk that is full after so many bytes: the file is readable up to there, the rest is lost. */
static void fill_disk(rlim_t bytes)
{
	struct rlimit before;
	struct sx_capture_writer *writer = NULL;
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_progress progress;
	struct sx_error err = {0};
	uint32_t device;
	getrlimit(RLIMIT_FSIZE, &before);
	struct rlimit limit = (struct rlimit){bytes, before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(sx_capture_create(path_of("full"), NULL, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, sample_device(), &device, NULL), SX_OK);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (uint64_t i = 0; i < 20; i++) {
		sample_write(writer, device, i * 50, 50);
		sx_capture_flush(writer, NULL);
	}
	enum sx_status status = sx_capture_finish(writer, &progress, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_not_equal(status, SX_OK);
	assert_non_null(strstr(err.message, "full"));
	assert_true(err.remedy[0]);
	assert_int_equal(sx_capture_open(path_of("full"), &reader, NULL), SX_OK);
	assert_true(sx_capture_info(reader)->size_bytes <= bytes || bytes < 200);
	struct outcome out = {0};
	drain(reader, &out);
	assert_int_equal(out.wrong, 0);
	assert_string_equal(out.account.what, "");
	assert_int_equal(out.account.cut_bytes, 0);
	assert_int_equal(out.rows[0] + progress.lost_rows, 1000);
	assert_true(bytes < 5500 || out.rows[0] >= 50);
	/* Room for the index was kept free. */
	assert_true(bytes < 2500 || sx_capture_info(reader)->clean);
	assert_true(bytes < 2500 || out.account.lost_rows == progress.lost_rows);
	sx_capture_close(reader);
}

/* Two recorders of one file would leave a mixture. */
static void test_one_recorder(void **state)
{
	struct sx_capture_writer *first = NULL, *second = NULL;
	struct sx_capture_reader *reader = NULL;
	struct sx_error err = {0};
	uint32_t device;
	assert_int_equal(sx_capture_create(path_of("locked"), NULL, &first, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(first, sample_device(), &device, NULL), SX_OK);
	sample_write(first, device, 0, 50);
	assert_int_equal(sx_capture_flush(first, NULL), SX_OK);
	assert_int_equal(sx_capture_create(path_of("locked"), NULL, &second, &err), SX_ERR_BUSY);
	assert_non_null(strstr(err.because, "another recording"));
	assert_true(err.remedy[0]);
	assert_int_equal(sx_capture_finish(first, NULL, NULL), SX_OK);
	assert_int_equal(sx_capture_open(path_of("locked"), &reader, NULL), SX_OK);
	assert_true(sx_capture_info(reader)->clean);
	assert_int_equal(sx_capture_info(reader)->rows, 50);
	sx_capture_close(reader);
	assert_int_equal(sx_capture_create(path_of("locked"), NULL, &second, NULL), SX_OK);
	assert_int_equal(sx_capture_finish(second, NULL, NULL), SX_OK);
}

static void test_full_disk(void **state)
{
	for (rlim_t bytes = 100; bytes < 8000; bytes += 237)
		fill_disk(bytes);
}

static void test_refuses_other_rows(void **state)
{
	struct sx_capture_writer *writer = NULL;
	uint32_t device;
	struct sx_rows rows = {.count = 1};
	assert_int_equal(sx_capture_create(path_of("misuse"), NULL, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, sample_device(), &device, NULL), SX_OK);
	assert_int_equal(sx_capture_write(writer, device, &rows, NULL), SX_ERR_USAGE);
	assert_int_equal(sx_capture_write(writer, 9, &rows, NULL), SX_ERR_USAGE);
	assert_int_equal(sx_capture_dump(writer, "x", NULL), SX_ERR_USAGE);
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
	assert_int_not_equal(sx_capture_create("/nowhere/x", NULL, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_finish(NULL, NULL, NULL), SX_OK);
	sx_capture_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_grows),	 cmocka_unit_test(test_flushes_by_itself),
	    cmocka_unit_test(test_ring),	 cmocka_unit_test(test_ring_forgets),
	    cmocka_unit_test(test_overrun),	 cmocka_unit_test(test_full_disk),
	    cmocka_unit_test(test_one_recorder), cmocka_unit_test(test_refuses_other_rows),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
