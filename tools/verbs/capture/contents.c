/* Reads a whole capture into struct contents (capture.h). */
#include "tools/verbs/capture/capture.h"

#include <stdlib.h>

#include "base/text_buf.h"

/* Keeps the first of them, and counts all. */
static void keep(struct shown *first, uint64_t *count, const struct sx_capture_record *record)
{
	const struct sx_capture_mark *mark = &record->mark;
	if ((*count)++ >= CONTENTS_SHOWN)
		return;
	struct shown *shown = &first[*count - 1];
	*shown = (struct shown){.device = record->device,
				.begin_ns = mark->begin_ns,
				.end_ns = mark->end_ns,
				.lost = mark->lost};
	text_append(shown->text, sizeof(shown->text), "%s", mark->text);
}

enum sx_status contents_read(const struct cli *cli, struct contents *c, struct sx_error *err)
{
	struct sx_capture_record record;
	enum sx_status status = sx_capture_open(c->path, &c->reader, err);
	if (status)
		return status;
	c->rows = calloc(sx_capture_info(c->reader)->device_count + 1, sizeof(*c->rows));
	if (!c->rows)
		return error_nomem(err, "reading a capture");
	uint32_t devices = sx_capture_info(c->reader)->device_count;
	sx_capture_set_filter(c->reader, &(struct sx_capture_filter){.heads_only = c->heads_only});
	while ((status = sx_capture_next(c->reader, &record, err)) == SX_OK) {
		ticker_at(cli, c->path, record.offset, sx_capture_info(c->reader)->size_bytes);
		if (record.type == SX_CAPTURE_ROWS && record.device < devices) {
			c->rows[record.device] += record.rows.count;
			c->rows_read += record.rows.count;
			c->values += record.rows.count * record.rows.column_count;
		}
		if (!capture_clocks_add(&c->clocks, &record))
			return error_nomem(err, "reading a capture");
		c->gaps += record.type == SX_CAPTURE_GAP;
		if (record.type == SX_CAPTURE_NOTE)
			keep(c->first_notes, &c->notes, &record);
		if (record.type == SX_CAPTURE_LOSS)
			keep(c->first_losses, &c->losses, &record);
	}
	c->info = sx_capture_info(c->reader);
	c->account = sx_capture_account(c->reader);
	ticker_stop(cli);
	return status == SX_END || status == SX_AGAIN ? SX_OK : status;
}

void contents_finish(struct contents *c)
{
	sx_capture_close(c->reader);
	capture_clocks_finish(&c->clocks);
	free(c->rows);
}

uint64_t contents_duration_ns(const struct sx_capture_info *info)
{
	return info->begin_ns == SX_TIME_UNKNOWN || info->end_ns == SX_TIME_UNKNOWN
		   ? 0
		   : info->end_ns - info->begin_ns;
}

bool contents_sound(const struct contents *c)
{
	return !c->account->what[0] && !c->account->cut_bytes && c->info->clean;
}
