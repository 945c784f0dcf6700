/* Prepares a context's hardware counters: looks up names, and tries each pass once. */
#include <stdlib.h>
#include <string.h>

#include "guest/process.h"
#include "preload/monitor/monitor.h"
#include "preload/real/real.h"

#define SLOTS_MOST     256u
#define SLOTS_LEAST    64u /* frames that may wait for results, as with other queries */
#define SLOTS_PER_PASS 3u
#define SLACK_BYTES    4096u /* beyond the expected size, for drivers that write more */

static void load_functions(struct monitor *monitor, bool egl)
{
	/* POSIX permits this conversion of an object pointer to a function pointer. */
#define MONITOR_LOAD(result, name, parameters)                                                     \
	monitor->call.name = (result(*) parameters)real_gl_function(egl, "gl" #name);
	MONITOR_FUNCTIONS(MONITOR_LOAD)
#undef MONITOR_LOAD
}

static bool has_extension(const struct monitor *monitor)
{
	const struct monitor_api *call = &monitor->call;
	if (monitor->program->api == WIRE_AMD_MONITOR)
		return monitor->gl->has.amd_monitor && call->GetPerfMonitorGroupsAMD &&
		       call->GetPerfMonitorCountersAMD && call->GetPerfMonitorGroupStringAMD &&
		       call->GetPerfMonitorCounterStringAMD && call->GetPerfMonitorCounterInfoAMD &&
		       call->GenPerfMonitorsAMD && call->DeletePerfMonitorsAMD &&
		       call->SelectPerfMonitorCountersAMD && call->BeginPerfMonitorAMD &&
		       call->EndPerfMonitorAMD && call->GetPerfMonitorCounterDataAMD;
	return monitor->gl->has.intel_query && call->GetPerfQueryIdByNameINTEL &&
	       call->GetPerfQueryInfoINTEL && call->GetPerfCounterInfoINTEL &&
	       call->CreatePerfQueryINTEL && call->DeletePerfQueryINTEL &&
	       call->BeginPerfQueryINTEL && call->EndPerfQueryINTEL && call->GetPerfQueryDataINTEL;
}

/* Tries each pass. A pass that the driver refuses is not tried again. */
static void try_passes(struct monitor *monitor)
{
	struct monitor_slot *slot = &monitor->slots[0];
	for (uint32_t p = 0; p < monitor->program->pass_count; p++) {
		struct monitor_pass *pass = &monitor->passes[p];
		if (!monitor_first_event(pass)) {
			pass->never = WIRE_NEVER_NO_COUNTER;
			continue;
		}
		if (monitor_slot_make(monitor, slot, (uint16_t)p) &&
		    monitor_slot_begin(monitor, slot))
			monitor_slot_end(monitor, slot);
		else
			pass->never = WIRE_NEVER_REFUSED;
		if (p + 1 < monitor->program->pass_count || pass->never != 0)
			monitor_slot_delete(monitor, slot);
		monitor_failed(monitor);
	}
}

/* Why a pass does not count a value. A sum without one of its counters has no value. */
static uint8_t never_in(const struct monitor_pass *pass, uint16_t value)
{
	uint8_t never = pass->never;
	for (uint32_t i = 0; i < pass->event_count && never == 0; i++) {
		if (pass->events[i].value == value)
			never = pass->events[i].never;
	}
	return never;
}

/* A value is available if any pass counts it. */
void monitor_say_never(struct monitor *monitor)
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

static void monitor_disable(struct monitor *monitor, enum wire_never why)
{
	for (uint32_t p = 0; p < monitor->program->pass_count; p++)
		monitor->passes[p].never = (uint8_t)why;
	memset(monitor->nevers, (int)why, monitor->program->value_count);
}

/* A value without counters belongs to a block that this chip does not have: it is 0. */
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
		monitor_disable(monitor, WIRE_NEVER_OTHER_DRIVER);
		return;
	}
	if (!has_extension(monitor)) {
		monitor_disable(monitor, WIRE_NEVER_NO_EXTENSION);
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
	if (!monitor->data) {
		monitor_disable(monitor, WIRE_NEVER_REFUSED);
		return;
	}
	try_passes(monitor);
	monitor_say_never(monitor);
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
	return monitor->passes && monitor->events && monitor->slots && monitor->sums &&
	       monitor->states && monitor->nevers && monitor->is_zero && monitor->values;
}

struct monitor *monitor_create(const struct api *gl, struct channel_identity *identity,
			       GLenum *kept_error)
{
	if (!guest_counters())
		return NULL;
	if (!monitor_program())
		return NULL;
	struct monitor *monitor = calloc(1, sizeof(*monitor));
	if (!monitor)
		return NULL;
	monitor->gl = gl;
	monitor->identity = identity;
	monitor->kept_error = kept_error;
	monitor->program = monitor_program();
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

void monitor_destroy(struct monitor *monitor)
{
	if (!monitor)
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
