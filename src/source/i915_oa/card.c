/* What a card is: files of the kernel, parameters of the driver, and whether it may be measured. */
#include "source/i915_oa/i915_oa.h"
#include "source/i915_oa/uapi.h"
#include "base/error.h"
#include "wire/oa/oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CARDS_MAX      64
#define VENDOR_INTEL   0x8086
#define CAP_SYS_ADMIN  21
#define CAP_PERFMON    38
#define GEN8_HZ	       12500000u
#define TOPOLOGY_BYTES 512

int i915_ioctl(const struct sx_sys *sys, int fd, unsigned long request, void *arg)
{
	int result;
	int tries = 100;
	do
		result = sys->ioctl(sys->user, fd, request, arg);
	while (result < 0 && (errno == EINTR || errno == EAGAIN) && --tries);
	return result;
}

struct numbers {
	uint32_t items[CARDS_MAX];
	size_t count;
};

static int take_card(void *arg, const char *name)
{
	struct numbers *numbers = arg;
	char *end;
	if (strncmp(name, "card", 4) != 0 || name[4] < '0' || name[4] > '9')
		return 0;
	unsigned long n = strtoul(name + 4, &end, 10);
	if (!*end && n < 1000 && numbers->count < CARDS_MAX)
		numbers->items[numbers->count++] = (uint32_t)n;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

void i915_card_each(const struct sx_sys *sys, bool (*visit)(void *arg, uint32_t number), void *arg)
{
	struct numbers numbers = {.count = 0};
	if (sys->list_dir(sys->user, "/sys/class/drm", take_card, &numbers) < 0)
		return;
	qsort(numbers.items, numbers.count, sizeof(numbers.items[0]), by_number);
	for (size_t i = 0; i < numbers.count; i++)
		if (!visit(arg, numbers.items[i]))
			return;
}

uint64_t i915_read_number(const struct sx_sys *sys, const char *path, uint64_t absent)
{
	char text[64], *end;
	if (sys->read_file(sys->user, path, text, sizeof(text)) <= 0)
		return absent;
	unsigned long long value = strtoull(text, &end, 0);
	return end == text ? absent : value;
}

static uint64_t card_number(const struct sx_sys *sys, uint32_t card, const char *file)
{
	char path[96];
	snprintf(path, sizeof(path), "/sys/class/drm/card%u/%s", card, file);
	return i915_read_number(sys, path, 0);
}

bool i915_card_identify(const struct sx_sys *sys, uint32_t number, uint32_t *device_id)
{
	char path[96], text[512];
	snprintf(path, sizeof(path), "/sys/class/drm/card%u/device/uevent", number);
	if (sys->read_file(sys->user, path, text, sizeof(text)) <= 0 ||
	    !strstr(text, "DRIVER=i915"))
		return false;
	if (card_number(sys, number, "device/vendor") != VENDOR_INTEL)
		return false;
	*device_id = (uint32_t)card_number(sys, number, "device/device");
	return *device_id != 0;
}

/* Whether this process holds a capability, by /proc/self/status. */
static bool capable(const struct sx_sys *sys)
{
	char text[4096], *at;
	if (sys->read_file(sys->user, "/proc/self/status", text, sizeof(text)) <= 0)
		return false;
	at = strstr(text, "CapEff:");
	unsigned long long mask = at ? strtoull(at + 7, NULL, 16) : 0;
	return (mask >> CAP_PERFMON & 1) || (mask >> CAP_SYS_ADMIN & 1);
}

void i915_card_read_files(const struct sx_sys *sys, struct i915_card *card)
{
	struct sx_oa_device *d = &card->device;
	d->gt_min_hz = (uint32_t)card_number(sys, card->number, "gt_min_freq_mhz") * 1000000;
	d->gt_max_hz = (uint32_t)card_number(sys, card->number, "gt_max_freq_mhz") * 1000000;
	card->privileged = capable(sys);
	card->paranoid = i915_read_number(sys, "/proc/sys/dev/i915/perf_stream_paranoid", 1) != 0;
	card->max_rate_hz = i915_read_number(sys, "/proc/sys/dev/i915/oa_max_sample_rate", 100000);
}

static int any_entry(void *arg, const char *name)
{
	*(bool *)arg = true;
	return 1;
}

const char *i915_card_obstacle(const struct sx_sys *sys, const struct i915_card *card,
			       const char **remedy)
{
	char path[64];
	bool any = false;
	if (!oa_is_broadwell(card->device.device_id)) {
		*remedy = "a catalog and formats are known for Broadwell only";
		return "it is no Broadwell (Gen8)";
	}
	snprintf(path, sizeof(path), "/sys/class/drm/card%u/metrics", card->number);
	if (sys->list_dir(sys->user, path, any_entry, &any) < 0) {
		*remedy = "a kernel of 4.13 or later with CONFIG_DRM_I915_PERF";
		return "the kernel offers no OA metrics";
	}
	if (card->paranoid && !card->privileged) {
		*remedy = "sudo sysctl dev.i915.perf_stream_paranoid=0";
		return "dev.i915.perf_stream_paranoid is 1 and CAP_PERFMON is missing";
	}
	return NULL;
}

/* A parameter of the driver, or 0. */
static uint32_t parameter(const struct sx_sys *sys, int fd, enum i915_param param)
{
	int32_t value = 0;
	struct i915_getparam arg = {(int32_t)param, &value};
	return i915_ioctl(sys, fd, I915_GETPARAM, &arg) < 0 || value < 0 ? 0 : (uint32_t)value;
}

static enum sx_status query_topology(const struct sx_sys *sys, int fd, struct sx_oa_device *d,
				     struct sx_error *err)
{
	uint8_t answer[TOPOLOGY_BYTES] = {0};
	struct i915_query_item item = {.query_id = I915_QUERY_TOPOLOGY};
	struct i915_query query = {.count = 1, .items = (uint64_t)(uintptr_t)&item};
	if (i915_ioctl(sys, fd, I915_QUERY, &query) < 0)
		return error_errno(err, errno, "the driver does not tell the GPU's topology");
	if (item.length < 17 || (size_t)item.length > sizeof(answer))
		return error_set(err, SX_ERR_UNSUPPORTED, "the driver's topology has %d bytes",
				 (int)item.length);
	item.data = (uint64_t)(uintptr_t)answer;
	if (i915_ioctl(sys, fd, I915_QUERY, &query) < 0)
		return error_errno(err, errno, "the driver does not tell the GPU's topology");
	if (item.length < 17 || (size_t)item.length > sizeof(answer))
		return error_set(err, SX_ERR_UNSUPPORTED, "the driver's topology changed its size");
	return sx_oa_read_topology(answer, (size_t)item.length, d, err);
}

enum sx_status i915_card_query(const struct sx_sys *sys, int fd, struct i915_card *card,
			       struct sx_error *err)
{
	struct sx_oa_device *d = &card->device;
	uint32_t id = parameter(sys, fd, I915_CHIPSET_ID);
	if (id)
		d->device_id = id;
	if (!oa_is_broadwell(d->device_id)) {
		error_set(err, SX_ERR_UNSUPPORTED, "card%u is no Broadwell (0x%04x)", card->number,
			  d->device_id);
		error_try(err, "sextant devices");
		return SX_ERR_UNSUPPORTED;
	}
	d->revision = parameter(sys, fd, I915_REVISION);
	d->format = SX_OA_A32U40_A4U32_B8_C8;
	d->timestamp_hz = parameter(sys, fd, I915_OA_TIMESTAMP_HZ);
	if (!d->timestamp_hz)
		d->timestamp_hz = parameter(sys, fd, I915_CS_TIMESTAMP_HZ);
	if (!d->timestamp_hz)
		d->timestamp_hz = GEN8_HZ;
	card->perf_revision = parameter(sys, fd, I915_PERF_REVISION);
	if (!card->perf_revision)
		card->perf_revision = 1;
	return query_topology(sys, fd, d, err);
}

uint64_t i915_period_ns(uint64_t timestamp_hz, uint32_t exponent)
{
	return (((uint64_t)2 << exponent) * 1000000000 + timestamp_hz - 1) / timestamp_hz;
}

uint32_t i915_exponent(const struct i915_card *card, uint64_t interval_ns)
{
	uint64_t hz = card->device.timestamp_hz;
	uint32_t best = 0;
	uint64_t best_off = UINT64_MAX;
	for (uint32_t e = 0; e <= I915_OA_EXPONENT_MAX; e++) {
		uint64_t period = i915_period_ns(hz, e);
		uint64_t off = period > interval_ns ? period - interval_ns : interval_ns - period;
		bool allowed = card->privileged || !card->max_rate_hz ||
			       1000000000 / period <= card->max_rate_hz;
		if (allowed && off < best_off) {
			best = e;
			best_off = off;
		}
	}
	return best;
}
