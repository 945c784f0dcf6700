/* Checks for options that conflict. */
#include "tools/cli/options/internal.h"

#include <string.h>

#include "base/error.h"

/* Options that need --by: they sort and limit its rows. */
static enum sx_status together_rows(const struct options *o, const struct verb *verb,
				    struct sx_error *err)
{
	bool report = strcmp(verb->name, "report") == 0;
	const char *alone = !report || o->by ? NULL
			    : o->sort	     ? "--sort"
			    : o->top	     ? "--top"
			    : o->interval_ns ? "--interval"
					     : NULL;
	if (alone) {
		error_set(err, SX_ERR_USAGE, "%s does nothing without --by", alone);
		error_because(err, "only rows that are put together have an order and a length");
		error_try(err, "--by time%s", o->interval_ns ? "" : ", or --by frame");
		return SX_ERR_USAGE;
	}
	return SX_OK;
}

/* The input is named once: a file argument beside --input would be ignored. */
static enum sx_status together_files(const struct options *o, const struct verb *verb,
				     struct sx_error *err)
{
	if (!o->input || !verb->files_from || o->args.count < verb->files_from)
		return SX_OK;
	bool several = verb->max_args < 0;
	error_set(err, SX_ERR_USAGE, "%s is named beside -i %s",
		  o->args.items[verb->files_from - 1], o->input);
	error_because(err,
		      several ? "files are named by -i or as arguments, not both"
			      : "sextant %s reads one file, by -i or as its argument",
		      verb->name);
	if (several)
		error_try(err, "both without -i, one after the other");
	else
		error_try(err, "sextant %s -i %s", verb->name,
			  error_word((char[ERROR_WORD_MAX]){0}, o->input));
	return SX_ERR_USAGE;
}

/* Options on what is measured, and from when. */
static enum sx_status together_input(const struct options *o, struct sx_error *err)
{
	if (o->realtime && !o->input && !o->args.count) {
		error_set(err, SX_ERR_USAGE, "--realtime does nothing without a recording");
		error_because(err, "devices have no other speed");
		error_try(err, "-i FILE");
		return SX_ERR_USAGE;
	}
	if (o->pid.given && o->child) {
		error_set(err, SX_ERR_USAGE, "--pid and a command at once");
		error_because(err, "one program is measured at a time");
		error_try(err, "--pid %u without the command", o->pid.value);
		return SX_ERR_USAGE;
	}
	if (o->delay_ns && (o->input || (o->child && o->count))) {
		error_set(err, SX_ERR_USAGE, "--delay does not go with %s", o->input ? "-i" : "-n");
		error_because(err, o->input ? "a recording is over"
					    : "the samples before its end would count");
		error_try(err, o->input ? "sextant capture cut FILE --from 5s" : "-t DUR");
		return SX_ERR_USAGE;
	}
	return SX_OK;
}

static enum sx_status together_repeat(const struct options *o, struct sx_error *err)
{
	if (o->repeat && (o->input || o->delay_ns)) {
		error_set(err, SX_ERR_USAGE, "--repeat does not go with %s",
			  o->input ? "-i" : "--delay");
		error_because(err, o->input ? "a recording is what it is"
					    : "each run is measured whole");
		error_try(err, "-r %llu -- COMMAND", (unsigned long long)o->repeat);
		return SX_ERR_USAGE;
	}
	if (o->repeat > 1 && !o->child && !o->duration_ns && !o->count) {
		error_set(err, SX_ERR_USAGE, "--repeat has nothing to repeat");
		error_because(err, "without a command a run ends by --duration or --count alone");
		error_try(err, "-r %llu -t 1s", (unsigned long long)o->repeat);
		return SX_ERR_USAGE;
	}
	return SX_OK;
}

/* An option without effect beside the others is an error, because it would mislead. */
enum sx_status together_check(const struct options *o, const struct verb *verb,
			      struct sx_error *err)
{
	enum sx_status status = together_rows(o, verb, err);
	if (!status)
		status = together_files(o, verb, err);
	if (!status)
		status = together_input(o, err);
	if (!status)
		status = together_repeat(o, err);
	if (status)
		return status;
	if (o->child && o->output && strcmp(o->output, "-") == 0) {
		error_set(err, SX_ERR_USAGE, "the result cannot go to standard output");
		error_because(err, "the program writes there");
		error_try(err, "-o FILE, or no -o: the result then comes after the program's");
		return SX_ERR_USAGE;
	}
	return SX_OK;
}
