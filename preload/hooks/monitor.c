/* Hooks of the program's hardware counters: ours do not count meanwhile. */
#include "preload/context.h"
#include "guest/process.h"
#include "preload/real/real.h"

static struct monitor *monitor_here(void)
{
	struct context *context = context_current();
	return context && context->started ? context->sampler.monitor : NULL;
}

#define BEGIN_HOOK(name)                                                                           \
	void name(GLuint object)                                                                   \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		monitor_program_begins(monitor_here(), object);                                    \
		if (real)                                                                          \
			real(object);                                                              \
	}
BEGIN_HOOK(glBeginPerfMonitorAMD)
BEGIN_HOOK(glBeginPerfQueryINTEL)

/* A query that is deleted while it is active has ended. */
#define END_HOOK(name)                                                                             \
	void name(GLuint object)                                                                   \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		if (real)                                                                          \
			real(object);                                                              \
		monitor_program_ends(monitor_here(), object);                                      \
	}
END_HOOK(glEndPerfMonitorAMD)
END_HOOK(glEndPerfQueryINTEL)
END_HOOK(glDeletePerfQueryINTEL)

void glDeletePerfMonitorsAMD(GLsizei count, GLuint *monitors)
{
	HOOK(glDeletePerfMonitorsAMD);
	for (GLsizei i = 0; monitors && i < count; i++)
		monitor_program_ends(monitor_here(), monitors[i]);
	if (real)
		real(count, monitors);
}
