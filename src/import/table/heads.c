/* What headers mean: units as people write them, times of rows, and names that tools have for ours.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text_buf.h"
#include "catalog/column.h"
#include "catalog/units.h"
#include "import/table/csv.h"
#include "import/table/scan.h"
#include "table/label.h"

/* Spellings of units, and ours. */
static const struct {
	const char *word, *unit;
	double factor;
} unit_words[] = {
    {"%", "percent", 1},
    {"percent", "percent", 1},
    {"percentage", "percent", 1},
    {"ns", "ns", 1},
    {"nanoseconds", "ns", 1},
    {"us", "us", 1},
    {"\xc2\xb5s", "us", 1},
    {"\xce\xbcs", "us", 1},
    {"microseconds", "us", 1},
    {"ms", "ms", 1},
    {"milliseconds", "ms", 1},
    {"msec", "ms", 1},
    {"usec", "us", 1},
    {"nsec", "ns", 1},
    {"s", "s", 1},
    {"sec", "s", 1},
    {"seconds", "s", 1},
    {"min", "s", 60},
    {"minutes", "s", 60},
    {"h", "s", 3600},
    {"hours", "s", 3600},
    {"nanos", "ns", 1},
    {"micros", "us", 1},
    {"millis", "ms", 1},
    {"Hz", "Hz", 1},
    {"1/s", "Hz", 1},
    {"/s", "Hz", 1},
    {"kHz", "Hz", 1e3},
    {"MHz", "MHz", 1},
    {"mhz", "MHz", 1},
    {"khz", "Hz", 1e3},
    {"GHz", "MHz", 1e3},
    {"ghz", "MHz", 1e3},
    {"hertz", "Hz", 1},
    {"kilohertz", "Hz", 1e3},
    {"megahertz", "MHz", 1},
    {"gigahertz", "MHz", 1e3},
    {"W", "mW", 1e3},
    {"w", "mW", 1e3},
    {"watts", "mW", 1e3},
    {"milliwatts", "mW", 1},
    {"kilowatts", "mW", 1e6},
    {"mW", "mW", 1},
    {"kW", "mW", 1e6},
    {"J", "uJ", 1e6},
    {"joules", "uJ", 1e6},
    {"mJ", "uJ", 1e3},
    {"uJ", "uJ", 1},
    {"kJ", "uJ", 1e9},
    {"V", "V", 1},
    {"mV", "V", 1e-3},
    {"A", "A", 1},
    {"mA", "A", 1e-3},
    {"rpm", "rpm", 1},
    {"C", "degC", 1},
    {"\xc2\xb0"
     "C",
     "degC", 1},
    {"celsius", "degC", 1},
    {"degrees celsius", "degC", 1},
    {"K", "K", 1}, /* kelvin, or thousands: it depends on what is measured */
    {"kelvin", "K", 1},
    {"B", "bytes", 1},
    {"bytes", "bytes", 1},
    {"kilobytes", "bytes", 1e3},
    {"megabytes", "bytes", 1e6},
    {"gigabytes", "bytes", 1e9},
    {"terabytes", "bytes", 1e12},
    {"kibibytes", "bytes", 0x1p10},
    {"mebibytes", "bytes", 0x1p20},
    {"gibibytes", "bytes", 0x1p30},
    {"KB", "bytes", 1e3},
    {"kB", "bytes", 1e3},
    {"TB", "bytes", 1e12},
    {"TiB", "bytes", 0x1p40},
    {"KiB", "KiB", 1},
    {"MB", "bytes", 1e6},
    {"MiB", "bytes", 0x1p20},
    {"GB", "bytes", 1e9},
    {"GiB", "bytes", 0x1p30},
    {"B/s", "bytes/s", 1},
    {"KB/s", "bytes/s", 1e3},
    {"kB/s", "bytes/s", 1e3},
    {"MBps", "MB/s", 1},
    {"GBps", "GB/s", 1},
    {"bit/s", "bytes/s", 0.125},
    {"kbit/s", "bytes/s", 125},
    {"Mbit/s", "bytes/s", 125e3},
    {"Gbit/s", "bytes/s", 125e6},
    {"MB/s", "MB/s", 1},
    {"KiB/s", "bytes/s", 0x1p10},
    {"MiB/s", "bytes/s", 0x1p20},
    {"GiB/s", "bytes/s", 0x1p30},
    {"GB/s", "GB/s", 1},
    {"cycles", "cycles", 1},
    {"kcycles", "cycles", 1e3},
    {"Mcycles", "cycles", 1e6},
    {"Gcycles", "cycles", 1e9},
    {"instructions", "instructions", 1},
    {"bits", "bits", 1},
    {"ratio", "ratio", 1},
    {"count", "count", 1},
};

#define UNIT_WORDS (sizeof(unit_words) / sizeof(unit_words[0]))

/* Whether a word before it says the same unit. */
static bool text_is_synonym(size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(unit_words[i].unit, unit_words[at].unit) == 0 &&
		    unit_words[i].factor == unit_words[at].factor)
			return true;
	return false;
}

void import_units_like(const struct units *list, const char *unit, char out[IMPORT_UNITS_TEXT_MAX])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < UNIT_WORDS; i++) {
		bool like = strcmp(unit_words[i].unit, unit) == 0 ||
			    units_factor(list, unit_words[i].unit, unit) != 0;
		size_t size = strlen(unit_words[i].word);
		if (!like || text_is_synonym(i) || used + size + 3 > IMPORT_UNITS_TEXT_MAX)
			continue;
		text_append_item(out, IMPORT_UNITS_TEXT_MAX, ", ", "%s", unit_words[i].word);
		used = strlen(out);
	}
	if (!used && strcmp(unit, "unknown") != 0)
		snprintf(out, IMPORT_UNITS_TEXT_MAX, "%s", unit);
}

/* Nothing but small letters, or but large ones: "mb" is megabytes, while "Mb" may be megabits. */
static bool text_has_one_case(struct import_cell text)
{
	bool small = false, large = false;
	for (size_t i = 0; i < text.size; i++) {
		small |= text.text[i] >= 'a' && text.text[i] <= 'z';
		large |= text.text[i] >= 'A' && text.text[i] <= 'Z';
	}
	return !(small && large);
}

/* As names in one case have units ("gpu_power_w", "FRAME_TIME_MS"), where one alone is meant. */
static bool text_unit_of_case(struct import_cell text, const char **unit, double *factor)
{
	bool any = false;
	*unit = "";
	*factor = 0;
	bool may_be = text_has_one_case(text);
	for (size_t i = 0; may_be && i < UNIT_WORDS; i++) {
		if (!import_is(text, unit_words[i].word))
			continue;
		if (any &&
		    (strcmp(*unit, unit_words[i].unit) != 0 || *factor != unit_words[i].factor))
			return false;
		any = true;
		*unit = unit_words[i].unit;
		*factor = unit_words[i].factor;
	}
	return any;
}

/* Case matters for prefixes (mW, MW), but not for words, which are of one or of several. */
static bool text_is_word(struct import_cell text, const char *word)
{
	size_t size = strlen(word);
	if (size <= 3)
		return text.size == size && memcmp(text.text, word, size) == 0;
	if (import_is(text, word))
		return true;
	for (const char *c = word; *c; c++)
		if (!islower((unsigned char)*c) && *c != ' ')
			return false;
	size -= word[size - 1] == 's';
	bool several = text.size == size + 1 && (text.text[size] == 's' || text.text[size] == 'S');
	return (text.size == size || several) && strncasecmp(text.text, word, size) == 0;
}

bool import_unit(struct import_cell text, const char **unit, double *factor)
{
	for (size_t i = 0; i < UNIT_WORDS; i++) {
		if (!text_is_word(text, unit_words[i].word))
			continue;
		*unit = unit_words[i].unit;
		*factor = unit_words[i].factor;
		return true;
	}
	const char *found;
	double of;
	if (!text_unit_of_case(text, &found, &of))
		return false;
	*unit = found;
	*factor = of;
	return true;
}

double import_unit_factor(struct import_factor *last, const struct units *list,
			  struct import_cell text, const char *to)
{
	const char *unit;
	double factor;
	if (!import_same(last->text, text)) {
		bool known = import_unit(text, &unit, &factor);
		*last =
		    (struct import_factor){text, known ? factor * units_factor(list, unit, to) : 0};
	}
	return last->factor;
}

bool import_catalog_unit(const struct units *list, struct import_cell text)
{
	char name[UNITS_TEXT_MAX];
	if (!text.size || text.size >= sizeof(name))
		return false;
	memcpy(name, text.text, text.size);
	name[text.size] = '\0';
	return units_known(list, name);
}

struct import_cell import_split_suffix(struct import_cell head, struct import_cell *end)
{
	static const char marks[] = "_ /"; /* "time_ms", "time in ms", "time/ms" */
	const char *unit;
	double factor;
	for (const char *m = marks; *m; m++) {
		const char *mark = memrchr(head.text, *m, head.size);
		if (!mark || mark == head.text)
			continue;
		*end = (struct import_cell){mark + 1, head.size - (size_t)(mark + 1 - head.text)};
		/* "_min" is the least of something. */
		if (!end->size || import_is(*end, "min") || !import_unit(*end, &unit, &factor))
			continue;
		struct import_cell bare =
		    import_trim((struct import_cell){head.text, (size_t)(mark - head.text)});
		if (*m == ' ' && bare.size > 3 && memcmp(bare.text + bare.size - 3, " in", 3) == 0)
			bare.size -= 3;
		return bare;
	}
	return (struct import_cell){head.text, 0};
}

struct import_cell import_split_unit(struct import_cell head, struct import_cell *unit)
{
	char last = head.size ? head.text[head.size - 1] : 0;
	char opening = last == ')' ? '(' : last == ']' ? '[' : 0;
	size_t at = opening ? head.size - 1 : 0;
	while (at && head.text[at - 1] != opening)
		at--;
	*unit = (struct import_cell){head.text, 0};
	if (at < 2)
		return head;
	*unit = import_trim((struct import_cell){head.text + at, head.size - at - 1});
	return import_trim((struct import_cell){head.text, at - 1});
}

#define LATEST_NS ((uint64_t)1 << 62) /* 146 years: in 2116, where a clock counts from 1970 */

bool import_time_can_be(uint64_t ns)
{
	return ns == SX_TIME_UNKNOWN || ns <= LATEST_NS;
}

bool import_span_can_be(struct import_span span)
{
	bool both = span.begin_ns != SX_TIME_UNKNOWN && span.end_ns != SX_TIME_UNKNOWN;
	return import_time_can_be(span.begin_ns) && import_time_can_be(span.end_ns) &&
	       (!both ||
		(span.begin_ns <= span.end_ns && span.end_ns - span.begin_ns <= IMPORT_YEAR_NS));
}

double import_time_unit(struct import_cell text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	const char *unit;
	double factor;
	for (size_t i = 0; import_unit(text, &unit, &factor) && i < 4; i++)
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].ns * factor;
	return 0;
}

enum import_time import_time_head(struct import_cell head, double *to_ns)
{
	static const struct {
		const char *name;
		enum import_time time;
	} names[] = {{"time", IMPORT_TIME_MOMENT}, {"timestamp", IMPORT_TIME_MOMENT},
		     {"begin", IMPORT_TIME_BEGIN}, {"start", IMPORT_TIME_BEGIN},
		     {"end", IMPORT_TIME_END},	   {"duration", IMPORT_TIME_LENGTH}};
	struct import_cell unit, name = import_split_unit(head, &unit);
	const char *under = unit.size ? NULL : memrchr(head.text, '_', head.size);
	if (under) {
		unit = (struct import_cell){under + 1, (size_t)(head.text + head.size - under - 1)};
		name.size = (size_t)(under - head.text);
	}
	*to_ns = import_time_unit(unit);
	for (size_t i = 0; *to_ns > 0 && i < sizeof(names) / sizeof(names[0]); i++)
		if (import_is(name, names[i].name))
			return names[i].time;
	return IMPORT_TIME_NONE;
}

/* Times, bytes, clocks, power: not shares, which are percent throughout. */
static bool comes_in_sizes(const char *unit)
{
	struct units units;
	units_init(&units);
	const struct unit *own = units_find(&units, unit);
	if (!own || strcmp(own->dimension, "ratio") == 0)
		return false;
	bool sizes = own->scale == UNIT_FINE;
	for (uint32_t i = 0; i < units.count; i++)
		sizes |= units.items[i].factor != own->factor &&
			 strcmp(units.items[i].dimension, own->dimension) == 0;
	return sizes;
}

static bool is_of_frames(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count, metric = column_meaning(catalog, name, SX_NONE).metric;
	const struct sx_metric_info *metrics = sx_catalog_metrics(catalog, &count);
	const char *neutral = metric == SX_NONE ? NULL : metrics[metric].neutral;
	return neutral && (strcmp(neutral, "frame.time") == 0 || strcmp(neutral, "gpu.time") == 0);
}

const char *bare_units_of(const struct sx_catalog *catalog, const char *name, const char *unit)
{
	if (!unit || !unit[0] || column_identify(catalog, name).counter != SX_NONE ||
	    !comes_in_sizes(unit))
		return NULL;
	return is_of_frames(catalog, name) ? "ms" : unit;
}

void bare_units_add(struct bare_units *bare, const char *name, const char *unit)
{
	size_t used = strlen(bare->text);
	if (!bare->count++) {
		snprintf(bare->first, sizeof(bare->first), "%s", name);
		snprintf(bare->unit, sizeof(bare->unit), "%s", unit);
	}
	if (!text_append_item(bare->text, sizeof(bare->text), ", ", "%.80s in %s", name, unit))
		bare->text[used] = '\0'; /* further ones are counted */
}

void bare_units_note(const struct bare_units *bare, const struct note_sink *to)
{
	if (bare->count == 1)
		note_sink_write(to,
				"%s has no unit: it is read in %s; "
				"\"%s (%s)\" says so",
				bare->first, bare->unit, bare->first, bare->unit);
	else if (bare->count)
		note_sink_write(to,
				"%u columns have no unit and are read as %s; \"%s (%s)\" says so",
				bare->count, bare->text, bare->first, bare->unit);
}

/* What tools call columns that we have under another name: whole headers, with their units. */
static const struct {
	const char *theirs, *ours;
} tool_words[] = {
    {"msBetweenPresents", "frame_time (ms)"}, /* of PresentMon: MsBetweenPresents, too */
    /* nvidia-smi --query-gpu=… --format=csv, with or without nounits. */
    {"utilization.gpu [%]", "GpuBusy (%)"},
    {"memory.used [MiB]", "MemoryUsed (MiB)"},
    {"memory.total [MiB]", "MemoryTotal (MiB)"},
    {"power.draw [W]", "GpuPower (W)"},
    {"temperature.gpu", "GpuTemperature"},
    {"clocks.current.graphics [MHz]", "GpuFrequency (MHz)"},
    {"clocks.gr [MHz]", "GpuFrequency (MHz)"},
    {"clocks.current.sm [MHz]", "GpuFrequency (MHz)"},
    {"clocks.sm [MHz]", "GpuFrequency (MHz)"},
    {"clocks.current.memory [MHz]", "MemoryFrequency (MHz)"},
    {"clocks.mem [MHz]", "MemoryFrequency (MHz)"},
    {"fan.speed [%]", "FanSpeed (%)"},
    /* nvidia-smi dmon and pmon, with the units of their second line. */
    {"gpu (Idx)", "device"},
    {"pwr (W)", "GpuPower (W)"},
    {"gtemp (C)", "GpuTemperature (C)"},
    {"sm (%)", "GpuBusy (%)"},
    {"enc (%)", "EncoderBusy (%)"},
    {"dec (%)", "DecoderBusy (%)"},
    {"mclk (MHz)", "MemoryFrequency (MHz)"},
    {"pclk (MHz)", "GpuFrequency (MHz)"},
    {"fb (MB)", "MemoryUsed (MiB)"},
    {"command (name)", "command"},
    /* turbostat */
    {"Busy%", "CpuBusy (%)"},
    {"Bzy_MHz", "CpuFrequency (MHz)"},
    {"PkgTmp", "CpuTemperature (C)"},
    {"PkgWatt", "PackagePower (W)"},
    {"CorWatt", "CpuPower (W)"},
    {"GFXWatt", "GpuPower (W)"},
    {"GFXAMHz", "GpuFrequency (MHz)"},
    {"GFXMHz", "GpuFrequencyRequested (MHz)"},
    {"GFX%rc6", "SleepShare (%)"},
    {"GFX%C0", "GpuBusy (%)"},
};

struct import_cell csv_our_word(struct import_cell head)
{
	for (size_t i = 0; i < sizeof(tool_words) / sizeof(tool_words[0]); i++)
		if (head.size == strlen(tool_words[i].theirs) &&
		    strncasecmp(head.text, tool_words[i].theirs, head.size) == 0)
			return (struct import_cell){tool_words[i].ours, strlen(tool_words[i].ours)};
	return head;
}

bool import_is_raw(struct import_cell name)
{
	for (size_t i = 0; i < name.size; i++)
		if (islower((unsigned char)name.text[i]))
			return false;
	return true;
}

static const struct {
	const char *name;
	enum import_role role;
	enum sx_label label;
} role_names[IMPORT_ROLES] = {
    {"device", IMPORT_ROLE_DEVICE, 0},
    {"simulated", IMPORT_ROLE_MODEL, 0},
    {KIND_WORD, IMPORT_ROLE_KIND, 0},
    {"begin_ns", IMPORT_ROLE_BEGIN, 0},
    {"end_ns", IMPORT_ROLE_END, 0},
    {"quality", IMPORT_ROLE_QUALITY, 0},
    {"frame", IMPORT_ROLE_NUMBER, SX_LABEL_FRAME},
    {"context", IMPORT_ROLE_NUMBER, SX_LABEL_CONTEXT},
    {"instance", IMPORT_ROLE_NUMBER, SX_LABEL_INSTANCE},
    {"group", IMPORT_ROLE_TEXT, SX_LABEL_GROUP},
    {"reason", IMPORT_ROLE_TEXT, SX_LABEL_REASON},
    {"process", IMPORT_ROLE_TEXT, SX_LABEL_PROCESS},
    {"group2", IMPORT_ROLE_TEXT, SX_LABEL_GROUP2},
    {"group3", IMPORT_ROLE_TEXT, SX_LABEL_GROUP3},
    {"group4", IMPORT_ROLE_TEXT, SX_LABEL_GROUP4},
};

enum import_role import_role(struct import_cell head, bool exact, enum sx_label *label)
{
	for (size_t i = 0; i < IMPORT_ROLES; i++) {
		if (!import_is(head, role_names[i].name) ||
		    (exact && memcmp(head.text, role_names[i].name, head.size) != 0))
			continue;
		if (label)
			*label = role_names[i].label;
		return role_names[i].role;
	}
	return IMPORT_ROLE_VALUE;
}

uint8_t import_quality(const char *text, size_t size)
{
	static const struct {
		const char *name;
		uint8_t quality;
	} names[] = {{"lost", SX_QUALITY_LOST},
		     {"wrapped", SX_QUALITY_WRAPPED},
		     {"multiplexed", SX_QUALITY_MULTIPLEXED},
		     {"stretched", SX_QUALITY_STRETCHED},
		     {"skipped", IMPORT_SKIPPED}};
	uint8_t quality = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (memmem(text, size, names[i].name, strlen(names[i].name)))
			quality |= names[i].quality;
	return quality;
}
