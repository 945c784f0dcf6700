/* A set of runs: its memory, and what holds for all of them. */
#include "analysis/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/noise.h"
#include "analysis/compare/steps.h"

void compare_set_init(struct compare_set *set)
{
	*set = (struct compare_set){0};
	units_init(&set->units);
}

void compare_set_finish(struct compare_set *set)
{
	for (size_t d = 0; d < set->device_count; d++) {
		free(set->devices[d].advice);
		free(set->devices[d].fired);
	}
	free(set->files);
	free(set->devices);
	free(set->metrics);
	arena_finish(&set->arena);
	*set = (struct compare_set){0};
}

const char *compare_set_text(struct compare_set *set, const char *text)
{
	return text ? arena_strndup(&set->arena, text, strlen(text)) : NULL;
}

struct compare_device *compare_set_device(struct compare_set *set)
{
	if (!mem_grow(&set->devices, &set->device_capacity, set->device_count + 1,
		      sizeof(*set->devices)))
		return NULL;
	set->devices[set->device_count] =
	    (struct compare_device){.number = (uint32_t)set->device_count};
	return &set->devices[set->device_count++];
}

bool set_make_room(struct compare_set *set, struct compare_metric *m, uint32_t runs)
{
	double **const arrays[] = {&m->means, &m->totals, &m->seconds,
				   &m->rates, &m->within, &m->blocks};
	const size_t count = sizeof(arrays) / sizeof(arrays[0]);
	double *numbers = arena_alloc(&set->arena, count * (runs + 1) * sizeof(double));
	uint64_t *samples = arena_alloc(&set->arena, (runs + 1) * sizeof(uint64_t));
	if (!numbers || !samples)
		return false;
	for (size_t i = 0; i < count; i++) {
		double *room = numbers + i * (runs + 1);
		if (m->runs)
			memcpy(room, *arrays[i], m->runs * sizeof(double));
		*arrays[i] = room;
	}
	if (m->runs)
		memcpy(samples, m->samples, m->runs * sizeof(uint64_t));
	m->samples = samples;
	return true;
}

struct compare_metric *compare_set_metric(struct compare_set *set, const char *name, uint32_t runs)
{
	if (!mem_grow(&set->metrics, &set->metric_capacity, set->metric_count + 1,
		      sizeof(*set->metrics)))
		return NULL;
	struct compare_metric *m = &set->metrics[set->metric_count];
	*m = (struct compare_metric){.name = compare_set_text(set, name), .constant = true};
	m->stats = (struct compare_stats){.min = (double)INFINITY, .max = -(double)INFINITY};
	if (!m->name || !set_make_room(set, m, runs))
		return NULL;
	set->metric_count++;
	return m;
}

bool compare_set_is_simulated(const struct compare_set *set)
{
	for (size_t d = 0; d < set->device_count; d++)
		if (set->devices[d].simulated)
			return true;
	return false;
}

/* What a second has of an amount, where the length of samples is known; false: no memory. */
static bool find_rates(struct compare_set *set, struct compare_metric *m)
{
	char text[2 * UNITS_TEXT_MAX];
	for (uint32_t i = 0; i < m->runs; i++)
		m->rates[i] = m->seconds[i] > 0 ? m->means[i] / m->seconds[i] : (double)NAN;
	m->stats.rate = noise_mean(m->rates, m->runs);
	if (isnan(m->stats.rate) || !m->unit)
		return true;
	snprintf(text, sizeof(text), "%s/s", m->unit);
	m->rate_unit = strcmp(m->unit, "s") == 0 ? "ratio" : compare_set_text(set, text);
	return m->rate_unit != NULL;
}

enum sx_status compare_set_done(struct compare_set *set, struct sx_error *err)
{
	for (size_t i = 0; i < set->metric_count; i++) {
		struct compare_metric *m = &set->metrics[i];
		double n = m->runs;
		if (!m->runs) {
			double none = (double)NAN;
			m->stats =
			    (struct compare_stats){none, none, none, none, none, none, none, none};
			continue;
		}
		m->why = NULL;
		m->stats.mean = noise_mean(m->means, m->runs);
		m->stats.total = noise_mean(m->totals, m->runs);
		m->stats.p50 /= n;
		m->stats.p95 /= n;
		m->stats.p99 /= n;
		if (!find_rates(set, m))
			return error_nomem(err, "a comparison");
	}
	return set->metric_count ? SX_OK
				 : error_set(err, SX_ERR_USAGE, "there is nothing to compare");
}
