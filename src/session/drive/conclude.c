/* What is reported of each device after a run: its failure, its silence, what was lost. */
#include "session/drive/drive.h"

#include "base/error.h"

#include <string.h>

bool session_is_unused(const struct sx_session *s, uint32_t index)
{
	const struct session_device *d = &s->devices[index];
	bool first = true, others = false;
	if (s->options.device_count || s->options.input || !d->ops->spawn_env || d->rows ||
	    d->others || d->failure.message[0])
		return false;
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_device *other = &s->devices[i];
		first &= i >= index || !other->ops->spawn_env;
		others |= i != index && other->ops->spawn_env && (other->rows || other->others);
	}
	return others || !first;
}

/* A device without a sample says why; that is not a failure of the others. */
static void explain_silence(struct sx_session *s, uint32_t index)
{
	struct session_device *d = &s->devices[index];
	struct sx_error *why = &d->silence;
	if (d->rows)
		return;
	s->infos[index].run.silence = why;
	if (d->failure.message[0]) {
		*why = d->failure;
		return;
	}
	if (d->others && s->options.process) {
		error_set(why, SX_INCOMPLETE, "no sample is of process %s", s->options.process);
		error_because(why, "all of %llu samples are of other processes or contexts",
			      (unsigned long long)d->others);
		error_try(why, "without --process; report --by process names them");
		return;
	}
	if (d->others) {
		error_set(why, SX_INCOMPLETE, "nothing ran in context %u", s->options.context);
		error_because(why, "all of %llu samples are of other contexts, or idle",
			      (unsigned long long)d->others);
		error_try(why, "without --context, to see what runs");
		return;
	}
	error_set(why, SX_INCOMPLETE, "%s delivered no samples", d->ops->name);
	error_because(why, "it ended before the first interval was over");
	error_try(why, "a longer run, or a shorter --interval");
	if (d->ops->explain)
		d->ops->explain(d->source, why);
}

static void note_partial(const struct sx_session *s, uint32_t index, struct sx_error *err)
{
	error_set(err, SX_INCOMPLETE, "%s is not whole", s->options.input);
	error_because(err, "%s", s->devices[index].note.message);
	error_try(err, "sextant capture info %s",
		  error_word((char[ERROR_WORD_MAX]){0}, s->options.input));
}

static void note_loss(const struct sx_session_device *info, struct sx_error *err)
{
	error_set(err, SX_INCOMPLETE, "%s%llu sample%s of %s lost",
		  info->run.lost_more ? "more than " : "", (unsigned long long)info->run.lost,
		  info->run.lost == 1 ? " was" : "s were",
		  info->facts.name ? info->facts.name : info->facts.source);
	error_because(err, "they came faster than they were fetched, or were not whole");
	error_try(err, "a longer --interval, or fewer other programs");
}

/* Puts what goes before the other notes at their head, whole where a source said it. */
static void put_first_note(struct session_device *d)
{
	const char *first = d->note.message;
	size_t length = strlen(first), at = 0;
	if (!length)
		return;
	while (at < d->note_count && strncmp(d->notes[at], first, length) != 0)
		at++;
	if (at < d->note_count)
		first = d->notes[at];
	else
		d->note_count++;
	memmove(d->notes + 1, d->notes, at * sizeof(*d->notes));
	d->notes[0] = first;
}

/* Some sources only know by now what their device is. What the session chose of it stays. */
static void conclude_facts(struct sx_session *s, uint32_t index)
{
	struct sx_device_facts *facts = &s->infos[index].facts, chosen = *facts;
	*facts = source_describe(s->devices[index].source)->facts;
	facts->source = chosen.source;
	facts->set = chosen.set;
	facts->variant = chosen.variant;
	facts->number = chosen.number;
	facts->instance = chosen.instance;
	facts->constants = chosen.constants;
	facts->constant_count = chosen.constant_count;
}

void conclude_so_far(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		conclude_facts(s, i);
		s->infos[i].run.notes = (struct sx_strings){d->notes, d->note_count};
		s->infos[i].run.failure = d->failure.message[0] ? &d->failure : NULL;
	}
}

/* The public face of a device after a run; the first failure of all is the run's. */
void conclude_device(struct sx_session *s, uint32_t index, struct sx_error *first)
{
	struct session_device *d = &s->devices[index];
	struct sx_session_device *info = &s->infos[index];
	struct sx_error loss = {0};
	info->raw = d->raw;
	conclude_facts(s, index);
	put_first_note(d);
	info->run.notes = (struct sx_strings){d->notes, d->note_count};
	info->run.failure = d->failure.message[0] ? &d->failure : NULL;
	info->run.unused = session_is_unused(s, index);
	explain_silence(s, index);
	if (info->run.failure)
		drive_keep_first(first, info->run.failure);
	if (info->run.lost || info->run.lost_more) {
		note_loss(info, &loss);
		drive_keep_first(first, &loss);
	}
	if (info->run.partial) {
		note_partial(s, index, &loss);
		drive_keep_first(first, &loss);
	}
}
