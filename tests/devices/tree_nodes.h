/* What a machine in a text is made of; for tree.c and tree_text.c. */
#ifndef TESTS_DEVICES_TREE_NODES_H
#define TESTS_DEVICES_TREE_NODES_H

#include "tree.h"

enum tree_kind { FILE_NODE, LINK_NODE, DIR_NODE };

struct tree_node {
	char *path;
	enum tree_kind kind;
	uint64_t from_ns, until_ns; /* of the tree's time */
	unsigned mode;
	uint32_t owner;
	char *bytes; /* or a link's target */
	size_t size;
	bool plain; /* no numbers in braces */
	size_t order;
};

static inline uint64_t tree_elapsed(const struct tree *t)
{
	return t->now_ns - t->start_ns;
}

/* The bytes of a file as they are now. */
size_t tree_contents(const struct tree *t, const struct tree_node *n, char *to, size_t room);

#endif
