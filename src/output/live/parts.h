/* Parts of the live view that live_view_draw() puts together. */
#ifndef OUTPUT_LIVE_PARTS_H
#define OUTPUT_LIVE_PARTS_H

#include "output/live/view.h"

/* What a part needs. */
struct live_canvas {
	struct live_view *view;
	struct live *live;
	struct screen *screen;
	uint32_t process_count;
	const struct live_value *values; /* of the selected device's columns; NULL: no sample */
};

#define LIVE_TEXT_MAX 64
/* "43.1 %", "61 °C", "5.43 GB/s"; "-" without data. */
void live_text(const struct live_view *view, char buf[LIVE_TEXT_MAX], double value,
	       const char *unit);
/* The same for narrow columns: "59.9/s" of frames/s, "0.06 %". */
void live_brief(const struct live_view *view, char buf[LIVE_TEXT_MAX], double value,
		const char *unit);
/* Whether `part` is in `text`, in any case of letters; "" is in all. */
bool live_matches(const char *text, const char *part);
/* Keeps the selection of a list of `count` rows, of which `page` are seen, within both. */
void live_list_fit(struct live_list *list, uint32_t count, int page);
/* "GPU (shader)", or why there is no verdict; and with which confidence and evidence. */
void live_verdict_text(const struct live_canvas *c, char *title, char *evidence, size_t size);
/* The state of a device where there is something to say: "gone for 12 s: ..."; or "". */
void live_state_text(const struct live_view *view, const struct live_device *device, char *buf,
		     size_t size);
/* The name of a device as users know it. */
const char *live_device_name(const struct live_device *device);
/* Whether a model makes the values of any device, which every output says. */
bool live_any_simulated(const struct live *live);
/* The load of a headline, or how busy it is where the clock is unknown. */
const struct live_gauge_value *live_load(const struct live_headline *headline,
					 enum live_gauge *which);

/* What is shown of a device; NULL when memory is out. */
struct live_choice *live_choice_of(struct live_view *view, const struct live *live,
				   uint32_t device);

/* The list of devices with gauges. Returns the lines used, `most` at most. */
int live_devices_height(const struct live_canvas *c, int most);
enum sx_status live_devices_draw(const struct live_canvas *c, struct screen_area area,
				 struct sx_error *err);
/* Engines, and curves of at most so many lines, of the selected device. *used: the lines used. */
enum sx_status live_engines_draw(const struct live_canvas *c, struct screen_area area, int curves,
				 int *used, struct sx_error *err);
/* The metrics of the selected device; how many lines they would fill. */
int live_metrics_height(const struct live_canvas *c);
enum sx_status live_metrics_draw(const struct live_canvas *c, struct screen_area area,
				 struct sx_error *err);
enum sx_status live_processes_draw(const struct live_canvas *c, struct screen_area area,
				   struct sx_error *err);
/* Advice that holds. Returns the lines used, `most` at most. */
int live_advice_draw(const struct live_canvas *c, struct screen_area area);
/* The dialog that is open, and the last line with keys, or what is typed. */
enum sx_status live_dialog_draw(const struct live_canvas *c, struct sx_error *err);
enum sx_status live_setup_draw(const struct live_canvas *c, struct sx_error *err);
void live_keys_draw(const struct live_canvas *c, int y);

#endif
