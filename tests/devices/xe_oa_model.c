/* What the fake xe card counts: time, and reports of it. */
#include "xe_oa.h"

#include <string.h>

#include "wire/oa/oa.h"

#define TICKS_BEFORE                                                                               \
	0x7ffff000000 /* beyond 36 bits, and 32 and 36 of them wrap within a second                \
		       */

uint64_t fake_xe_ticks(const struct fake_xe *f, uint64_t ns)
{
	uint64_t spent = (uint64_t)((unsigned __int128)ns * f->oa_hz / 1000000000);
	return spent + (uint64_t)((double)spent * f->clock_drift) + TICKS_BEFORE;
}

static uint32_t core_count(const struct fake_xe *f)
{
	return (uint32_t)__builtin_popcount(f->cores);
}

/* Event counters: the 33rd busy 80 %, the others fractions; TestOa counts one event by XeCore. */
static void put_pec(const struct fake_xe *f, uint64_t clock, uint8_t *r)
{
	static const uint8_t cores[] = {3, 4, 5, 6, 21, 22, 23, 24};
	for (uint32_t i = 0; i < 64 && 32 + 8 * i + 8 <= f->report_bytes; i++)
		little_put_u64(r + 32 + 8 * i, clock * (i + 1) / 64);
	little_put_u64(r + 32 + 8 * 32, clock * 8 / 10);
	if (!f->active.tests)
		return;
	little_put_u64(r + 32 + 8 * 2, clock * core_count(f));
	for (uint32_t i = 0; i < sizeof(cores); i++)
		little_put_u64(r + 32 + 8 * cores[i],
			       f->cores >> i & 1 && !(f->wrong_core && i == 1) ? clock : 0);
}

/* A and B counters of the formats before Xe2: A0 busy 80 %, B in the ratios of TestOa. */
static void put_ab(uint64_t clock, uint8_t *r, bool wide)
{
	static const uint64_t sixths[8] = {0, 6, 6, 3, 2, 2, 1, 4};
	if (!wide)
		little_put_u32(r + 16, (uint32_t)(clock * 8 / 10));
	for (uint32_t i = 0; i < 8; i++)
		little_put_u32(r + (wide ? 64 : 192) + 4 * i, (uint32_t)(clock * sixths[i] / 6));
	for (uint32_t i = 0; wide && i < 8; i++)
		little_put_u32(r + 32 + 4 * i, (uint32_t)(clock / (i + 2)));
}

void fake_xe_report(const struct fake_xe *f, uint64_t at, uint8_t *r)
{
	uint32_t type = f->format & 0xff;
	bool wide = type >= XE_FMT_OAC;
	uint64_t clock =
	    (uint64_t)((unsigned __int128)(at - f->first_ticks) * f->clock_hz / f->oa_hz);
	memset(r, 0, f->report_bytes);
	little_put_u32(r, OA_REASON_TIMER << 19 | 1u << 16);
	little_put_u32(r + (wide ? 8 : 4), (uint32_t)at);
	little_put_u32(r + (wide ? 16 : 8), at / (UINT64_C(2) << f->exponent) % 8 < 4 ? 5 : 6);
	little_put_u32(r + (wide ? 24 : 12), (uint32_t)clock);
	if (wide) {
		little_put_u32(r + 12, (uint32_t)(at >> 32));
		little_put_u32(r + 28, (uint32_t)(clock >> 32));
	}
	if (type == XE_FMT_PEC)
		put_pec(f, clock, r);
	else
		put_ab(clock, r, wide);
}
