/* Chooses the copy of the inner loops that suits the processor. */
#include "expr/fast/ops.h"

extern const struct fast_loops fast_loops_base, fast_loops_avx2;

const struct fast_loops *fast_loops(void)
{
#ifdef FAST_HAVE_AVX2
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2"))
		return &fast_loops_avx2;
#endif
	return &fast_loops_base;
}
