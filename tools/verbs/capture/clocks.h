/* The clocks of a capture: pairs that were read at the same moments, and what they say. */
#ifndef TOOLS_VERBS_CAPTURE_CLOCKS_H
#define TOOLS_VERBS_CAPTURE_CLOCKS_H

#include <sextant/capture.h>

#include "base/clock_map.h"
#include "output/view.h"

#define CAPTURE_CLOCK_NAME 32

/* One clock beside CLOCK_MONOTONIC of the machine. */
struct capture_clock {
	uint32_t
	    device; /* the device that the clock is of, or SX_CAPTURE_NO_DEVICE: the machine's */
	char name[CAPTURE_CLOCK_NAME];
	struct clock_map map; /* from monotonic to this clock */
	uint64_t pairs;
};

/* Zero-initialise. */
struct capture_clocks {
	struct capture_clock *items;
	size_t count, cap;
};

/* Adds what a record of clocks tells; others are passed over. false: no memory. */
bool capture_clocks_add(struct capture_clocks *clocks, const struct sx_capture_record *record);
/* The machine's or a device's clock of a name, or NULL. */
const struct capture_clock *capture_clocks_find(const struct capture_clocks *clocks,
						uint32_t device, const char *name);
/* Members of the object at hand: "own_clock" of a device, or "clocks" of the machine. */
void capture_clocks_json(struct json *json, const struct capture_clocks *clocks, uint32_t device);
/* The same as lines; `indent` blanks before each. */
void capture_clocks_text(const struct view *view, const struct capture_clocks *clocks,
			 uint32_t device, int indent);
void capture_clocks_finish(struct capture_clocks *clocks);

#endif
