/* What a word of -d means, of devices of this machine as of those of a recording. */
#ifndef TOOLS_CLI_DEVICE_WORDS_H
#define TOOLS_CLI_DEVICE_WORDS_H

#include <sextant/capture.h>
#include <sextant/source.h>

#include "input/input.h"
#include "tools/cli/cli.h"

/* Whether a device is for graphics: what "gpu" means. */
bool device_words_graphics(const struct cli *cli, const struct sx_device *device);
/* Whether a word means a device: its id, source, catalog or name, or "gpu" or "all". */
bool device_words_mean(const struct cli *cli, const struct sx_device *device, const char *word);
/* Devices among which a word was looked for. */
struct device_words {
	const struct sx_device *all;
	size_t count;
	const char *path; /* the recording that they are of; NULL: this machine */
};
/* Says which word comes near one that means none of the devices: SX_ERR_NOT_FOUND. */
enum sx_status device_words_unknown(const struct device_words *among, const char *word,
				    struct sx_error *err);

/*
 * Marks, one for each, the devices that --device means; all of them without it. A word that means
 * none is an error, SX_ERR_NOT_FOUND, but for what the configuration says, which is for machines
 * and recordings that have it. `marked` is false everywhere before.
 */
enum sx_status device_words_mark(const struct cli *cli, const struct device_words *among,
				 bool *marked, struct sx_error *err);

/* The devices of a recording, as those of a machine. */
struct device_words_recorded {
	uint32_t *places;	   /* in the recording, in the order of views */
	struct sx_device *devices; /* at the same index; ids are numbers */
	char (*ids)[16];
	uint32_t count;
};
/* Zero *out before; released in every case. What devices point to is the reader's. */
enum sx_status device_words_recorded(struct sx_capture_reader *reader,
				     struct device_words_recorded *out, struct sx_error *err);
void device_words_recorded_finish(struct device_words_recorded *recorded);
/*
 * Places of the devices that --device and --for leave. Errors:
 * those of device_words_mark(), also where --for leaves none. A --for of the configuration is for
 * the recordings that have it.
 */
enum sx_status device_words_places(const struct cli *cli, const char *path,
				   struct sx_capture_reader *reader, struct input_places *out,
				   struct sx_error *err);

#endif
