/* Whoever is told what people should know, a line at a time. */
#ifndef BASE_TELLER_H
#define BASE_TELLER_H

#include <sextant/status.h>

struct teller {
	void (*tell)(void *user, const char *line); /* NULL: nobody is told */
	void *user;
};

#define TELLER_LINE_MAX 1024 /* longer lines are cut */

void teller_say(const struct teller *to, const char *fmt, ...) SX_PRINTF(2, 3);

#endif
