/* One recorder a file. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

/*
 * Keeps other recorders from the file as long as `fd` is open, and whoever inherits it. 0, or EBUSY
 * when another one has it. File systems that know no locks let everybody through.
 */
int lock_take(int fd);

#endif
