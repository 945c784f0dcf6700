/*
 * Contexts of a channel, in the order in which they were created, with their descriptions and label
 * paths. All of it comes from the measured program.
 */
#include "source/guest/guest.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

void channel_copy_text(char *to, const char *from, size_t size)
{
	size_t n = 0, odd = 0, length = strnlen(from, size - 1);
	for (size_t step; n < length; n += step) {
		size_t printable = utf8_printable(from + n, length - n);
		step = printable ? printable : 1;
		memcpy(to + n, printable ? from + n : "?", step);
		odd += !printable;
	}
	to[odd > n / 2 ? 0 : n] = '\0';
}

static void channel_describe(struct context_info *info, const struct channel *channel,
			     const struct wire_stream *shared)
{
	struct wire_stream stream = *shared; /* the shared stream may change meanwhile */
	stream.vendor[sizeof(stream.vendor) - 1] = '\0';
	stream.renderer[sizeof(stream.renderer) - 1] = '\0';
	stream.version[sizeof(stream.version) - 1] = '\0';
	*info = (struct context_info){
	    .process = channel->process,
	    .pid = channel->pid,
	    .serial = stream.serial,
	    .api = stream.api,
	    .egl = stream.window_system == WIRE_EGL,
	    .core_profile = stream.profile == WIRE_CORE,
	};
	memcpy(info->name, channel->name, sizeof(info->name));
	channel_copy_text(info->vendor, stream.vendor, sizeof(info->vendor));
	channel_copy_text(info->renderer, stream.renderer, sizeof(info->renderer));
	channel_copy_text(info->version, stream.version, sizeof(info->version));
}

/*
 * Queues of OpenCL are made and released by the thousand. When no number is left, one of the same
 * process and device that was released long ago gives its own; what it lost stays counted there.
 */
static size_t number_again(const struct channel *channel, struct contexts *contexts,
			   const struct wire_stream *stream)
{
	for (size_t i = 0; stream->api == WIRE_OPENCL && i < CHANNEL_CONTEXTS_MAX &&
			   contexts->count == CHANNEL_CONTEXTS_MAX;
	     i++) {
		size_t at = contexts->again++ % CHANNEL_CONTEXTS_MAX;
		struct context_info *info = &contexts->items[at];
		struct context_info now = {0};
		channel_describe(&now, channel, stream);
		if (!info->closed || info->api != WIRE_OPENCL || info->process != now.process ||
		    strcmp(info->renderer, now.renderer) != 0)
			continue;
		info->serial = now.serial;
		info->closed = false;
		return at;
	}
	return CHANNEL_NO_CONTEXT;
}

static size_t add_context(struct channel *channel, struct contexts *contexts,
			  const struct wire_stream *stream)
{
	size_t again = number_again(channel, contexts, stream);
	if (again != CHANNEL_NO_CONTEXT)
		return again;
	if (contexts->count == CHANNEL_CONTEXTS_MAX ||
	    !mem_grow(&contexts->items, &contexts->cap, contexts->count + 1,
		      sizeof(*contexts->items))) {
		contexts->beyond++;
		return CHANNEL_NO_CONTEXT;
	}
	channel_describe(&contexts->items[contexts->count], channel, stream);
	return contexts->count++;
}

bool channel_has_identity(const struct wire_stream *stream)
{
	uint32_t state = __atomic_load_n(&stream->state, __ATOMIC_ACQUIRE);
	return state == WIRE_OPEN || state == WIRE_CLOSED;
}

bool channel_is_new(const struct channel_place *mine, const struct wire_stream *stream, bool ended)
{
	uint32_t generation = __atomic_load_n(&stream->generation, __ATOMIC_ACQUIRE);
	/* Claims count one by one: any other number was written over this one. */
	if (!channel_has_identity(stream) || (mine->known && generation != mine->generation + 1))
		return false;
	return __atomic_load_n(&stream->head, __ATOMIC_ACQUIRE) != 0 ||
	       (ended && __atomic_load_n(&stream->drafted, __ATOMIC_ACQUIRE) != 0) ||
	       __atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) == WIRE_CLOSED;
}

/* The oldest new stream, by serial; WIRE_STREAMS: there is none. */
static unsigned oldest_new(const struct channel *channel)
{
	unsigned oldest = WIRE_STREAMS;
	uint32_t least = 0;
	for (unsigned i = 0; i < WIRE_STREAMS; i++) {
		const struct wire_stream *stream =
		    wire_stream_at(channel->memory, channel->ring, i);
		if (!channel_is_new(&channel->places[i], stream, channel->ended))
			continue;
		uint32_t serial = __atomic_load_n(&stream->serial, __ATOMIC_RELAXED);
		if (oldest == WIRE_STREAMS || serial < least) {
			oldest = i;
			least = serial;
		}
	}
	return oldest;
}

bool channel_add_oldest(struct channel *channel, struct contexts *contexts)
{
	unsigned index = oldest_new(channel);
	if (index < WIRE_STREAMS)
		index = oldest_new(channel);
	if (index == WIRE_STREAMS)
		return false;
	const struct wire_stream *stream = wire_stream_at(channel->memory, channel->ring, index);
	channel->places[index] = (struct channel_place){
	    .known = true,
	    .generation = __atomic_load_n(&stream->generation, __ATOMIC_ACQUIRE),
	    .context = add_context(channel, contexts, stream)};
	channel->next = index;
	return true;
}

/* A slash of a name's own is no end of it: a group "A/B" is not a "B" within an "A". */
static size_t channel_append(char *out, size_t at, size_t size, const char *text, size_t length)
{
	for (size_t i = 0; i < length;) {
		size_t n = utf8_printable(text + i, length - i);
		bool escaped = text[i] == '/' || text[i] == '\\';
		if (at + escaped + (n ? n : 1) >= size)
			break;
		if (escaped)
			out[at++] = '\\';
		if (n)
			memcpy(out + at, text + i, n);
		else
			out[at] = '?';
		at += n ? n : 1;
		i += n ? n : 1;
	}
	return at;
}

/* A copy of the label's head when all of it lies in the room. */
static bool find_label(const struct channel *channel, uint32_t id, struct wire_label *out)
{
	if (id < sizeof(*out) || id > WIRE_LABEL_BYTES - sizeof(*out))
		return false;
	memcpy(out, wire_labels(channel->memory) + id, sizeof(*out));
	return out->length <= WIRE_LABEL_BYTES - sizeof(*out) - id;
}

size_t channel_label(const struct channel *channel, uint32_t id, char *out, size_t size)
{
	uint32_t ids[CHANNEL_LABEL_DEPTH];
	struct wire_label labels[CHANNEL_LABEL_DEPTH];
	size_t depth = 0, at = 0;
	while (depth < CHANNEL_LABEL_DEPTH && find_label(channel, id, &labels[depth])) {
		ids[depth] = id;
		id = labels[depth].parent;
		if (id >= ids[depth++]) /* a parent was there before */
			break;
	}
	while (depth--) {
		const char *text =
		    (const char *)wire_labels(channel->memory) + ids[depth] + sizeof(labels[0]);
		if (at && at + 1 < size)
			out[at++] = '/';
		at = channel_append(out, at, size, text, labels[depth].length);
	}
	out[at] = '\0';
	return at;
}
