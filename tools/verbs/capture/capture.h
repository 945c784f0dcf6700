/* `sextant capture`: what its files share. */
#ifndef TOOLS_VERBS_CAPTURE_CAPTURE_H
#define TOOLS_VERBS_CAPTURE_CAPTURE_H

#include <sextant/capture.h>

#include "base/clock_fit.h"
#include "output/view.h"
#include "tools/cli/cli.h"

/* The clocks of a capture: pairs that were read at the same moments, and what they say. */

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

/* Adds a record of clocks; ignores other records. false: no memory. */
bool capture_clocks_add(struct capture_clocks *clocks, const struct sx_capture_record *record);
/* The machine's or a device's clock of a name, or NULL. */
const struct capture_clock *capture_clocks_find(const struct capture_clocks *clocks,
						uint32_t device, const char *name);
/* Members of the object at hand: "own_clock" of a device, or "clocks" of the machine. */
void capture_clocks_json(struct json *json, const struct capture_clocks *clocks, uint32_t device);
/* The same as lines. */
void capture_clocks_text(const struct view *view, const struct capture_clocks *clocks,
			 uint32_t device);
void capture_clocks_finish(struct capture_clocks *clocks);

/* What a capture holds, and the views of it. */

#define CONTENTS_SHOWN 8 /* losses, and notes, one by one */

/* A loss or a note in the recording. */
struct shown {
	uint32_t device;
	uint64_t begin_ns, end_ns, lost;
	char text[1024]; /* with the remedy of a note */
};

/* Contents of a whole capture. */
struct contents {
	const char *path;
	struct sx_capture_reader *reader;
	const struct sx_capture_info *info;
	const struct sx_capture_account *account;
	uint64_t *rows;	 /* of each device */
	uint64_t values; /* rows times columns, all devices */
	uint64_t rows_read, gaps, notes, losses;
	struct shown first_losses[CONTENTS_SHOWN], first_notes[CONTENTS_SHOWN];
	struct capture_clocks clocks;
	bool heads_only; /* the contents of rows were not read */
};

/* Fills *c, of which `path` and `heads_only` are set; to be released in any case. */
enum sx_status contents_read(const struct cli *cli, struct contents *c, struct sx_error *err);
void contents_finish(struct contents *c);
/* Nothing is damaged, cut or still written. */
bool contents_sound(const struct contents *c);
uint64_t contents_duration_ns(const struct sx_capture_info *info);
/* To the verb's output; of the damage alone for `check`. */
void contents_text(const struct cli *cli, const struct contents *c);
void contents_damage_text(const struct cli *cli, const struct contents *c);
void contents_json(const struct cli *cli, const struct contents *c);

/* Captures of several machines on one axis of time: that of the first. */

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
 * Chooses how a capture's times are mapped to the first one's. `same_boot`: 1 both are of the same
 * boot of a machine, 0 they are not, -1 unknown. `offset_ns`: given, or NULL.
 */
void align_choose(struct align *align, const struct align *first, int same_boot,
		  const int64_t *offset_ns);
/* A time as the first capture has it. */
uint64_t align_time(const struct align *align, uint64_t time_ns);
/* How an input was aligned, and how well. `begin_ns`: its first row. */
void align_note(const struct align *align, const struct align *first, uint64_t begin_ns, char *buf,
		size_t size);
void align_finish(struct align *align);

/* Copies of captures: a part of one, several in one, or one without what names its owner. */

struct capture_copy {
	const struct cli *cli; /* who is shown how far it is */
	const char *const *inputs;
	size_t input_count;
	const char *output;
	uint64_t from_ns, to_ns; /* since the first row; 0: from the beginning, to the end */
	bool anonymise;
	const int64_t *offset_ns; /* to add to the times of all inputs but the first, or NULL */
	/* Of several inputs: how the times of one became those of the first; may be NULL. */
	void (*aligned)(void *user, const char *line);
	void *aligned_user;
};

/* What a copy left out or could not read. */
struct capture_copied {
	uint64_t rows, damaged_records, damaged_bytes;
	uint64_t duration_ns; /* of the last input, all of it */
	char what[160];	      /* the first damage, or empty */
	const char *cut;      /* the first input that did not end cleanly, or NULL */
};

/* Errors: those of opening and writing captures; SX_ERR_USAGE when output is one of the inputs, or
 * one recording is given twice. */
enum sx_status capture_copy_run(const struct capture_copy *copy, struct capture_copied *out,
				struct sx_error *err);

#endif
