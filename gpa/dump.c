/* Results as a table: with SEXTANT_GPA_OUTPUT set, sessions are written there as CSV when they go.
 */
#include "gpa/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A field of RFC 4180; names and units of counters need no quotes, raw ones of a driver might. */
static void write_field(FILE *file, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (const char *c = text; *c; c++)
		fprintf(file, *c == '"' ? "\"\"" : "%c", *c);
	fputc('"', file);
}

static void write_value(FILE *file, GPA_Type type, const union gpa_value *value)
{
	if (type == GPA_TYPE_FLOAT64 || type == GPA_TYPE_FLOAT32)
		fprintf(file, "%.17g", value->f64);
	else
		fprintf(file, "%llu", (unsigned long long)value->u64);
}

static void write_sample(FILE *file, struct gpa_context *context, const struct gpa_session *session,
			 uint32_t sample)
{
	for (uint32_t i = 0; i < session->schedule.enabled_count; i++) {
		uint32_t counter = session->schedule.enabled[i];
		const struct gpa_counter *c = &context->counters[counter];
		const char *usage = "";
		union gpa_value value = {0};
		GPA_GetUsageTypeAsStr(c->usage, &usage);
		fprintf(file, "%llu,%u,%u,", (unsigned long long)context->serial, session->id,
			sample);
		write_field(file, c->name);
		fprintf(file, ",%s,", usage);
		if (gpa_session_value(context, session, counter, sample, &value) == GPA_STATUS_OK)
			write_value(file, c->type, &value);
		fputs("\r\n", file);
	}
}

void gpa_dump_session(struct gpa_context *context, struct gpa_session *session)
{
	const char *path = context->settings.output;
	if (!*path || !session->ended || !session->begun)
		return;
	FILE *file = fopen(path, "ae");
	if (!file) {
		gpa_log(GPA_LOGGING_ERROR, "SEXTANT_GPA_OUTPUT: %s cannot be written", path);
		return;
	}
	gpa_session_poll(context, session);
	if (ftell(file) == 0)
		fputs("context,session,sample,counter,usage,value\r\n", file);
	const struct gpa_pass *first = &session->passes[0];
	for (size_t i = 0; i < first->count; i++)
		write_sample(file, context, session, first->samples[i].id);
	fclose(file);
}
