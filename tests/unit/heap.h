/* What the heap holds, for tests that a run of any length takes the memory of a short one. */
#ifndef TESTS_HEAP_H
#define TESTS_HEAP_H

#include <malloc.h>
#include <stddef.h>

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* Bytes in use. */
static inline size_t heap_bytes(void)
{
	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

#endif
