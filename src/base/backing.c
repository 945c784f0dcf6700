/*
 * See backing.h. An array grows in memory. Its full pages are written to a region of the file, and
 * the file is mapped in their place: addresses stay. A page of the file is only mapped after it was
 * written, so that no access can fail because the disk is full.
 */
#include "base/backing.h"

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

/* An array; base NULL: its region of the file is free. */
struct backing_region {
	char *base;
	size_t bytes, resolved; /* resolved: bytes from the beginning that the file holds */
};

/* The index of an array; count: it is none that was mapped. */
static size_t backing_find(const struct backing *backing, const void *array)
{
	size_t i = 0;
	while (i < backing->count && (!array || backing->regions[i].base != array))
		i++;
	return i;
}

static void backing_give_back(struct backing *backing, size_t at)
{
	struct backing_region *region = &backing->regions[at];
	munmap(region->base, region->bytes);
	if (region->resolved)
		(void)fallocate(backing->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)(at * STRETCH_BYTES), (off_t)region->resolved);
	*region = (struct backing_region){0};
}

static void *backing_memory(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* An array that can go to the file; NULL: there can be none. */
static char *backing_map(struct backing *backing, size_t bytes)
{
	size_t at = 0;
	while (at < backing->count && backing->regions[at].base)
		at++;
	if (!backing->opened) {
		backing->fd = nameless_file();
		backing->opened = backing->fd >= 0;
	}
	if (!backing->opened || bytes > STRETCH_BYTES ||
	    !mem_grow(&backing->regions, &backing->cap, at + 1, sizeof(*backing->regions)))
		return NULL;
	void *base = backing_memory(bytes);
	if (base == MAP_FAILED)
		return NULL;
	backing->regions[at] = (struct backing_region){.base = base, .bytes = bytes};
	backing->count = at < backing->count ? backing->count : at + 1;
	return base;
}

/* The file in place of memory. */
static bool backing_show(const struct backing *backing, char *to, size_t bytes, off_t from)
{
	return !bytes || mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			      backing->fd, from) != MAP_FAILED;
}

/* The array of a region with more room; NULL: there is none, and nothing has changed. */
static char *backing_extend(struct backing *backing, size_t at, size_t bytes)
{
	struct backing_region *region = &backing->regions[at];
	size_t resolved = region->resolved, rest = region->bytes - resolved;
	char *base = bytes > STRETCH_BYTES ? MAP_FAILED : backing_memory(bytes);
	if (base == MAP_FAILED)
		return NULL;
	if (!backing_show(backing, base, resolved, (off_t)(at * STRETCH_BYTES)) ||
	    mremap(region->base + resolved, rest, bytes - resolved, MREMAP_MAYMOVE | MREMAP_FIXED,
		   base + resolved) == MAP_FAILED) {
		munmap(base, bytes);
		return NULL;
	}
	if (resolved)
		munmap(region->base, resolved);
	*region = (struct backing_region){base, bytes, resolved};
	return base;
}

/* Whether the file takes bytes at a place: all of them, or they stay where they are. */
static bool backing_write(const struct backing *backing, const char *from, size_t bytes, off_t to)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    (rlim_t)to + bytes > limit.rlim_cur)
		return false;
	while (bytes) {
		ssize_t n = pwrite(backing->fd, from, bytes, to);
		if (n <= 0 && (!n || errno != EINTR))
			return false;
		from += n > 0 ? n : 0;
		to += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Moves to the file what was written of an array, but for its end; false: there is no room. */
static bool backing_move(struct backing *backing, size_t at)
{
	struct backing_region *region = &backing->regions[at];
	unsigned char there[LOOKED_AT];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), found = LOOKED_AT;
	while (found == LOOKED_AT) {
		char *from = region->base + region->resolved;
		size_t left = (region->bytes - region->resolved) / page;
		size_t some = left < LOOKED_AT ? left : LOOKED_AT;
		if (mincore(from, some * page, there))
			return false;
		for (found = 0; found < some && there[found] & 1; found++)
			;
		if (found < LEAST_PAGES)
			return true;
		size_t bytes = (found - END_PAGES) * page;
		off_t to = (off_t)(at * STRETCH_BYTES + region->resolved);
		if (!backing_write(backing, from, bytes, to) ||
		    !backing_show(backing, from, bytes, to))
			return false;
		region->resolved += bytes;
	}
	return true;
}

/* An array with more room, in the file where that can be; NULL: memory is out. */
static char *backing_larger(struct backing *backing, char *old, size_t had, size_t bytes)
{
	size_t at = backing_find(backing, old);
	bool mapped = at < backing->count;
	char *grown = NULL;
	if (!backing->refused)
		grown = mapped ? backing_extend(backing, at, bytes) : backing_map(backing, bytes);
	if (grown && mapped)
		return grown;
	backing->refused |= !grown;
	if (!grown && !mapped)
		return realloc(old, bytes);
	grown = grown ? grown : malloc(bytes);
	if (!grown)
		return NULL;
	if (had)
		memcpy(grown, old, had);
	backing_free(backing, old);
	return grown;
}

bool backing_grow(struct backing *backing, void *array, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap ? *cap : 8, bytes;
	if (need <= *cap)
		return true;
	while (want < need && want <= SIZE_MAX / 2)
		want *= 2;
	if (!backing || __builtin_mul_overflow(want, size, &bytes) || bytes < BACKING_LEAST)
		return mem_grow(array, cap, need, size);
	char *old;
	memcpy(&old, array, sizeof(old));
	char *grown = backing_larger(backing, old, *cap * size, bytes);
	if (!grown)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*cap = want;
	return true;
}

void backing_free(struct backing *backing, void *array)
{
	size_t at = backing && array ? backing_find(backing, array) : 0;
	if (backing && array && at < backing->count)
		backing_give_back(backing, at);
	else
		free(array);
}

void backing_fill(struct backing *backing, void *part, int byte, size_t bytes)
{
	char *at = part;
	for (size_t i = 0; i < bytes; i += BACKING_STEP) {
		size_t some = bytes - i < BACKING_STEP ? bytes - i : BACKING_STEP;
		memset(at + i, byte, some);
		backing_pass(backing, some);
	}
}

void backing_release(struct backing *backing, const void *array)
{
	size_t at = backing ? backing_find(backing, array) : 0;
	if (backing && at < backing->count && !backing->refused)
		backing->refused = !backing_move(backing, at);
}

void backing_leave(struct backing *backing)
{
	backing->passed = 0;
	for (size_t i = 0; i < backing->count; i++) {
		struct backing_region *region = &backing->regions[i];
		if (!region->base)
			continue;
		if (!backing->refused)
			backing->refused = !backing_move(backing, i);
		if (region->resolved)
			madvise(region->base, region->resolved, MADV_DONTNEED);
	}
}

void backing_finish(struct backing *backing)
{
	for (size_t i = 0; i < backing->count; i++)
		if (backing->regions[i].base)
			munmap(backing->regions[i].base, backing->regions[i].bytes);
	free(backing->regions);
	if (backing->opened)
		close(backing->fd);
	*backing = (struct backing){0};
}
