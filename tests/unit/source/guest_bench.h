/* Programs that are measured, as processes of their own that write a channel. */
#ifndef UNIT_SOURCE_GUEST_BENCH_H
#define UNIT_SOURCE_GUEST_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "guest/channel.h"
#include "source/guest/guest.h"

static const struct channel_wish wish = {
    .kinds = 1u << WIRE_FRAME, .counters = 0x1234, .overhead_permille = 50, .ring = 64};

static inline void open_all(struct processes *all)
{
	assert_int_equal(processes_open(all, sys_real(), &wish, NULL), SX_OK);
}

/* An empty frame of just now. */
static inline struct wire_record frame_now(uint64_t frame)
{
	struct timespec now;
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	uint64_t ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	return (struct wire_record){
	    .kind = WIRE_FRAME, .frame = frame, .begin_ns = ns, .end_ns = ns};
}

/* A program: fetches its channel and writes some records, then does what `end` says. */
static inline pid_t program(const char *path, unsigned streams, unsigned records, void (*end)(void))
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	struct wire_header *channel = channel_open(path);
	if (!channel)
		_exit(9);
	if (channel->counters != 0x1234 || channel->overhead_permille != 50)
		_exit(8);
	for (unsigned s = 0; s < streams; s++) {
		struct channel_identity identity = {.serial = s + 1, .api = WIRE_OPENGL};
		struct channel_stream stream = {0};
		channel->contexts++;
		for (unsigned i = 0; i < records; i++) {
			const struct wire_record record = frame_now(i);
			channel_write(channel, &stream, &identity, &record);
		}
	}
	end();
	_exit(0);
}

static inline void end_well(void)
{
}

/* Reads until nothing came for a while; how many records there were. */
static inline unsigned drain(struct processes *all)
{
	struct wire_sample sample;
	char path[64];
	uint64_t lost;
	unsigned count = 0;
	while (processes_next(all, &sample, path, sizeof(path), &lost))
		count++;
	return count;
}

#endif
