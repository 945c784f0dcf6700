/* Decodes results of the driver's monitors and queries; all of them are checked. */
#include <string.h>

#include "preload/monitor/monitor.h"

static void add(struct monitor *monitor, const struct monitor_event *event, const uint8_t *bytes)
{
	uint64_t *sum = &monitor->sums[event->value];
	uint32_t small;
	float real32;
	double real = 0, before;
	uint64_t large;
	monitor->states[event->value] = WIRE_VALID;
	switch (event->type) {
	case WIRE_TYPE_U32:
		memcpy(&small, bytes, sizeof(small));
		*sum += small;
		return;
	case WIRE_TYPE_U64:
		memcpy(&large, bytes, sizeof(large));
		*sum += large;
		return;
	case WIRE_TYPE_F32:
		memcpy(&real32, bytes, sizeof(real32));
		real = (double)real32;
		break;
	default:
		memcpy(&real, bytes, sizeof(real));
	}
	memcpy(&before, sum, sizeof(before));
	real += before;
	memcpy(sum, &real, sizeof(real));
}

static bool is_real_number(uint8_t type, const uint8_t *bytes)
{
	double real = 0;
	float real32;
	if (!wire_type_is_real(type))
		return true;
	if (type == WIRE_TYPE_F32) {
		memcpy(&real32, bytes, sizeof(real32));
		real = (double)real32;
	} else {
		memcpy(&real, bytes, sizeof(real));
	}
	return real - real == 0; /* finite */
}

/* The counter's type; 0: the pass does not count it. */
static uint8_t type_of(const struct monitor_pass *pass, const GLuint head[2])
{
	for (uint32_t i = 0; i < pass->event_count; i++) {
		const struct monitor_event *event = &pass->events[i];
		if (event->group == head[0] && event->counter == head[1] && event->never == 0)
			return event->type;
	}
	return 0;
}

/* Adds a counter to all values that it is part of; returns their number. */
static uint32_t spread(struct monitor *monitor, const struct monitor_pass *pass,
		       const GLuint head[2], const uint8_t *bytes, bool take)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < pass->event_count; i++) {
		const struct monitor_event *event = &pass->events[i];
		if (event->group != head[0] || event->counter != head[1] || event->never != 0)
			continue;
		if (take)
			add(monitor, event, bytes);
		count++;
	}
	return count;
}

/*
 * Triples of group, counter and value, in any order, each counter once
 * (GL_AMD_performance_monitor). The first walk only checks, because a missing counter is known at
 * the end only.
 */
static bool walk_amd(struct monitor *monitor, const struct monitor_pass *pass, size_t size,
		     bool take)
{
	const uint8_t *at = monitor->data, *end = monitor->data + size;
	uint32_t found = 0, wanted = 0;
	for (uint32_t i = 0; i < pass->event_count; i++)
		wanted += pass->events[i].never == 0;
	while (at < end) {
		GLuint head[2];
		if (end - at < (ptrdiff_t)sizeof(head))
			return false;
		memcpy(head, at, sizeof(head));
		at += sizeof(head);
		uint8_t type = type_of(pass, head);
		if (type == 0 || end - at < (ptrdiff_t)wire_type_size(type) ||
		    !is_real_number(type, at))
			return false;
		found += spread(monitor, pass, head, at, take);
		at += wire_type_size(type);
	}
	return found == wanted;
}

bool monitor_take_amd(struct monitor *monitor, const struct monitor_pass *pass, size_t size)
{
	return walk_amd(monitor, pass, size, false) && walk_amd(monitor, pass, size, true);
}

bool monitor_take_intel(struct monitor *monitor, const struct monitor_pass *pass, size_t size)
{
	for (int take = 0; take < 2; take++) {
		for (uint32_t i = 0; i < pass->event_count; i++) {
			const struct monitor_event *event = &pass->events[i];
			if (event->never != 0)
				continue;
			if (event->offset > size ||
			    size - event->offset < wire_type_size(event->type) ||
			    !is_real_number(event->type, monitor->data + event->offset))
				return false;
			if (take)
				add(monitor, event, monitor->data + event->offset);
		}
	}
	return true;
}
