/* Paths of labels, interned in the channel. */
#ifndef GUEST_LABELS_H
#define GUEST_LABELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The id of the path `parent` (0: the root) followed by `text` (length bytes, copied). Equal paths
 * have equal ids. 0: no channel, or no room, which is counted. Any thread; a known path takes no
 * lock.
 */
uint32_t label_intern(uint32_t parent, const char *text, size_t length);

/*
 * The id of `parent` followed by `path`; either may be 0. Of a path of more than 64 texts the
 * innermost are used. 0: no room. Any thread; a known path takes no lock.
 */
uint32_t label_below(uint32_t parent, uint32_t path);

#endif
