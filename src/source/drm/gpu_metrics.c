/*
 * amdgpu's gpu_metrics: a table in the layout that its first four bytes name. Layouts are those of
 * Linux' kgd_pp_interface.h; a revision that is not listed, or of another size, is refused. Version
 * 1.9 is no table: each of its values comes behind a word that says what it is.
 */
#include "source/drm/drm.h"

#include <stdio.h>

#include "base/error.h"
#include "base/little.h"

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
	uint16_t residency;	    /* six u32: ticks, and in how many what held the clock down */
	bool apu;		    /* hundredths of a degree and mW; else degrees and W */
	bool wide_power;	    /* u32 */
};

static const struct layout layouts[] = {
    {1, 0, 80, 54, 58, 16, 18, 20, 34, 0, 0, 72, 28, 68, 0, 0, 0, false, false},
    {1, 1, 96, 54, 58, 4, 6, 8, 22, 0, 0, 72, 16, 68, 0, 0, 0, false, false},
    {1, 2, 104, 54, 58, 4, 6, 8, 22, 0, 0, 72, 16, 68, 0, 0, 0, false, false},
    {1, 3, 120, 54, 58, 4, 6, 8, 22, 0, 0, 72, 16, 68, 112, 0, 0, false, false},
    {1, 4, 288, 240, 280, 0, 4, 6, 10, 0, 24, 0, 12, 40, 0, 0, 0, false, false},
    {1, 5, 360, 312, 352, 0, 4, 6, 10, 0, 88, 0, 12, 104, 0, 0, 0, false, false},
    {1, 6, 1664, 264, 304, 0, 4, 6, 10, 0, 16, 0, 12, 0, 0, 0, 32, false, false},
    {1, 7, 2208, 296, 336, 0, 4, 6, 10, 0, 24, 0, 12, 0, 0, 0, 40, false, false},
    {1, 8, 3872, 296, 336, 0, 4, 6, 10, 0, 24, 0, 12, 0, 0, 0, 40, false, false},
    {2, 0, 120, 80, 84, 16, 0, 0, 44, 50, 0, 0, 0, 112, 0, 0, 0, true, false},
    {2, 1, 120, 76, 80, 4, 0, 0, 40, 46, 0, 0, 0, 108, 0, 0, 0, true, false},
    {2, 2, 128, 76, 80, 4, 0, 0, 40, 46, 0, 0, 0, 108, 120, 0, 0, true, false},
    {2, 3, 152, 76, 80, 4, 0, 0, 40, 46, 0, 0, 0, 108, 120, 0, 0, true, false},
    {2, 4, 168, 76, 80, 4, 0, 0, 40, 46, 0, 0, 0, 108, 120, 0, 0, true, false},
    {3, 0, 264, 174, 186, 4, 0, 0, 112, 124, 0, 0, 42, 0, 0, 94, 0, true, true},
};

/* All bits set mean that the chip does not report the field. */
static bool field(const uint8_t *bytes, uint16_t offset, unsigned size, uint64_t *out)
{
	if (!offset)
		return false;
	*out = little_get(bytes + offset, size);
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

/* The ticks of the firmware, and in how many of them each cause held the clock down. */
static void take_residency(const uint8_t *bytes, const struct layout *l,
			   struct drm_gpu_metrics *out)
{
	out->has_residency = l->residency != 0;
	for (uint16_t i = 0; i < DRM_RESIDENCIES; i++) {
		uint64_t value = 0;
		out->has_residency &= field(bytes, (uint16_t)(l->residency + 4 * i), 4, &value);
		out->residency[i] = value;
	}
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

/*
 * An attribute of version 1.9: enum amdgpu_metrics_attr_id, its unit there, and its number in the
 * tables before. Ids of later versions come after these.
 */
enum attribute {
	ATTRIBUTE_HOTSPOT = 0,
	ATTRIBUTE_MEMORY_HEAT = 1,
	ATTRIBUTE_POWER = 3,
	ATTRIBUTE_BUSY = 4,
	ATTRIBUTE_ENERGY = 7,
	ATTRIBUTE_TICKS = 9, /* and the five that follow */
	ATTRIBUTE_CLOCK = 33,
	ATTRIBUTE_MEMORY_CLOCK = 37,
};
enum { UNIT_NONE, UNIT_MHZ, UNIT_CELSIUS, UNIT_WATT, UNIT_PERCENT = 10 };

/* One attribute: its word taken apart, and the first of its values. */
struct encoded {
	unsigned id, unit, type, count, size;
	const uint8_t *value;
};

static bool next_attribute(const uint8_t **at, const uint8_t *end, struct encoded *out)
{
	if (end - *at < 8)
		return false;
	uint64_t word = little_get(*at, 8);
	*out = (struct encoded){.id = word >> 10 & 0x3ff,
				.unit = word >> 24 & 0xff,
				.type = word >> 20 & 0xf,
				.count = word & 0x3ff,
				.value = *at + 8};
	out->size = 1u << (out->type >> 1); /* u8, s8, u16 ... s64 */
	if (out->type > 7 || !out->count || word >> 32 ||
	    (size_t)(end - out->value) < (size_t)out->size * out->count)
		return false;
	*at = out->value + (size_t)out->size * out->count;
	return true;
}

/*
 * All bits set, as in the tables, mean that the chip does not report it; so does a negative value
 * that cannot be negative.
 */
static bool attribute_value(const struct encoded *e, unsigned unit, double scale, double *out)
{
	uint64_t value = little_get(e->value, e->size), sign = UINT64_C(1) << (8 * e->size - 1);
	uint64_t all = sign | (sign - 1);
	if (e->unit != unit || value == all || (e->type & 1 && value & sign))
		return false;
	*out = (double)value * scale;
	return true;
}

/* Of 32 bits in the first kernels with v1.9, of 64 later. */
static void take_ticks(const struct encoded *e, struct drm_gpu_metrics *out, unsigned *ticks)
{
	double known;
	if (e->id < ATTRIBUTE_TICKS || e->id >= ATTRIBUTE_TICKS + DRM_RESIDENCIES || e->size < 4 ||
	    !attribute_value(e, UNIT_NONE, 1, &known))
		return;
	unsigned bit = 1u << (e->id - ATTRIBUTE_TICKS);
	out->residency[e->id - ATTRIBUTE_TICKS] = little_get(e->value, e->size);
	out->wide_residency |= e->size == 8 ? bit : 0;
	*ticks |= bit;
}

static void take_attribute(const struct encoded *e, struct drm_gpu_metrics *out, unsigned *ticks)
{
	switch (e->id) {
	case ATTRIBUTE_HOTSPOT:
		out->has_hotspot = attribute_value(e, UNIT_CELSIUS, 1, &out->hotspot);
		break;
	case ATTRIBUTE_MEMORY_HEAT:
		out->has_memory_temperature =
		    attribute_value(e, UNIT_CELSIUS, 1, &out->memory_temperature);
		break;
	case ATTRIBUTE_POWER:
		out->has_power = attribute_value(e, UNIT_WATT, 1000, &out->power_mw);
		break;
	case ATTRIBUTE_BUSY:
		out->has_busy = attribute_value(e, UNIT_PERCENT, 1, &out->busy) && out->busy <= 100;
		break;
	case ATTRIBUTE_ENERGY:
		out->has_energy = attribute_value(e, UNIT_NONE, 1e6 / 65536, &out->energy_uj);
		break;
	case ATTRIBUTE_CLOCK:
		out->has_clock = attribute_value(e, UNIT_MHZ, 1e6, &out->clock_hz);
		break;
	case ATTRIBUTE_MEMORY_CLOCK:
		out->has_memory_clock = attribute_value(e, UNIT_MHZ, 1e6, &out->memory_clock_hz);
		break;
	default:
		take_ticks(e, out, ticks);
	}
}

/* False when the attributes do not fill the bytes to the last one. */
static bool take_attributes(const uint8_t *bytes, size_t size, struct drm_gpu_metrics *out)
{
	struct encoded e;
	unsigned ticks = 0;
	if (size < 8 || little_get(bytes, 2) != size)
		return false;
	const uint8_t *at = bytes + 8, *end = bytes + size;
	for (uint64_t left = little_get(bytes + 4, 4); left; left--) {
		if (!next_attribute(&at, end, &e))
			return false;
		take_attribute(&e, out, &ticks);
	}
	out->has_residency = ticks == (1u << DRM_RESIDENCIES) - 1;
	return at == end;
}

void drm_gpu_metrics_refused(const struct drm_gpu_metrics *m, char *out, size_t size)
{
	if (!m->has_revision)
		snprintf(out, size, "gpu_metrics ends before its revision");
	else
		snprintf(out, size, "gpu_metrics v%u.%u %s", m->format, m->content,
			 m->is_known ? "has another size or other parts" : "is not known");
}

static enum sx_status refuse(const struct drm_gpu_metrics *m, size_t size, struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "gpu_metrics v%u.%u of %zu bytes cannot be read",
		  m->format, m->content, size);
	if (m->is_known)
		error_because(err, "that revision has another size, or other parts");
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
		return refuse(out, size, err);
	out->has_revision = true;
	out->format = bytes[2];
	out->content = bytes[3];
	if (out->format == 1 && out->content == 9) {
		out->is_known = true;
		struct drm_gpu_metrics read = *out;
		if (!take_attributes(bytes, size, &read))
			return refuse(out, size, err);
		*out = read;
		return SX_OK;
	}
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const struct layout *l = &layouts[i];
		if (l->format != out->format || l->content != out->content)
			continue;
		out->is_known = true;
		if (size != l->size || little_get(bytes, 2) != size)
			return refuse(out, size, err);
		take_fields(bytes, l, out);
		take_throttling(bytes, l, out);
		take_residency(bytes, l, out);
		return SX_OK;
	}
	return refuse(out, size, err);
}
