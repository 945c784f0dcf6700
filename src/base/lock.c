/* One recorder a file: two of them would write over each other's records. */
#include "base/lock.h"

#include <errno.h>
#include <sys/file.h>

int lock_take(int fd)
{
	int failed;
	do
		failed = flock(fd, LOCK_EX | LOCK_NB) < 0 ? errno : 0;
	while (failed == EINTR);
	return failed == EWOULDBLOCK ? EBUSY : 0;
}
