/* The budget of a picture, which a report has when a goal was set. */
#ifndef OUTPUT_REPORT_BUDGET_H
#define OUTPUT_REPORT_BUDGET_H

#include "output/views.h"

/* Nothing where the device has none; as JSON, an element of an array. */
void budget_text(const struct view *view, const struct report_device *device);
void budget_json(struct json *json, const struct report_device *device);

#endif
