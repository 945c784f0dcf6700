/*
 * What a comparison reads beside captures. Text that begins as JSON is a baseline: an error, or a
 * set that can be compared with itself and is then the same. Other text is a list of gates: an
 * error with its line, or gates that can be held against nothing.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/compare/gate.h"
#include "fuzz.h"
#include "input/input.h"

static void check(bool good)
{
	if (!good)
		abort();
}

/* An error has all of its three lines. */
static void check_error(enum sx_status status, const struct sx_error *err)
{
	check(status == err->status);
	check(status == SX_ERR_NO_MEMORY || (err->message[0] && err->because[0]));
}

static void compare_with_itself(const struct compare_set *set)
{
	struct comparison c;
	check(compare_run(set, set, &c, NULL) == SX_OK);
	for (size_t i = 0; i < c.row_count; i++) {
		enum compare_verdict verdict = c.rows[i].verdict;
		bool itself = c.rows[i].a == c.rows[i].b;
		check(!itself || verdict == COMPARE_SAME || verdict == COMPARE_INCOMPARABLE);
		check(verdict != COMPARE_INCOMPARABLE || c.rows[i].why);
	}
	comparison_finish(&c);
}

static void fuzz_baseline(const uint8_t *data, size_t size)
{
	char path[40];
	struct sx_error err = {0};
	struct compare_set set;
	int fd = memfd_create("baseline", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	baseline_is(path);
	compare_set_init(&set);
	enum sx_status status = baseline_read(path, &set, &err);
	if (status)
		check_error(status, &err);
	else
		compare_with_itself(&set);
	compare_set_finish(&set);
	close(fd);
}

static void fuzz_gates(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct sx_error err = {0};
	struct gates gates = {0};
	char *text = arena_strndup(&arena, (const char *)data, size);
	enum sx_status status = gate_parse_lines(&arena, "gates", text, &gates, &err);
	if (status) {
		check_error(status, &err);
	} else {
		const struct report nothing = {.schema = "report"};
		struct report_gate *judged =
		    arena_alloc(&arena, (gates.count + 1) * sizeof(*judged));
		gate_judge_report(gates.items, gates.count, &nothing, &arena, judged);
		for (size_t i = 0; i < gates.count; i++)
			check(judged[i].why && !judged[i].passed);
	}
	arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 1 << 20)
		return 0;
	if (size && data[0] == '{')
		fuzz_baseline(data, size);
	else
		fuzz_gates(data, size);
	return 0;
}
