/* A line on standard error while something takes long: only on a terminal, and gone at the end. */
#include "tools/cli/progress.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sys.h"

#define FIRST_NS UINT64_C(1000000000)
#define EVERY_NS UINT64_C(200000000)

bool progress_due(struct progress *p)
{
	uint64_t now = sys_now_ns(sys_real());
	if (!p->begin_ns)
		p->begin_ns = now;
	if (p->cli->options.quiet || !p->cli->err.terminal || now - p->begin_ns < FIRST_NS ||
	    now - p->last_ns < EVERY_NS)
		return false;
	p->last_ns = now;
	return true;
}

void progress_tell(struct progress *p, const char *fmt, ...)
{
	char line[256];
	int room = text_terminal_width(stderr) - 1;
	va_list args;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	fprintf(p->cli->err.out, "\r\033[K%.*s", room, line);
	fflush(p->cli->err.out);
	p->shown = true;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", p->cli->err.out);
	fflush(p->cli->err.out);
	p->shown = false;
}
