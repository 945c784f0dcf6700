/*
 * A program with more debug groups than any memory should keep: it writes samples to the channel as
 * the OpenGL library would, each of a group of its own, and waits while the ring is full. When its
 * room for labels is used up it executes itself, and so gets a new one.
 *
 * usage: gl-labels PROGRAMS LABELS PREFIX
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guest/channel.h"
#include "guest/clock.h"
#include "guest/labels.h"
#include "guest/process.h"

static void wait_for_room(const struct channel_stream *stream)
{
	static const struct timespec nap = {.tv_nsec = 200000};

	while (stream->stream &&
	       stream->head - __atomic_load_n(&stream->stream->tail, __ATOMIC_ACQUIRE) >=
		   WIRE_RING_RECORDS - 1)
		nanosleep(&nap, NULL);
}

static void write_samples(struct wire_header *channel, int program, int labels, const char *prefix)
{
	static struct channel_identity identity = {.serial = 1, .api = WIRE_OPENGL, .major = 4};
	struct channel_stream stream = {0};
	uint64_t begin = guest_now_ns();

	__atomic_add_fetch(&channel->contexts, 1, __ATOMIC_RELAXED);
	memset(identity.why, WIRE_WHY_NOT_WANTED, sizeof(identity.why));
	strcpy(identity.renderer, "a program of labels");
	for (int i = 0; i < labels; i++) {
		struct wire_record record = {.kind = WIRE_GROUP,
					     .flags = WIRE_WORKED,
					     .frame = (uint64_t)i,
					     .begin_ns = begin + (uint64_t)i * 1000,
					     .end_ns = begin + (uint64_t)i * 1000 + 1000};
		char text[2048];
		int size = snprintf(text, sizeof(text), "%s %d of program %d", prefix, i, program);

		record.label = label_intern(0, text, (size_t)size);
		wait_for_room(&stream);
		channel_write(channel, &stream, &identity, &record);
	}
	channel_close(&stream);
}

int main(int argc, char **argv)
{
	struct wire_header *channel = guest_channel();
	char rest[16];

	if (argc != 4 || !channel)
		return 2;
	write_samples(channel, atoi(argv[1]), atoi(argv[2]), argv[3]);
	if (atoi(argv[1]) <= 1)
		return 0;
	snprintf(rest, sizeof(rest), "%d", atoi(argv[1]) - 1);
	execl("/proc/self/exe", argv[0], rest, argv[2], argv[3], (char *)NULL);
	return 3;
}
