/* Units of limits, in any usual spelling. */
#include "analysis/compare/gate.h"

#include <string.h>
#include <strings.h>

#include "catalog/units.h"

/* Prefixes, longest first so that "Mi" is no "M". */
static const struct {
	const char *text;
	double factor;
} prefixes[] = {{"Ki", 1024.0},	      {"Mi", 1048576.0},
		{"Gi", 1073741824.0}, {"Ti", 1099511627776.0},
		{"\u00b5", 1e-6},     {"n", 1e-9},
		{"u", 1e-6},	      {"m", 1e-3},
		{"k", 1e3},	      {"K", 1e3},
		{"M", 1e6},	      {"G", 1e9},
		{"T", 1e12},	      {"", 1}};

/* Whether `text` is a prefix and one of the symbols; *factor of the prefix. */
static bool is_prefixed(const char *text, const char *const *symbols, double *factor)
{
	for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++) {
		size_t len = strlen(prefixes[p].text);
		if (strncmp(text, prefixes[p].text, len) != 0)
			continue;
		for (const char *const *s = symbols; *s; s++) {
			if (strcmp(text + len, *s) != 0)
				continue;
			*factor = prefixes[p].factor;
			return true;
		}
	}
	return false;
}

bool gate_unit_factor(const char *written, const char *base, double *factor)
{
	static const char *const seconds[] = {"s", NULL}, *const bytes[] = {"B", "bytes", NULL},
				 *const rate[] = {"B/s", "bytes/s", NULL},
				 *const hertz[] = {"Hz", NULL}, *const power[] = {"W", NULL},
				 *const energy[] = {"J", NULL};
	const char *const own[] = {base, "", NULL};
	*factor = 1;
	if (!*written || strcmp(written, base) == 0)
		return true;
	if (strcmp(base, "frames/s") == 0 && strcasecmp(written, "fps") == 0)
		return true;
	/* As tables print any number of something a second. */
	size_t length = strlen(base);
	if (strcmp(written, "/s") == 0)
		return length > 2 && strcmp(base + length - 2, "/s") == 0 &&
		       strcmp(base, "bytes/s") != 0;
	if (strcmp(base, "percent") == 0)
		return strcmp(written, "%") == 0;
	if (strcmp(base, "ratio") == 0) {
		*factor = 0.01;
		return strcmp(written, "%") == 0;
	}
	if (strcmp(base, "s") == 0 && (strcmp(written, "min") == 0 || strcmp(written, "h") == 0)) {
		*factor = *written == 'h' ? 3600 : 60;
		return true;
	}
	if (strcmp(base, "s") == 0)
		return is_prefixed(written, seconds, factor);
	if (strcmp(base, "bytes") == 0)
		return is_prefixed(written, bytes, factor);
	if (strcmp(base, "bytes/s") == 0)
		return is_prefixed(written, rate, factor);
	if (strcmp(base, "Hz") == 0)
		return is_prefixed(written, hertz, factor);
	if (strcmp(base, "W") == 0)
		return is_prefixed(written, power, factor);
	if (strcmp(base, "J") == 0)
		return is_prefixed(written, energy, factor);
	return is_prefixed(written, own, factor);
}

bool gate_unit_known(const char *written, struct arena *arena, bool *known)
{
	static const char *const bases[] = {"percent", "s", "bytes", "bytes/s",
					    "Hz",      "W", "J",     "frames/s"};
	struct units *units = arena_alloc(arena, sizeof(*units));
	double factor;
	*known = !*written;
	if (!units)
		return false;
	units_init(units);
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		*known |= gate_unit_factor(written, bases[i], &factor);
	/* Others are as in catalogs, or a prefix alone. */
	for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++) {
		size_t len = strlen(prefixes[p].text);
		if (strncmp(written, prefixes[p].text, len) == 0)
			*known |= !written[len] || units_known(units, written + len);
	}
	return true;
}

const char *gate_unit_example(const char *base)
{
	static const char *const examples[][2] = {
	    {"s", "ms"},      {"bytes", "MB"}, {"bytes/s", "MB/s"}, {"Hz", "MHz"},
	    {"percent", "%"}, {"W", "W"},      {"J", "J"}};
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		if (strcmp(base, examples[i][0]) == 0)
			return examples[i][1];
	return "";
}
