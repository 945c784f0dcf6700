/* /proc/cpuinfo of x86: who made the processor, and whether it is a guest's. */
#include "source/modules.h"

#include <string.h>

enum modules_cpu modules_cpu(const struct sx_sys *sys)
{
	char text[8192]; /* the first processor, and more */
	if (sys->read_file(sys->user, "/proc/cpuinfo", text, sizeof(text)) <= 0)
		return MODULES_OTHER;
	const char *flags = strstr(text, "\nflags\t");
	const char *end = flags ? strchr(flags + 1, '\n') : NULL;
	const char *guest = flags ? strstr(flags, " hypervisor") : NULL;
	if (!end || (guest && guest < end))
		return MODULES_OTHER;
	if (strstr(text, "GenuineIntel"))
		return MODULES_INTEL;
	return strstr(text, "AuthenticAMD") ? MODULES_AMD : MODULES_OTHER;
}
