/*
 * Captures against their limits: 10,000 samples a second of 300 counters in under 5 % of a core and
 * at most 2.5 bytes a value, and 1 GB/s of decoded columns read; built with -DCOUNTERS=913
 * -DRATE=20000 -DCORE=60 -DPACED all counters of a Mali, at that rate in real time, without a loss.
 * The counters imitate a GPU that draws a scene: a load that wanders, counters that follow it by a
 * factor each with 2 % of noise of their own; every tenth counts nothing, every tenth is rare.
 * Arguments: seconds of samples (10). Ends with 1 when a limit is missed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sextant/capture.h>
#include "bench.h"

#ifndef COUNTERS
#define COUNTERS 300
#define RATE	 10000
#define CORE	 5 /* per cent of a core at most */
#endif
#define AT_ONCE (RATE / 50) /* rows a call: what a session hands over every 20 ms */

#ifdef PACED
#define PACES 1
#else
#define PACES 0
#endif

static double cpu_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double wall_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static double noise(void)
{
	double sum = 0;
	for (int i = 0; i < 4; i++)
		sum += (double)(next_random() >> 11) * 0x1p-53 - 0.5;
	return sum * 1.7; /* nearly normal, deviation 1 */
}

static uint64_t values[COUNTERS][RATE];
static uint64_t begin_ns[RATE], end_ns[RATE];

/* One second of samples. */
static void simulate(unsigned second)
{
	static double load = 0.5;
	for (int i = 0; i < RATE; i++) {
		load += 0.01 * noise() + (0.5 - load) * 0.001;
		begin_ns[i] = (uint64_t)second * 1000000000 + (uint64_t)i * (1000000000 / RATE);
		end_ns[i] = begin_ns[i] + 1000000000 / RATE;
		for (int c = 0; c < COUNTERS; c++) {
			double mean = 30.0 * (1 << (c % 20)) * fabs(load);
			uint64_t value = (uint64_t)fabs(mean * (1 + 0.02 * noise()));
			if (c % 10 == 8)
				value = 0;
			else if (c % 10 == 9)
				value = next_random() % 50 == 0 ? next_random() % 100 : 0;
			values[c][i] = value;
		}
	}
}

static struct sx_capture_writer *create(const char *path)
{
	static char names[COUNTERS][16];
	static struct sx_column columns[COUNTERS];
	struct sx_capture_writer *writer;
	struct sx_capture_device device = {
	    .catalog = "bench", .columns = columns, .column_count = COUNTERS};
	uint32_t index;
	for (int c = 0; c < COUNTERS; c++) {
		snprintf(names[c], sizeof(names[c]), "C%d", c);
		columns[c] = (struct sx_column){names[c], "count", SX_U64, SX_REDUCE_SUM, NULL};
	}
	if (sx_capture_create(path, NULL, &writer, NULL) != SX_OK ||
	    sx_capture_add_device(writer, &device, &index, NULL) != SX_OK)
		abort();
	return writer;
}

/* Waits for the time of the rows; without -DPACED there are pauses for the queue instead. */
static void wait_for_time(struct sx_capture_writer *writer, double start, size_t at)
{
#ifdef PACED
	double left = start + (double)(at + AT_ONCE) / RATE - wall_now();
	struct timespec nap = {.tv_nsec = (long)(left * 1e9)};
	if (left > 0)
		nanosleep(&nap, NULL);
#else
	/* All of a second comes at once here: the queue is not made for that. */
	if (at / AT_ONCE % 8 == 7 && sx_capture_flush(writer, NULL) != SX_OK)
		abort();
#endif
}

static void hand_over(struct sx_capture_writer *writer)
{
	double start = wall_now();
	struct sx_vector columns[COUNTERS];
	for (size_t at = 0; at < RATE; at += AT_ONCE) {
		for (int c = 0; c < COUNTERS; c++)
			columns[c] = (struct sx_vector){SX_U64, values[c] + at, NULL};
		struct sx_rows rows = {.count = AT_ONCE,
				       .begin_ns = begin_ns + at,
				       .end_ns = end_ns + at,
				       .columns = columns,
				       .column_count = COUNTERS};
		/* What finds no room is counted as lost. */
		sx_capture_write(writer, 0, &rows, NULL);
		wait_for_time(writer, start, at);
	}
}

static double write_all(const char *path, unsigned seconds, struct sx_capture_progress *progress,
			double *wall)
{
	struct sx_capture_writer *writer = create(path);
	double spent = 0;
	for (unsigned s = 0; s < seconds; s++) {
		simulate(s);
		double before = cpu_now(), start = wall_now();
		hand_over(writer);
		if (!PACES && sx_capture_flush(writer, NULL) != SX_OK)
			abort();
		spent += cpu_now() - before;
		*wall += wall_now() - start;
	}
	if (sx_capture_finish(writer, progress, NULL) != SX_OK)
		abort();
	return spent;
}

static void read_all(void *user)
{
	struct sx_capture_reader *reader;
	struct sx_capture_record record;
	uint64_t rows = 0;
	if (sx_capture_open(user, &reader, NULL) != SX_OK)
		abort();
	while (sx_capture_next(reader, &record, NULL) == SX_OK)
		rows += record.rows.count;
	if (rows != sx_capture_info(reader)->rows)
		abort();
	sx_capture_close(reader);
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10;
	char path[] = "/tmp/bench-capture-XXXXXX";
	close(mkstemp(path));
	struct sx_capture_progress progress;
	double wall = 0;
	double core = write_all(path, seconds, &progress, &wall) / seconds * 100;
	double bytes = (double)progress.bytes / ((double)progress.value_bytes / 8);
	double rate = (double)progress.value_bytes / bench_best(3, read_all, path) * 1e-9;
	printf("%d samples/s of %d counters: %.2f %% of a core (limit %d)\n", RATE, COUNTERS, core,
	       CORE);
	if (PACES)
		printf("%llu of %llu samples lost at that rate\n",
		       (unsigned long long)progress.lost_rows, (unsigned long long)seconds * RATE);
	else
		printf("%.0f samples/s at most\n", RATE * (double)seconds / wall);
	printf("%.3f bytes a value (limit 2.5)\n", bytes);
	printf("%.2f GB/s of columns read (limit 1)\n", rate);
	unlink(path);
	return !(core < CORE && progress.lost_rows == 0 && bytes <= 2.5 && rate >= 1);
}
