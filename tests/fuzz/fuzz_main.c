/*
 * Runs a fuzz target without a fuzzer: over the files, the folders and the members of ar archives
 * given, each whole, cut short and with single bytes changed; or over inputs made from a seed. The
 * same target links with clang's -fsanitize=fuzzer instead of this file.
 * Usage: fuzz-NAME [PATH…] | fuzz-NAME -n COUNT [-s SEED] | fuzz-NAME -t SECONDS [-s SEED] PATH…
 */
#include <ar.h>
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

struct seed {
	uint8_t *data;
	size_t size;
};

struct seeds {
	struct seed *items;
	size_t count, cap;
};

static void seeds_add(struct seeds *seeds, const uint8_t *data, size_t size)
{
	if (seeds->count == seeds->cap) {
		seeds->cap = seeds->cap * 2 + 16;
		seeds->items = realloc(seeds->items, seeds->cap * sizeof(*seeds->items));
	}
	uint8_t *copy = malloc(size + 1);
	if (!seeds->items || !copy)
		abort();
	memcpy(copy, data, size);
	seeds->items[seeds->count++] = (struct seed){copy, size};
}

static void seeds_finish(struct seeds *seeds)
{
	for (size_t i = 0; i < seeds->count; i++)
		free(seeds->items[i].data);
	free(seeds->items);
}

/* Members of an archive as `ar rcD` writes it, each behind its header and on an even place. */
static bool read_archive(struct seeds *seeds, const uint8_t *data, size_t size)
{
	size_t at = SARMAG;
	while (at < size) {
		struct ar_hdr head;
		if (size - at < sizeof(head))
			return false;
		memcpy(&head, data + at, sizeof(head));
		at += sizeof(head);
		size_t member = strtoul(head.ar_size, NULL, 10);
		if (memcmp(head.ar_fmag, ARFMAG, sizeof(head.ar_fmag)) != 0 || member > size - at)
			return false;
		if (head.ar_name[0] != '/') /* tables of symbols and of long names */
			seeds_add(seeds, data + at, member);
		at += member + member % 2;
	}
	return true;
}

static int read_file(struct seeds *seeds, const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = file ? malloc(SEED_MAX) : NULL;
	if (!data) {
		fprintf(stderr, "cannot read %s\n", path);
		return 1;
	}
	size_t size = fread(data, 1, SEED_MAX, file);
	size_t before = seeds->count;
	bool archive = size >= SARMAG && memcmp(data, ARMAG, SARMAG) == 0, good = true;
	fclose(file);
	if (archive)
		good = read_archive(seeds, data, size) && size < SEED_MAX;
	else
		seeds_add(seeds, data, size);
	free(data);
	if (good && seeds->count > before)
		return 0;
	fprintf(stderr, "%s is no whole archive of seeds\n", path);
	return 1;
}

/* 0, or 1 when something could not be read or there was nothing. */
static int read_path(struct seeds *seeds, const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return read_file(seeds, path);
	DIR *dir = opendir(path);
	int bad = 0, files = 0;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char inner[4096];
		snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.')
			bad |= read_path(seeds, inner), files++;
	}
	if (dir)
		closedir(dir);
	if (!files)
		fprintf(stderr, "nothing in %s\n", path);
	return bad || !files;
}

static void run_seeds(const struct seeds *seeds)
{
	for (size_t i = 0; i < seeds->count; i++) {
		run_copy(seeds->items[i].data, seeds->items[i].size);
		run_variations(seeds->items[i].data, seeds->items[i].size);
	}
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

/* Seeds with a few changes each, until the time is up. */
static void run_time(const struct seeds *seeds, uint64_t seconds, uint64_t random)
{
	time_t until = time(NULL) + (time_t)seconds;
	uint64_t state = random, runs = 0;
	uint8_t *data = malloc(SEED_MAX);
	if (!data)
		abort();
	for (; time(NULL) < until; runs++) {
		const struct seed *seed = &seeds->items[runs % seeds->count];
		size_t size = seed->size;
		memcpy(data, seed->data, size);
		for (uint64_t n = runs < seeds->count ? 0 : 1 + next_random(&state) % 8; size && n;
		     n--)
			size = change(data, size, &state);
		run_copy(data, size);
	}
	free(data);
	fprintf(stderr, "%llu runs of %zu seeds\n", (unsigned long long)runs, seeds->count);
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
	struct seeds seeds = {0};
	int bad = 0, paths = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-n") && i + 1 < argc)
			count = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "-s") && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "-t") && i + 1 < argc)
			seconds = strtoull(argv[++i], NULL, 0);
		else
			bad |= read_path(&seeds, argv[i]), paths++;
	}
	if (!paths)
		run_random(count, seed);
	else if (seeds.count && seconds)
		run_time(&seeds, seconds, seed);
	else
		run_seeds(&seeds);
	seeds_finish(&seeds);
	return bad;
}
