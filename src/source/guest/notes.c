/* Notes at the end of a run: what its samples do not show, or why there are none. */
#include "source/guest/inject.h"

#include <stdio.h>

#include "base/error.h"
#include "base/text_buf.h"

#define SHOWN_MOST UINT64_C(1000000) /* a program that writes where it must not counts anything */

/* Which API a program uses shows when it draws: then it is too late for an error. */
static void note_kinds(struct inject_source *in)
{
	if (in->lacks && in->processes.contexts.count)
		text_append_item(in->note, sizeof(in->note), "; ",
				 "%s has no samples by %s, but by %s", in->api->title, in->lacks,
				 in->api->kinds_named);
}

/* What --overhead could not bound. */
static void note_kept(struct inject_source *in)
{
	if (in->kept)
		text_append_item(in->note, sizeof(in->note), "; ",
				 "--overhead bounds what is recorded anew: %llu of %llu samples "
				 "were to be left out, but their commands were recorded before",
				 (unsigned long long)in->kept, (unsigned long long)in->samples);
}

#define UNBOUND_PERMILLE 50u		    /* of the program's time, where no share is asked for */
#define LEAST_NS	 UINT64_C(20000000) /* of the program: with less time, the share is noise */

/* What our own code took, where it is more than any share of samples could bound. */
static void note_own(struct inject_source *in)
{
	uint32_t limit = in->overhead_permille ? in->overhead_permille : UNBOUND_PERMILLE;
	char over[64] = "";
	if (in->time.program_ns < LEAST_NS)
		return;
	double share = (double)in->time.own_ns * 1000 / (double)in->time.program_ns;
	if (share <= limit)
		return;
	if (in->overhead_permille)
		snprintf(over, sizeof(over), ", more than the %g %% of --overhead",
			 in->overhead_permille / 10.0);
	text_append_item(in->note, sizeof(in->note), "; ",
			 "measuring took at least %.0f %% of the program's CPU time%s: every "
			 "command is counted, however short, and what the driver takes for "
			 "times of its own comes on top",
			 share / 10, over);
}

/* What is missing, behind the rest. */
static void note_missing(struct inject_source *in, const struct processes_activity *seen)
{
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
	    {seen->refused_programs, "programs for which there was no channel"},
	    {seen->refused, "contexts for which there was no room (a program may use 64 at once)"},
	    {seen->beyond, "contexts beyond the first 4096"},
	    {seen->broken, "records that made no sense"},
	    {seen->late, "samples that were lost after the last"},
	    {seen->labels_lost, "debug groups without a name: there were too many"},
	};
	const char *before = "; ", *head = "not measured: ";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool many = rows[i].count > SHOWN_MOST;
		if (!rows[i].count)
			continue;
		text_append_item(in->note, sizeof(in->note), before, "%s%s%llu %s", head,
				 many ? "more than " : "",
				 (unsigned long long)(many ? SHOWN_MOST : rows[i].count),
				 rows[i].what);
		before = ", ";
		head = "";
	}
}

bool inject_write_note(struct inject_source *in)
{
	struct processes_activity seen = processes_activity(&in->processes);
	in->lost = seen.late + seen.dropped;
	in->time = seen.time;
	if (in->reported)
		return false;
	in->reported = true;
	in->note[0] = '\0';
	note_kinds(in);
	note_kept(in);
	note_own(in);
	note_missing(in, &seen);
	return in->note[0] != '\0';
}

enum sx_status inject_explain(struct source *source, struct sx_error *err)
{
	struct inject_source *in = (struct inject_source *)source;
	struct processes_activity seen = processes_activity(&in->processes);
	const struct inject_api *api = in->api;
	error_set(err, SX_ERR_UNSUPPORTED, "the program gave no %s sample", api->title);
	if (seen.refused_programs > 0) {
		error_because(err, "there was no memory for its channel");
		error_try(err, "raise the limits on memory and open files (ulimit)");
	} else if (seen.contexts == 0 && !(in->program.kind == PROGRAM_OTHER && seen.processes) &&
		   program_explain(&in->program, err)) {
		return SX_ERR_UNSUPPORTED;
	} else if (seen.processes == 0) {
		error_because(err, "%s", api->not_loaded);
		error_try(err, "%s", api->load_it);
	} else if (seen.contexts == 0 && seen.nested > 0) {
		error_because(err, "a sextant that runs in it measures what it starts itself");
		error_try(err, "one of the two");
	} else if (seen.contexts == 0) {
		error_because(err, "%s", api->no_context);
		error_try(err, "%s", api->use_context);
	} else if (seen.refused > 0) {
		error_because(err, "more than %u contexts were in use at once", WIRE_STREAMS);
		error_try(err, "measure one process at a time");
	} else if (seen.broken > 0) {
		error_because(err, "no record in its channel made sense: the program writes where "
				   "it must not, or has a clock of its own");
		error_try(err,
			  "look for writes out of bounds in it (valgrind, -fsanitize=address)");
	} else {
		error_because(err, "%s", api->no_sample);
		error_try(err, "%s", api->have_sample);
	}
	return SX_ERR_UNSUPPORTED;
}
