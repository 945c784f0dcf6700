/* /proc/PID/stat and comm. */
#include "source/process_tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

/* Numbers behind that of the parent. */
#define GROUP 1
#define BEGUN 18

/* The n-th number behind a blank; 0 where there is none. */
static uint64_t number_at(const char *at, unsigned n)
{
	uint64_t value;
	for (unsigned i = 0; i < n && at; i++)
		at = strchr(at + 1, ' ');
	return at && *at == ' ' && number_u64(at + 1, strspn(at + 1, "0123456789"), &value) ? value
											    : 0;
}

bool process_stat_read(const struct sx_sys *sys, pid_t pid, struct process_stat *out)
{
	char path[64], text[512];
	*out = (struct process_stat){.state = '?'};
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	errno = 0;
	if (sys->read_file(sys->user, path, text, sizeof(text)) <= 0)
		return false;
	const char *at = strrchr(text, ')'); /* the name may hold anything */
	if (!at || at[1] != ' ' || !at[2])
		return true;
	uint64_t parent = number_at(at + 3, 0), group = number_at(at + 3, GROUP);
	out->state = at[2];
	out->parent = parent <= INT_MAX ? (pid_t)parent : 0;
	out->group = group <= INT_MAX ? (pid_t)group : 0;
	out->begun = number_at(at + 3, BEGUN);
	return true;
}

bool process_ended(const struct sx_sys *sys, pid_t pid)
{
	struct process_stat stat;
	if (!process_stat_read(sys, pid, &stat))
		return errno == ENOENT || errno == ESRCH;
	return stat.state == 'Z' || stat.state == 'X';
}

void process_name_read(const struct sx_sys *sys, pid_t pid, char *out, size_t size)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (sys->read_file(sys->user, path, out, size) <= 0)
		snprintf(out, size, "?");
	out[strcspn(out, "\n")] = '\0';
	/* What a terminal would take for an order, and what is cut in its middle. */
	size_t length = strlen(out), bad;
	while (!utf8_is_text(out, length, &bad))
		out[bad] = '?';
	for (char *at = out; *at; at++)
		if (*at == '\t' || *at == '\r')
			*at = '?';
}
