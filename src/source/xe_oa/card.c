/* What an Xe card is by the kernel's files, and whether it may be observed. */
#include "source/xe_oa/xe_oa.h"

#include <stdio.h>
#include <stdlib.h>

#define PERF_OPENS 7003 /* Linux 7.3: kernel.perf_event_paranoid counts beside the driver's own */

/* A limit of the hardware in Hz, of the first tile's first GT; 0: unknown. */
static uint32_t frequency_limit(const struct sx_sys *sys, uint32_t card, const char *file)
{
	char path[64];
	snprintf(path, sizeof(path), "device/tile0/gt0/freq0/%s", file);
	uint64_t mhz = nodes_card_number(sys, card, path, 0);
	return mhz > UINT32_MAX / 1000000 ? 0 : (uint32_t)mhz * 1000000;
}

/* A whole number that may be below zero. */
static bool read_signed(const struct sx_sys *sys, const char *path, long *out)
{
	char text[32], *end;
	if (sys->read_file(sys->user, path, text, sizeof(text)) <= 0)
		return false;
	*out = strtol(text, &end, 10);
	return end != text;
}

void xe_card_read_files(const struct sx_sys *sys, struct xe_card *card)
{
	uint32_t number = card->node.card;
	long perf = 1;
	card->device.gt_min_hz = frequency_limit(sys, number, "rpn_freq");
	card->device.gt_max_hz = frequency_limit(sys, number, "rp0_freq");
	card->privileged = nodes_may_perfmon(sys);
	card->paranoid = nodes_read_number(sys, "/proc/sys/dev/xe/observation_paranoid", 1) != 0;
	card->perf_open =
	    read_signed(sys, "/proc/sys/kernel/perf_event_paranoid", &perf) && perf <= 0;
	card->kernel = nodes_kernel_version(sys);
}

bool xe_card_allowed(const struct xe_card *card, const char **because, const char **remedy)
{
	bool later = card->kernel >= PERF_OPENS;
	*remedy = "sudo sysctl " XE_PARANOID "=0";
	if (!card->paranoid || card->privileged || (later && card->perf_open))
		return true;
	if (later)
		*because = XE_PARANOID " is 1, kernel.perf_event_paranoid above 0, "
				       "and CAP_PERFMON is missing";
	else if (card->perf_open)
		*because = XE_PARANOID " is 1 and CAP_PERFMON is missing; "
				       "kernel.perf_event_paranoid helps from Linux 7.3 on";
	else
		*because = XE_PARANOID " is 1 and CAP_PERFMON is missing";
	if (later)
		*remedy = "sudo sysctl " XE_PARANOID "=0, or, since Linux 7.3, "
			  "kernel.perf_event_paranoid=0";
	return false;
}

const char *xe_card_obstacle(const struct sx_sys *sys, const struct xe_card *card,
			     enum sx_status *status, const char **remedy)
{
	const char *because;
	if (!oa_kernel_has_metrics(sys, card->node.card)) {
		*status = SX_ERR_UNSUPPORTED;
		*remedy = "a kernel of 6.11 or later; virtual functions have none";
		return "the kernel offers no OA metrics";
	}
	if (xe_card_allowed(card, &because, remedy)) {
		*remedy = NULL;
		return NULL;
	}
	*status = SX_ERR_PERMISSION;
	return because;
}
