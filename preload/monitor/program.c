/* The counters that the process should count: the channel's program, copied and checked once. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "guest/process.h"
#include "preload/monitor/monitor.h"

static pthread_once_t copied = PTHREAD_ONCE_INIT;
static struct wire_program *the_program; /* set once; of the process */

static bool texts_are_whole(const struct wire_program *program)
{
	const char *texts = wire_program_texts(program);
	const struct wire_event *events = wire_program_events(program);
	if (program->text_bytes == 0 || texts[program->text_bytes - 1] != '\0')
		return false;
	for (uint32_t i = 0; i < program->event_count; i++) {
		const struct wire_event *event = &events[i];
		if (event->group >= program->text_bytes || event->counter >= program->text_bytes ||
		    event->pass >= program->pass_count || event->value >= program->value_count ||
		    (i > 0 && event->pass < events[i - 1].pass) || event->type < WIRE_TYPE_U32 ||
		    event->type > WIRE_TYPE_F64)
			return false;
	}
	return true;
}

static bool program_fits(const struct wire_program *program)
{
	return program->magic == WIRE_PROGRAM_MAGIC &&
	       (program->api == WIRE_AMD_MONITOR || program->api == WIRE_INTEL_QUERY) &&
	       program->pass_count >= 1 && program->pass_count <= WIRE_PROGRAM_PASSES &&
	       program->value_count >= 1 && program->value_count <= WIRE_PROGRAM_VALUES &&
	       program->event_count <= WIRE_PROGRAM_EVENTS &&
	       program->text_bytes <= WIRE_LABEL_BYTES &&
	       wire_program_bytes(program) <= WIRE_LABEL_BYTES;
}

/* Copies the program out of the memory that labels will overwrite. */
static void copy_program(void)
{
	const void *room = wire_labels(guest_counters());
	struct wire_program head;
	memcpy(&head, room, sizeof(head));
	if (!program_fits(&head))
		return;
	the_program = malloc(wire_program_bytes(&head));
	if (!the_program)
		return;
	memcpy(the_program, room, wire_program_bytes(&head));
	if (texts_are_whole(the_program))
		return;
	free(the_program);
	the_program = NULL;
}

const struct wire_program *monitor_program(void)
{
	pthread_once(&copied, copy_program);
	return the_program;
}
