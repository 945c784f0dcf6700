/* What pairs of clocks say: how exact they are, how one drifts, when it was set or slept. */
#include "tools/verbs/capture/capture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/mem.h"
#include "base/text_buf.h"

static struct capture_clock *find_or_add_clock(struct capture_clocks *clocks, uint32_t device,
					       const char *name)
{
	const struct capture_clock *known = capture_clocks_find(clocks, device, name);
	if (known)
		return &clocks->items[known - clocks->items];
	if (!mem_grow(&clocks->items, &clocks->cap, clocks->count + 1, sizeof(*clocks->items)))
		return NULL;
	struct capture_clock *clock = &clocks->items[clocks->count++];
	*clock = (struct capture_clock){.device = device};
	snprintf(clock->name, sizeof(clock->name), "%s", name);
	return clock;
}

static const struct sx_capture_clock *monotonic_of(const struct sx_capture_record *record)
{
	for (uint32_t i = 0; i < record->clock_count; i++)
		if (strcmp(record->clocks[i].name, "monotonic") == 0)
			return &record->clocks[i];
	return NULL;
}

bool capture_clocks_add(struct capture_clocks *clocks, const struct sx_capture_record *record)
{
	if (record->type != SX_CAPTURE_CLOCK)
		return true;
	const struct sx_capture_clock *from = monotonic_of(record);
	for (uint32_t i = 0; from && i < record->clock_count; i++) {
		const struct sx_capture_clock *to = &record->clocks[i];
		if (to == from &&
		    (record->device == SX_CAPTURE_NO_DEVICE || record->clock_count > 1))
			continue;
		struct capture_clock *clock = find_or_add_clock(clocks, record->device, to->name);
		uint64_t error = from->error_ns > to->error_ns ? from->error_ns : to->error_ns;
		if (!clock || !clock_map_add(&clock->map, &(struct clock_pair){
							      from->value_ns, to->value_ns, error}))
			return false;
		clock->pairs++;
	}
	return true;
}

const struct capture_clock *capture_clocks_find(const struct capture_clocks *clocks,
						uint32_t device, const char *name)
{
	for (size_t i = 0; i < clocks->count; i++)
		if (clocks->items[i].device == device && strcmp(clocks->items[i].name, name) == 0)
			return &clocks->items[i];
	return NULL;
}

static void clock_json(struct json *json, const struct capture_clock *clock)
{
	struct clock_match match = clock_map_match(&clock->map);
	json_object_begin_flat(json);
	json_kv_string(json, "name", clock->name);
	json_kv_u64(json, "pairs", clock->pairs);
	json_kv_u64(json, "error_ns", match.error_ns);
	json_kv_f64(json, "drift_ppm", match.drift * 1e6);
	json_kv_u64(json, "jumps", match.jumps);
	json_key(json, "jump_ns");
	json_i64(json, match.jump_ns);
	json_object_end(json);
}

void capture_clocks_json(struct json *json, const struct capture_clocks *clocks, uint32_t device)
{
	bool machine = device == SX_CAPTURE_NO_DEVICE, any = false;
	json_key(json, machine ? "clocks" : "own_clock");
	if (machine)
		json_array_begin(json);
	for (size_t i = 0; i < clocks->count && (machine || !any); i++) {
		if (clocks->items[i].device != device)
			continue;
		clock_json(json, &clocks->items[i]);
		any = true;
	}
	if (machine)
		json_array_end(json);
	else if (!any)
		json_null(json);
}

/* "realtime, 12 pairs, exact to 80 ns, drift 0.2 ppm, 1 jump of 2.5 s" */
static void clock_text(const struct capture_clock *clock, char *buf, size_t size)
{
	struct clock_match match = clock_map_match(&clock->map);
	char error[HUMAN_MAX], jump[HUMAN_MAX];
	human_duration(error, match.error_ns);
	snprintf(buf, size, "%s, %s, exact to %s", clock->name, COUNTED(clock->pairs, "pair"),
		 error);
	if (!isnan(match.drift) && strcmp(clock->name, "monotonic") != 0)
		text_append(buf, size, ", drift %.2g ppm", match.drift * 1e6);
	if (!match.jumps)
		return;
	human_duration(jump, (uint64_t)llabs(match.jump_ns));
	text_append(buf, size, ", %s: %s%s", COUNTED(match.jumps, "jump"),
		    match.jump_ns < 0 ? "-" : "+", jump);
}

void capture_clocks_text(const struct view *view, const struct capture_clocks *clocks,
			 uint32_t device)
{
	char line[256];
	for (size_t i = 0; i < clocks->count; i++) {
		if (clocks->items[i].device != device)
			continue;
		clock_text(&clocks->items[i], line, sizeof(line));
		fprintf(view->out.out, "  clock    %s\n", line);
	}
}

void capture_clocks_finish(struct capture_clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++)
		clock_map_finish(&clocks->items[i].map);
	free(clocks->items);
	*clocks = (struct capture_clocks){.count = 0};
}
