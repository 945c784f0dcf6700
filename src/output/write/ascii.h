/* A stream that writes another character set's text in ASCII: "°C" as "deg C". */
#ifndef OUTPUT_WRITE_ASCII_H
#define OUTPUT_WRITE_ASCII_H

#include <stdio.h>

/*
 * A stream whose UTF-8 goes to `to` in ASCII; what has no likeness there is escaped ("\u6f22"), so
 * that names stay apart. `to` outlives it, is flushed whenever the stream is, and keeps the error
 * of a write that fails. Closed by fclose(), which leaves `to` open. NULL when memory is out.
 */
FILE *ascii_open(FILE *to);
/*
 * The text as such a stream writes it, owned by the caller, so that its columns can be counted.
 * NULL: it is ASCII as it stands, or memory is out.
 */
char *ascii_spell(const char *text);

#endif
