/* Flexible EU events of Broadwell to Gen12: which event a register makes a counter count. */
#ifndef OA_FLEX_H
#define OA_FLEX_H

#include <sextant/catalog.h>
#include <sextant/oa.h>

/* One flexible EU event: what makes its counter advance, and two filters. */
struct oa_flex {
	uint8_t event, coarse, fine; /* encodings of the manual, 0 to 15 */
};

/* Where one flexible counter is programmed. */
struct oa_flex_place {
	uint32_t counter;	   /* 7 to 20: A7 to A20 */
	const char *register_name; /* "EU_PERF_CNT_CTL0"; static storage */
	uint32_t address;
	uint32_t shift; /* of the 12-bit field in the register: 0 or 12 */
};

enum oa_flex_part { OA_FLEX_EVENT, OA_FLEX_COARSE, OA_FLEX_FINE };

#define OA_FLEX_WARNINGS_MAX 4
/* Name of an encoding ("fpu0-active", "ps", "ternary"), or NULL when the manual defines none. */
const char *oa_flex_name(enum oa_flex_part part, uint32_t encoding);
/* One line on an encoding, or NULL. Static storage. */
const char *oa_flex_describe(enum oa_flex_part part, uint32_t encoding);
/* Finds an encoding by name or number. Errors: SX_ERR_NOT_FOUND; the remedy lists the names. */
enum sx_status oa_flex_find(enum oa_flex_part part, const char *text, uint8_t *out,
			    struct sx_error *err);
/* Place of a counter by number (7 to 20); false outside. */
bool oa_flex_place(uint32_t counter, struct oa_flex_place *out);

/* The even counter of a register, by address, name (EU_PERF_CNT_CTL0, EU_PERF_CNTL0) or number in
 * text; 0 when there is none. */
uint32_t oa_flex_register(const char *text);
/* The 12-bit field of an event. */
uint32_t oa_flex_field(const struct oa_flex *flex);
/* The event of the field of a counter in its register's value. */
struct oa_flex oa_flex_decode(uint32_t counter, uint32_t value);

/*
 * Checks an event by the manual's tables. SX_OK: *count warnings (static strings) say what the
 * manual calls unsupported or unreliable; *supported is false for the former. SX_ERR_UNSUPPORTED:
 * an encoding that the manual does not define. Pointers may be NULL.
 */
enum sx_status oa_flex_check(const struct oa_flex *flex, const char *warnings[OA_FLEX_WARNINGS_MAX],
			     uint32_t *count, bool *supported, struct sx_error *err);

/* One user-defined counter: `A12=eu(fpu0-active, coarse=ps, fine=ternary)`. */
struct oa_flex_counter {
	uint32_t counter; /* 7 to 20 */
	struct oa_flex flex;
};

#define OA_FLEX_COUNTERS 14

/* Parses a user-defined counter. Errors: SX_ERR_USAGE (malformed, or a filter given twice),
 * SX_ERR_NOT_FOUND, SX_ERR_UNSUPPORTED. */
enum sx_status oa_flex_parse(const char *text, struct oa_flex_counter *out, struct sx_error *err);

/*
 * Adds a counter to those of one run, `all` with room for OA_FLEX_COUNTERS; one that is there
 * with the same event is left as it is. Errors: SX_ERR_USAGE (the counter has another event).
 */
enum sx_status oa_flex_merge(struct oa_flex_counter *all, uint32_t *count,
			     const struct oa_flex_counter *added, struct sx_error *err);

/* What a metric set, by its index in the catalog, has the counter (7 to 20) count; false when it
 * leaves the register alone. */
bool oa_flex_programmed(const struct sx_catalog *catalog, uint32_t group, uint32_t counter,
			struct oa_flex *out);
#define OA_FLEX_TEXT_MAX 80
/* Writes "eu(fpu0-active, coarse=ps)" into `out`, and returns it. */
const char *oa_flex_text(const struct oa_flex *flex, char out[OA_FLEX_TEXT_MAX]);

/*
 * Whether a metric set, by its index in the catalog, leaves the counter free or has it count that
 * very event. Errors: SX_ERR_USAGE; the remedy names counters or sets that are free.
 */
enum sx_status oa_flex_fits(const struct sx_catalog *catalog, uint32_t group,
			    const struct oa_flex_counter *counter, struct sx_error *err);

#endif
