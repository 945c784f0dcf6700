/* The table of views. */
#include "output/views.h"

#define VIEW(name) extern const struct report_view view_##name;
#include "output/views.def"
#undef VIEW

#define VIEW(name) &view_##name,
static const struct report_view *const views[] = {
#include "output/views.def"
};
#undef VIEW

#define VIEW_COUNT (sizeof(views) / sizeof(views[0]))

const struct report_view *views_find(enum format format)
{
	for (size_t i = 0; i < VIEW_COUNT; i++)
		if (views[i]->format == format)
			return views[i];
	return NULL;
}

unsigned views_formats(void)
{
	unsigned mask = 0;
	for (size_t i = 0; i < VIEW_COUNT; i++)
		mask |= 1u << views[i]->format;
	return mask;
}
