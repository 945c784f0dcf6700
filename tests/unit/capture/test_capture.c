/* Captures: what is written is read, whole, cut, damaged, growing, from a ring, and from a full
 * disk. */
#include "unit/capture/captures.h"

struct file {
	uint8_t *data;
	size_t size;
};

static struct file load(const char *path)
{
	struct file file = {0};
	FILE *in = fopen(path, "rb");
	assert_non_null(in);
	struct stat stat;
	assert_int_equal(fstat(fileno(in), &stat), 0);
	file.size = (size_t)stat.st_size;
	file.data = malloc(file.size + 1);
	assert_int_equal(fread(file.data, 1, file.size, in), file.size);
	fclose(in);
	return file;
}

static struct outcome read_memory(const uint8_t *data, size_t size)
{
	/* An exact copy, so that a sanitizer sees every step over the end. */
	uint8_t *copy = malloc(size ? size : 1);
	if (size)
		memcpy(copy, data, size);
	struct outcome out = {0};
	struct sx_capture_reader *reader = NULL;
	out.opened = capture_open_memory(copy, size, "memory", &reader, NULL);
	if (out.opened == SX_OK)
		drain(reader, &out);
	sx_capture_close(reader);
	free(copy);
	return out;
}

static void test_there_and_back(void **state)
{
	struct sx_capture_reader *reader = NULL;
	assert_true(sample_file(path_of("whole"), NULL));
	assert_int_equal(sx_capture_open(path_of("whole"), &reader, NULL), SX_OK);
	const struct sx_capture_info *info = sx_capture_info(reader);
	assert_true(info->clean);
	assert_int_equal(info->major, 1);
	assert_int_equal(info->created_ns, 1);
	assert_int_equal(info->property_count, 2);
	assert_string_equal(info->properties[1].value, "here");
	assert_int_equal(info->rows, 53);
	assert_int_equal(info->chunks, 3);
	assert_true(info->begin_ns == sample_begin_ns(0));
	assert_true(info->end_ns == sample_begin_ns(49) + 1000);
	struct outcome out = {0};
	drain(reader, &out);
	assert_int_equal(out.ended, SX_END);
	assert_int_equal(out.wrong, 0);
	assert_int_equal(out.rows[0], 50);
	assert_int_equal(out.rows[1], 3);
	assert_int_equal(out.marks, 4);
	assert_int_equal(out.account.lost_rows, 3);
	assert_int_equal(out.account.damaged_records, 0);
	assert_string_equal(out.account.what, "");
	sx_capture_close(reader);
}

static void test_describes_devices(void **state)
{
	struct sx_capture_reader *reader = NULL;
	assert_int_equal(sx_capture_open(path_of("whole"), &reader, NULL), SX_OK);
	const struct sx_capture_device *device = sx_capture_device(reader, 1);
	const struct sx_capture_device *due = sample_device();
	assert_non_null(device);
	assert_null(sx_capture_device(reader, 2));
	assert_string_equal(device->catalog, due->catalog);
	assert_true(device->catalog_hash == due->catalog_hash);
	assert_string_equal(device->facts.name, due->facts.name);
	assert_string_equal(device->facts.clock, "monotonic");
	assert_true(device->facts.simulated && device->encloses_work);
	assert_int_equal(device->kind, SX_SAMPLE_FRAME);
	assert_int_equal(device->clock_error_ns, 7);
	assert_true(device->facts.constants[1].value == 0.5);
	assert_int_equal(device->column_count, SAMPLE_COLUMNS);
	for (uint32_t i = 0; i < SAMPLE_COLUMNS; i++) {
		assert_string_equal(device->columns[i].name, due->columns[i].name);
		assert_string_equal(device->columns[i].unit, due->columns[i].unit);
		assert_int_equal(device->columns[i].type, due->columns[i].type);
		assert_int_equal(device->columns[i].over_time, due->columns[i].over_time);
		assert_int_equal(device->bits[i], due->bits[i]);
	}
	assert_string_equal(device->columns[SAMPLE_ABSENT].why, "not on this chip");
	assert_null(device->columns[SAMPLE_COUNT].why);
	sx_capture_close(reader);
}

static void test_marks(void **state)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	unsigned seen = 0;
	assert_int_equal(sx_capture_open(path_of("whole"), &reader, NULL), SX_OK);
	while (sx_capture_next(reader, &record, NULL) == SX_OK) {
		if (record.type == SX_CAPTURE_CLOCK) {
			assert_int_equal(record.clock_count, 2);
			assert_string_equal(record.clocks[1].name, "realtime");
			assert_int_equal(record.clocks[1].value_ns, 99);
		} else if (record.type == SX_CAPTURE_LOSS) {
			assert_int_equal(record.mark.lost, 3);
			assert_int_equal(record.begin_ns, 10);
			assert_string_equal(record.mark.text, "a buffer ran over");
		} else if (record.type == SX_CAPTURE_NOTE) {
			assert_int_equal(record.device, SX_CAPTURE_NO_DEVICE);
			assert_true(record.begin_ns == SX_TIME_UNKNOWN);
		} else {
			continue;
		}
		seen++;
	}
	assert_int_equal(seen, 3);
	sx_capture_close(reader);
}

static void test_seeks(void **state)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	uint64_t first;
	assert_int_equal(sx_capture_open(path_of("whole"), &reader, NULL), SX_OK);
	assert_int_equal(sx_capture_seek(reader, sample_begin_ns(40), NULL), SX_OK);
	assert_int_equal(sx_capture_next(reader, &record, NULL), SX_OK);
	assert_int_equal(record.type, SX_CAPTURE_ROWS);
	assert_true(sample_matches(&record.rows, &first));
	assert_int_equal(first, 30);
	assert_int_equal(sx_capture_next(reader, &record, NULL), SX_END);
	sx_capture_seek(reader, 0, NULL);
	struct outcome out = {0};
	drain(reader, &out);
	assert_int_equal(out.rows[0], 50);
	sx_capture_close(reader);
}

/* Every byte flipped: nothing wrong is taken for right, and the damage is named. */
static void test_flipped_bytes(void **state)
{
	struct file file = load(path_of("whole"));
	for (size_t i = 0; i < file.size; i++) {
		file.data[i] ^= (uint8_t)(1u << (i % 8));
		struct outcome out = read_memory(file.data, file.size);
		file.data[i] ^= (uint8_t)(1u << (i % 8));
		if (out.opened != SX_OK)
			fail_msg("byte %zu: not opened", i);
		if (out.wrong || out.rows[0] > 50 || out.rows[1] > 3)
			fail_msg("byte %zu: a wrong value was taken for right", i);
		bool shown = out.account.what[0] || out.account.cut_bytes;
		if (!shown || (out.rows[0] < 20 && out.rows[0] + out.rows[1] < 3))
			fail_msg("byte %zu: %s, %d rows", i, shown ? "told" : "not told",
				 (int)out.rows[0]);
	}
	free(file.data);
}

static void test_prefixes(void **state)
{
	struct file file = load(path_of("whole"));
	uint64_t most = 0;
	for (size_t size = 0; size < file.size; size++) {
		struct outcome out = read_memory(file.data, size);
		assert_true(out.opened == SX_OK || size < 16);
		if (out.opened != SX_OK)
			continue;
		assert_int_equal(out.wrong, 0);
		assert_int_equal(out.ended, SX_AGAIN);
		assert_int_equal(out.account.damaged_records, 0);
		assert_true(out.rows[0] >= most); /* what was there stays */
		most = out.rows[0];
	}
	assert_int_equal(most, 50);
	free(file.data);
}

/* Whole stretches taken out, at every length that is a power of two. */
static void test_holes(void **state)
{
	struct file file = load(path_of("whole"));
	uint8_t *copy = malloc(file.size);
	for (size_t hole = 1; hole < file.size; hole *= 2)
		for (size_t at = 16; at + hole < file.size; at += 1 + hole / 3) {
			memcpy(copy, file.data, at);
			memcpy(copy + at, file.data + at + hole, file.size - at - hole);
			struct outcome out = read_memory(copy, file.size - hole);
			assert_int_equal(out.opened, SX_OK);
			assert_int_equal(out.wrong, 0);
			if (!out.account.what[0] && !out.account.cut_bytes)
				fail_msg("%zu bytes at %zu: not told", hole, at);
		}
	free(copy);
	free(file.data);
}

static void test_foreign_files(void **state)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_error err = {0};
	static const uint8_t text[] = "sextant-catalog: 1\nname: mali-g310\nnot a capture at all\n";
	assert_int_equal(capture_open_memory(text, sizeof(text), "x.yaml", &reader, &err),
			 SX_ERR_BAD_INPUT);
	assert_non_null(strstr(err.message, "x.yaml"));
	assert_int_equal(capture_open_memory(NULL, 0, "empty", &reader, &err), SX_ERR_BAD_INPUT);
	assert_int_equal(sx_capture_open(path_of("nothing"), &reader, &err), SX_ERR_BAD_INPUT);
	assert_int_equal(sx_capture_open(folder, &reader, &err), SX_ERR_BAD_INPUT);
	assert_null(reader);
}

/* A copy with another version, without index, and with a record of an unknown type at its end. */
static struct file other_version(const struct file *file, uint16_t major, uint16_t minor)
{
	struct file copy = {malloc(file->size + 64), 0};
	uint64_t index;
	assert_int_equal(frame_get_trailer(file->data + file->size - 24, &index), 1);
	struct frame frame;
	assert_int_equal(frame_get(file->data + index, &frame), 1);
	memcpy(copy.data, file->data, index);
	little_put_u16(copy.data + 8, major);
	little_put_u16(copy.data + 10, minor);
	little_put_u32(copy.data + 12, (uint32_t)XXH64(copy.data, 12, 0));
	memset(copy.data + index + CAPTURE_FRAME_SIZE, 0x55, 5);
	frame_put(copy.data + index, 99, 7, frame.sequence, 5);
	copy.size = index + CAPTURE_FRAME_SIZE + 5;
	return copy;
}

static void test_newer_minor_versions_are_read(void **state)
{
	struct file file = load(path_of("whole")), newer = other_version(&file, 1, 9);
	struct outcome out = read_memory(newer.data, newer.size);
	assert_int_equal(out.opened, SX_OK);
	assert_int_equal(out.rows[0], 50);
	assert_int_equal(out.wrong, 0);
	assert_int_equal(out.account.unknown_records, 1);
	assert_string_equal(out.account.what, "");
	free(newer.data);
	free(file.data);
}

static void test_newer_major_versions_are_refused(void **state)
{
	struct file file = load(path_of("whole")), newer = other_version(&file, 2, 3);
	struct sx_capture_reader *reader = NULL;
	struct sx_error err = {0};
	assert_int_equal(capture_open_memory(newer.data, newer.size, "x.sxc", &reader, &err),
			 SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.message, "2.3"));
	assert_non_null(strstr(err.message, "x.sxc"));
	assert_null(reader);
	free(newer.data);
	free(file.data);
}

/* The offset of the first record of a type. */
static size_t find_record(const struct file *file, uint8_t type, struct frame *frame)
{
	size_t at = CAPTURE_HEADER_SIZE;
	while (frame_get(file->data + at, frame) && frame->type != type)
		at += CAPTURE_FRAME_SIZE + frame->size;
	assert_int_equal(frame->type, type);
	return at;
}

/* A field of a payload gets another value, and the record right hashes. */
static struct outcome with_field(uint8_t type, size_t field, uint32_t value)
{
	struct file file = load(path_of("whole"));
	struct frame frame;
	size_t at = find_record(&file, type, &frame);
	little_put_u32(file.data + at + CAPTURE_FRAME_SIZE + field, value);
	frame_put(file.data + at, frame.type, frame.device, frame.sequence, frame.size);
	struct outcome out = read_memory(file.data, file.size);
	free(file.data);
	return out;
}

/* Counts and sizes that lie behind right hashes cost no memory and no row that was not written. */
static void test_lies_behind_right_hashes(void **state)
{
	static const uint32_t values[] = {0, 31, 1000000, 0x7fffffff, UINT32_MAX};
	static const size_t fields[] = {0, 4, 32}; /* rows, size of the body, labels */
	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
		for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
			struct outcome out = with_field(CAPTURE_ROWS, fields[f], values[v]);
			assert_int_equal(out.opened, SX_OK);
			assert_int_equal(out.rows[0], 20); /* the other record of the device */
			assert_int_equal(out.account.damaged_records, 1);
			assert_true(out.account.what[0]);
		}
	struct outcome out = with_field(CAPTURE_HEAD, 8, UINT32_MAX);
	assert_int_equal(out.rows[0], 50);
	assert_int_equal(out.account.damaged_records, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_there_and_back),
	    cmocka_unit_test(test_describes_devices),
	    cmocka_unit_test(test_marks),
	    cmocka_unit_test(test_seeks),
	    cmocka_unit_test(test_flipped_bytes),
	    cmocka_unit_test(test_prefixes),
	    cmocka_unit_test(test_holes),
	    cmocka_unit_test(test_foreign_files),
	    cmocka_unit_test(test_newer_minor_versions_are_read),
	    cmocka_unit_test(test_newer_major_versions_are_refused),
	    cmocka_unit_test(test_lies_behind_right_hashes),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
