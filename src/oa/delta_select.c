/* Chooses the copy of the loops over reports that suits the processor. */
#include "oa/delta.h"

extern const struct oa_loops oa_loops_base;

#ifdef OA_HAVE_AVX2
extern const struct oa_loops oa_loops_avx2;

const struct oa_loops *oa_loops(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") ? &oa_loops_avx2 : &oa_loops_base;
}
#else
const struct oa_loops *oa_loops(void)
{
	return &oa_loops_base;
}
#endif
