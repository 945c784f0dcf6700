/* Chooses the copy of the inner loops that suits the processor. */
#include "expr/fast_ops.h"

extern const struct fast_loops fast_loops_base;

#ifdef FAST_HAVE_AVX2
extern const struct fast_loops fast_loops_avx2;

const struct fast_loops *fast_loops(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") ? &fast_loops_avx2 : &fast_loops_base;
}
#else
const struct fast_loops *fast_loops(void)
{
	return &fast_loops_base;
}
#endif
