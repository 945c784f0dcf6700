/* Passes tables from one thread to another, one at a time. */
#include "output/rows/rows.h"

#include <sched.h>

#include "base/thread.h"

static void *pipe_run(void *user)
{
	struct rows_pipe *pipe = user;
	pthread_mutex_lock(&pipe->lock);
	for (;;) {
		while (!pipe->table && !pipe->stop)
			pthread_cond_wait(&pipe->changed, &pipe->lock);
		if (!pipe->table)
			break;
		struct sx_error why = {0};
		const struct sx_table *table = pipe->table;
		enum sx_status before = pipe->status;
		pthread_mutex_unlock(&pipe->lock);
		enum sx_status status = before ? before : rows_add(pipe->writer, table, &why);
		pthread_mutex_lock(&pipe->lock);
		if (status && !before)
			pipe->why = why;
		pipe->status = status;
		pipe->table = NULL;
		pthread_cond_signal(&pipe->changed);
	}
	pthread_mutex_unlock(&pipe->lock);
	return NULL;
}

void rows_pipe_begin(struct rows_pipe *pipe, struct rows_writer *writer)
{
	*pipe = (struct rows_pipe){.writer = writer};
	pthread_mutex_init(&pipe->lock, NULL);
	pthread_cond_init(&pipe->changed, NULL);
}

/* Waits until nothing is being written. The lock is held. */
static enum sx_status pipe_resolve(struct rows_pipe *pipe, struct sx_error *err)
{
	while (pipe->table)
		pthread_cond_wait(&pipe->changed, &pipe->lock);
	if (pipe->status && err)
		*err = pipe->why;
	return pipe->status;
}

/* CPUs that this program may run on, which may be fewer than the machine has. */
static bool has_second_cpu(void)
{
	cpu_set_t cpus;
	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) > 1;
}

enum sx_status rows_pipe_give(struct rows_pipe *pipe, const struct sx_table *table,
			      struct sx_error *err)
{
	/* A short file is written before a thread would have started. */
	if (!pipe->running && pipe->given++ && has_second_cpu())
		pipe->running = thread_start(&pipe->thread, pipe_run, pipe) == 0;
	if (!pipe->running)
		return rows_add(pipe->writer, table, err);
	pthread_mutex_lock(&pipe->lock);
	enum sx_status status = pipe_resolve(pipe, err);
	if (!status) {
		pipe->table = table;
		pthread_cond_signal(&pipe->changed);
	}
	pthread_mutex_unlock(&pipe->lock);
	return status;
}

enum sx_status rows_pipe_end(struct rows_pipe *pipe, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	if (pipe->running) {
		pthread_mutex_lock(&pipe->lock);
		status = pipe_resolve(pipe, err);
		pipe->stop = true;
		pthread_cond_signal(&pipe->changed);
		pthread_mutex_unlock(&pipe->lock);
		pthread_join(pipe->thread, NULL);
	}
	pthread_cond_destroy(&pipe->changed);
	pthread_mutex_destroy(&pipe->lock);
	return status;
}
