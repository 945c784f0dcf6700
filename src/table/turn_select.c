/* Chooses the copy of the turning loop that suits the processor. */
#include "table/turn.h"

void table_turn_base(uint64_t *const *to, const uint64_t *from, size_t stride, const uint8_t *picks,
		     size_t count);

#ifdef TABLE_HAVE_AVX2
void table_turn_avx2(uint64_t *const *to, const uint64_t *from, size_t stride, const uint8_t *picks,
		     size_t count);

table_turn_fn table_turn(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") ? table_turn_avx2 : table_turn_base;
}
#else
table_turn_fn table_turn(void)
{
	return table_turn_base;
}
#endif
