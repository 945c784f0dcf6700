/* Contents of a capture as text: see capture.h. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/text_buf.h"
#include "output/report/report.h"
#include "tools/cli/request.h"
#include "tools/verbs/capture/capture.h"

/* Whether rows may be time slices: of programs, which may never end a frame. */
static bool may_hold_slices(const struct sx_capture_device *d)
{
	bool counts = false;
	for (uint32_t i = 0; i < d->column_count; i++)
		counts |= strcmp(d->columns[i].name, "Frames") == 0;
	return counts && d->kind == SX_SAMPLE_FRAME;
}

static void write_device(const struct cli *cli, const struct contents *c, uint32_t number)
{
	const struct sx_capture_device *d = sx_capture_device(c->reader, number);
	FILE *out = cli->view.out.out;
	const char *kind = sx_sample_kind_name(d->kind);
	fputc('\n', out);
	text_styled(&cli->view.out, TEXT_BOLD, *d->facts.name ? d->facts.name : d->catalog);
	if (d->facts.simulated)
		text_styled(&cli->view.out, TEXT_YELLOW, "  SIMULATED, not a real device");
	fputs("\n  catalog  ", out);
	text_write(out, d->catalog);
	fprintf(out, " (%016" PRIx64 ")\n", d->catalog_hash);
	text_field(&cli->view.out, 11, "source", d->facts.source);
	text_field(&cli->view.out, 11, "driver", d->facts.driver);
	fprintf(out, "  rows     %" PRIu64 ", each a %s%s%s\n", c->rows[number], kind,
		strcmp(kind, "time") == 0 ? " slice" : "",
		may_hold_slices(d) ? ", or work that no swap ended" : "");
	fprintf(out, "  columns  %u\n", (unsigned)d->column_count);
	capture_clocks_text(&cli->view, &c->clocks, number);
	for (uint32_t i = 0; i < d->property_count; i++)
		text_field(&cli->view.out, 11, d->properties[i].name, d->properties[i].value);
	for (uint32_t i = 0; i < d->facts.constant_count; i++) {
		fputs("  ", out);
		text_write(out, d->facts.constants[i].name);
		fprintf(out, " = %.17g\n", d->facts.constants[i].value);
	}
}

/* "+1.2 s to +1.3 s", since the first sample. */
static void loss_span(char *buf, size_t size, const struct shown *l, uint64_t zero)
{
	char from[HUMAN_MAX] = "?", to[HUMAN_MAX] = "the end";
	if (l->begin_ns != SX_TIME_UNKNOWN)
		human_duration(from, l->begin_ns > zero ? l->begin_ns - zero : 0);
	if (l->end_ns != SX_TIME_UNKNOWN)
		human_duration(to, l->end_ns > zero ? l->end_ns - zero : 0);
	snprintf(buf, size, "%s to %s", from, to);
}

static void write_losses(const struct cli *cli, const struct contents *c)
{
	char span[96], line[sizeof(struct shown) + 512];
	for (uint64_t i = 0; i < c->losses && i < CONTENTS_SHOWN; i++) {
		const struct shown *l = &c->first_losses[i];
		const struct sx_capture_device *d = sx_capture_device(c->reader, l->device);
		loss_span(span, sizeof(span), l, c->info->begin_ns);
		bool unknown = l->lost == SX_CAPTURE_COUNT_UNKNOWN;
		line[0] = '\0';
		text_append(line, sizeof(line), "lost: %s of %s, %s: %s",
			    unknown ? "an unknown number of samples" : COUNTED(l->lost, "sample"),
			    d ? d->facts.name : "the recording", span, l->text);
		text_wrap(&cli->view.out, 2, line);
	}
	if (c->losses > CONTENTS_SHOWN)
		fprintf(cli->view.out.out, "lost: %s\n",
			COUNTED(c->losses - CONTENTS_SHOWN, "more time"));
}

static void write_notes(const struct cli *cli, const struct contents *c)
{
	char line[sizeof(struct shown) + 512];
	for (uint64_t i = 0; i < c->notes && i < CONTENTS_SHOWN; i++) {
		const struct shown *note = &c->first_notes[i];
		const struct sx_capture_device *d = sx_capture_device(c->reader, note->device);
		line[0] = '\0';
		text_append(line, sizeof(line), "note%s%s: %s", d ? " of " : "",
			    d ? d->facts.name : "", note->text);
		text_wrap(&cli->view.out, 2, line);
	}
	if (c->notes > CONTENTS_SHOWN)
		fprintf(cli->view.out.out, "note: %" PRIu64 " more\n", c->notes - CONTENTS_SHOWN);
}

void contents_damage_text(const struct cli *cli, const struct contents *c)
{
	FILE *out = cli->view.out.out;
	const struct sx_capture_account *a = c->account;
	if (a->what[0])
		fprintf(out, "damaged: %s; gone in all: %s and %s, missing: %s\n", a->what,
			COUNTED(a->damaged_records, "record"), COUNTED(a->damaged_bytes, "byte"),
			COUNTED(a->missing_records, "record"));
	if (a->cut_bytes)
		fprintf(out, "cut: an unfinished record at the end, %s\n",
			COUNTED(a->cut_bytes, "byte"));
	if (!c->info->clean)
		fputs("it did not end cleanly, or is still written\n", out);
	if (a->lost_rows)
		fprintf(out, "lost while it was recorded: %s\n", COUNTED(a->lost_rows, "sample"));
	write_notes(cli, c);
	write_losses(cli, c);
}

void contents_text(const struct cli *cli, const struct contents *c)
{
	char size[HUMAN_MAX], length[HUMAN_MAX], when[64] = "";
	FILE *out = cli->view.out.out;
	time_t created = (time_t)(c->info->created_ns / 1000000000);
	struct tm utc;
	human_value(&cli->view.human, size, (double)c->info->size_bytes, "bytes");
	human_duration(length, contents_duration_ns(c->info));
	if (c->info->created_ns > 1 && gmtime_r(&created, &utc))
		strftime(when, sizeof(when), ", %Y-%m-%d %H:%M:%S UTC", &utc);
	char shown[IMPORTED_TEXT_MAX];
	char line[IMPORTED_TEXT_MAX];
	snprintf(line, sizeof(line), "%s: capture %u.%u, %s, %s%s",
		 imported_text(cli, c->path, shown), c->info->major, c->info->minor, size, length,
		 when);
	text_hang(&cli->view.out, 0, line);
	fprintf(out, "%s in %s", COUNTED(c->rows_read, "row"), COUNTED(c->info->chunks, "chunk"));
	if (c->values)
		fprintf(out, ", %.2f bytes a value",
			(double)c->info->size_bytes / (double)c->values);
	fputc('\n', out);
	for (uint32_t i = 0; i < c->info->property_count; i++)
		if (c->info->properties[i].value[0])
			text_field(&cli->view.out, 11, c->info->properties[i].name,
				   c->info->properties[i].value);
	capture_clocks_text(&cli->view, &c->clocks, SX_CAPTURE_NO_DEVICE);
	for (uint32_t i = 0; i < c->info->device_count; i++)
		if (sx_capture_device(c->reader, i))
			write_device(cli, c, i);
	if (c->account->what[0] || !c->info->clean || c->losses)
		fputc('\n', out);
	contents_damage_text(cli, c);
}
