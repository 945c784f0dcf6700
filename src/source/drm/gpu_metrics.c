/*
 * amdgpu's gpu_metrics: a table in the layout that its first four bytes name. Layouts are those of
 * Linux' kgd_pp_interface.h; a revision that is not listed, or of another size, is refused.
 */
#include "source/drm/drm.h"

#include <stdio.h>
#include <string.h>
#include "base/error.h"

/* Offsets in bytes; 0: this revision has none (the head is there). Clocks are MHz throughout. */
struct layout {
	uint8_t format, content;
	uint16_t size;
	uint16_t clock, memory_clock;		    /* current_gfxclk, current_uclk */
	uint16_t temperature, hotspot, memory_heat; /* edge or gfx, hotspot, mem */
	uint16_t power, gfx_power;		    /* of the socket */
	uint16_t energy;			    /* u64 in 2^-16 J */
	uint16_t fan, busy;
	uint16_t throttle, reasons; /* u32 of the chip's own bits; u64 of common bits */
	uint16_t dram;		    /* reads, then writes */
	bool apu;		    /* hundredths of a degree and mW; else degrees and W */
	bool wide_power;	    /* u32 */
};

static const struct layout layouts[] = {
    {1, 0, 80, 54, 58, 16, 18, 20, 34, 0, 0, 72, 28, 68, 0, 0, false, false},
    {1, 1, 96, 54, 58, 4, 6, 8, 22, 0, 0, 72, 16, 68, 0, 0, false, false},
    {1, 2, 104, 54, 58, 4, 6, 8, 22, 0, 0, 72, 16, 68, 0, 0, false, false},
    {1, 3, 120, 54, 58, 4, 6, 8, 22, 0, 0, 72, 16, 68, 112, 0, false, false},
    {1, 4, 288, 240, 280, 0, 4, 6, 10, 0, 24, 0, 12, 40, 0, 0, false, false},
    {1, 5, 360, 312, 352, 0, 4, 6, 10, 0, 88, 0, 12, 104, 0, 0, false, false},
    {1, 6, 384, 336, 376, 0, 4, 6, 10, 0, 88, 0, 12, 128, 0, 0, false, false},
    {2, 0, 120, 80, 84, 16, 0, 0, 44, 50, 0, 0, 0, 112, 0, 0, true, false},
    {2, 1, 120, 76, 80, 4, 0, 0, 40, 46, 0, 0, 0, 108, 0, 0, true, false},
    {2, 2, 128, 76, 80, 4, 0, 0, 40, 46, 0, 0, 0, 108, 120, 0, true, false},
    {2, 3, 152, 76, 80, 4, 0, 0, 40, 46, 0, 0, 0, 108, 120, 0, true, false},
    {2, 4, 168, 76, 80, 4, 0, 0, 40, 46, 0, 0, 0, 108, 120, 0, true, false},
    {3, 0, 264, 174, 186, 4, 0, 0, 112, 124, 0, 0, 42, 0, 0, 94, true, true},
};

static uint64_t little_endian(const uint8_t *p, unsigned bytes)
{
	uint64_t value = 0;
	while (bytes--)
		value = value << 8 | p[bytes];
	return value;
}

/* All bits set stand for what the chip does not tell. */
static bool field(const uint8_t *bytes, uint16_t offset, unsigned size, uint64_t *out)
{
	if (!offset)
		return false;
	*out = little_endian(bytes + offset, size);
	return *out != (size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1);
}

static bool scaled(const uint8_t *bytes, uint16_t offset, unsigned size, double scale, double *out)
{
	uint64_t value;
	if (!field(bytes, offset, size, &value))
		return false;
	*out = (double)value * scale;
	return true;
}

/* Bits that mean the same on all chips: 0 power, 16 current, 32 temperature. */
static void take_throttling(const uint8_t *bytes, const struct layout *l,
			    struct drm_gpu_metrics *out)
{
	uint64_t bits = 0;
	out->has_throttle = field(bytes, l->throttle, 4, &bits);
	out->throttled = out->has_throttle && bits;
	out->has_reasons = field(bytes, l->reasons, 8, &bits);
	if (!out->has_reasons)
		return;
	out->has_throttle = true;
	out->throttled = bits != 0;
	out->by_power = bits & 0xffff;
	out->by_current = bits >> 16 & 0xffff;
	out->by_heat = bits >> 32 & 0xffffff;
}

static void take_fields(const uint8_t *bytes, const struct layout *l, struct drm_gpu_metrics *out)
{
	double heat = l->apu ? 0.01 : 1, milliwatts = l->apu ? 1 : 1000;
	unsigned power = l->wide_power ? 4 : 2;
	out->has_clock = scaled(bytes, l->clock, 2, 1e6, &out->clock_hz);
	out->has_memory_clock = scaled(bytes, l->memory_clock, 2, 1e6, &out->memory_clock_hz);
	out->has_temperature = scaled(bytes, l->temperature, 2, heat, &out->temperature);
	out->has_hotspot = scaled(bytes, l->hotspot, 2, heat, &out->hotspot);
	out->has_memory_temperature =
	    scaled(bytes, l->memory_heat, 2, heat, &out->memory_temperature);
	out->has_power = scaled(bytes, l->power, power, milliwatts, &out->power_mw);
	out->has_gfx_power = scaled(bytes, l->gfx_power, power, milliwatts, &out->gfx_power_mw);
	out->has_energy = scaled(bytes, l->energy, 8, 1e6 / 65536, &out->energy_uj);
	out->has_fan = scaled(bytes, l->fan, 2, 1, &out->fan);
	out->has_busy = scaled(bytes, l->busy, 2, 1, &out->busy) && out->busy <= 100;
	out->has_dram = l->dram && scaled(bytes, l->dram, 2, 1, &out->dram_read) &&
			scaled(bytes, l->dram + 2, 2, 1, &out->dram_write);
}

static enum sx_status refuse(uint32_t format, uint32_t content, size_t size, bool known,
			     struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "gpu_metrics v%u.%u of %zu bytes cannot be read", format,
		  content, size);
	if (known)
		error_because(err, "that revision has another size");
	else
		error_because(err, "its layout is not known, and numbers at wrong places mislead");
	error_try(err, "report the revision with the kernel's version; all else is read");
	return SX_ERR_UNSUPPORTED;
}

enum sx_status drm_gpu_metrics_parse(const uint8_t *bytes, size_t size, struct drm_gpu_metrics *out,
				     struct sx_error *err)
{
	*out = (struct drm_gpu_metrics){0};
	if (size < 4)
		return refuse(0, 0, size, false, err);
	out->format = bytes[2];
	out->content = bytes[3];
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const struct layout *l = &layouts[i];
		if (l->format != out->format || l->content != out->content)
			continue;
		if (size != l->size || little_endian(bytes, 2) != size)
			return refuse(out->format, out->content, size, true, err);
		take_fields(bytes, l, out);
		take_throttling(bytes, l, out);
		return SX_OK;
	}
	return refuse(out->format, out->content, size, false, err);
}
