/*
 * Cards with OA units, of either driver; the period of their streams, and the reports that these
 * lost.
 */
#include "source/oa/oa.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "wire/oa/oa.h"

#define IOCTL_TRIES 100

int oa_ioctl(const struct sx_sys *sys, int fd, unsigned long request, void *arg)
{
	int result;
	int tries = IOCTL_TRIES;
	do
		result = sys->ioctl(sys->user, fd, request, arg);
	while (result < 0 && (errno == EINTR || errno == EAGAIN) && --tries);
	return result;
}

static int any_entry(void *arg, const char *name)
{
	return 1;
}

/* NULL when a card can be observed, else why not; *remedy says what to do, *status its kind. */
static const char *obstacle(const struct oa_steps *steps, const struct sx_sys *sys,
			    const struct drm_node *node, enum sx_status *status,
			    const char **remedy)
{
	struct oa_card card = {.node = *node, .device.device_id = node->device_id};
	const char *because;
	char path[64];
	steps->read_files(sys, &card);
	snprintf(path, sizeof(path), "/sys/class/drm/card%u/metrics", node->card);
	if (sys->list_dir(sys->user, path, any_entry, NULL) < 0) {
		*status = SX_ERR_UNSUPPORTED;
		*remedy = steps->kernel;
		return "the kernel offers no OA metrics";
	}
	if (!steps->is_allowed(&card, &because, remedy)) {
		*status = SX_ERR_PERMISSION;
		return because;
	}
	*remedy = NULL;
	return NULL;
}

/*
 * Why a device without a catalog cannot be used; `nearest` is one that may serve, or NULL. `remedy`
 * holds the text.
 */
static void no_catalog(struct sx_device *device, const char *nearest, char *remedy, size_t size)
{
	device->obstacle = SX_ERR_NOT_FOUND;
	device->because = "no catalog describes this GPU: its metric sets were never published";
	if (!nearest)
		return;
	snprintf(remedy, size, "measure it by the nearest, at your own risk: -d %s --for %s",
		 device->id, nearest);
	device->remedy = remedy;
}

static void probe_card(const struct oa_steps *steps, const struct source_host *host,
		       const struct drm_node *node, source_found_fn found, void *user)
{
	struct oa_catalog catalog;
	struct sx_error err;
	char id[32], name[64], remedy[320], because[2 * SX_ERROR_TEXT_MAX + 4];
	const char *generation = sx_oa_generation(node->device_id);
	bool known = oa_find_catalog(host->catalogs, node->device_id, &catalog);
	snprintf(id, sizeof(id), "%s:card%u", steps->name, node->card);
	snprintf(name, sizeof(name), "Intel GPU 0x%04x%s%s%s", node->device_id,
		 generation ? " (" : "", generation ? generation : "", generation ? ")" : "");
	struct sx_device device = {.id = id,
				   .source = steps->ops->name,
				   .name = name,
				   .catalog = known ? catalog.name : NULL,
				   .driver = steps->name,
				   .state = SX_DEVICE_READY};
	device.because = obstacle(steps, host->sys, node, &device.obstacle, &device.remedy);
	if (!device.because && !known)
		no_catalog(&device, catalog.match == SX_OA_MATCH_NEAR ? catalog.name : NULL, remedy,
			   sizeof(remedy));
	if (!device.because && host->ask_drivers &&
	    (device.obstacle = oa_source_attempt(steps, host, id, &err))) {
		snprintf(because, sizeof(because), "%s: %s", err.message, err.because);
		device.because = because;
		device.remedy = err.remedy;
	}
	if (device.because)
		device.state = SX_DEVICE_UNUSABLE;
	found(user, &device);
}

void oa_probe(const struct oa_steps *steps, const struct source_host *host, source_found_fn found,
	      void *user)
{
	struct nodes nodes = nodes_list(host->sys, steps->name);
	struct drm_node node;
	char id[32], because[64];
	bool any = false;
	for (; nodes_next(&nodes, &node); any = true)
		probe_card(steps, host, &node, found, user);
	if (any)
		return;
	snprintf(id, sizeof(id), "%s:card0", steps->name);
	snprintf(because, sizeof(because), "no card in /sys/class/drm is driven by %s",
		 steps->name);
	found(user, &(struct sx_device){.id = id,
					.source = steps->ops->name,
					.name = "Intel GPU",
					.state = SX_DEVICE_ABSENT,
					.because = because});
}

uint32_t oa_card_limit_hz(const struct sx_sys *sys, const struct oa_card *card,
			  const char *const *files)
{
	uint64_t mhz = 0;
	for (; *files && !mhz; files++)
		mhz = nodes_card_number(sys, card->node.card, *files);
	return mhz > UINT32_MAX / 1000000 ? 0 : (uint32_t)mhz * 1000000;
}

enum sx_status oa_query_refused(int why, const char *what, const char *since, struct sx_error *err)
{
	enum sx_status status = error_errno(err, why, "the driver refuses the query of %s", what);
	switch (why) {
	case EACCES:
	case EPERM:
		error_because(err, "only the render node is open to all, and a container may "
				   "filter it");
		error_try(err, "sudo usermod -aG render,video $USER, then log in again");
		return status;
	case EINVAL:
	case ENOTTY:
	case EOPNOTSUPP:
		error_because(err, "this kernel does not know the query, or not for this GPU");
		error_try(err, "a kernel of %s or later that knows this GPU", since);
		return error_as(err, SX_ERR_UNSUPPORTED);
	case ENODEV:
		error_because(err, "the device or its driver went away");
		error_try(err, "start again once the GPU is back; see dmesg");
		return status;
	default:
		error_try(err, "the same again; dmesg has the driver's reason");
		return status;
	}
}

enum sx_status oa_denied(const struct oa_source *s, const char *sysctl, struct sx_error *err)
{
	const char *because, *remedy;
	if (!s->steps->is_allowed(&s->card, &because, &remedy)) {
		error_because(err, "%s", because);
		error_try(err, "%s", remedy);
	} else if (s->card.paranoid) {
		error_because(err, "%s is 1, and the CAP_PERFMON of a container does not count",
			      sysctl);
		error_try(err, "sudo sysctl %s=0, outside of the container", sysctl);
	} else {
		error_because(err, "a security policy of this machine or container forbids it");
		error_try(err, "the same as root, outside of containers");
	}
	return error_as(err, SX_ERR_PERMISSION);
}

bool oa_find_catalog(struct sx_context *catalogs, uint32_t device_id, struct oa_catalog *out)
{
	out->match =
	    catalogs ? sx_oa_find_catalog(catalogs, device_id, out->name) : SX_OA_MATCH_NONE;
	/* Without a search path what is always there serves. */
	if (out->match == SX_OA_MATCH_NONE && oa_is_broadwell(device_id)) {
		snprintf(out->name, sizeof(out->name), "%s", OA_CATALOG_INSIDE);
		out->match = SX_OA_MATCH_OWN;
	}
	return out->match == SX_OA_MATCH_OWN;
}

uint64_t oa_ticks_a_count(uint64_t oa_hz, uint64_t other_hz)
{
	return other_hz && oa_hz > other_hz && oa_hz % other_hz == 0 ? oa_hz / other_hz : 1;
}

uint64_t oa_period_ns(uint64_t timestamp_hz, uint32_t exponent)
{
	return (((uint64_t)2 << exponent) * 1000000000 + timestamp_hz - 1) / timestamp_hz;
}

/* Below two wraps of any counter: those of 32 bits that add up over EUs wrap soon on Haswell. */
static uint32_t highest_exponent(const struct sx_oa_device *d)
{
	uint32_t eus, slices, subslices, e = OA_EXPONENT_MAX;
	if (oa_format_head(d->format) != OA_HEAD_HASWELL)
		return e;
	oa_device_count(d, &eus, &slices, &subslices);
	double hz = d->gt_max_hz ? d->gt_max_hz : OA_HIGHEST_HZ;
	double wrap_ns = 4294967296e9 / (hz * (eus ? eus : 40));
	while (e > 6 && (double)oa_period_ns(d->timestamp_hz, e) > wrap_ns)
		e--;
	return e;
}

uint32_t oa_exponent(const struct oa_card *card, uint64_t interval_ns)
{
	const struct sx_oa_device *device = &card->device;
	uint64_t max_rate_hz = card->privileged ? 0 : card->max_rate_hz;
	uint32_t best = 0, highest = highest_exponent(device);
	uint64_t best_off = UINT64_MAX;
	for (uint32_t e = 0; e <= highest; e++) {
		uint64_t period = oa_period_ns(device->timestamp_hz, e);
		uint64_t off = period > interval_ns ? period - interval_ns : interval_ns - period;
		bool allowed = !max_rate_hz || 1000000000 / period <= max_rate_hz;
		if (allowed && off < best_off) {
			best = e;
			best_off = off;
		}
	}
	return best;
}

/*
 * Ticks since the last report of the stream. Its 32 bits wrap within minutes, so the CPU's clock
 * says how often they did.
 */
static uint64_t ticks_since(const struct oa_source *s, uint32_t ticks, uint64_t now_ns)
{
	uint64_t span = (uint32_t)(ticks - s->last_ticks);
	double estimate = (double)(now_ns > s->last_ns ? now_ns - s->last_ns : 0) *
			  (double)s->card.device.timestamp_hz / 1e9;
	double wraps = (estimate - (double)span) / 4294967296.0 + 0.5;
	return wraps >= 1 ? span + ((uint64_t)wraps << 32) : span;
}

uint64_t oa_count_missing(struct oa_source *s, const uint8_t *data, size_t size, uint64_t now_ns)
{
	uint64_t missing = 0, step = UINT64_C(2) << s->exponent;
	bool wide = oa_format_head(s->card.device.format) == OA_HEAD_LONG;
	while (size >= OA_RECORD_HEADER) {
		size_t length = oa_record_size(data);
		uint32_t type = little_u32(data);
		if (length < OA_RECORD_HEADER || length > size)
			break;
		if (type == OA_RECORD_REPORT_LOST || type == OA_RECORD_BUFFER_LOST)
			s->gap = true;
		if (type == OA_RECORD_SAMPLE && length >= OA_RECORD_HEADER + 16) {
			uint32_t ticks = little_u32(data + OA_RECORD_HEADER + (wide ? 8 : 4));
			uint64_t steps = ticks_since(s, ticks, now_ns) / step;
			if (s->gap)
				missing += s->has_last && steps > 2 ? steps - 1 : 1;
			s->gap = false;
			s->has_last = true;
			s->last_ticks = ticks;
			s->last_ns = now_ns;
		}
		data += length;
		size -= length;
	}
	return missing;
}
