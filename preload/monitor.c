/* Hardware counters of one context: made, begun, ended, read and written. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include "guest/process.h"
#include "monitor.h"
#include "preload/hooks/hooks.h"

#define ERROR_READS    16 /* a context that is lost answers with errors for ever */
#define SLOTS_MOST     256u
#define SLOTS_LEAST    64u /* frames whose results may be outstanding, as of other queries */
#define SLOTS_PER_PASS 3u
#define SLACK_BYTES    4096u /* beyond what an answer should have, for drivers that write more */

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

static bool fits(const struct wire_program *program)
{
	return program->magic == WIRE_PROGRAM_MAGIC &&
	       (program->api == WIRE_AMD_MONITOR || program->api == WIRE_INTEL_QUERY) &&
	       program->pass_count >= 1 && program->pass_count <= WIRE_PROGRAM_PASSES &&
	       program->value_count >= 1 && program->value_count <= WIRE_PROGRAM_VALUES &&
	       program->event_count <= WIRE_PROGRAM_EVENTS &&
	       program->text_bytes <= WIRE_LABEL_BYTES &&
	       wire_program_bytes(program) <= WIRE_LABEL_BYTES;
}

/* Out of the room that labels will be written to. */
static void copy_program(void)
{
	const void *room = wire_labels(guest_counters());
	struct wire_program head;

	memcpy(&head, room, sizeof(head));
	if (!fits(&head))
		return;
	the_program = malloc(wire_program_bytes(&head));
	if (the_program == NULL)
		return;
	memcpy(the_program, room, wire_program_bytes(&head));
	if (texts_are_whole(the_program))
		return;
	free(the_program);
	the_program = NULL;
}

bool monitor_failed(const struct monitor *monitor)
{
	bool any = false;

	for (int i = 0; i < ERROR_READS && monitor->gl->GetError() != GL_NO_ERROR; i++)
		any = true;
	return any;
}

void monitor_keep_error(const struct monitor *monitor)
{
	GLenum error = monitor->gl->GetError();

	if (error == GL_NO_ERROR)
		return;
	if (*monitor->kept_error == GL_NO_ERROR)
		*monitor->kept_error = error;
	monitor_failed(monitor);
}

static void load_functions(struct monitor *monitor, bool egl)
{
	/* POSIX says that this conversion from an object to a function pointer works. */
#define MONITOR_LOAD(result, name, parameters)                                                     \
	monitor->call.name = (result(*) parameters)real_gl_function(egl, "gl" #name);
	MONITOR_FUNCTIONS(MONITOR_LOAD)
#undef MONITOR_LOAD
}

static bool has_extension(const struct monitor *monitor)
{
	const struct monitor_api *call = &monitor->call;

	if (monitor->program->api == WIRE_AMD_MONITOR)
		return monitor->gl->has.amd_monitor && call->GetPerfMonitorGroupsAMD != NULL &&
		       call->GetPerfMonitorCountersAMD != NULL &&
		       call->GetPerfMonitorGroupStringAMD != NULL &&
		       call->GetPerfMonitorCounterStringAMD != NULL &&
		       call->GetPerfMonitorCounterInfoAMD != NULL &&
		       call->GenPerfMonitorsAMD != NULL && call->DeletePerfMonitorsAMD != NULL &&
		       call->SelectPerfMonitorCountersAMD != NULL &&
		       call->BeginPerfMonitorAMD != NULL && call->EndPerfMonitorAMD != NULL &&
		       call->GetPerfMonitorCounterDataAMD != NULL;
	return monitor->gl->has.intel_query && call->GetPerfQueryIdByNameINTEL != NULL &&
	       call->GetPerfQueryInfoINTEL != NULL && call->GetPerfCounterInfoINTEL != NULL &&
	       call->CreatePerfQueryINTEL != NULL && call->DeletePerfQueryINTEL != NULL &&
	       call->BeginPerfQueryINTEL != NULL && call->EndPerfQueryINTEL != NULL &&
	       call->GetPerfQueryDataINTEL != NULL;
}

static bool is_amd(const struct monitor *monitor)
{
	return monitor->program->api == WIRE_AMD_MONITOR;
}

static bool make_amd(struct monitor *monitor, struct monitor_slot *slot)
{
	const struct monitor_pass *pass = &monitor->passes[slot->pass];
	const struct monitor_api *call = &monitor->call;

	slot->name = 0;
	call->GenPerfMonitorsAMD(1, &slot->name);
	for (uint32_t i = 0; i < pass->event_count; i++) {
		GLuint counter = pass->events[i].counter;

		if (pass->events[i].never == 0)
			call->SelectPerfMonitorCountersAMD(slot->name, GL_TRUE,
							   pass->events[i].group, 1, &counter);
	}
	return slot->name != 0;
}

static const struct monitor_event *first_event(const struct monitor_pass *pass)
{
	for (uint32_t i = 0; i < pass->event_count; i++) {
		if (pass->events[i].never == 0)
			return &pass->events[i];
	}
	return NULL;
}

static bool make_slot(struct monitor *monitor, struct monitor_slot *slot, uint16_t pass)
{
	bool made = false;

	slot->pass = pass;
	if (is_amd(monitor)) {
		made = make_amd(monitor, slot);
	} else {
		const struct monitor_event *event = first_event(&monitor->passes[pass]);

		slot->name = 0;
		if (event != NULL)
			monitor->call.CreatePerfQueryINTEL(event->group, &slot->name);
		made = slot->name != 0;
	}
	slot->made = !monitor_failed(monitor) && made;
	return slot->made;
}

static void delete_slot(struct monitor *monitor, struct monitor_slot *slot)
{
	if (slot->made && is_amd(monitor))
		monitor->call.DeletePerfMonitorsAMD(1, &slot->name);
	else if (slot->made)
		monitor->call.DeletePerfQueryINTEL(slot->name);
	slot->made = false;
}

static bool begin_slot(struct monitor *monitor, const struct monitor_slot *slot)
{
	if (is_amd(monitor))
		monitor->call.BeginPerfMonitorAMD(slot->name);
	else
		monitor->call.BeginPerfQueryINTEL(slot->name);
	return !monitor_failed(monitor);
}

static void end_slot(struct monitor *monitor, const struct monitor_slot *slot)
{
	if (is_amd(monitor))
		monitor->call.EndPerfMonitorAMD(slot->name);
	else
		monitor->call.EndPerfQueryINTEL(slot->name);
	monitor_failed(monitor);
}

/* Whether the driver takes each pass; what is refused now stays so, and costs nothing later. */
static void try_passes(struct monitor *monitor)
{
	struct monitor_slot *slot = &monitor->slots[0];

	for (uint32_t p = 0; p < monitor->program->pass_count; p++) {
		struct monitor_pass *pass = &monitor->passes[p];

		if (first_event(pass) == NULL) {
			pass->never = WIRE_NEVER_NO_COUNTER;
			continue;
		}
		if (make_slot(monitor, slot, (uint16_t)p) && begin_slot(monitor, slot))
			end_slot(monitor, slot);
		else
			pass->never = WIRE_NEVER_REFUSED;
		if (p + 1 < monitor->program->pass_count || pass->never != 0)
			delete_slot(monitor, slot);
		monitor_failed(monitor);
	}
}

/* Why a pass does not count a value; a sum that lacks a part is none. */
static uint8_t never_in(const struct monitor_pass *pass, uint16_t value)
{
	uint8_t never = pass->never;

	for (uint32_t i = 0; i < pass->event_count && never == 0; i++) {
		if (pass->events[i].value == value)
			never = pass->events[i].never;
	}
	return never;
}

/* What any pass counts is counted. */
static void say_never(struct monitor *monitor)
{
	uint32_t passes = monitor->program->pass_count;

	for (uint32_t p = 0; p < passes; p++) {
		const struct monitor_pass *pass = &monitor->passes[p];

		for (uint32_t i = 0; i < pass->event_count; i++)
			monitor->nevers[pass->events[i].value] =
			    never_in(pass, pass->events[i].value);
	}
	for (uint32_t p = 0; p < passes; p++) {
		const struct monitor_pass *pass = &monitor->passes[p];

		for (uint32_t i = 0; i < pass->event_count; i++) {
			if (never_in(pass, pass->events[i].value) == 0)
				monitor->nevers[pass->events[i].value] = 0;
		}
	}
}

static void give_up(struct monitor *monitor, enum wire_never why)
{
	for (uint32_t p = 0; p < monitor->program->pass_count; p++)
		monitor->passes[p].never = (uint8_t)why;
	memset(monitor->nevers, (int)why, monitor->program->value_count);
}

/* What no counter feeds is an instance of a block that this chip lacks: it counts 0. */
static void find_zeros(struct monitor *monitor)
{
	const struct wire_event *events = wire_program_events(monitor->program);

	memset(monitor->is_zero, 1, monitor->program->value_count);
	for (uint32_t i = 0; i < monitor->program->event_count; i++)
		monitor->is_zero[events[i].value] = 0;
}

static void prepare(struct monitor *monitor)
{
	uint32_t most = 0;

	if (strncmp(monitor->identity->renderer, monitor->program->renderer,
		    sizeof(monitor->program->renderer)) != 0) {
		give_up(monitor, WIRE_NEVER_OTHER_DRIVER);
		return;
	}
	if (!has_extension(monitor)) {
		give_up(monitor, WIRE_NEVER_NO_EXTENSION);
		return;
	}
	find_zeros(monitor);
	monitor_resolve(monitor);
	for (uint32_t p = 0; p < monitor->program->pass_count; p++) {
		if (monitor->passes[p].data_bytes > most)
			most = monitor->passes[p].data_bytes;
	}
	monitor->data_bytes = most;
	monitor->data = calloc(1, (size_t)most + SLACK_BYTES);
	if (monitor->data == NULL) {
		give_up(monitor, WIRE_NEVER_REFUSED);
		return;
	}
	try_passes(monitor);
	say_never(monitor);
}

static bool allocate(struct monitor *monitor)
{
	const struct wire_program *program = monitor->program;
	unsigned slots = SLOTS_LEAST + program->pass_count * SLOTS_PER_PASS;

	monitor->slot_count = slots < SLOTS_MOST ? slots : SLOTS_MOST;
	monitor->passes = calloc(program->pass_count, sizeof(*monitor->passes));
	monitor->events = calloc(program->event_count + 1, sizeof(*monitor->events));
	monitor->slots = calloc(monitor->slot_count, sizeof(*monitor->slots));
	monitor->sums = calloc(program->value_count, sizeof(*monitor->sums));
	monitor->states = calloc(program->value_count, 1);
	monitor->nevers = calloc(program->value_count, 1);
	monitor->is_zero = calloc(program->value_count, 1);
	monitor->values = calloc(program->value_count, sizeof(*monitor->values));
	return monitor->passes != NULL && monitor->events != NULL && monitor->slots != NULL &&
	       monitor->sums != NULL && monitor->states != NULL && monitor->nevers != NULL &&
	       monitor->is_zero != NULL && monitor->values != NULL;
}

struct monitor *monitor_create(const struct api *gl, struct channel_identity *identity,
			       GLenum *kept_error)
{
	struct monitor *monitor;

	if (guest_counters() == NULL)
		return NULL;
	pthread_once(&copied, copy_program);
	if (the_program == NULL)
		return NULL;
	monitor = calloc(1, sizeof(*monitor));
	if (monitor == NULL)
		return NULL;
	monitor->gl = gl;
	monitor->identity = identity;
	monitor->kept_error = kept_error;
	monitor->program = the_program;
	monitor->open = -1;
	monitor->given_up = MONITOR_NONE;
	if (!allocate(monitor)) {
		monitor_destroy(monitor);
		return NULL;
	}
	passes_start(&monitor->turn, monitor->program->pass_count);
	load_functions(monitor, identity->window_system == WIRE_EGL);
	prepare(monitor);
	monitor_next_pass(monitor);
	return monitor;
}

void monitor_next_pass(struct monitor *monitor)
{
	if (monitor == NULL)
		return;
	/* Those that the driver refuses give their turn to the next. */
	for (uint32_t i = 0; i < 2 * monitor->program->pass_count; i++) {
		monitor->pass = passes_next(&monitor->turn);
		if (monitor->passes[monitor->pass].never == 0)
			return;
	}
}

/* One that was made for the pass; else one that was not made yet, or for another. */
static struct monitor_slot *take_slot(struct monitor *monitor)
{
	struct monitor_slot *fresh = NULL, *other = NULL;

	for (unsigned i = 0; i < monitor->slot_count; i++) {
		struct monitor_slot *slot = &monitor->slots[i];

		if (slot->in_use)
			continue;
		if (slot->made && slot->pass == monitor->pass)
			return slot;
		if (!slot->made && fresh == NULL)
			fresh = slot;
		else if (slot->made && other == NULL)
			other = slot;
	}
	if (fresh == NULL && other != NULL)
		delete_slot(monitor, other);
	fresh = fresh != NULL ? fresh : other;
	if (fresh != NULL && make_slot(monitor, fresh, (uint16_t)monitor->pass))
		return fresh;
	return NULL;
}

void monitor_begin(struct monitor *monitor)
{
	struct monitor_slot *slot;

	if (monitor == NULL || monitor->open >= 0 || monitor->passes[monitor->pass].never != 0)
		return;
	if (monitor->program_count > 0) {
		monitor->given_up = MONITOR_DISTURBED;
		return;
	}
	monitor->given_up = MONITOR_LATE;
	monitor_keep_error(monitor);
	slot = take_slot(monitor);
	if (slot == NULL || !begin_slot(monitor, slot))
		return;
	slot->in_use = true;
	slot->disturbed = false;
	monitor->open = (int)(slot - monitor->slots);
}

int monitor_end(struct monitor *monitor)
{
	int ended = MONITOR_NONE;

	if (monitor == NULL)
		return MONITOR_NONE;
	ended = monitor->open >= 0 ? monitor->open : monitor->given_up;
	if (monitor->open >= 0 && !monitor->slots[monitor->open].disturbed) {
		monitor_keep_error(monitor);
		end_slot(monitor, &monitor->slots[monitor->open]);
	}
	monitor->open = -1;
	monitor->given_up = MONITOR_NONE;
	return ended;
}

void monitor_abandon(struct monitor *monitor)
{
	if (monitor == NULL)
		return;
	monitor_drop(monitor, monitor->open);
	monitor->open = -1;
	monitor->given_up = MONITOR_NONE;
}

bool monitor_counts(const struct monitor *monitor)
{
	return monitor != NULL && monitor->open >= 0;
}

/* The size of the answer, 0: not there yet. */
static size_t ask_amd(const struct monitor *monitor, const struct monitor_slot *slot)
{
	GLuint there = 0, size = 0;
	GLint written = 0;

	monitor->call.GetPerfMonitorCounterDataAMD(slot->name, GL_PERFMON_RESULT_AVAILABLE_AMD,
						   sizeof(there), &there, &written);
	if (there == 0)
		return 0;
	written = 0;
	monitor->call.GetPerfMonitorCounterDataAMD(slot->name, GL_PERFMON_RESULT_SIZE_AMD,
						   sizeof(size), &size, &written);
	return size != 0 ? size : 1;
}

static size_t ask_intel(const struct monitor *monitor, const struct monitor_slot *slot)
{
	GLuint written = 0;

	monitor->call.GetPerfQueryDataINTEL(slot->name, GL_PERFQUERY_DONOT_FLUSH_INTEL,
					    (GLsizei)monitor->passes[slot->pass].data_bytes,
					    monitor->data, &written);
	return written;
}

bool monitor_is_ready(const struct monitor *monitor, int slot)
{
	const struct monitor_slot *asked;
	bool ready;

	if (monitor == NULL || slot < 0 || monitor->slots[slot].disturbed)
		return true;
	asked = &monitor->slots[slot];
	monitor_keep_error(monitor);
	ready = (is_amd(monitor) ? ask_amd(monitor, asked) : ask_intel(monitor, asked)) != 0;
	/* What cannot even be asked for will not come. */
	return monitor_failed(monitor) || ready;
}

static void set_pass(struct monitor *monitor, uint32_t pass, uint8_t state)
{
	for (uint32_t i = 0; i < monitor->passes[pass].event_count; i++) {
		uint8_t *mine = &monitor->states[monitor->passes[pass].events[i].value];

		if (*mine < state)
			*mine = state;
	}
}

/* An answer that makes no sense is as likely to be made again: the pass is given up. */
static void take_answer(struct monitor *monitor, const struct monitor_slot *slot)
{
	struct monitor_pass *pass = &monitor->passes[slot->pass];
	GLint written = 0;
	size_t size = is_amd(monitor) ? ask_amd(monitor, slot) : ask_intel(monitor, slot);
	bool taken = false;

	if (size == 0) {
		monitor_failed(monitor);
		set_pass(monitor, slot->pass, WIRE_LATE);
		return;
	}
	if (is_amd(monitor) && size <= pass->data_bytes) {
		monitor->call.GetPerfMonitorCounterDataAMD(
		    slot->name, GL_PERFMON_RESULT_AMD, (GLsizei)monitor->data_bytes,
		    (GLuint *)(void *)monitor->data, &written);
		taken = written >= 0 && (size_t)written <= monitor->data_bytes &&
			monitor_take_amd(monitor, pass, (size_t)written);
	} else if (!is_amd(monitor)) {
		taken = size <= pass->data_bytes && monitor_take_intel(monitor, pass, size);
	}
	if (!monitor_failed(monitor) && taken)
		return;
	set_pass(monitor, slot->pass, WIRE_LATE);
	pass->never = WIRE_NEVER_NONSENSE;
	say_never(monitor);
}

void monitor_read(struct monitor *monitor, int slot, uint32_t pass, bool late)
{
	if (monitor == NULL || slot == MONITOR_NONE)
		return;
	monitor->segments++;
	if (slot >= 0 && !late && !monitor->slots[slot].disturbed) {
		monitor_keep_error(monitor);
		take_answer(monitor, &monitor->slots[slot]);
	} else {
		bool disturbed =
		    slot == MONITOR_DISTURBED || (slot >= 0 && monitor->slots[slot].disturbed);

		set_pass(monitor, pass, disturbed ? WIRE_DISTURBED : WIRE_LATE);
	}
	monitor_drop(monitor, slot);
}

void monitor_drop(struct monitor *monitor, int slot)
{
	if (monitor != NULL && slot >= 0)
		monitor->slots[slot].in_use = false;
}

static bool is_level(const struct monitor *monitor, uint32_t value)
{
	const struct wire_event *events = wire_program_events(monitor->program);

	for (uint32_t i = 0; i < monitor->program->event_count; i++) {
		if (events[i].value == value)
			return events[i].is_level != 0;
	}
	return false;
}

static struct wire_value value_of(const struct monitor *monitor, uint32_t value)
{
	uint8_t state = monitor->states[value];

	if (state == WIRE_VALID && monitor->segments > 1 && is_level(monitor, value))
		state = WIRE_DISTURBED; /* shares of several segments do not add up */
	if (state == WIRE_VALID || monitor->is_zero[value])
		return (struct wire_value){.bits = monitor->sums[value], .state = WIRE_VALID};
	if (monitor->nevers[value] != 0)
		return (struct wire_value){.bits = monitor->nevers[value]};
	/* Another pass was counted, or none. */
	return (struct wire_value){.state = state != WIRE_NOT_COLLECTED ? state : WIRE_SPARED};
}

void monitor_write(struct monitor *monitor, const struct wire_record *record)
{
	struct wire_record bare = *record;
	uint32_t count;

	if (monitor == NULL)
		return;
	count = monitor->program->value_count;
	memset(bare.values, 0, sizeof(bare.values));
	memset(bare.states, 0, sizeof(bare.states));
	for (uint32_t i = 0; i < count; i++)
		monitor->values[i] = value_of(monitor, i);
	memset(monitor->sums, 0, count * sizeof(*monitor->sums));
	memset(monitor->states, 0, count);
	monitor->segments = 0;
	if (guest_counters() != NULL)
		channel_write_values(guest_counters(), &monitor->stream, monitor->identity, &bare,
				     monitor->values, count);
}

void monitor_program_begins(struct monitor *monitor, GLuint name)
{
	if (monitor == NULL)
		return;
	if (monitor->open >= 0 && !monitor->slots[monitor->open].disturbed) {
		monitor_keep_error(monitor);
		end_slot(monitor, &monitor->slots[monitor->open]);
		monitor->slots[monitor->open].disturbed = true;
	}
	for (unsigned i = 0; i < monitor->program_count; i++) {
		if (monitor->program_own[i] == name)
			return;
	}
	if (monitor->program_count < MONITOR_PROGRAMS_OWN)
		monitor->program_own[monitor->program_count++] = name;
}

void monitor_program_ends(struct monitor *monitor, GLuint name)
{
	for (unsigned i = 0; monitor != NULL && i < monitor->program_count; i++) {
		if (monitor->program_own[i] != name)
			continue;
		monitor->program_own[i] = monitor->program_own[--monitor->program_count];
		return;
	}
}

void monitor_delete(struct monitor *monitor)
{
	if (monitor == NULL)
		return;
	monitor_keep_error(monitor);
	for (unsigned i = 0; i < monitor->slot_count; i++)
		delete_slot(monitor, &monitor->slots[i]);
	monitor_failed(monitor);
}

void monitor_destroy(struct monitor *monitor)
{
	if (monitor == NULL)
		return;
	channel_close(&monitor->stream);
	free(monitor->passes);
	free(monitor->events);
	free(monitor->slots);
	free(monitor->sums);
	free(monitor->states);
	free(monitor->nevers);
	free(monitor->is_zero);
	free(monitor->data);
	free(monitor->values);
	free(monitor);
}
