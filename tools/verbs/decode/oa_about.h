/* What a file of OA reports is: its device, its metric set, and what was found in it. */
#ifndef TOOLS_VERBS_DECODE_OA_ABOUT_H
#define TOOLS_VERBS_DECODE_OA_ABOUT_H

#include <sextant/oa.h>

#include "tools/cli/cli.h"

/* "device 0x1616 revision 9, 24 EUs in 3 subslices, set RenderBasic", as far as it is known. */
void oa_about_device(const struct cli *cli, const struct sx_oa_device *device, const char *set);
/*
 * "51 reports, 50 intervals, 12 context switches, nothing lost"; intervals of --context alone.
 * `left` bytes at the end are no whole record.
 */
void oa_about_reports(const struct cli *cli, const struct sx_oa_stats *stats, size_t left);
/* Both as the value of "recording" in an open JSON object. */
void oa_about_json(struct json *json, const struct sx_oa_device *device, const char *set,
		   const struct sx_oa_stats *stats);

#endif
