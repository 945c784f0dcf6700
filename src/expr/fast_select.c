/* Chooses the copy of the inner loops that suits the processor. */
#include "expr/fast_ops.h"

extern fast_function *const fast_table_base[FAST_OP_COUNT];

#ifdef FAST_HAVE_AVX2
extern fast_function *const fast_table_avx2[FAST_OP_COUNT];

fast_function *const *fast_functions(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") ? fast_table_avx2 : fast_table_base;
}
#else
fast_function *const *fast_functions(void)
{
	return fast_table_base;
}
#endif
