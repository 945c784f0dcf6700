/* Chooses the copy of the turning loop that suits the processor. */
#include "table/turn.h"

void table_turn_base(const struct table_turn *turn);

#ifdef TABLE_HAVE_AVX2
void table_turn_avx2(const struct table_turn *turn);

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
