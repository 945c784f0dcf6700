/* Paths of labels that a program has written into its channel. */
#include "source/guest/channel.h"

#include <string.h>

#include "base/utf8.h"

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
