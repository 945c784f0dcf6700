/*
 * Reports of long captures: memory that does not grow with rows, and time that is linear in them.
 * Arguments: path of sextant, millions of rows (4). 36 is the aim: 10 hours at 1,000 samples a
 * second, in under 512 MiB. Ends with 1 when a limit is missed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sextant/capture.h>
#include "bench.h"

#define COLUMNS	       8
#define AT_ONCE	       10000
#define MEMORY_MAX_KIB (512l << 10)

static const struct sx_column columns[COLUMNS] = {
    {"Frames", "frames", SX_U64, SX_REDUCE_SUM, NULL},
    {"FrameTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
    {"CPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
    {"D3DGPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
    {"IAVertices", "vertices", SX_U64, SX_REDUCE_SUM, NULL},
    {"IAPrimitives", "primitives", SX_U64, SX_REDUCE_SUM, NULL},
    {"VSInvocations", "invocations", SX_U64, SX_REDUCE_SUM, NULL},
    {"PSInvocations", "invocations", SX_U64, SX_REDUCE_SUM, NULL},
};

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static void write_capture(const char *path, uint64_t rows)
{
	static uint64_t values[COLUMNS][AT_ONCE], begin[AT_ONCE], end[AT_ONCE];
	struct sx_vector vectors[COLUMNS];
	struct sx_capture_writer *writer;
	struct sx_capture_device device = {.catalog = "opengl",
					   .kind = SX_SAMPLE_FRAME,
					   .columns = columns,
					   .column_count = COLUMNS};
	uint32_t index;
	if (sx_capture_create(path, NULL, &writer, NULL) != SX_OK ||
	    sx_capture_add_device(writer, &device, &index, NULL) != SX_OK)
		abort();
	for (uint64_t at = 0; at < rows; at += AT_ONCE) {
		for (size_t i = 0; i < AT_ONCE; i++) {
			begin[i] = (at + i) * 1000000;
			end[i] = begin[i] + 1000000;
			values[0][i] = 1;
			values[1][i] = 1000000;
			for (int c = 2; c < COLUMNS; c++)
				values[c][i] = 500000 + next_random() % (uint64_t)(1000 << c);
		}
		for (int c = 0; c < COLUMNS; c++)
			vectors[c] = (struct sx_vector){SX_U64, values[c], NULL};
		struct sx_rows span = {.count = AT_ONCE,
				       .begin_ns = begin,
				       .end_ns = end,
				       .columns = vectors,
				       .column_count = COLUMNS};
		if (sx_capture_write(writer, index, &span, NULL) != SX_OK ||
		    (at / AT_ONCE % 16 == 0 && sx_capture_flush(writer, NULL) != SX_OK))
			abort();
	}
	if (sx_capture_finish(writer, NULL, NULL) != SX_OK)
		abort();
}

/* CPU seconds of a report; *kib receives the largest resident memory. */
static double run_report(const char *sextant, const char *path, long *kib)
{
	struct rusage usage;
	int status;
	pid_t child = fork();
	if (child == 0) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execl(sextant, sextant, "report", path, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
		abort();
	*kib = usage.ru_maxrss;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	uint64_t rows = (argc > 2 ? strtoull(argv[2], NULL, 10) : 4) * 1000000;
	char path[] = "/tmp/bench-report-XXXXXX";
	long small_kib, kib;
	close(mkstemp(path));
	write_capture(path, rows / 4);
	double quarter = run_report(argv[1], path, &small_kib);
	write_capture(path, rows);
	double whole = run_report(argv[1], path, &kib);
	unlink(path);
	printf("%.1f million rows of %d counters: %.2f s, %.0f ns a row, %ld MiB (limit 512)\n",
	       (double)rows * 1e-6, COLUMNS, whole, whole / (double)rows * 1e9, kib >> 10);
	printf("a quarter of them: %.2f s, %ld MiB; time grows %.2f times (linear: 4)\n", quarter,
	       small_kib >> 10, whole / quarter);
	return !(kib < MEMORY_MAX_KIB && whole / quarter < 5);
}
