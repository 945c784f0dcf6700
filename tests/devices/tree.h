/*
 * A machine's /sys, /proc and /dev as a text (tests/data/drm/README.md has the form): files with
 * numbers that grow with a clock, links, owners and modes, and what changes at which time. It
 * answers as the kernel does, refusals included, and when loaded strictly it refuses descriptors'
 * texts that the kernel's drm-usage-stats would not allow. The clock is moved by poll() alone.
 */
#ifndef TESTS_DEVICES_TREE_H
#define TESTS_DEVICES_TREE_H

#include <stdbool.h>
#include "base/sys.h"

#define TREE_FDS 64

struct tree_node;

struct tree {
	struct sx_sys sys;
	const struct sx_sys *under; /* for what is not in the tree; NULL: refused */
	bool realtime;		    /* the clock is the machine's */
	uint64_t start_ns, now_ns;
	uint32_t uid; /* who asks; 0 may everything */
	struct tree_node *nodes;
	size_t count, cap;
	bool sorted, strict;
	uint64_t at_ns; /* from when on the lines at hand hold */
	int open_fds;
	struct {
		bool open, writes;
		char path[256];
		size_t done;
	} fds[TREE_FDS];
	unsigned long files_read, folders_listed, links_read; /* how often */
	const char *writes; /* a real file that what is written is appended to, or NULL */
	char why[256];	    /* what is wrong with a text */
};

/* `under` serves what is not in the tree, forks and pipes; NULL: nothing does. */
void tree_init(struct tree *tree, const struct sx_sys *under);
/* Adds what a text says; false, and why, when it is not right. */
bool tree_add(struct tree *tree, const char *text);
/* The same of a file. */
bool tree_load(struct tree *tree, const char *path);
/* Adds one file with these bytes, from now on. */
bool tree_put(struct tree *tree, const char *path, const void *bytes, size_t size);
void tree_finish(struct tree *tree);
void tree_advance(struct tree *tree, uint64_t ns);

#endif
