/* Hardware counters of one context: begun, ended, read and written. */
#include <string.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include "guest/process.h"
#include "preload/monitor/monitor.h"

void monitor_next_pass(struct monitor *monitor)
{
	if (!monitor)
		return;
	/* Passes that the driver refuses are skipped. */
	for (uint32_t i = 0; i < 2 * monitor->program->pass_count; i++) {
		monitor->pass = passes_next(&monitor->turn);
		if (monitor->passes[monitor->pass].never == 0)
			return;
	}
}

/* A free slot that was made for the pass; else one that is not made, or for another pass. */
static struct monitor_slot *take_slot(struct monitor *monitor)
{
	struct monitor_slot *fresh = NULL, *other = NULL;
	for (unsigned i = 0; i < monitor->slot_count; i++) {
		struct monitor_slot *slot = &monitor->slots[i];
		if (slot->in_use)
			continue;
		if (slot->made && slot->pass == monitor->pass)
			return slot;
		if (!slot->made && !fresh)
			fresh = slot;
		else if (slot->made && !other)
			other = slot;
	}
	if (!fresh && other)
		monitor_slot_delete(monitor, other);
	fresh = fresh ? fresh : other;
	if (fresh && monitor_slot_make(monitor, fresh, (uint16_t)monitor->pass))
		return fresh;
	return NULL;
}

void monitor_begin(struct monitor *monitor)
{
	if (!monitor || monitor->open >= 0 || monitor->passes[monitor->pass].never != 0)
		return;
	if (monitor->program_count > 0) {
		monitor->given_up = MONITOR_DISTURBED;
		return;
	}
	monitor->given_up = MONITOR_LATE;
	monitor_keep_error(monitor);
	struct monitor_slot *slot = take_slot(monitor);
	if (!slot || !monitor_slot_begin(monitor, slot))
		return;
	slot->in_use = true;
	slot->disturbed = false;
	monitor->open = (int)(slot - monitor->slots);
}

int monitor_end(struct monitor *monitor)
{
	int ended = MONITOR_NONE;
	if (!monitor)
		return MONITOR_NONE;
	ended = monitor->open >= 0 ? monitor->open : monitor->given_up;
	if (monitor->open >= 0 && !monitor->slots[monitor->open].disturbed) {
		monitor_keep_error(monitor);
		monitor_slot_end(monitor, &monitor->slots[monitor->open]);
	}
	monitor->open = -1;
	monitor->given_up = MONITOR_NONE;
	return ended;
}

void monitor_abandon(struct monitor *monitor)
{
	if (!monitor)
		return;
	monitor_drop(monitor, monitor->open);
	monitor->open = -1;
	monitor->given_up = MONITOR_NONE;
}

bool monitor_counts(const struct monitor *monitor)
{
	return monitor && monitor->open >= 0;
}

/* The size of the result; 0: not available. */
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
	if (!monitor || slot < 0 || monitor->slots[slot].disturbed)
		return true;
	const struct monitor_slot *asked = &monitor->slots[slot];
	monitor_keep_error(monitor);
	bool ready =
	    (monitor_is_amd(monitor) ? ask_amd(monitor, asked) : ask_intel(monitor, asked)) != 0;
	/* After an error there will be no result. */
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

/* After an invalid result the pass is not used any more. */
static void take_answer(struct monitor *monitor, const struct monitor_slot *slot)
{
	struct monitor_pass *pass = &monitor->passes[slot->pass];
	GLint written = 0;
	size_t size = monitor_is_amd(monitor) ? ask_amd(monitor, slot) : ask_intel(monitor, slot);
	bool taken = false;
	if (size == 0) {
		monitor_failed(monitor);
		set_pass(monitor, slot->pass, WIRE_LATE);
		return;
	}
	if (monitor_is_amd(monitor) && size <= pass->data_bytes) {
		monitor->call.GetPerfMonitorCounterDataAMD(
		    slot->name, GL_PERFMON_RESULT_AMD, (GLsizei)monitor->data_bytes,
		    (GLuint *)(void *)monitor->data, &written);
		taken = written >= 0 && (size_t)written <= monitor->data_bytes &&
			monitor_take_amd(monitor, pass, (size_t)written);
	} else if (!monitor_is_amd(monitor)) {
		taken = size <= pass->data_bytes && monitor_take_intel(monitor, pass, size);
	}
	if (!monitor_failed(monitor) && taken)
		return;
	set_pass(monitor, slot->pass, WIRE_LATE);
	pass->never = WIRE_NEVER_NONSENSE;
	monitor_say_never(monitor);
}

void monitor_read(struct monitor *monitor, int slot, uint32_t pass, bool late)
{
	if (!monitor || slot == MONITOR_NONE)
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
	if (monitor && slot >= 0)
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
		state = WIRE_DISTURBED; /* ratios of several segments cannot be added */
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
	if (!monitor)
		return;
	uint32_t count = monitor->program->value_count;
	memset(bare.values, 0, sizeof(bare.values));
	memset(bare.states, 0, sizeof(bare.states));
	for (uint32_t i = 0; i < count; i++)
		monitor->values[i] = value_of(monitor, i);
	memset(monitor->sums, 0, count * sizeof(*monitor->sums));
	memset(monitor->states, 0, count);
	monitor->segments = 0;
	if (guest_counters()) {
		const struct channel_sample sample = {&bare, monitor->values, count};
		channel_write_values(guest_counters(), &monitor->stream, monitor->identity,
				     &sample);
	}
}

void monitor_program_begins(struct monitor *monitor, GLuint name)
{
	if (!monitor)
		return;
	if (monitor->open >= 0 && !monitor->slots[monitor->open].disturbed) {
		monitor_keep_error(monitor);
		monitor_slot_end(monitor, &monitor->slots[monitor->open]);
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
	for (unsigned i = 0; monitor && i < monitor->program_count; i++) {
		if (monitor->program_own[i] != name)
			continue;
		monitor->program_own[i] = monitor->program_own[--monitor->program_count];
		return;
	}
}

void monitor_delete(struct monitor *monitor)
{
	if (!monitor)
		return;
	monitor_keep_error(monitor);
	for (unsigned i = 0; i < monitor->slot_count; i++)
		monitor_slot_delete(monitor, &monitor->slots[i]);
	monitor_failed(monitor);
}
