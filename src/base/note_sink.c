/* See note_sink.h. */
#include "base/note_sink.h"

#include <stdarg.h>
#include <stdio.h>

void note_sink_write(const struct note_sink *to, const char *fmt, ...)
{
	char line[NOTE_SINK_LINE_MAX];
	va_list args;
	if (!to->note)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	to->note(to->user, line);
}
