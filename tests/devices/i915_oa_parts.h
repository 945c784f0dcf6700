/* Parts of the fake i915, which its files share. */
#ifndef TESTS_DEVICES_I915_OA_PARTS_H
#define TESTS_DEVICES_I915_OA_PARTS_H

#include <poll.h>
#include <sys/types.h>

#include "i915_oa.h"
#include "source/i915_oa/uapi.h"

/* The timestamp of the GPU now. */
uint64_t fake_i915_ticks(const struct fake_i915 *f);
/* Configurations, as ioctls ask for them; NULL: there is none of this number. */
struct fake_i915_config *fake_i915_find_config(struct fake_i915 *f, uint64_t id);
int32_t fake_i915_query_config(const struct fake_i915 *f, const struct i915_query_item *item);
int fake_i915_add_config(struct fake_i915 *f, const struct i915_perf_config *arg);
int fake_i915_remove_config(struct fake_i915 *f, uint64_t id);
/* Another process removes one, and may take its id over. */
void fake_i915_vanish(struct fake_i915 *f, uint64_t id);
/* The stream, behind struct sx_sys. */
int fake_i915_open_stream(struct fake_i915 *f, const struct i915_perf_open *arg);
int fake_i915_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms);
ssize_t fake_i915_read(void *user, int fd, void *buf, size_t size);

#endif
