/* The list of sources. */
#include "source/source.h"

#define SOURCE(name) extern const struct source_ops source_##name;
#include "source/sources.def"
#undef SOURCE

const struct source_ops *const *source_all(void)
{
#define SOURCE(name) &source_##name,
	static const struct source_ops *const all[] = {
#include "source/sources.def"
	    NULL,
	};
#undef SOURCE
	return all;
}
