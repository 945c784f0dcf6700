/* Why CPU counters are not collected: one note for each cause, with the counters that it concerns.
 */
#include "source/cpu/cpu.h"
#include "base/text_buf.h"

#include <stdio.h>
#include <string.h>

/* "ClusterCycles[1]" is named once, without its instance. */
static bool holds(const char *text, const char *name, size_t length)
{
	for (const char *at = text; (at = strstr(at, name)); at += length)
		if ((at == text || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
			return true;
	return false;
}

void cpu_notes_add(struct cpu_notes *notes, int error, const char *counter)
{
	uint32_t i = 0;
	while (i < notes->count && notes->items[i].error != error)
		i++;
	if (i == CPU_NOTES_MAX)
		return;
	char *text = notes->items[i].text;
	size_t size = sizeof(notes->items[i].text) - 192; /* room for the cause */
	if (i == notes->count) {
		notes->items[notes->count++].error = error;
		snprintf(text, size, "not collected: ");
	} else if (holds(text, counter, strlen(counter))) {
		return;
	} else {
		text_append(text, size, ", ");
	}
	text_append(text, size, "%s", counter);
}

static void notes_explain(int error, const struct sx_sys *sys, char *out, size_t size)
{
	switch (error) {
	case CPU_NO_ROOM:
		snprintf(out, size,
			 ": the PMU has no room for them beside the others; name what is wanted "
			 "with -m, and counters take turns");
		break;
	case CPU_OTHERS_ONLY:
		snprintf(out, size,
			 ": they are of the whole machine, and would take the PMU's "
			 "counters from the program; try: without a command");
		break;
	default:
		perf_explain(sys, error, out, size);
		break;
	}
}

void cpu_notes_finish(struct cpu_notes *notes, const struct cpu_run *run)
{
	char cause[192];
	for (uint32_t i = 0; i < notes->count; i++) {
		notes_explain(notes->items[i].error, run->sys, cause, sizeof(cause));
		text_append(notes->items[i].text, sizeof(notes->items[i].text), "%s", cause);
	}
	if (run->hardware_groups > 1 && notes->count < CPU_NOTES_MAX)
		snprintf(notes->items[notes->count++].text, sizeof(notes->items[0].text),
			 "hardware counters take turns in %u groups: each runs a part of the time, "
			 "and its values are scaled up; fewer with -m are exact",
			 run->hardware_groups);
	if (!run->perf.user_only || notes->count == CPU_NOTES_MAX)
		return;
	snprintf(notes->items[notes->count++].text, sizeof(notes->items[0].text),
		 "hardware events and page faults count user mode alone, since the kernel's own "
		 "work may not be observed here; effective frequency reads too low");
}
