/* Chooses the format of a result, from the options and from what the verb writes. */
#include "tools/cli/options/internal.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text_buf.h"

/* "text, json and csv": the formats of a mask. */
const char *format_list(unsigned formats, char *buf, size_t size)
{
	size_t left = 0;
	for (int i = 0; i < FORMAT_COUNT; i++)
		left += formats >> i & 1;
	buf[0] = '\0';
	for (int i = 0; i < FORMAT_COUNT; i++) {
		if (!(formats >> i & 1))
			continue;
		text_append_item(buf, size, left == 1 ? " or " : ", ", "%s",
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

static enum sx_status two_formats(enum format a, enum format b, struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "two formats at once: %s and %s", format_name(a),
		  format_name(b));
	error_because(err, "one result is written, in one format");
	error_try(err, "--format %s, or --format %s", format_name(a), format_name(b));
	return SX_ERR_USAGE;
}

enum sx_status format_set(struct options *options, const struct option_spec *spec,
			  const struct verb *verb, const char *text, struct sx_error *err)
{
	bool before = options->format_given;
	enum format first = options->format;
	options->format_given = true;
	for (int i = 0; i < FORMAT_COUNT; i++) {
		bool named = spec->value >= 0 ? spec->value == i
					      : strcasecmp(format_name((enum format)i), text) == 0;
		if (!named)
			continue;
		options->format = (enum format)i;
		if (before && first != options->format)
			return two_formats(first, options->format, err);
		if (verb->formats >> i & 1)
			return SX_OK;
	}
	return not_written(verb, spec->value >= 0 ? spec->name : text, err);
}

static const struct {
	const char *suffix;
	enum format format;
} suffixes[] = {
    {"txt", FORMAT_TEXT},	  {"text", FORMAT_TEXT},	{"log", FORMAT_TEXT},
    {"json", FORMAT_JSON},	  {"ndjson", FORMAT_NDJSON},	{"jsonl", FORMAT_NDJSON},
    {"csv", FORMAT_CSV},	  {"html", FORMAT_HTML},	{"htm", FORMAT_HTML},
    {"pftrace", FORMAT_PERFETTO}, {"md", FORMAT_MARKDOWN},	{"perfetto-trace", FORMAT_PERFETTO},
    {"xml", FORMAT_JUNIT},	  {"prom", FORMAT_OPENMETRICS}, {"om", FORMAT_OPENMETRICS}};
#define SUFFIXES (sizeof(suffixes) / sizeof(suffixes[0]))

/* The part after the last dot of a file's name; "" without a dot. */
static const char *suffix_of(const char *path)
{
	const char *name = path ? strrchr(path, '/') : NULL;
	name = name ? name + 1 : path;
	const char *dot = name ? strrchr(name, '.') : NULL;
	return dot && dot != name ? dot + 1 : "";
}

static size_t suffix_find(const char *suffix)
{
	size_t i = 0;
	while (i < SUFFIXES && strcasecmp(suffix, suffixes[i].suffix) != 0)
		i++;
	return i;
}

#define SUFFIX_MOST 7

/* Whether a suffix looks like a file type, and not like one of mktemp, a date or a version. */
static bool says_a_kind(const char *suffix)
{
	static const char lower[] = "abcdefghijklmnopqrstuvwxyz0123456789",
			  upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t length = strlen(suffix);
	return length >= 1 && length <= SUFFIX_MOST && isalpha((unsigned char)suffix[0]) &&
	       (strspn(suffix, lower) == length || strspn(suffix, upper) == length);
}

/* Compressed files are read, but not written. */
static enum sx_status refuse_packed(const struct options *options, const char *tool,
				    struct sx_error *err)
{
	int plain = (int)(suffix_of(options->output) - options->output) - 1;
	char name[SX_ERROR_TEXT_MAX];
	snprintf(name, sizeof(name), "%.*s", plain, options->output);
	error_set(err, SX_ERR_USAGE, "results are not packed: %s", options->output);
	error_because(err, "packed files are read, but written plain");
	error_try(err, "-o %s, and %s it then", error_word((char[ERROR_WORD_MAX]){0}, name), tool);
	return SX_ERR_USAGE;
}

/* The suffixes of what the verb writes: ".csv, .json and .prom". */
static const char *suffix_list(const struct verb *verb, char *buf, size_t size)
{
	unsigned left = verb->formats;
	buf[0] = '\0';
	for (size_t i = 0; i < SUFFIXES; i++) {
		unsigned bit = 1u << suffixes[i].format;
		if (!(left & bit))
			continue;
		left &= ~bit;
		text_append_item(buf, size, left ? ", " : " and ", ".%s", suffixes[i].suffix);
	}
	return buf;
}

static enum sx_status refuse_suffix(const struct options *options, const struct verb *verb,
				    struct sx_error *err)
{
	static const char *const tools[][2] = {
	    {"gz", "gzip"}, {"zst", "zstd"}, {"xz", "xz"}, {"bz2", "bzip2"}, {"zip", "zip"}};
	const char *suffix = suffix_of(options->output);
	char list[128];
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (strcasecmp(suffix, tools[i][0]) == 0)
			return refuse_packed(options, tools[i][1], err);
	enum format first = FORMAT_TEXT;
	while (!(verb->formats >> first & 1))
		first++;
	error_set(err, SX_ERR_USAGE, "no format is known by the suffix .%s", suffix);
	error_because(err, "sextant %s writes %s", verb->name,
		      suffix_list(verb, list, sizeof(list)));
	error_try(err, "another suffix, or the format beside it: --format %s", format_name(first));
	return SX_ERR_USAGE;
}

/* A capture must not have the suffix of another format, which would mislead other programs. */
static enum sx_status check_capture(const struct options *options, const struct verb *verb,
				    struct sx_error *err)
{
	const char *suffix = suffix_of(options->output);
	size_t at = suffix_find(suffix);
	if (at == SUFFIXES || suffixes[at].format == FORMAT_TEXT)
		return SX_OK;
	int plain = (int)(suffix - options->output) - 1;
	char name[SX_ERROR_TEXT_MAX];
	snprintf(name, sizeof(name), "%.*s.sxc", plain, options->output);
	error_set(err, SX_ERR_USAGE, "sextant %s does not write %s", verb->name,
		  format_name(suffixes[at].format));
	error_because(err, "it writes a capture, from which report and export make that");
	error_try(err, "-o %s", error_word((char[ERROR_WORD_MAX]){0}, name));
	return SX_ERR_USAGE;
}

/* Whether standard output holds something that a capture, which begins a file, would replace. */
static bool is_begun(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size &&
	       ((fcntl(fd, F_GETFL) & O_APPEND) || lseek(fd, 0, SEEK_CUR) > 0);
}

static bool writes_capture(const struct options *options, const struct verb *verb)
{
	return verb->own_output &&
	       (!verb->formats ||
		(options->args.count && options_word(verb->captures, options->args.items[0])));
}

enum sx_status format_stdout_capture(struct options *options, const struct verb *verb,
				     struct sx_error *err)
{
	const char *why = NULL;
	if (!options->output || strcmp(options->output, "-") != 0 || !writes_capture(options, verb))
		return SX_OK;
	if (options->child)
		why = "the program writes there";
	else if (isatty(STDOUT_FILENO))
		why = "captures are no text for a terminal";
	else if (options->keep)
		why = "--keep writes a file each time that it is asked to";
	else if (is_begun(STDOUT_FILENO))
		why = "standard output is a file with content, and a capture begins one";
	if (!why) {
		options->output = "/dev/stdout";
		return SX_OK;
	}
	error_set(err, SX_ERR_USAGE, "the capture cannot go to standard output");
	error_because(err, "%s", why);
	error_try(err, "-o FILE.sxc%s",
		  options->child || options->keep ? ""
						  : ", or through a pipe: -o - | sextant report -");
	return SX_ERR_USAGE;
}

enum sx_status format_by_suffix(struct options *options, const struct verb *verb,
				struct sx_error *err)
{
	const char *suffix = suffix_of(options->output);
	size_t at = suffix_find(suffix);
	if (!*suffix || options_word(verb->suffixes, suffix))
		return SX_OK;
	if (verb->own_output)
		return writes_capture(options, verb) ? check_capture(options, verb, err) : SX_OK;
	if (at == SUFFIXES)
		return verb->formats && says_a_kind(suffix) ? refuse_suffix(options, verb, err)
							    : SX_OK;
	if (verb->formats && !(verb->formats >> suffixes[at].format & 1))
		return not_written(verb, format_name(suffixes[at].format), err);
	options->format = suffixes[at].format;
	options->format_given = true;
	return SX_OK;
}
