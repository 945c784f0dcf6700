/* Chooses the copy of the inner loops that suits the processor. */
#include "expr/fast/ops.h"

extern const struct fast_loops fast_loops_base, fast_loops_avx2, fast_loops_avx512;

const struct fast_loops *fast_loops(void)
{
#if defined(FAST_HAVE_AVX2) || defined(FAST_HAVE_AVX512)
	__builtin_cpu_init();
#endif
#ifdef FAST_HAVE_AVX512
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
		return &fast_loops_avx512;
#endif
#ifdef FAST_HAVE_AVX2
	if (__builtin_cpu_supports("avx2"))
		return &fast_loops_avx2;
#endif
	return &fast_loops_base;
}
