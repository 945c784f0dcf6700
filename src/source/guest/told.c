/* What a run says at its end of what its samples do not show. */
#include "source/guest/told.h"

#include <stdio.h>
#include <string.h>

/* Which API a program uses shows when it draws: then it is too late for an error. */
static size_t tell_kinds(const struct inject_source *in, char *note, size_t size)
{
	if (!in->lacks || in->processes.contexts.count == 0)
		return 0;
	return (size_t)snprintf(note, size, "%s has no samples by %s, but by %s", in->api->title,
				in->lacks, in->api->kinds_named);
}

#define TOLD_MOST UINT64_C(1000000) /* a program that writes where it must not counts anything */

/* What --overhead could not bound. */
static size_t tell_kept(const struct inject_source *in, char *note, size_t size)
{
	if (!in->kept || !size)
		return 0;
	return (size_t)snprintf(note, size,
				"--overhead bounds what is recorded anew: %llu of %llu samples "
				"were to be left out, but their commands were recorded before",
				(unsigned long long)in->kept, (unsigned long long)in->samples);
}

#define UNBOUND_PERMILLE 50u		    /* of the program's time, where no share is asked for */
#define LEAST_NS	 UINT64_C(20000000) /* of the program: less is told by chance */

/* What our own code took, where it is more than any share of samples could bound. */
static size_t tell_own(const struct inject_source *in, char *note, size_t size)
{
	uint32_t limit = in->overhead_permille ? in->overhead_permille : UNBOUND_PERMILLE;
	char over[64] = "";
	if (in->time.program_ns < LEAST_NS)
		return 0;
	double share = (double)in->time.own_ns * 1000 / (double)in->time.program_ns;
	if (share <= limit)
		return 0;
	if (in->overhead_permille)
		snprintf(over, sizeof(over), ", more than the %g %% of --overhead",
			 in->overhead_permille / 10.0);
	return (size_t)snprintf(
	    note, size,
	    "measuring took at least %.0f %% of the program's CPU time%s: every "
	    "command is counted, however short, and what the driver takes for "
	    "times of its own comes on top",
	    share / 10, over);
}

/* One behind another. Returns their length. */
static size_t tell_samples(const struct inject_source *in, char *note, size_t size)
{
	static size_t (*const all[])(const struct inject_source *in, char *note,
				     size_t size) = {tell_kinds, tell_kept, tell_own};
	size_t at = 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size_t gap = at ? 2 : 0; /* "; " */
		size_t told = at + gap < size ? all[i](in, note + at + gap, size - at - gap) : 0;
		if (told && gap)
			memcpy(note + at, "; ", gap);
		at += told ? told + gap : 0;
	}
	return at;
}

/* What is missing, behind what stands there. Returns the length of both. */
static size_t tell_missing(const struct processes_activity *seen, size_t at, char *note,
			   size_t size)
{
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
	    {seen->refused_programs, "programs for which there was no channel"},
	    {seen->refused, "contexts for which there was no room (a program may use 64 at once)"},
	    {seen->beyond, "contexts beyond the first 4096"},
	    {seen->broken, "records that made no sense"},
	    {seen->late, "samples that were lost behind the last"},
	    {seen->labels_lost, "debug groups without a name: there were too many"},
	};
	const char *before = at ? "; not measured: " : "not measured: ";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool many = rows[i].count > TOLD_MOST;
		if (!rows[i].count || at >= size)
			continue;
		at += (size_t)snprintf(
		    note + at, size - at, "%s%s%llu %s", before, many ? "more than " : "",
		    (unsigned long long)(many ? TOLD_MOST : rows[i].count), rows[i].what);
		before = ", ";
	}
	return at;
}

bool told_write(struct inject_source *in)
{
	struct processes_activity seen = processes_activity(&in->processes);
	in->lost = seen.late + seen.dropped;
	in->time = seen.time;
	if (in->told)
		return false;
	in->told = true;
	size_t at = tell_samples(in, in->note, sizeof(in->note));
	return tell_missing(&seen, at, in->note, sizeof(in->note)) > 0;
}
