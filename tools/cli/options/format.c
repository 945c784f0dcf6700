/* In which format a result is written: what was asked for, and what the verb writes. */
#include "tools/cli/options/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

/* "text, json and csv": the formats of a mask. */
const char *format_list(unsigned formats, char *buf, size_t size)
{
	size_t used = 0, left = 0;
	for (int i = 0; i < FORMAT_COUNT; i++)
		left += formats >> i & 1;
	buf[0] = '\0';
	for (int i = 0; i < FORMAT_COUNT && used < size; i++) {
		if (!(formats >> i & 1))
			continue;
		const char *before = !used ? "" : left == 1 ? " or " : ", ";
		used += (size_t)snprintf(buf + used, size - used, "%s%s", before,
					 format_name((enum format)i));
		left--;
	}
	return buf;
}

static enum sx_status not_written(const struct verb *verb, const char *format, struct sx_error *err)
{
	const char *names[FORMAT_COUNT + 1] = {0};
	char list[96];
	size_t count = 0;
	for (int i = 0; i < FORMAT_COUNT; i++)
		if (verb->formats >> i & 1)
			names[count++] = format_name((enum format)i);
	error_set(err, SX_ERR_USAGE, "sextant %s does not write %s", verb->name, format);
	error_because(err, "it writes %s", format_list(verb->formats, list, sizeof(list)));
	const char *near = options_nearest(format, names);
	error_try(err, "--format %s", near ? near : names[0]);
	return SX_ERR_USAGE;
}

enum sx_status format_set(struct options *options, const struct option_spec *spec,
			  const struct verb *verb, const char *text, struct sx_error *err)
{
	options->format_given = true;
	for (int i = 0; i < FORMAT_COUNT; i++) {
		bool named = spec->value >= 0 ? spec->value == i
					      : strcasecmp(format_name((enum format)i), text) == 0;
		if (!named)
			continue;
		options->format = (enum format)i;
		if (verb->formats >> i & 1)
			return SX_OK;
	}
	return not_written(verb, spec->value >= 0 ? spec->name : text, err);
}

/* What a result file's name says of its format, among those that the verb writes. */
enum sx_status format_by_suffix(struct options *options, const struct verb *verb,
				struct sx_error *err)
{
	static const struct {
		const char *suffix;
		enum format format;
	} suffixes[] = {{".txt", FORMAT_TEXT},	       {".json", FORMAT_JSON},
			{".ndjson", FORMAT_NDJSON},    {".jsonl", FORMAT_NDJSON},
			{".csv", FORMAT_CSV},	       {".html", FORMAT_HTML},
			{".pftrace", FORMAT_PERFETTO}, {".perfetto-trace", FORMAT_PERFETTO},
			{".md", FORMAT_MARKDOWN},      {".xml", FORMAT_JUNIT},
			{".prom", FORMAT_OPENMETRICS}, {".om", FORMAT_OPENMETRICS}};
	size_t length = options->output ? strlen(options->output) : 0;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t tail = strlen(suffixes[i].suffix);
		if (length <= tail ||
		    strcasecmp(options->output + length - tail, suffixes[i].suffix) != 0)
			continue;
		bool writes = verb->formats >> suffixes[i].format & 1;
		if (!writes && verb->formats && suffixes[i].format != FORMAT_TEXT)
			return not_written(verb, format_name(suffixes[i].format), err);
		if (!writes)
			continue;
		options->format = suffixes[i].format;
		options->format_given = true;
	}
	return SX_OK;
}
