/*
 * The reading side of one process's channel. Everything in it may be garbage, or change while it is
 * read: it is copied first, checked, and bounded. No system calls.
 */
#ifndef SOURCE_GUEST_CHANNEL_H
#define SOURCE_GUEST_CHANNEL_H

#include <stdbool.h>

#include "wire/channel.h"
#include "wire/counters.h"

#define CHANNEL_CONTEXTS_MAX 4096 /* a program that makes more has a fault, or bad intentions */
#define CHANNEL_LABEL_DEPTH  256
#define CHANNEL_PATH_MOST    65536 /* bytes of one label path */

/* One context of a measured program. Texts are NUL-terminated, cut if need be. */
struct context_info {
	uint32_t process; /* number of its process */
	int32_t pid;
	uint32_t serial; /* of the context in its process, from 1 */
	uint32_t api;	 /* enum wire_api, as the program says */
	char name[32];	 /* of the process */
	char vendor[128], renderer[192], version[192];
	bool egl, core_profile;
	bool closed;	       /* the guest handed over all that it had */
	uint64_t frames;       /* read so far */
	struct wire_past past; /* of its samples that were given out */
	uint64_t lost;	       /* because nobody read them in time */
	uint64_t broken;       /* records that made no sense */
};

/* The contexts of all processes, in order of appearance; those of a process as it made them. */
struct contexts {
	struct context_info *items;
	size_t count, cap;
	uint64_t beyond; /* contexts without a place here, because there are too many */
	uint64_t late;	 /* records that were lost behind the last one of their context */
	size_t again;	 /* where to look next for a number that may be used again */
};

struct channel_place {
	bool known;
	uint32_t generation;
	uint64_t tail;	/* ours; the channel's copy is for the writer only */
	uint64_t lost;	/* as last seen */
	bool astray;	/* the head cannot be: somebody wrote over it */
	size_t context; /* index into the contexts, or CHANNEL_NOBODY */
	/* Samples that came in one record: those from `packed_at` on. */
	struct wire_record packed;
	uint32_t packed_at, packed_count;
};
#define CHANNEL_NOBODY SIZE_MAX

/* Zero-initialise, then set what is marked. */
struct channel {
	struct wire_header *memory; /* set: WIRE_BYTES(ring) of it */
	uint32_t ring;		    /* set */
	uint32_t process;	    /* set: the process's number */
	int32_t pid;		    /* set */
	char name[32];		    /* set */
	uint32_t value_most;	    /* set: values of a sample; 0: WIRE_DRIVER_MOST */
	bool ended;		    /* set: nobody writes any more, and drafts count */
	uint64_t now_ns;	    /* set: now; 0: no draft is waited for */
	struct channel_place places[WIRE_STREAMS];
	unsigned next;	   /* stream to look at first, */
	uint64_t until_ns; /* for as long as its records end before those of others, */
	uint32_t stay;	   /* and for so many of them */
	/* Values of the driver's own counters that belong to the record last taken. */
	struct wire_value values[WIRE_VALUES_MOST];
};

/* What a program asks to be measured. */
struct channel_wish {
	uint32_t kinds;		    /* bits of enum wire_kind */
	uint64_t counters;	    /* bits of enum wire_counter */
	uint32_t overhead_permille; /* 0: measure all */
	uint32_t ring;		    /* records, a power of two up to WIRE_RING_MOST */
	/* Counters of the driver's own, or NULL. Outlives the wish. */
	const uint8_t (*driver_ids)[WIRE_ID_BYTES];
	uint32_t driver_count; /* up to WIRE_DRIVER_MOST */
	/* A channel of hardware counters: what is wanted, or NULL. Outlives the wish. */
	const struct wire_program *program;
};

/* Fills in the head of new memory of WIRE_BYTES(wish->ring) zeros. */
void channel_prepare(struct wire_header *memory, const struct channel_wish *wish);
/*
 * Takes the next sample of any stream, those that ended first before others; false when there is
 * none now, or an earlier one is about to come. *lost: samples known to be lost before it. Of the
 * driver's own counters out->driver_count are in channel->values.
 */
bool channel_next(struct channel *channel, struct contexts *contexts, struct wire_sample *out,
		  uint64_t *lost);
/*
 * Writes the path of a label into out (size bytes, NUL-terminated, at least 1): its texts from the
 * top, joined by slashes, cut if need be; well-formed UTF-8 without control characters, with a
 * backslash before slashes and backslashes of their own. Returns its length, 0 when there is no
 * such label.
 */
size_t channel_label(const struct channel *channel, uint32_t id, char *out, size_t size);
/* Whether any stream has a record that was not read, or is still open. */
bool channel_in_use(const struct channel *channel);
/*
 * Copies text that a program wrote: printable ASCII only, NUL-terminated within size; nothing of
 * what is no text for the most part.
 */
void channel_copy_text(char *to, const char *from, size_t size);

#endif
