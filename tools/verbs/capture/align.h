/* Captures of several machines on one axis of time: that of the first. */
#ifndef TOOLS_VERBS_CAPTURE_ALIGN_H
#define TOOLS_VERBS_CAPTURE_ALIGN_H

#include "tools/verbs/capture/clocks.h"

enum align_way {
	ALIGN_SAME,    /* the input's clock is that of the first */
	ALIGN_WALL,    /* by both wall clocks */
	ALIGN_GIVEN,   /* by an offset that was given */
	ALIGN_UNKNOWN, /* nothing says how; times are left as they are */
};

/* One capture. Zero-initialise; align_finish(). */
struct align {
	const char *name; /* of the file */
	enum align_way way;
	int64_t offset_ns;	    /* ALIGN_GIVEN */
	const struct clock_map *to; /* ALIGN_WALL: of the first capture */
	struct capture_clocks clocks;
	struct clock_map wall; /* the input's wall clock, as if it had always been as at the end */
	uint32_t sets, sleeps; /* how often the clock was set, and the machine slept */
	int64_t set_ns, slept_ns;
};

/* Reads the clocks of a capture. Errors: those of reading captures. */
enum sx_status align_read(struct align *align, const char *path, struct sx_error *err);
/*
 * Says how a capture's times become the first one's. `same_boot`: 1 both were recorded since one
 * start of one machine, 0 they were not, -1 nobody knows. `offset_ns`: given, or NULL.
 */
void align_choose(struct align *align, const struct align *first, int same_boot,
		  const int64_t *offset_ns);
/* A time as the first capture has it. */
uint64_t align_time(const struct align *align, uint64_t time_ns);
/* How an input was aligned, and how well. `begin_ns`: its first row. */
void align_tell(const struct align *align, const struct align *first, uint64_t begin_ns, char *buf,
		size_t size);
void align_finish(struct align *align);

#endif
