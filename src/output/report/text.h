/* What the text of a report and that of its groups share. */
#ifndef OUTPUT_REPORT_TEXT_H
#define OUTPUT_REPORT_TEXT_H

#include "output/views.h"

/* What a device is called. */
const char *report_text_title(const struct report_device *device);
/* Name, driver, samples and time of a device, in lines. */
void report_text_head(const struct view *view, const struct report *report,
		      const struct report_device *device);

#endif
