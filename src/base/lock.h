/* One recorder a file. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

/*
 * Keeps other recorders from the file as long as `fd`, or a copy that a child inherited, is open.
 * 0, or EBUSY when another recorder has the lock. On file systems without locks it always succeeds.
 */
int lock_take(int fd);

#endif
