/* ZIP archives, written sequentially to a stream that cannot seek. */
#ifndef OUTPUT_WRITE_ZIP_H
#define OUTPUT_WRITE_ZIP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ZIP_MEMBERS_MAX 8

struct zip_member {
	const char *name; /* must outlive the archive */
	uint32_t crc, packed, size, offset;
};

/* Zero-initialise with the stream. */
struct zip {
	FILE *out;
	struct zip_member members[ZIP_MEMBERS_MAX];
	uint32_t count;
	uint64_t written;
	bool too_large; /* over what the format's first edition can say: 4 GiB */
};

/*
 * Begins a member: what is written to the stream that it returns is deflated into the archive. NULL
 * when memory is out. Errors of the archive's stream show there. fclose() ends it.
 */
FILE *zip_member(struct zip *zip, const char *name);
/* Writes the list of members. */
void zip_end(struct zip *zip);

#endif
