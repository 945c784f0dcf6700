/*
 * Runs a fuzz target without a fuzzer: over the files and folders given, each file whole, cut short
 * and with single bytes changed; or over inputs made from a seed. The same target links with
 * clang's -fsanitize=fuzzer instead of this file.
 * Usage: fuzz-NAME [PATH…] | fuzz-NAME -n COUNT [-s SEED] | fuzz-NAME -t SECONDS [-s SEED] FILE…
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "fuzz.h"

#define INPUT_MAX   (64u << 10)
#define SEED_MAX    (1u << 20)
#define MUTATIONS   64
#define TRUNCATIONS 16

static uint64_t next_random(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = *state;
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The input lies in a block of its own size, so that any overrun is seen. */
static void run_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + !size);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_variations(uint8_t *data, size_t size)
{
	uint64_t state = size;
	for (int i = 0; size && i < MUTATIONS; i++) {
		size_t at = next_random(&state) % size;
		uint8_t old = data[at];
		data[at] = (uint8_t)next_random(&state);
		run_copy(data, size);
		data[at] = old;
	}
	for (size_t i = 0; i < TRUNCATIONS; i++)
		run_copy(data, size * i / TRUNCATIONS);
}

static int run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = file ? malloc(SEED_MAX) : NULL;
	if (!data) {
		fprintf(stderr, "cannot read %s\n", path);
		return 1;
	}
	size_t size = fread(data, 1, SEED_MAX, file);
	fclose(file);
	run_copy(data, size);
	run_variations(data, size);
	free(data);
	return 0;
}

/* 0, or 1 when something could not be read or there was nothing. */
static int run_path(const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return run_file(path);
	DIR *dir = opendir(path);
	int bad = 0, files = 0;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char inner[4096];
		snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.')
			bad |= run_path(inner), files++;
	}
	if (dir)
		closedir(dir);
	if (!files)
		fprintf(stderr, "nothing in %s\n", path);
	return bad || !files;
}

/* One change: a byte, a bit, a number that limits stumble over, a piece that moves, or an end. */
static size_t change(uint8_t *data, size_t size, uint64_t *state)
{
	static const uint32_t odd[] = {0,      1,	   0x7f,       0xff,
				       0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
	size_t at = next_random(state) % size, from = next_random(state) % size;
	size_t count = next_random(state) % 64;
	switch (next_random(state) % 16) {
	case 0:
		return at ? at : 1;
	case 1:
	case 2:
		count = count < size - at ? count : size - at;
		memmove(data + at, data + from, count < size - from ? count : size - from);
		return size;
	case 3:
	case 4:
	case 5:
		if (size - at >= sizeof(odd[0]))
			memcpy(data + at, &odd[count % 8], sizeof(odd[0]));
		return size;
	case 6:
	case 7:
	case 8:
		data[at] ^= (uint8_t)(1u << count % 8);
		return size;
	default:
		data[at] = (uint8_t)next_random(state);
		return size;
	}
}

/* Files with a few changes each, until the time is up. */
static int run_time(char **paths, int count, uint64_t seconds, uint64_t seed)
{
	time_t until = time(NULL) + (time_t)seconds;
	uint64_t state = seed, runs = 0;
	uint8_t *data = malloc(SEED_MAX);
	if (!data)
		abort();
	for (; time(NULL) < until; runs++) {
		FILE *file = fopen(paths[runs % (uint64_t)count], "rb");
		size_t size = file ? fread(data, 1, SEED_MAX, file) : 0;
		if (file)
			fclose(file);
		if (!size)
			return 1;
		for (uint64_t n = runs < (uint64_t)count ? 0 : 1 + next_random(&state) % 8; n; n--)
			size = change(data, size, &state);
		run_copy(data, size);
	}
	free(data);
	fprintf(stderr, "%llu runs\n", (unsigned long long)runs);
	return 0;
}

/* Random bytes, of which many are 0 or all ones, for these are what parsers stumble over. */
static void run_random(uint64_t count, uint64_t seed)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t state = seed + i;
		size_t size = next_random(&state) % (i % 16 ? 512 : INPUT_MAX);
		uint64_t style = next_random(&state) % 4;
		uint8_t *data = malloc(size + 1); /* its own block, so that any overrun is seen */
		if (!data)
			abort();
		for (size_t k = 0; k < size; k++) {
			uint64_t value = next_random(&state);
			bool plain = value >> 32 & 1;
			data[k] = (uint8_t)(style == 0 || plain ? value : style == 1 ? 0 : 255);
		}
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
}

int main(int argc, char **argv)
{
	uint64_t count = 2000, seed = 1, seconds = 0;
	int files = 0, bad = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-n") && i + 1 < argc)
			count = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "-s") && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "-t") && i + 1 < argc)
			seconds = strtoull(argv[++i], NULL, 0);
		else if (seconds)
			return run_time(argv + i, argc - i, seconds, seed);
		else
			bad |= run_path(argv[i]), files++;
	}
	if (!files)
		run_random(count, seed);
	return bad;
}
