/* Numbers in human-readable form. */
#include "output/write/text.h"
#include "base/text_buf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const si[] = {"", "k", "M", "G", "T", "P", "E"};
static const char *const iec[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

#define MOST_DIGITS 1e7 /* from here on an exponent says more than digits do */

/* Three significant digits, without an exponent for 0.001 <= |v| < MOST_DIGITS. */
static void three_digits(char buf[HUMAN_MAX], double v)
{
	static const double from[] = {99.95, 9.995, 0.9995, 0.09995, 0.009995, 0.0009995};
	double a = fabs(v);
	int decimals = 0;
	while (decimals < 6 && a < from[decimals])
		decimals++;
	if (a == 0) /* also -0 */
		snprintf(buf, HUMAN_MAX, "0");
	else if (decimals == 6 || a >= MOST_DIGITS)
		snprintf(buf, HUMAN_MAX, "%.2e", v);
	else
		snprintf(buf, HUMAN_MAX, "%.*f", decimals, v);
}

/* Scales |v| below `base`, counting the steps; a value that rounds up to 1000 takes the next one.
 */
static double scale(double v, double base, int *step)
{
	for (*step = 0; *step < 6 && fabs(v) >= base * 0.9995; (*step)++)
		v /= base;
	return v;
}

static void human_append(char buf[HUMAN_MAX], const char *a, const char *b)
{
	text_append(buf, HUMAN_MAX, "%s%s", a, b);
}

static void prefixed(char buf[HUMAN_MAX], double value, const char *symbol)
{
	int step;
	double v = scale(value, 1000, &step);
	if (fabs(v) >= 999.5) { /* beyond the last prefix */
		snprintf(buf, HUMAN_MAX, "%.2e%s%s", value, symbol[0] ? " " : "", symbol);
		return;
	}
	/* Counts below a thousand are whole numbers and are shown as such. */
	if (step == 0 && v == rint(v))
		snprintf(buf, HUMAN_MAX, "%.0f", v + 0.0); /* not "-0" */
	else
		three_digits(buf, v);
	if (si[step][0] || symbol[0]) {
		human_append(buf, " ", si[step]);
		human_append(buf, symbol, "");
	}
}

static void bytes(char buf[HUMAN_MAX], double value)
{
	int step;
	double v = scale(value, 1024, &step);
	if (fabs(v) >= 1023.5) {
		snprintf(buf, HUMAN_MAX, "%.2e B", value);
		return;
	}
	if (step == 0 && v == rint(v))
		snprintf(buf, HUMAN_MAX, "%.0f", v + 0.0);
	else
		three_digits(buf, v);
	human_append(buf, " ", iec[step]);
}

static void seconds(char buf[HUMAN_MAX], double s)
{
	double a = fabs(s);
	if (a != 0 && a < 0.9995e-6) {
		three_digits(buf, s * 1e9);
		human_append(buf, " ns", "");
	} else if (a != 0 && a < 0.9995e-3) {
		three_digits(buf, s * 1e6);
		human_append(buf, " us", "");
	} else if (a != 0 && a < 0.9995) {
		three_digits(buf, s * 1e3);
		human_append(buf, " ms", "");
	} else {
		three_digits(buf, s);
		human_append(buf, " s", "");
	}
}

/* Prefixes that make sense only together with their symbol: ms, MiB, GB/s, MHz, mW. */
static bool symbol_in_value(const struct unit *unit)
{
	return unit->symbol[0] &&
	       (unit->scale == UNIT_FINE || unit->scale == UNIT_IEC ||
		strstr(unit->dimension, "time") || strcmp(unit->dimension, "ratio") == 0);
}

void human_init(struct human *human)
{
	units_init(&human->units);
}

static void percent(char buf[HUMAN_MAX], double value, const char *symbol)
{
	three_digits(buf, value);
	human_append(buf, " ", symbol);
}

void human_value(const struct human *human, char buf[HUMAN_MAX], double value, const char *name)
{
	const struct unit *unit = name ? units_find(&human->units, name) : NULL;
	if (isnan(value))
		snprintf(buf, HUMAN_MAX, "-");
	else if (isinf(value * (unit ? unit->factor : 1))) /* more than there are numbers for */
		snprintf(buf, HUMAN_MAX, "%s", value > 0 ? "inf" : "-inf");
	else if (!unit || !symbol_in_value(unit))
		prefixed(buf, value, "");
	else if (unit->scale == UNIT_IEC)
		bytes(buf, value * unit->factor);
	else if (unit->scale == UNIT_FINE && strcmp(unit->dimension, "time") == 0)
		seconds(buf, value * unit->factor);
	else if (unit->scale == UNIT_PLAIN)
		percent(buf, value, unit->symbol);
	else
		prefixed(buf, value * unit->factor, unit->symbol);
}

const char *human_unit(const struct human *human, const char *name)
{
	const struct unit *unit = name ? units_find(&human->units, name) : NULL;
	if (!unit)
		return name ? name : "";
	if (symbol_in_value(unit) || !unit->symbol[0])
		return "";
	return unit->symbol;
}

void human_duration(char buf[HUMAN_MAX], uint64_t ns)
{
	if (ns < 120 * UINT64_C(1000000000)) {
		seconds(buf, (double)ns * 1e-9);
		return;
	}
	uint64_t s = (ns + 500000000) / 1000000000;
	if (s < 7200)
		snprintf(buf, HUMAN_MAX, "%u min %u s", (unsigned)(s / 60), (unsigned)(s % 60));
	else
		snprintf(buf, HUMAN_MAX, "%u h %u min", (unsigned)(s / 3600),
			 (unsigned)(s / 60 % 60));
}

/*
 * Of "ns/invocation" the ns, which are written after the number; the metric's name says per what.
 */
static const char *cell_unit(const struct human *human, const char *unit, char buf[UNITS_TEXT_MAX])
{
	size_t length = unit ? strcspn(unit, "/") : 0;
	if (!length || !unit[length] || length >= UNITS_TEXT_MAX || units_find(&human->units, unit))
		return unit;
	memcpy(buf, unit, length);
	buf[length] = '\0';
	bool behind = units_find(&human->units, buf) && !*human_unit(human, buf);
	return behind && strcmp(buf, "percent") != 0 ? buf : unit;
}

void human_cell(const struct human *human, char buf[HUMAN_MAX], double value, const char *unit)
{
	char numerator[UNITS_TEXT_MAX];
	human_value(human, buf, value, cell_unit(human, unit, numerator));
}

const char *human_cell_unit(const struct human *human, const char *unit)
{
	const char *slash = strchr(unit, '/');
	const char *text = human_unit(human, unit);
	if (!slash || !*text)
		return text;
	return strcmp(slash, "/s") == 0 ? "/s" : "";
}
