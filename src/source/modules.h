/* Which modules of the kernel would show more, where a machine of their processor lacks them. */
#ifndef SOURCE_MODULES_H
#define SOURCE_MODULES_H

#include <stdbool.h>

#include "base/sys.h"

enum modules_cpu { MODULES_OTHER, MODULES_INTEL, MODULES_AMD };

/* Whose processor this is. A guest's counts as other: its host passes nothing of that on. */
enum modules_cpu modules_cpu(const struct sx_sys *sys);

#endif
