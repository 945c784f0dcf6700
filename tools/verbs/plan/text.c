/* The plan for people: see plan.h. */
#include "tools/verbs/plan/plan.h"
#include "base/text_buf.h"

#include <stdarg.h>
#include <string.h>

#include "base/number.h"

static uint32_t in_block(const struct planning *p, const struct sx_plan_pass *pass, uint32_t block)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < pass->count; i++)
		n += p->counters[pass->counters[i]].block == block;
	return n;
}

/* "CB 3, SPI 6 of 6 (full), SQ_VS 5 of 16": what a pass counts, by block. */
static void format_blocks(const struct planning *p, const struct sx_plan_pass *pass, char *buf,
			  size_t size)
{
	const char *sep = "";
	for (uint32_t b = 0; b < p->block_count; b++) {
		uint32_t n = in_block(p, pass, b);
		if (!n)
			continue;
		text_append(buf, size, "%s%s %u", sep, p->blocks[b].name, (unsigned)n);
		if (p->blocks[b].limit)
			text_append(buf, size, " of %u%s", (unsigned)p->blocks[b].limit,
				    n == p->blocks[b].limit ? " (full)" : "");
		sep = ", ";
	}
	uint32_t loose = in_block(p, pass, SX_NONE);
	if (loose)
		text_append(buf, size, "%s%u of no block", sep, (unsigned)loose);
}

static bool reads(const struct planning *p, uint32_t column, uint32_t pass)
{
	uint32_t count;
	const uint32_t *used = sx_plan_item_passes(p->plan, column, &count);
	for (uint32_t i = 0; i < count; i++)
		if (used[i] == pass)
			return true;
	return false;
}

/* The exclusive set that is programmed in a pass, or NULL. */
static const char *set_of(const struct planning *p, uint32_t pass)
{
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(p->catalog, &count);
	const struct sx_metric_info *metrics = sx_catalog_metrics(p->catalog, &count);
	for (uint32_t i = 0; i < p->column_count; i++) {
		const struct sx_metric_column *c = &p->columns[i];
		uint32_t group =
		    c->metric != SX_NONE ? metrics[c->metric].group : p->counters[c->counter].group;
		if (group != SX_NONE && groups[group].exclusive && reads(p, i, pass))
			return groups[group].name;
	}
	return NULL;
}

/* What keeps others out of a pass: timestamps, a stage, a set. */
static void format_rules(const struct planning *p, uint32_t number, const struct sx_plan_pass *pass,
			 char *buf, size_t size)
{
	uint32_t stage = SX_NONE, windowed = SX_NONE;
	const char *set = set_of(p, number);
	for (uint32_t i = 0; i < pass->count; i++) {
		uint32_t block = p->counters[pass->counters[i]].block;
		if (block == SX_NONE)
			continue;
		if (p->blocks[block].alone) {
			text_append(buf, size, "; %s shares a pass with nothing else",
				    p->blocks[block].name);
			return;
		}
		if (p->blocks[block].stage)
			stage = block;
		if (p->blocks[block].windowed)
			windowed = block;
	}
	if (stage != SX_NONE)
		text_append(buf, size, "; of %s only stage %s in this pass",
			    p->blocks[stage].family, p->blocks[stage].stage);
	if (windowed != SX_NONE)
		text_append(buf, size, "; no single stage of %s, which would window %s",
			    p->blocks[windowed].windowed, p->blocks[windowed].name);
	if (set)
		text_append(buf, size, "; only set %s in this pass", set);
}

static void write_readers(const struct planning *p, uint32_t pass)
{
	char line[4096] = "for ";
	const char *sep = "";
	for (uint32_t i = 0; i < p->column_count; i++) {
		if (!reads(p, i, pass))
			continue;
		text_append(line, sizeof(line), "%s%s", sep, p->columns[i].name);
		sep = ", ";
	}
	text_wrap(&p->cli->view.out, 4, line);
}

static void write_pass(const struct planning *p, uint32_t number, const struct sx_plan_pass *pass)
{
	char head[64], line[2048] = "";
	snprintf(head, sizeof(head), "pass %u: %s", (unsigned)number + 1,
		 COUNTED(pass->count, "counter"));
	text_styled(&p->cli->view.out, TEXT_BOLD, head);
	fputc('\n', p->cli->view.out.out);
	format_blocks(p, pass, line, sizeof(line));
	format_rules(p, number, pass, line, sizeof(line));
	text_wrap(&p->cli->view.out, 2, line);
	write_readers(p, number);
	if (p->cli->options.verbose) {
		char names[16384] = "";
		for (uint32_t i = 0; i < pass->count; i++)
			text_append(names, sizeof(names), "%s%s", i ? ", " : "",
				    p->counters[pass->counters[i]].name);
		text_wrap(&p->cli->view.out, 4, names);
	}
}

/* Metrics that no single pass can hold. */
static void write_conflicts(const struct planning *p)
{
	bool any = false;
	for (uint32_t i = 0; i < p->column_count; i++) {
		uint32_t count;
		char line[256];
		sx_plan_item_passes(p->plan, i, &count);
		if (p->why[i] || count < 2)
			continue;
		if (!any)
			text_wrap(&p->cli->view.out, 0,
				  "Over several passes, because their counters do not fit one:");
		any = true;
		snprintf(line, sizeof(line), "%s: %u passes on its own", p->columns[i].name,
			 (unsigned)count);
		text_wrap(&p->cli->view.out, 2, line);
	}
}

static void write_driver(const struct planning *p)
{
	FILE *out = p->cli->view.out.out;
	if (!p->driver.count)
		return;
	fprintf(out, "%s of the driver's own counters%s\n", COUNTED(p->driver.count, "pass"),
		p->driver.count == 1 ? "" : ", which take turns over frames");
	for (uint32_t pass = 0; pass < p->driver.count; pass++) {
		char line[4096] = "";
		snprintf(line, sizeof(line), "pass %u: ", (unsigned)pass + 1);
		const char *sep = "";
		for (uint32_t i = 0; i < p->driver.name_count; i++) {
			if (p->driver.of[i] != pass)
				continue;
			text_append(line, sizeof(line), "%s%s", sep, p->driver.names[i]);
			sep = ", ";
		}
		text_wrap(&p->cli->view.out, 2, line);
	}
}

void plan_write_text(const struct planning *p)
{
	uint32_t count, planned = 0, without = 0;
	const struct sx_plan_pass *passes = sx_plan_passes(p->plan, &count);
	for (uint32_t i = 0; i < p->column_count; i++) {
		planned += !p->why[i] && !plan_is_drivers(p, i);
		without += p->why[i] && !p->hidden[i];
	}
	if (planned || !p->driver.count)
		fprintf(p->cli->view.out.out, "%s in %s\n", COUNTED(planned, "metric"),
			COUNTED(count, "pass"));
	for (uint32_t i = 0; i < count; i++)
		write_pass(p, i, &passes[i]);
	write_conflicts(p);
	write_driver(p);
	if (!without)
		return;
	fprintf(p->cli->view.out.out, "%u not available here:\n", (unsigned)without);
	for (uint32_t i = 0; i < p->column_count; i++) {
		char line[512];
		if (!p->why[i] || p->hidden[i])
			continue;
		snprintf(line, sizeof(line), "%s: %s", p->columns[i].name, p->why[i]);
		text_wrap(&p->cli->view.out, 2, line);
	}
}
