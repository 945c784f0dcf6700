/*
 * See spill.h. An array grows in memory; what stands behind its end by then is written to a stretch
 * of the file, and the file mapped in its place: addresses stay. A page of the file is only mapped
 * once it was written, so that no access can fail for want of room.
 */
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/nameless.h"

/* Of the file; only what is written has blocks. */
#define STRETCH_BYTES ((size_t)4 << 30)
#define LOOKED_AT     1024u /* pages */
#define END_PAGES     1u    /* the last one, which is being written */
#define LEAST_PAGES   16u   /* fewer wait */

/* An array; base NULL: the stretch is free. */
struct spill_region {
	char *base;
	size_t bytes, settled; /* settled: of them, from the beginning, are the file's */
};

/* The index of an array; count: it is none that was mapped. */
static size_t spill_find(const struct spill *spill, const void *array)
{
	size_t i = 0;
	while (i < spill->count && (!array || spill->regions[i].base != array))
		i++;
	return i;
}

static void spill_give_back(struct spill *spill, size_t at)
{
	struct spill_region *region = &spill->regions[at];
	munmap(region->base, region->bytes);
	if (region->settled)
		(void)fallocate(spill->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)(at * STRETCH_BYTES), (off_t)region->settled);
	*region = (struct spill_region){0};
}

static void *spill_memory(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* An array that can go to the file; NULL: there can be none. */
static char *spill_map(struct spill *spill, size_t bytes)
{
	size_t at = 0;
	while (at < spill->count && spill->regions[at].base)
		at++;
	if (!spill->opened) {
		spill->fd = nameless_file();
		spill->opened = spill->fd >= 0;
	}
	if (!spill->opened || bytes > STRETCH_BYTES ||
	    !mem_grow(&spill->regions, &spill->cap, at + 1, sizeof(*spill->regions)))
		return NULL;
	void *base = spill_memory(bytes);
	if (base == MAP_FAILED)
		return NULL;
	spill->regions[at] = (struct spill_region){.base = base, .bytes = bytes};
	spill->count = at < spill->count ? spill->count : at + 1;
	return base;
}

/* The file in place of memory. */
static bool spill_show(const struct spill *spill, char *to, size_t bytes, off_t from)
{
	return !bytes || mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, spill->fd,
			      from) != MAP_FAILED;
}

/* The array of a region with more room; NULL: there is none, and nothing has changed. */
static char *spill_extend(struct spill *spill, size_t at, size_t bytes)
{
	struct spill_region *region = &spill->regions[at];
	size_t settled = region->settled, rest = region->bytes - settled;
	char *base = bytes > STRETCH_BYTES ? MAP_FAILED : spill_memory(bytes);
	if (base == MAP_FAILED)
		return NULL;
	if (!spill_show(spill, base, settled, (off_t)(at * STRETCH_BYTES)) ||
	    mremap(region->base + settled, rest, bytes - settled, MREMAP_MAYMOVE | MREMAP_FIXED,
		   base + settled) == MAP_FAILED) {
		munmap(base, bytes);
		return NULL;
	}
	if (settled)
		munmap(region->base, settled);
	*region = (struct spill_region){base, bytes, settled};
	return base;
}

/* Whether the file takes bytes at a place: all of them, or they stay where they are. */
static bool spill_write(const struct spill *spill, const char *from, size_t bytes, off_t to)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    (rlim_t)to + bytes > limit.rlim_cur)
		return false;
	while (bytes) {
		ssize_t n = pwrite(spill->fd, from, bytes, to);
		if (n <= 0 && (!n || errno != EINTR))
			return false;
		from += n > 0 ? n : 0;
		to += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Moves to the file what was written of an array, but for its end; false: there is no room. */
static bool spill_move(struct spill *spill, size_t at)
{
	struct spill_region *region = &spill->regions[at];
	unsigned char there[LOOKED_AT];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), found = LOOKED_AT;
	while (found == LOOKED_AT) {
		char *from = region->base + region->settled;
		size_t left = (region->bytes - region->settled) / page;
		size_t some = left < LOOKED_AT ? left : LOOKED_AT;
		if (mincore(from, some * page, there))
			return false;
		for (found = 0; found < some && there[found] & 1; found++)
			;
		if (found < LEAST_PAGES)
			return true;
		size_t bytes = (found - END_PAGES) * page;
		off_t to = (off_t)(at * STRETCH_BYTES + region->settled);
		if (!spill_write(spill, from, bytes, to) || !spill_show(spill, from, bytes, to))
			return false;
		region->settled += bytes;
	}
	return true;
}

/* An array with more room, in the file where that can be; NULL: memory is out. */
static char *spill_larger(struct spill *spill, char *old, size_t had, size_t bytes)
{
	size_t at = spill_find(spill, old);
	bool mapped = at < spill->count;
	char *grown = NULL;
	if (!spill->refused)
		grown = mapped ? spill_extend(spill, at, bytes) : spill_map(spill, bytes);
	if (grown && mapped)
		return grown;
	spill->refused |= !grown;
	if (!grown && !mapped)
		return realloc(old, bytes);
	grown = grown ? grown : malloc(bytes);
	if (!grown)
		return NULL;
	if (had)
		memcpy(grown, old, had);
	spill_free(spill, old);
	return grown;
}

bool spill_grow(struct spill *spill, void *array, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap ? *cap : 8, bytes;
	if (need <= *cap)
		return true;
	while (want < need && want <= SIZE_MAX / 2)
		want *= 2;
	if (!spill || __builtin_mul_overflow(want, size, &bytes) || bytes < SPILL_LEAST)
		return mem_grow(array, cap, need, size);
	char *old;
	memcpy(&old, array, sizeof(old));
	char *grown = spill_larger(spill, old, *cap * size, bytes);
	if (!grown)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*cap = want;
	return true;
}

void spill_free(struct spill *spill, void *array)
{
	size_t at = spill && array ? spill_find(spill, array) : 0;
	if (spill && array && at < spill->count)
		spill_give_back(spill, at);
	else
		free(array);
}

void spill_fill(struct spill *spill, void *part, int byte, size_t bytes)
{
	char *at = part;
	for (size_t i = 0; i < bytes; i += SPILL_STEP) {
		size_t some = bytes - i < SPILL_STEP ? bytes - i : SPILL_STEP;
		memset(at + i, byte, some);
		spill_pass(spill, some);
	}
}

void spill_settle(struct spill *spill, const void *array)
{
	size_t at = spill ? spill_find(spill, array) : 0;
	if (spill && at < spill->count && !spill->refused)
		spill->refused = !spill_move(spill, at);
}

void spill_leave(struct spill *spill)
{
	spill->passed = 0;
	for (size_t i = 0; i < spill->count; i++) {
		struct spill_region *region = &spill->regions[i];
		if (!region->base)
			continue;
		if (!spill->refused)
			spill->refused = !spill_move(spill, i);
		if (region->settled)
			madvise(region->base, region->settled, MADV_DONTNEED);
	}
}

void spill_finish(struct spill *spill)
{
	for (size_t i = 0; i < spill->count; i++)
		if (spill->regions[i].base)
			munmap(spill->regions[i].base, spill->regions[i].bytes);
	free(spill->regions);
	if (spill->opened)
		close(spill->fd);
	*spill = (struct spill){0};
}
