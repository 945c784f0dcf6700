/* How a recording's program ended: a note of a fixed form, which older readers show as it is. */
#include <sextant/capture.h>

#include <stdio.h>
#include <string.h>

#include "base/number.h"

static const char head[] = "program ended: ";
static const char *const limits[] = {"duration", "count"};

enum sx_status sx_capture_write_ending(struct sx_capture_writer *writer,
				       const struct sx_capture_ending *ending, struct sx_error *err)
{
	char text[80];
	const struct sx_capture_mark mark = {
	    .begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN, .text = text};
	snprintf(text, sizeof(text), "%s%s %d%s%s", head,
		 ending->term_signal ? "signal" : "exit status",
		 ending->term_signal ? ending->term_signal : ending->exit_code,
		 ending->limit ? ", by " : "", ending->limit ? ending->limit : "");
	return sx_capture_mark(writer, SX_CAPTURE_NO_DEVICE, SX_CAPTURE_NOTE, &mark, err);
}

/* "signal 9" and the like; returns what is behind it, NULL where it is another thing. */
static const char *take_number(const char *text, const char *word, int *out)
{
	uint32_t value;
	size_t length = strlen(word);
	if (strncmp(text, word, length) != 0)
		return NULL;
	size_t digits = strspn(text + length, "0123456789");
	if (!number_u32(text + length, digits, &value) || value > 255)
		return NULL;
	*out = (int)value;
	return text + length + digits;
}

bool sx_capture_read_ending(const struct sx_capture_record *record, struct sx_capture_ending *out)
{
	const char *text = record->mark.text;
	*out = (struct sx_capture_ending){.exit_code = 0};
	if (record->type != SX_CAPTURE_NOTE || record->device != SX_CAPTURE_NO_DEVICE || !text ||
	    strncmp(text, head, sizeof(head) - 1) != 0)
		return false;
	text += sizeof(head) - 1;
	const char *rest = take_number(text, "signal ", &out->term_signal);
	if (!rest)
		rest = take_number(text, "exit status ", &out->exit_code);
	for (size_t i = 0; rest && i < sizeof(limits) / sizeof(limits[0]); i++)
		if (strncmp(rest, ", by ", 5) == 0 && strcmp(rest + 5, limits[i]) == 0)
			out->limit = limits[i];
	return rest && (!*rest || out->limit);
}
