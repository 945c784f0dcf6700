/* What kbase's kinstr_prfcnt hands over, of any content: enumeration lists, and samples in its
 * memory. */
#include <stdlib.h>
#include <string.h>

#include "source/kbase/kbase.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int no_clock(void *user, clockid_t clock, struct timespec *out)
{
	return -1;
}

static void parse_list(const uint8_t *data, size_t size, uint32_t stride, struct kinstr *out)
{
	uint32_t count = stride ? (uint32_t)(size / stride) : 0;
	uint8_t *list = malloc((size_t)count * stride + 1); /* its own block: any overrun is seen */
	if (!list)
		return;
	memcpy(list, data, (size_t)count * stride);
	if (kinstr_parse_enumeration(list, stride, count, out))
		for (uint32_t kind = 0; kind < MALI_KINDS; kind++)
			if (!out->found[kind] || out->values[kind] <= MALI_HEADER_SLOTS)
				abort();
	free(list);
}

static void parse_sample(const uint8_t *data, size_t size, const uint8_t head[8])
{
	const struct sx_sys sys = {.clock_gettime = no_clock};
	struct kbase k = {.base = {.sys = &sys}, .groups = {0xffff, ~UINT64_C(0), 0xf0, 1}};
	struct kinstr *r = &k.u.kinstr;
	struct raw_sample out;
	if (!mali_raw_init(&k.raw, 8, head[0] & 1 ? 128 : 64, 1 + head[1] % 4,
			   head[2] ? head[2] : 1))
		return;
	k.device.states = head[0] & 2;
	r->meta_size = 16 + head[3] % 80u;
	for (uint32_t kind = 0; kind < MALI_KINDS; kind++)
		r->values[kind] = 5 + head[4 + kind] * 2u;
	uint8_t *map = malloc(size + !size);
	if (map) {
		memcpy(map, data, size);
		r->map = map;
		r->map_size = size;
		uint64_t offset = head[0] & 4 && size >= 8 ? data[size - 1] : 0;
		if (kinstr_parse_sample(&k, offset, &out) && out.size != k.raw.size)
			abort();
		if (head[0] & 8)
			kinstr_parse_sample(&k, UINT64_MAX - data[0], &out);
	}
	free(map);
	mali_raw_finish(&k.raw);
}

/* The input as it is, and as metadata with valid types, which random bytes never have. */
static void parse_typed(const uint8_t *data, size_t size, const uint8_t head[8])
{
	static const uint16_t types[] = {KBASE_META_SAMPLE, KBASE_META_BLOCK, KBASE_META_BLOCK,
					 KBASE_META_CLOCK};
	size_t stride = 16 + head[3] % 80u;
	uint8_t *copy = malloc(size + !size);
	if (!copy)
		return;
	memcpy(copy, data, size);
	for (size_t i = 0; (i + 1) * stride <= size; i++) {
		bool end = i > 4 && copy[i * stride] > 200;
		uint16_t type = end ? KBASE_META_NONE : types[i ? 1 + i % 3 : 0];
		memcpy(copy + i * stride, &type, sizeof(type));
		if (stride > 12 && type == KBASE_META_BLOCK) {
			copy[i * stride + 8] &= 7;  /* kind */
			copy[i * stride + 10] &= 1; /* set */
			copy[i * stride + 11] = 0;
		}
		if (stride >= 20 && type == KBASE_META_BLOCK)
			memset(copy + i * stride + 18, 0, 2); /* a small offset */
	}
	parse_sample(copy, size, head);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 9)
		return 0;
	struct kinstr list = {.fd = -1};
	parse_list(data + 1, size - 1, data[0] % 70u, &list);
	parse_sample(data + 8, size - 8, data);
	parse_typed(data + 8, size - 8, data);
	return 0;
}
