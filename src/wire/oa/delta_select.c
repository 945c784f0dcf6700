/* Chooses the copy of the loops over reports that suits the processor. */
#include "wire/oa/delta.h"

extern const struct oa_loops oa_loops_base, oa_loops_avx2;

size_t oa_loops_all(const struct oa_loops *out[OA_LOOPS_MAX])
{
	size_t count = 0;
	out[count++] = &oa_loops_base;
#ifdef OA_HAVE_AVX2
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2"))
		out[count++] = &oa_loops_avx2;
#endif
	return count;
}

const struct oa_loops *oa_loops(void)
{
	const struct oa_loops *all[OA_LOOPS_MAX];
	return all[oa_loops_all(all) - 1];
}
