/*
 * Finds out which query targets the driver counts, and which can be active together, by beginning
 * them and reading errors. The caller has disabled debug output and saved the program's errors.
 */
#include <string.h>

#include "guest/clock.h"
#include "guest/process.h"
#include "preload/sampler.h"

#define ERROR_READS 16 /* a lost context returns errors for ever */

static bool failed(const struct api *gl)
{
	bool any = false;
	for (int i = 0; i < ERROR_READS && gl->GetError() != GL_NO_ERROR; i++)
		any = true;
	return any;
}

static void set_why(struct sampler *sampler, int slot, enum wire_why why)
{
	const struct target *target = &targets[slot];
	if (target->counter >= 0)
		sampler->identity->why[target->counter] = (uint8_t)why;
	if (target->second >= 0)
		sampler->identity->why[target->second] = (uint8_t)why;
}

static void set_bits(struct sampler *sampler, int slot, GLint bits)
{
	const struct target *target = &targets[slot];
	if (target->counter >= 0)
		sampler->identity->bits[target->counter] = (uint8_t)bits;
	if (target->second >= 0)
		sampler->identity->bits[target->second] = (uint8_t)bits;
}

static GLint counter_bits(const struct api *gl, GLenum target, GLuint index)
{
	GLint bits = 0;
	if (index != 0)
		gl->GetQueryIndexediv(target, index, GL_QUERY_COUNTER_BITS, &bits);
	else
		gl->GetQueryiv(target, GL_QUERY_COUNTER_BITS, &bits);
	return failed(gl) || bits < 0 || bits > 64 ? 0 : bits;
}

/* For booleans drivers report 1 or 32 bits; 0 means that nothing is counted. */
static bool counts(struct sampler *sampler, int slot)
{
	const struct api *gl = sampler->gl;
	GLint bits = 32;
	if (!target_has_feature(gl, slot)) {
		set_why(sampler, slot, WIRE_WHY_NO_EXTENSION);
		return false;
	}
	if (gl->has.bits || targets[slot].target == GL_TIME_ELAPSED)
		bits = counter_bits(gl, targets[slot].target, targets[slot].index);
	if (bits == 0)
		set_why(sampler, slot, WIRE_WHY_ZERO_BITS);
	set_bits(sampler, slot, bits);
	return bits != 0;
}

static bool try_begin(struct sampler *sampler, int slot)
{
	target_begin(sampler->gl, slot, sampler->sets[0].names[slot]);
	return !failed(sampler->gl);
}

/* The active slot that conflicts with this one; all active ones if no single one does. */
static uint32_t find_conflicts(struct sampler *sampler, int slot, uint32_t running)
{
	const struct api *gl = sampler->gl;
	uint32_t found = 0;
	for (int other = 0; other < SLOT_COUNT; other++) {
		if ((running & SLOT_BIT(other)) == 0)
			continue;
		target_end(gl, other);
		if (try_begin(sampler, slot)) {
			target_end(gl, slot);
			found |= SLOT_BIT(other);
		}
		target_begin(gl, other, sampler->sets[0].names[other]);
		failed(gl);
	}
	return found != 0 ? found : running;
}

static bool is_wanted(const struct sampler *sampler, int counter)
{
	return counter >= 0 && (sampler->probe.wanted & UINT64_C(1) << counter) != 0;
}

static bool is_programs_only(const struct sampler *sampler, int slot)
{
	bool wanted =
	    is_wanted(sampler, targets[slot].counter) || is_wanted(sampler, targets[slot].second);

	if (slot == SLOT_TIME_ELAPSED)
		wanted = wanted && !sampler->probe.timestamps && !sampler->probe.software;
	return !wanted;
}

/* GL_SAMPLES_PASSED includes the result of GL_ANY_SAMPLES_PASSED. */
static void refuse(struct sampler *sampler, int slot, uint32_t conflicts)
{
	bool derived = slot == SLOT_OCCLUSION_ANY && (conflicts & SLOT_BIT(SLOT_OCCLUSION)) != 0;
	sampler->probe.conflicts[slot] = conflicts;
	set_why(sampler, slot, derived ? WIRE_WHY_DERIVED : WIRE_WHY_REFUSED);
}

static void try_slot(struct sampler *sampler, int slot)
{
	struct probe *probe = &sampler->probe;
	bool ours = !is_programs_only(sampler, slot);
	if (!target_has_feature(sampler->gl, slot) || (ours && !counts(sampler, slot))) {
		if (ours && !target_has_feature(sampler->gl, slot))
			set_why(sampler, slot, WIRE_WHY_NO_EXTENSION);
		return;
	}
	if (!try_begin(sampler, slot)) {
		uint32_t conflicts = find_conflicts(sampler, slot, probe->usable);
		if (ours)
			refuse(sampler, slot, conflicts);
		probe->conflicts[slot] = conflicts;
	} else if (ours) {
		probe->usable |= SLOT_BIT(slot);
	} else {
		target_end(sampler->gl, slot);
	}
}

/*
 * Mesa's software rasterisers write a timestamp once per tile and keep the last, so timestamps are
 * meaningless for a frame. llvmpipe (also with zink on lavapipe) rasterises on its own threads, and
 * the command reads their CPU time; the others render on the program's threads.
 */
void probe_software(struct sampler *sampler)
{
	static const char *const others[] = {"softpipe", "swrast", "Software Rasterizer"};
	const char *renderer = sampler->identity->renderer;

	if (strstr(renderer, "llvmpipe")) {
		set_why(sampler, SLOT_TIME_ELAPSED, WIRE_WHY_THREADS);
		set_bits(sampler, SLOT_TIME_ELAPSED, 64);
		sampler->probe.software = true;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (sampler->probe.software || !strstr(renderer, others[i]))
			continue;
		set_why(sampler, SLOT_TIME_ELAPSED, WIRE_WHY_NO_GPU);
		sampler->probe.software = true;
	}
}

static void try_timestamps(struct sampler *sampler)
{
	const struct api *gl = sampler->gl;
	if (!is_wanted(sampler, WIRE_GPU_TIME) || sampler->probe.software)
		return;
	if (!gl->has.timer) {
		set_why(sampler, SLOT_TIME_ELAPSED, WIRE_WHY_NO_EXTENSION);
		return;
	}
	GLint bits = counter_bits(gl, GL_TIMESTAMP, 0);
	if (bits == 0)
		return;
	gl->QueryCounter(sampler->sets[0].stamps[0], GL_TIMESTAMP);
	sampler->probe.timestamps = !failed(gl);
	sampler->probe.time_mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	set_bits(sampler, SLOT_TIME_ELAPSED, bits);
	if (sampler->probe.timestamps)
		set_why(sampler, SLOT_TIME_ELAPSED, WIRE_WHY_COLLECTED);
}

/* A context without error reporting: uses the conflicts that the specification lists. */
static void assume_by_specification(struct sampler *sampler)
{
	struct probe *probe = &sampler->probe;
	uint32_t occlusion = SLOT_BIT(SLOT_OCCLUSION) | SLOT_BIT(SLOT_OCCLUSION_ANY);
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		if (!is_programs_only(sampler, slot) && counts(sampler, slot))
			probe->usable |= SLOT_BIT(slot);
	}
	probe->conflicts[SLOT_OCCLUSION_CONSERVATIVE] = occlusion;
	probe->conflicts[SLOT_OCCLUSION] = SLOT_BIT(SLOT_OCCLUSION_ANY);
	if ((probe->usable & SLOT_BIT(SLOT_OCCLUSION)) != 0) {
		probe->usable &= ~SLOT_BIT(SLOT_OCCLUSION_ANY);
		refuse(sampler, SLOT_OCCLUSION_ANY, SLOT_BIT(SLOT_OCCLUSION));
	}
}

static void ask_driver(struct sampler *sampler)
{
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		if (!is_programs_only(sampler, slot))
			try_slot(sampler, slot);
	}
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		if (is_programs_only(sampler, slot))
			try_slot(sampler, slot);
	}
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		if ((sampler->probe.usable & SLOT_BIT(slot)) != 0)
			target_end(sampler->gl, slot);
	}
	failed(sampler->gl);
}

void probe_targets(struct sampler *sampler)
{
	try_timestamps(sampler);
	if ((sampler->identity->context_flags & WIRE_NO_ERROR_CONTEXT) != 0)
		assume_by_specification(sampler);
	else
		ask_driver(sampler);
}
