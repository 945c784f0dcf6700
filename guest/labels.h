/* Label paths of this process: each text once in the channel, named by a number. */
#ifndef GUEST_LABELS_H
#define GUEST_LABELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The id of the path that ends in this text (length bytes, copied) below the path `parent` (0: at
 * the top), the same for the same path. 0 when the channel has no room, which is counted, or when
 * there is no channel. Any thread; a path that is known already takes no lock.
 */
uint32_t label_intern(uint32_t parent, const char *text, size_t length);

/*
 * The id of the path `path`, of at most 64 texts (of a longer one the innermost), below `parent`;
 * either may be 0. 0 when the channel has no room. Any thread; a path that is known already takes
 * no lock.
 */
uint32_t label_below(uint32_t parent, uint32_t path);

#endif
