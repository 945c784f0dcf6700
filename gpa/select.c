/* Which counters are enabled, and the passes that they need. */
#include "gpa/core.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

uint32_t gpa_counter_find(const struct gpa_context *context, const char *name)
{
	for (uint32_t i = 0; i < context->counter_count; i++)
		if (strcasecmp(context->counters[i].name, name) == 0)
			return i;
	return UINT32_MAX;
}

bool gpa_enabled(const uint32_t *list, uint32_t count, uint32_t counter)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == counter)
			return true;
	return false;
}

void gpa_schedule_finish(struct gpa_schedule *schedule)
{
	for (uint32_t i = 0; schedule->passes && i < schedule->pass_count; i++)
		free(schedule->passes[i].raws);
	for (uint32_t i = 0; schedule->places && i < schedule->enabled_count; i++)
		free(schedule->places[i]);
	free(schedule->passes);
	free(schedule->places);
	free(schedule->enabled);
	*schedule = (struct gpa_schedule){0};
}

GPA_Status gpa_schedule_make(struct gpa_context *context, const uint32_t *enabled, uint32_t count,
			     struct gpa_schedule *s)
{
	gpa_schedule_finish(s);
	s->enabled = malloc((count + 1) * sizeof(*s->enabled));
	if (!s->enabled)
		return GPA_STATUS_ERROR_FAILED;
	for (uint32_t i = 0; i < count; i++)
		s->enabled[i] = enabled[i];
	s->enabled_count = count;
	return count ? gpa_backend.plan(context, s) : GPA_STATUS_OK;
}

GPA_Status gpa_context_schedule(struct gpa_context *context)
{
	if (context->scheduled)
		return GPA_STATUS_OK;
	GPA_Status status = gpa_schedule_make(context, context->enabled, context->enabled_count,
					      &context->schedule);
	context->scheduled = status == GPA_STATUS_OK;
	return status;
}

static bool has_raw(const struct gpa_pass_plan *pass, uint32_t raw)
{
	for (uint32_t i = 0; i < pass->count; i++)
		if (pass->raws[i] == raw)
			return true;
	return false;
}

void gpa_pass_plan_add(struct gpa_pass_plan *pass, uint32_t raw)
{
	uint32_t i = pass->count;
	if (has_raw(pass, raw))
		return;
	for (; i > 0 && pass->raws[i - 1] > raw; i--)
		pass->raws[i] = pass->raws[i - 1];
	pass->raws[i] = raw;
	pass->count++;
}

static size_t total_raws(const struct gpa_context *context, const struct gpa_schedule *s)
{
	size_t total = 0;
	for (uint32_t i = 0; i < s->enabled_count; i++)
		total += context->counters[s->enabled[i]].raw_count;
	return total;
}

bool gpa_schedule_alloc(const struct gpa_context *context, struct gpa_schedule *s, uint32_t count)
{
	size_t total = total_raws(context, s);
	s->places = calloc(s->enabled_count + 1, sizeof(*s->places));
	s->passes = calloc(count, sizeof(*s->passes));
	if (!s->places || !s->passes)
		return false;
	s->pass_count = count;
	for (uint32_t i = 0; i < count; i++)
		if (!(s->passes[i].raws = malloc((total + 1) * sizeof(uint32_t))))
			return false;
	for (uint32_t i = 0; i < s->enabled_count; i++)
		if (!(s->places[i] =
			  calloc(context->counters[s->enabled[i]].raw_count + 1, sizeof(uint32_t))))
			return false;
	return true;
}

void gpa_pass_plan_remove(struct gpa_pass_plan *pass, uint32_t raw)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < pass->count; i++)
		if (pass->raws[i] != raw)
			pass->raws[n++] = pass->raws[i];
	pass->count = n;
}

static void drop_pass(struct gpa_schedule *s, const struct gpa_context *context, uint32_t pass)
{
	free(s->passes[pass].raws);
	for (uint32_t i = pass + 1; i < s->pass_count; i++)
		s->passes[i - 1] = s->passes[i];
	s->pass_count--;
	for (uint32_t i = 0; i < s->enabled_count; i++)
		for (uint32_t k = 0; k < context->counters[s->enabled[i]].raw_count; k++)
			if (s->places[i][k] > pass)
				s->places[i][k]--;
}

void gpa_schedule_trim(const struct gpa_context *context, struct gpa_schedule *s)
{
	for (uint32_t pass = s->pass_count; pass-- > 0;)
		if (!s->passes[pass].count)
			drop_pass(s, context, pass);
}

GPA_Status gpa_plan_classes(const struct gpa_context *context, struct gpa_schedule *schedule,
			    uint32_t (*class_of)(const struct gpa_context *context, uint32_t raw),
			    uint32_t class_count)
{
	if (!gpa_schedule_alloc(context, schedule, class_count))
		return GPA_STATUS_ERROR_FAILED;
	for (uint32_t i = 0; i < schedule->enabled_count; i++) {
		const struct gpa_counter *c = &context->counters[schedule->enabled[i]];
		for (uint32_t k = 0; k < c->raw_count; k++) {
			uint32_t pass = class_of(context, c->raws[k]);
			gpa_pass_plan_add(&schedule->passes[pass], c->raws[k]);
			schedule->places[i][k] = pass;
		}
	}
	gpa_schedule_trim(context, schedule);
	return GPA_STATUS_OK;
}
