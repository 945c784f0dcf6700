/* The numbers of a capture's devices, which need not be consecutive. */
#include "input/input.h"

#include <string.h>

#include "base/number.h"

#define NUMBERS_MAX 0xffff /* as many devices as a capture can have */

/* Which numbers are taken, a bit each. */
struct numbers {
	uint64_t taken[NUMBERS_MAX / 64 + 1];
};

static bool numbers_take(struct numbers *numbers, uint64_t number)
{
	if (number >= NUMBERS_MAX || numbers->taken[number / 64] >> number % 64 & 1)
		return false;
	numbers->taken[number / 64] |= UINT64_C(1) << number % 64;
	return true;
}

/* The number that a device had; false where nothing says it. */
static bool wanted_number(struct sx_capture_reader *reader, uint32_t device, uint64_t *number)
{
	const struct sx_capture_device *info = sx_capture_device(reader, device);
	const char *text = info ? sx_capture_property(info, INPUT_NUMBER_PROPERTY) : NULL;
	return text && number_u64(text, strlen(text), number) && *number < NUMBERS_MAX;
}

/* Those that find their number taken follow in their order. */
static uint32_t find_free(struct numbers *numbers, uint32_t before)
{
	uint32_t number = 0;
	for (;; number++)
		if (numbers_take(numbers, number) && !before--)
			return number;
}

uint32_t input_number(struct sx_capture_reader *reader, uint32_t device)
{
	uint32_t count = sx_capture_info(reader)->device_count, before = 0;
	struct numbers numbers = {.taken = {0}};
	uint64_t number;
	bool mine = false;
	for (uint32_t i = 0; i < count; i++) {
		if (!wanted_number(reader, i, &number))
			number = i;
		bool taken = numbers_take(&numbers, number);
		if (taken && i == device)
			return (uint32_t)number;
		mine |= !taken && i == device;
		before += !taken && i < device;
	}
	return mine ? find_free(&numbers, before) : device;
}
