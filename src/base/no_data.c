#include "base/no_data.h"

#include <sextant/value.h>

#include "base/text_buf.h"

static const struct {
	const char *reason, *remedy;
	const char *both;
} reasons[NO_DATA_COUNT] = {
#define NO_DATA(id, reason, remedy)                                                                \
	[NO_DATA_##id] = {reason, remedy, sizeof(remedy) > 1 ? reason "; " remedy : reason},
#include "base/no_data.def"
#undef NO_DATA
};

const char *no_data_text(enum no_data reason)
{
	return reasons[reason].both;
}

void no_data_append(char *buf, size_t size, enum no_data reason, const char *detail)
{
	text_append(buf, size, "%s", reasons[reason].reason);
	if (detail && *detail)
		text_append(buf, size, " (%s)", detail);
	if (*reasons[reason].remedy)
		text_append(buf, size, "; %s", reasons[reason].remedy);
}

enum no_data no_data_of_quality(uint8_t quality)
{
	if (sx_quality_is_skipped(quality))
		return NO_DATA_SKIPPED;
	/* The graver of several things. */
	return quality & SX_QUALITY_DISTURBED	    ? NO_DATA_PROGRAMS_OWN
	       : quality & SX_QUALITY_GAP	    ? NO_DATA_GAP
	       : quality & SX_QUALITY_NOT_COLLECTED ? NO_DATA_NOT_COLLECTED
	       : quality & SX_QUALITY_UNDEFINED	    ? NO_DATA_UNDEFINED
						    : NO_DATA_NO_VALUE;
}
