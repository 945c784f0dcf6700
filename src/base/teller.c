/* See teller.h. */
#include "base/teller.h"

#include <stdarg.h>
#include <stdio.h>

void teller_say(const struct teller *to, const char *fmt, ...)
{
	char line[TELLER_LINE_MAX];
	va_list args;
	if (!to->tell)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	to->tell(to->user, line);
}
