/* What is not collected, and why: for each value in a few words, and all together in one note. */
#include "source/pmu/pmu.h"
#include "base/text_buf.h"

#include <stdio.h>
#include <string.h>

#include <sextant/expr.h>

#define NAMES_TOLD 4

/* The same cause has the same text, so that names gather behind it. */
static const char *cause_of(struct pmu_run *run, const struct pmu_output *output)
{
	char text[320];
	uint32_t count;
	const struct sx_counter_info *c =
	    &sx_catalog_counters(run->catalog, &count)[output->counter];
	if (output->unreadable) {
		snprintf(text, sizeof(text), "PMU %s cannot be read: %s", output->unreadable->name,
			 strerror(output->unreadable->unreadable));
	} else if (output->error) {
		perf_explain(run->sys, output->error, text, sizeof(text));
		memmove(text, text + 2, strlen(text + 2) + 1); /* without the colon */
	} else if (c->unfed) {
		snprintf(text, sizeof(text), "%s", c->unfed);
	} else {
		snprintf(text, sizeof(text), "no PMU of this machine counts it%s",
			 c->from.count ? "" : "; --map NAME=PMU/EVENT/ names one");
	}
	return arena_strndup(&run->texts, text, strlen(text));
}

/* The names behind one cause; the cause is told once. */
static void tell_cause(struct pmu_run *run, uint32_t first, char *note, size_t size)
{
	uint32_t names = 0;
	for (uint32_t i = first; i < run->output_count; i++) {
		if (!run->whys[i] || strcmp(run->whys[i], run->whys[first]) != 0)
			continue;
		if (names++ < NAMES_TOLD) {
			text_append(note, size, "%s%s", names > 1 ? ", " : "", run->names[i]);
		}
	}
	if (names > NAMES_TOLD)
		text_append(note, size, " and %u more", names - NAMES_TOLD);
	text_append(note, size, ": %s", run->whys[first]);
}

static bool is_told(const struct pmu_run *run, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (run->whys[i] && strcmp(run->whys[i], run->whys[index]) == 0)
			return true;
	return false;
}

void pmu_note_write(struct pmu_run *run)
{
	char *note = run->note;
	size_t size = sizeof(run->note), told = 0;
	pmu_list_unreadable(run->list, note, size);
	for (uint32_t i = 0; i < run->output_count; i++)
		if (!run->outputs[i].is_open)
			run->whys[i] = cause_of(run, &run->outputs[i]);
	for (uint32_t i = 0; i < run->output_count; i++) {
		if (!run->whys[i] || is_told(run, i))
			continue;
		text_append_item(note, size, "; ", "%s", told++ ? "" : "not collected: ");
		tell_cause(run, i, note, size);
	}
	if (run->turns > 1)
		text_append_item(note, size, "; ",
				 "events take turns in %u groups: each runs a part of the time, "
				 "and its values are scaled up; fewer with -m are exact",
				 run->turns);
	if (run->user_only)
		text_append(note, size, "%s",
			    *note ? "; user mode alone is counted"
				  : "user mode alone is counted, since "
				    "the kernel's own work may not be observed here");
}
