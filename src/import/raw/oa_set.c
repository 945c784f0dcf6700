/* The metric set of a recording: see oa_set.h. */
#include "import/raw/oa_set.h"

#include <strings.h>

#include "base/error.h"
#include "wire/oa/flex.h"

/* By uuid, which names the registers that were programmed; names are the same on every GPU. */
uint32_t raw_oa_set_by_uuid(const struct raw_input *in, const char *uuid)
{
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(in->catalog, &count);
	for (uint32_t i = 0; *uuid && i < count; i++)
		if (groups[i].uuid && strcasecmp(groups[i].uuid, uuid) == 0)
			return i;
	return SX_NONE;
}

enum sx_status raw_oa_unknown_set(const struct raw_input *in, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "the recording's metric set \"%.64s\" is unknown",
		  in->set);
	error_because(err, "catalog %s does not have it", sx_catalog_info(in->catalog)->name);
	error_try(err, "--counters for the raw values, or --set with one that fits");
	return SX_ERR_NOT_FOUND;
}

/* Reports alone do not say which set was programmed, and formulas depend on it. */
enum sx_status raw_oa_no_set(struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "reports do not say which metric set was programmed");
	error_because(err, "what a B or C counter counts, and so every formula, depends on it");
	error_try(err, "--set RenderBasic, or --counters for the raw values");
	return SX_ERR_USAGE;
}

/* The set that the recording says: its uuid decides, else its name. */
void raw_oa_choose_set(struct raw_input *in, const struct sx_oa_device *device, uint32_t by_uuid)
{
	uint32_t count, by_name = sx_catalog_find_group(in->catalog, device->set);
	const struct sx_group_info *groups = sx_catalog_groups(in->catalog, &count);
	bool matters = !in->counters;
	in->set = by_uuid != SX_NONE ? groups[by_uuid].name : device->set;
	if (matters && by_uuid != SX_NONE && by_name != SX_NONE && by_uuid != by_name)
		teller_say(&in->notes,
			   "note: the recording names set %s, "
			   "but its uuid is that of %s, which is taken",
			   device->set, in->set);
	if (matters && by_uuid == SX_NONE && by_name != SX_NONE && device->uuid[0])
		teller_say(&in->notes,
			   "note: uuid %s is not of set %s; "
			   "its registers may differ from what the formulas expect",
			   device->uuid, device->set);
}

/* A published uuid says what each counter counted, whatever the user's definition claims. */
void raw_oa_check_definitions(const struct raw_input *in, uint32_t by_uuid)
{
	for (size_t i = 0; by_uuid != SX_NONE && i < in->pattern_count; i++) {
		struct oa_flex_counter given;
		struct oa_flex real;
		char text[OA_FLEX_TEXT_MAX];
		if (oa_flex_parse(in->patterns[i], &given, NULL) ||
		    !oa_flex_programmed(in->catalog, by_uuid, given.counter, &real) ||
		    oa_flex_field(&real) == oa_flex_field(&given.flex))
			continue;
		teller_say(&in->notes,
			   "warning: in this recording A%u is %s, "
			   "as its metric set programs it",
			   given.counter, oa_flex_text(&real, text));
	}
}
