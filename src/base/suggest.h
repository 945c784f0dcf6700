/* "Did you mean": the candidates nearest to a misspelt name. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUGGEST_MAX 8

struct suggest {
	const char *name;
	size_t len, max, count;
	const char *items[SUGGEST_MAX]; /* best first */
	uint32_t costs[SUGGEST_MAX];
};

/* Begins a search for the `max` (at most SUGGEST_MAX) candidates nearest to `name`. */
void suggest_begin(struct suggest *s, const char *name, size_t max);
/*
 * Offers a candidate, which must live as long as `s`. It is kept when it is near: few edits
 * (insert, delete, replace, swap of neighbours; case counts little), or one name begins or
 * contains the other.
 */
void suggest_offer(struct suggest *s, const char *candidate);
/* Writes `a, b or c` into text, or nothing when no candidate is near; returns text. */
const char *suggest_text(const struct suggest *s, char *text, size_t size);

/*
 * Writes the file in the folder of `path` with the name nearest to it, folder included; false where
 * none is near, or it does not fit.
 */
bool suggest_file(const char *path, char *out, size_t size);

/* Whether two names are the same to a reader: - and _ are equal, and so are A and a. */
bool suggest_is_same(const char *a, const char *b);
/*
 * The rest of a name behind its owner's prefix, "OWNER.REST" or "OWNER#NUMBER.REST", regardless of
 * case; NULL where it begins otherwise, or `owner` is NULL.
 */
const char *suggest_behind(const char *name, const char *owner, uint32_t number);

#endif
