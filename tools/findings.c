/* Findings as text and JSON. */
#include "tools/findings.h"

#include <math.h>
#include <string.h>

void findings_json(struct json *json, const struct sx_advice *advice, uint32_t device)
{
	static const char *const severities[] = {"high", "medium", "low", "info"};
	size_t count;
	const struct sx_finding *all = sx_advice_findings(advice, &count);
	for (size_t i = 0; i < count && all[i].fired; i++) {
		json_object_begin_flat(json);
		json_kv_string(json, "rule", all[i].rule->rule);
		json_kv_u64(json, "device", device);
		json_kv_string(json, "severity", severities[all[i].rule->severity]);
		json_kv_string(json, "title", all[i].rule->title);
		json_kv_string(json, "advice", all[i].rule->advice);
		json_object_end(json);
	}
}

/* Rules named bound.… say what limits the program; every other one is advice. */
static bool is_verdict(const struct sx_finding *finding)
{
	return strncmp(finding->rule->rule, "bound.", 6) == 0;
}

static void write_finding(const struct cli *cli, const struct sx_finding *f)
{
	static const enum text_style styles[] = {TEXT_RED, TEXT_YELLOW, TEXT_PLAIN, TEXT_PLAIN};
	char value[HUMAN_MAX], line[256];
	fputs("  ", cli->out.out);
	text_styled(&cli->out, styles[f->rule->severity], f->rule->title);
	int n = snprintf(line, sizeof(line), "in %zu of %zu samples", f->samples, f->rows);
	if (f->rule->metric && !isnan(f->value) && n > 0) {
		human_value(&cli->human, value, f->value, NULL);
		snprintf(line + n, sizeof(line) - (size_t)n, ", %s %s", f->rule->metric, value);
	}
	fputc('\n', cli->out.out);
	text_wrap(&cli->out, 4, line);
	text_wrap(&cli->out, 4, f->rule->advice);
}

void findings_text(const struct cli *cli, const struct sx_catalog *catalog,
		   const struct sx_advice *advice)
{
	static const char *const titles[] = {"verdict", "advice"};
	size_t count;
	const struct sx_finding *all = sx_advice_findings(advice, &count);
	for (int verdicts = 1; verdicts >= 0; verdicts--) {
		bool any = false;
		for (size_t i = 0; i < count && all[i].fired; i++) {
			if (is_verdict(&all[i]) != (verdicts == 1))
				continue;
			if (!any) {
				fputc('\n', cli->out.out);
				text_styled(&cli->out, TEXT_BOLD, titles[!verdicts]);
				fputc('\n', cli->out.out);
			}
			any = true;
			write_finding(cli, &all[i]);
		}
	}
}
