/* The reader's state, shared by access to the bytes, the scan for records and the calls. */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include "capture/format/chunk.h"
#include "capture/format/format.h"

#include <sextant/capture.h>

/* Where the bytes come from: a file, or memory when `memory` is set. */
struct reader_bytes {
	int fd;
	const uint8_t *memory;
	uint64_t size;	/* as last looked at */
	bool no_memory; /* for what reader_bytes_load() was last asked for */
	int failed;	/* errno of a read that the disk refused, or 0 */
	uint8_t *window;
	uint64_t window_at;
	size_t window_size;
};

/* Makes a file ready to be read; 0 or an errno. */
int reader_bytes_open(struct reader_bytes *bytes);
/* Looks at the size again; 0 or an errno. */
int reader_bytes_renew(struct reader_bytes *bytes);
/* `size` bytes at `at`, valid until the next call; NULL past the end or on failure. size <= 64 KiB.
 */
const uint8_t *reader_bytes_peek(struct reader_bytes *bytes, uint64_t at, size_t size);
/* The same for any size; `buffer` owns them when they were copied. */
const uint8_t *reader_bytes_load(struct reader_bytes *bytes, uint64_t at, size_t size,
				 struct bytes *buffer);
/* Offset of the next sound frame at or after `from`, or UINT64_MAX. */
uint64_t reader_bytes_find_frame(struct reader_bytes *bytes, uint64_t from);

struct reader_device {
	struct sx_capture_device device;
	uint64_t hash;
};

/*
 * SX_ERR_BAD_INPUT: a capture has no device, because it is cut or damaged before the first one.
 */
enum sx_status capture_no_device(const char *path, const struct sx_capture_reader *reader,
				 struct sx_error *err);

/* Records of what is no capture, but can be read as one. */
struct capture_records {
	/* The record of this number, from 0; SX_END behind the last. */
	enum sx_status (*get)(void *user, size_t number, struct sx_capture_record *out,
			      struct sx_error *err);
	void (*close)(void *user);
	void *user;
};

struct sx_capture_reader {
	char *name;
	struct capture_records from; /* without `get`: our own file */
	struct reader_bytes bytes;
	struct entry *entries;
	size_t count, cap, next;
	uint64_t scan_end; /* where the next record will be */
	bool any_sequence;
	uint32_t sequence; /* the last one */
	bool checked_index;
	struct reader_device **devices; /* by number; NULL: not seen */
	size_t device_cap;
	uint32_t device_count;
	struct arena arena, record_arena;
	struct bytes payload;
	struct chunk_reader chunks;
	struct sx_capture_clock clocks[CAPTURE_CLOCKS_MAX];
	struct sx_capture_info info;
	struct sx_capture_account account;
	struct sx_capture_filter filter;
};

/* Notes damage: `bytes` of it at `at`. The first is remembered in words. */
void reader_damage(struct sx_capture_reader *reader, uint64_t at, uint64_t bytes, const char *fmt,
		   ...) SX_PRINTF(4, 5);
/* Reads an entry's frame and payload and checks both. NULL: damaged, and noted, or bytes.no_memory.
 */
const uint8_t *reader_payload(struct sx_capture_reader *reader, struct entry *entry);
/* Fills the entries from the index; SX_AGAIN when there is none that is sound. */
enum sx_status reader_use_index(struct sx_capture_reader *reader);
/* Finds what records there are from scan_end on. */
enum sx_status reader_scan(struct sx_capture_reader *reader);

/*
 * A reader of such records (ROWS and marks), which it closes, also on failure. Devices and texts
 * are given as a file would give them back. Filters do not apply. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status capture_open_records(const struct capture_records *from,
				    const struct sx_capture_info *info,
				    const struct sx_capture_device *devices,
				    struct sx_capture_reader **out, struct sx_error *err);

/* As sx_capture_open(), over memory that must outlive the reader; `name` is used in messages. */
enum sx_status capture_open_memory(const void *data, size_t size, const char *name,
				   struct sx_capture_reader **out, struct sx_error *err);

#endif
