/* Temporary files without a name, which are deleted with their descriptor. */
#ifndef BASE_NAMELESS_H
#define BASE_NAMELESS_H

/*
 * An empty file to read and write, in TMPDIR, else on disk, else in /tmp: a folder in memory would
 * only move what should not be there. The caller closes it; -1 with errno: there is none.
 */
int nameless_file(void);

#endif
