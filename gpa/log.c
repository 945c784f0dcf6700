/* The client's log callback. */
#include "gpa/core.h"

#include <stdarg.h>
#include <stdio.h>

/* The interface has one callback for the whole process; guarded by the lock of state.c. */
static struct {
	GPA_Logging_Type mask;
	GPA_LoggingCallbackPtrType callback;
} sink;

void gpa_log_set(GPA_Logging_Type mask, GPA_LoggingCallbackPtrType callback)
{
	sink.mask = callback ? mask : GPA_LOGGING_NONE;
	sink.callback = callback;
}

void gpa_log(GPA_Logging_Type kind, const char *fmt, ...)
{
	char text[512];
	va_list args;
	if (!sink.callback || !(sink.mask & kind))
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	sink.callback(kind, text);
}
