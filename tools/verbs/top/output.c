/* Standard output and error as a pipe: see output.h. */
#include "tools/verbs/top/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

#define TAB	   8
#define READS_MOST 32

static void output_close(struct top_output *o)
{
	for (int i = 0; i < 3; i++)
		if (o->saved[i] >= 0)
			close(o->saved[i]);
	if (o->from >= 0)
		close(o->from);
}

enum sx_status output_begin(struct top_output *o, struct sx_error *err)
{
	int ends[2] = {-1, -1}, nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	*o = (struct top_output){.from = -1};
	bool ok = nothing >= 0 && pipe2(ends, O_CLOEXEC) == 0;
	for (int i = 0; i < 3; i++) {
		o->saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
		ok = ok && o->saved[i] >= 0;
	}
	o->from = ends[0];
	fflush(NULL);
	ok = ok && fcntl(o->from, F_SETFL, O_NONBLOCK) == 0;
	int number = errno;
	if (ok) {
		dup2(nothing, 0);
		dup2(ends[1], 1);
		dup2(ends[1], 2);
	} else {
		output_close(o);
		error_errno(err, number, "cannot keep what programs write");
	}
	if (nothing >= 0)
		close(nothing);
	if (ends[1] >= 0)
		close(ends[1]);
	return ok ? SX_OK : err->status;
}

/* Appends, and drops the oldest lines where there is no room. */
static void output_keep(struct top_output *o, const char *text, size_t size)
{
	if (o->size + size > OUTPUT_KEPT) {
		size_t drop = o->size + size - OUTPUT_KEPT;
		const char *line =
		    drop < o->size ? memchr(o->kept + drop, '\n', o->size - drop) : NULL;
		drop = line ? (size_t)(line - o->kept) + 1 : o->size;
		memmove(o->kept, o->kept + drop, o->size - drop);
		o->size -= drop;
		o->cut = true;
	}
	memcpy(o->kept + o->size, text, size);
	o->size += size;
	o->kept[o->size] = '\0';
}

/* Length of a control sequence of a terminal, as colours are; 0: there is none. */
static size_t output_sequence(const char *text)
{
	if (text[0] != 27)
		return 0;
	if (text[1] != '[')
		return text[1] ? 2 : 1;
	size_t length = 2;
	while (text[length] >= 0x20 && text[length] < 0x40)
		length++;
	return text[length] ? length + 1 : length;
}

void output_make_plain(struct top_output *o)
{
	size_t line = 0, size = 0;
	for (const char *p = o->kept; *p && size + TAB < OUTPUT_KEPT;) {
		size_t sequence = output_sequence(p), character = utf8_length(p);
		if (sequence) {
			p += sequence;
			continue;
		}
		if (*p == '\t')
			do
				o->shown[size++] = ' ';
			while ((size - line) % TAB);
		else if (*p == '\r' && p[1] != '\n' && p[1])
			size = line;
		else if (*p != '\r')
			for (size_t i = 0; i < (character ? character : 1); i++)
				o->shown[size++] = p[i];
		if (*p == '\n')
			line = size;
		p += character ? character : 1;
	}
	o->shown[size] = '\0';
}

bool output_read(struct top_output *o)
{
	char text[4096];
	bool any = false;
	fflush(stdout);
	ssize_t n;
	/* A program that writes without end is read in parts. */
	for (int i = 0; i < READS_MOST && (n = read(o->from, text, sizeof(text))) > 0; i++) {
		any = true;
		for (ssize_t k = 0; k < n; k++)
			text[k] = text[k] ? text[k] : ' ';
		output_keep(o, text, (size_t)n);
	}
	return any;
}

void output_end(struct top_output *o)
{
	fflush(NULL);
	output_read(o);
	for (int i = 0; i < 3; i++)
		dup2(o->saved[i], i);
	output_close(o);
	if (o->cut)
		fputs("[...]\n", stdout);
	fwrite(o->kept, 1, o->size, stdout);
	fflush(stdout);
}
