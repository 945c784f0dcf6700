/* What the live view says in sentences: the verdict, the state of a device, advice. */
#include "output/live/parts.h"

#include <math.h>
#include <string.h>

#include "base/text_buf.h"

#define ADVICE_MOST 3

static void verdict_evidence(const struct live_canvas *c, const struct live_verdict *v, char *buf,
			     size_t size)
{
	char number[LIVE_TEXT_MAX];
	for (uint32_t i = 0; i < v->evidence_count; i++) {
		const struct verdict_value *fact = &v->evidence[i];
		live_text(c->view, number, fact->value, fact->unit);
		text_append_item(buf, size, ", ", "%s %s", fact->title, number);
	}
}

void live_verdict_text(const struct live_canvas *c, char *title, char *evidence, size_t size)
{
	struct live_verdict v = live_verdict(c->live);
	title[0] = evidence[0] = '\0';
	if (!v.title || strcmp(v.name, VERDICT_UNKNOWN) == 0) {
		const char *none = v.title ? "" : "no samples so far";
		text_append(title, size, "No verdict");
		text_append(evidence, size, "%s", v.because ? v.because : none);
		return;
	}
	text_append(title, size, "%s%s%s%s", v.title, v.which ? " (" : "", v.which ? v.which : "",
		    v.which ? ")" : "");
	if (v.confidence > 0)
		text_append(evidence, size, "confidence %s (%.0f %%)",
			    verdict_confidence_name(v.confidence), v.confidence * 100);
	if (v.program)
		text_append_item(evidence, size, ", ", "of %s", v.program);
	if (v.because)
		text_append_item(evidence, size, ", ", "%s", v.because);
	char facts[256] = "";
	verdict_evidence(c, &v, facts, sizeof(facts));
	if (facts[0])
		text_append_item(evidence, size, ": ", "%s", facts);
}

void live_state_text(const struct live_view *view, const struct live_device *device, char *buf,
		     size_t size)
{
	char since[HUMAN_MAX] = "";
	const struct sx_error *why = device->why;
	buf[0] = '\0';
	if (device->since_ns && view->newest_ns > device->since_ns)
		human_duration(since, view->newest_ns - device->since_ns);
	switch (device->state) {
	case LIVE_MEASURING:
		return;
	case LIVE_WAITING:
		text_append(buf, size, "no sample yet");
		return;
	case LIVE_BACK:
		text_append(buf, size, "back%s%s", *since ? " since " : "", since);
		return;
	case LIVE_SILENT:
		text_append(buf, size, "no samples");
		break;
	case LIVE_GONE:
		text_append(buf, size, "gone%s%s", *since ? " for " : "", since);
		break;
	}
	if (why && why->because[0])
		text_append(buf, size, ": %s", why->because);
	else if (why)
		text_append(buf, size, ": %s", why->message);
	if (why && why->remedy[0])
		text_append(buf, size, "; try %s", why->remedy);
}

bool live_any_simulated(const struct live *live)
{
	bool any = false;
	for (uint32_t i = 0; i < live_device_count(live); i++)
		any |= live_device(live, i).facts->simulated;
	return any;
}

int live_advice_draw(const struct live_canvas *c, struct screen_area area)
{
	uint32_t count;
	const struct live_advice *advice = live_advice(c->live, &count);
	uint32_t shown = count < ADVICE_MOST ? count : ADVICE_MOST;
	if (!shown)
		return 0;
	char title[LIVE_TEXT_MAX];
	snprintf(title, sizeof(title), shown < count ? "Advice: %u of %u" : "Advice", shown, count);
	screen_rule(c->screen, area.x, area.y, area.width, title, false);
	for (uint32_t i = 0; i < shown; i++) {
		const struct sx_finding *f = advice[i].finding;
		int y = area.y + 1 + (int)i;
		int used = screen_put(c->screen, area.x + 1, y, area.width / 2, SCREEN_WARNING,
				      f->rule->title ? f->rule->title : f->rule->rule);
		screen_put(c->screen, area.x + used + 3, y, area.width - used - 3, SCREEN_PLAIN,
			   f->rule->advice);
	}
	return (int)shown + 1;
}
