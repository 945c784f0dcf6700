/* Creates, begins, ends and deletes AMD's monitors and INTEL's queries. */
#include <GL/gl.h>
#include <GL/glext.h>

#include "preload/monitor/monitor.h"

#define ERROR_READS 16 /* a lost context returns errors for ever */

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

const struct monitor_event *monitor_first_event(const struct monitor_pass *pass)
{
	for (uint32_t i = 0; i < pass->event_count; i++) {
		if (pass->events[i].never == 0)
			return &pass->events[i];
	}
	return NULL;
}

bool monitor_slot_make(struct monitor *monitor, struct monitor_slot *slot, uint16_t pass)
{
	bool made = false;
	slot->pass = pass;
	if (monitor_is_amd(monitor)) {
		made = make_amd(monitor, slot);
	} else {
		const struct monitor_event *event = monitor_first_event(&monitor->passes[pass]);
		slot->name = 0;
		if (event)
			monitor->call.CreatePerfQueryINTEL(event->group, &slot->name);
		made = slot->name != 0;
	}
	slot->made = !monitor_failed(monitor) && made;
	return slot->made;
}

void monitor_slot_delete(struct monitor *monitor, struct monitor_slot *slot)
{
	if (slot->made && monitor_is_amd(monitor))
		monitor->call.DeletePerfMonitorsAMD(1, &slot->name);
	else if (slot->made)
		monitor->call.DeletePerfQueryINTEL(slot->name);
	slot->made = false;
}

bool monitor_slot_begin(struct monitor *monitor, const struct monitor_slot *slot)
{
	if (monitor_is_amd(monitor))
		monitor->call.BeginPerfMonitorAMD(slot->name);
	else
		monitor->call.BeginPerfQueryINTEL(slot->name);
	return !monitor_failed(monitor);
}

void monitor_slot_end(struct monitor *monitor, const struct monitor_slot *slot)
{
	if (monitor_is_amd(monitor))
		monitor->call.EndPerfMonitorAMD(slot->name);
	else
		monitor->call.EndPerfQueryINTEL(slot->name);
	monitor_failed(monitor);
}
