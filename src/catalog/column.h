/* Which counter a column of a table means: exact names, aliases, and the spellings of instances. */
#ifndef CATALOG_COLUMN_H
#define CATALOG_COLUMN_H

#include <stdbool.h>

#include <sextant/catalog.h>

struct column_id {
	uint32_t counter;  /* index in the catalog, or SX_NONE */
	uint32_t instance; /* or SX_NONE */
};

/*
 * Identifies a column name: NAME, $NAME, an alias, Group.NAME, and for counters with separate
 * instances NAME[3], NAME3, BLOCK[3].EVENT and BLOCK3.EVENT.
 */
struct column_id column_identify(const struct sx_catalog *catalog, const char *name);

/* What a column of a table is, by its name. All SX_NONE: the catalog does not know it. */
struct column_meaning {
	struct column_id counter;
	uint32_t constant;
	uint32_t metric; /* a metric that the column holds itself, not derived */
};

/*
 * As column_identify(), and further: a constant, a metric by name, alias, neutral name or title.
 * Where nothing matches letter by letter, case, blanks and punctuation are ignored, if the name is
 * then unique. `group`: metrics of this group, or SX_NONE.
 */
struct column_meaning column_meaning(const struct sx_catalog *catalog, const char *name,
				     uint32_t group);
/*
 * What a name of -m means, in this order: a metric or counter by its name or alias; where nothing
 * matches letter by letter, the same in another case; else anything alike without regard to case,
 * blanks and punctuation, a metric, also by its title or neutral name, before a counter. A metric
 * that several groups have is none.
 */
struct column_meaning column_wanted(const struct sx_catalog *catalog, const char *name,
				    uint32_t group);
bool column_is_known(const struct column_meaning *meaning);
/* A letter or digit in lower case, 0 for others. Bytes above ASCII count as letters. */
static inline unsigned char column_letter(unsigned char c)
{
	if ((unsigned)(c - 'a') < 26 || (unsigned)(c - '0') < 10 || c > 127)
		return c;
	return (unsigned)(c - 'A') < 26 ? (unsigned char)(c + 'a' - 'A') : 0;
}

/* The letters and digits of a name, of which `letters` has room for all; how many there are. */
static inline size_t column_letters(char *letters, const char *name)
{
	size_t len = 0;
	for (; *name; name++) {
		unsigned char letter = column_letter((unsigned char)*name);
		if (letter)
			letters[len++] = (char)letter;
	}
	return len;
}

/* Whether two names are the same but for case, blanks and punctuation; NULL is like none. */
bool column_alike(const char *a, const char *b);
/* "shader_core_imbalance": what a decoder adds about a block, largest over mean of its instances.
 */
bool column_is_imbalance(const struct sx_catalog *catalog, const char *name);

/*
 * The name of the counter, or with `metrics` first of the metric, that the catalog maps to a
 * neutral name; NULL: of none. Lives as long as the catalog.
 */
const char *column_of_neutral(const struct sx_catalog *catalog, const char *neutral, bool metrics);

/* The canonical spelling of an instance: "BLOCK[3].EVENT", or "NAME[3]" for an undotted name. */
void column_spell(char *buf, size_t size, const char *name, uint32_t instance);

#endif
