/*
 * What a program beside `top`, and Sextant itself, write while the terminal shows something else:
 * kept, shown as a part of the screen, and written to where it was meant for in the end.
 */
#ifndef TOOLS_VERBS_TOP_OUTPUT_H
#define TOOLS_VERBS_TOP_OUTPUT_H

#include "base/error.h"

#define OUTPUT_KEPT 65536 /* bytes, the newest */

struct top_output {
	int saved[3]; /* standard input, output and error as they were */
	int from;     /* the end of the pipe that is read */
	size_t size;
	bool cut;		     /* more was written than is kept */
	char kept[OUTPUT_KEPT + 1];  /* NUL-terminated */
	char shown[OUTPUT_KEPT + 1]; /* see output_make_plain() */
};

/*
 * From now on standard output and error go into a pipe, and standard input is empty; `saved` has
 * what they were. Errors: those of the system.
 */
enum sx_status output_begin(struct top_output *output, struct sx_error *err);
/* Reads what was written since. Whether anything was. */
bool output_read(struct top_output *output);
/*
 * Makes `shown` anew: without control sequences and tabs, and of a line that was begun anew the new
 * one.
 */
void output_make_plain(struct top_output *output);
/* Restores the three, and writes what is kept to standard output. */
void output_end(struct top_output *output);

#endif
