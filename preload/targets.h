/* The query targets that we use or must know of, and which counters each one feeds. */
#ifndef PRELOAD_TARGETS_H
#define PRELOAD_TARGETS_H

#include <stdbool.h>
#include <stdint.h>
#include <GL/glcorearb.h>

#include "preload/api.h"

/* One query target and index. A set of slots is a bit mask. */
enum slot {
	SLOT_OCCLUSION,
	SLOT_OCCLUSION_ANY,
	SLOT_OCCLUSION_CONSERVATIVE, /* the program's only */
	SLOT_TIME_ELAPSED,	     /* where timestamps have no bits */
	SLOT_STATISTICS_FIRST,
	SLOT_WRITTEN_0 = SLOT_STATISTICS_FIRST + 11,
	SLOT_GENERATED_0 = SLOT_WRITTEN_0 + 4,
	SLOT_OVERFLOW = SLOT_GENERATED_0 + 4, /* any stream, then streams 0 to 3 */
	SLOT_COUNT = SLOT_OVERFLOW + 5,
};
#define SLOT_BIT(slot) (UINT32_C(1) << (slot))
/* Overflow queries run only while transform feedback does. */
#define SLOT_OVERFLOW_COUNT 5
#define SLOT_OVERFLOW_MASK  (UINT32_C(0x1f) << SLOT_OVERFLOW)

/*
 * Parts of the pipeline that few programs use. Until one does, what they count is 0, and their
 * queries need not run. A set of parts is a bit mask.
 */
enum part {
	PART_GEOMETRY = 1 << 0,
	PART_TESSELLATION = 1 << 1,
	PART_COMPUTE = 1 << 2,
	PART_FEEDBACK = 1 << 3,
};
#define PART_SHADERS (PART_GEOMETRY | PART_TESSELLATION | PART_COMPUTE)

struct target {
	GLenum target;
	GLuint index;
	bool boolean;	/* the result is a truth value */
	int8_t counter; /* enum wire_counter, or -1 */
	int8_t second;	/* a second counter of the same value, or -1 */
	size_t feature; /* offset in struct api_features */
	unsigned part;	/* enum part that it counts, or 0: always */
};

/* All slots, in the order of enum slot. */
extern const struct target targets[SLOT_COUNT];

/* The slot of a target that a program names, or -1. */
int target_slot(GLenum target, GLuint index);
/* Begins or ends a query of a slot. Indexed calls only where they are needed. */
void target_begin(const struct api *gl, int slot, GLuint name);
void target_end(const struct api *gl, int slot);
/* The slots that count any of these parts. */
uint32_t target_slots_of(unsigned parts);
bool target_has_feature(const struct api *gl, int slot);

#endif
