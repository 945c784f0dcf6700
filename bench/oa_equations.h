/* A set's equations as generated readers have them: one function each, over accumulated slots. */
#ifndef BENCH_OA_EQUATIONS_H
#define BENCH_OA_EQUATIONS_H

#include <stddef.h>
#include <stdint.h>

struct oa_constants {
	uint64_t GpuTimestampFrequency, GpuMinFrequency, GpuMaxFrequency;
	uint64_t EuCoresTotalCount, EuSlicesTotalCount, EuSubslicesTotalCount, EuThreadsCount;
	uint64_t SliceMask, SubsliceMask, QueryMode;
};

/* One of the two is NULL, by the metric's type. */
struct oa_equation {
	uint64_t (*u64)(const struct oa_constants *device, const uint64_t *sums);
	double (*f64)(const struct oa_constants *device, const uint64_t *sums);
};

extern const struct oa_equation oa_equations[];
extern const size_t oa_equation_count;

#endif
