/*
 * What the kernel refuses of a configuration. It says EINVAL and no more, so parts of the programs
 * are tried until a single register is left.
 */
#include "source/i915_oa/i915_oa.h"
#include "source/i915_oa/uapi.h"
#include "base/error.h"

#include <errno.h>

static const char *const kinds[] = {
    [SX_PROGRAM_MUX] = "mux", [SX_PROGRAM_BOOLEAN] = "boolean", [SX_PROGRAM_FLEX] = "flex"};

/* Whether the kernel refuses these writes alone; what it takes is removed again. */
static bool refuses(const struct sx_sys *sys, int fd, int kind, struct oa_write *items,
		    size_t count)
{
	struct oa_programs part = {.set = ""};
	part.writes[kind] = (struct oa_writes){.items = items, .count = count};
	oa_programs_rename(&part);
	int id = i915_config_add(sys, fd, &part);
	if (id < 0)
		return id == -EINVAL;
	struct i915_config config = {.id = (uint64_t)id, .added = true};
	i915_config_close(sys, fd, &config, NULL);
	return false;
}

void i915_refused_register(const struct sx_sys *sys, int fd, const struct oa_programs *programs,
			   struct sx_error *err)
{
	for (int kind = 0; kind < 3; kind++) {
		struct oa_write *items = programs->writes[kind].items;
		size_t count = programs->writes[kind].count;
		if (!count || !refuses(sys, fd, kind, items, count))
			continue;
		/* The half that is refused, until it is one write. */
		while (count > 1) {
			size_t half = count / 2;
			bool first = refuses(sys, fd, kind, items, half);
			items += first ? 0 : half;
			count = first ? half : count - half;
		}
		error_because(err,
			      "register 0x%x of the %s program is none that the kernel lets "
			      "be written",
			      items->address, kinds[kind]);
		error_try(err, "another metric set, or a newer kernel");
		return;
	}
	error_because(err, "the kernel takes each program, but not all in one configuration");
	error_try(err, "another metric set, or a newer kernel");
}
