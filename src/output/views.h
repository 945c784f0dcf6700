/* Views of a report: one file each, a line in views.def, chosen by format. */
#ifndef OUTPUT_VIEWS_H
#define OUTPUT_VIEWS_H

#include "analysis/report/report.h"
#include "output/view.h"

struct report_view {
	/* Writes the whole report. Errors: SX_ERR_NO_MEMORY, SX_ERR_USAGE; others show in ferror().
	 */
	enum sx_status (*write)(const struct view *view, const struct report *report,
				struct sx_error *err);
};

/* The view of a format, or NULL. */
const struct report_view *views_find(enum format format);
/* A mask of 1 << enum format of all there are. */
enum {
	VIEWS_FORMATS = 0
#define VIEW(name, format) | 1 << format
#include "output/views.def"
#undef VIEW
};

#endif
