/* What a capture holds, and the views of it. */
#ifndef TOOLS_VERBS_CAPTURE_CONTENTS_H
#define TOOLS_VERBS_CAPTURE_CONTENTS_H

#include "tools/cli/cli.h"
#include "tools/verbs/capture/clocks.h"

#define CONTENTS_SHOWN 8 /* losses, and notes, one by one */

/* Something that the recording tells: samples that were lost, or a note. */
struct told {
	uint32_t device;
	uint64_t begin_ns, end_ns, lost;
	char text[256];
};

/* What reading a whole capture tells. */
struct contents {
	const char *path;
	struct sx_capture_reader *reader;
	const struct sx_capture_info *info;
	const struct sx_capture_account *account;
	uint64_t *rows;	 /* of each device */
	uint64_t values; /* rows times columns, all devices */
	uint64_t rows_read, gaps, notes, losses;
	struct told first_losses[CONTENTS_SHOWN], first_notes[CONTENTS_SHOWN];
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

#endif
