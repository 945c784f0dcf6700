/* Threads of the library's own inside a program that is not ours. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* Starts `run(user)` with every signal blocked: signals are the business of the program's own
 * threads. 0 or errno. */
int thread_start(pthread_t *thread, void *(*run)(void *), void *user);

#endif
