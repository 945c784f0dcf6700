/* The table of views. */
#include "output/views.h"

#define VIEW(name, format) extern const struct report_view view_##name;
#include "output/views.def"
#undef VIEW

const struct report_view *views_find(enum format wanted)
{
#define VIEW(name, format)                                                                         \
	if (wanted == format)                                                                      \
		return &view_##name;
#include "output/views.def"
#undef VIEW
	return NULL;
}
