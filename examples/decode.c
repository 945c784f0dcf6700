/* Bytes of hardware in 130 lines: a recording of Intel's OA unit, or reports of it back to back,
 * become metrics. Usage: decode RECORDING, or decode REPORTS FORMAT CATALOG */
#include <sextant/sextant.h>

#include <stdio.h>
#include <string.h>

static int fail(const struct sx_error *err)
{
	fprintf(stderr, "error: %s\nbecause: %s\ntry: %s\n", err->message, err->because,
		err->remedy);
	return 1;
}

/* What becomes of one file. */
struct reading {
	struct sx_context *context;
	const char *catalog_name; /* or NULL: the recording's device has one */
	struct sx_oa_decoder *decoder;
	struct sx_catalog *catalog;
	struct sx_metrics *metrics;
	uint8_t bytes[1 << 17]; /* a record takes 64 KiB at most */
	size_t held;
};

/* The device, its constants and its metric set are known with the first rows. */
static enum sx_status begin(struct reading *r, struct sx_error *err)
{
	const struct sx_oa_device *device = sx_oa_decoder_device(r->decoder);
	struct sx_oa_constants constants;
	char name[SX_OA_CATALOG_NAME_MAX] = "";
	if (r->catalog_name)
		snprintf(name, sizeof(name), "%s", r->catalog_name);
	else if (sx_oa_find_catalog(r->context, device->device_id, name) != SX_OA_MATCH_OWN)
		fprintf(stderr, "no catalog is of device 0x%04x\n", device->device_id);
	enum sx_status status = sx_catalog_open(r->context, name, &r->catalog, err);
	if (status)
		return status;
	sx_oa_device_constants(device, &constants);
	uint32_t count = 0; /* of those that the catalog names */
	for (uint32_t i = 0; i < constants.count; i++)
		if (sx_catalog_find_constant(r->catalog, constants.items[i].name) != SX_NONE)
			constants.items[count++] = constants.items[i];
	const struct sx_metrics_options options = {.set =
						       *device->set ? device->set : "RenderBasic",
						   .constants = constants.items,
						   .constant_count = count};
	return sx_metrics_create(r->catalog, &options, &r->metrics, err);
}

/* The rows so far, which are one here: all of the file. */
static enum sx_status show(struct reading *r, struct sx_error *err)
{
	struct sx_table *rows = sx_oa_decoder_rows(r->decoder), *out = NULL;
	enum sx_status status = rows && sx_table_row_count(rows) ? begin(r, err) : SX_END;
	if (!status)
		status = sx_metrics_eval(r->metrics, rows, &out, err);
	for (uint32_t c = 0; !status && c < sx_table_column_count(out); c++)
		printf("%-32s %16g %s\n", sx_table_column(out, c)->name, sx_table_get(out, c, 0),
		       sx_table_column(out, c)->unit);
	sx_table_destroy(out);
	return status;
}

/* Takes what is held; the rest, less than a record, moves to the front. */
static enum sx_status feed(struct reading *r, struct sx_error *err)
{
	size_t used;
	enum sx_status status = sx_oa_decoder_feed(r->decoder, r->bytes, r->held, &used, err);
	r->held -= used;
	memmove(r->bytes, r->bytes + used, r->held);
	if (status != SX_AGAIN)
		return status;
	/* Rows are complete. One row of all is so at the end alone: others would be shown here. */
	sx_oa_decoder_drain(r->decoder);
	return SX_OK;
}

static enum sx_status read_file(struct reading *r, FILE *file, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t n = 1;
	while (!status && n) {
		n = fread(r->bytes + r->held, 1, sizeof(r->bytes) - r->held, file);
		r->held += n;
		if (!n)
			sx_oa_decoder_end(r->decoder); /* what is cut off may hold whole records */
		status = feed(r, err);
	}
	/* SX_INCOMPLETE: something was lost or is damaged, and the rest stands. */
	return status ? status : sx_oa_decoder_finish(r->decoder, r->held, err);
}

int main(int argc, char **argv)
{
	static struct reading r;
	struct sx_error err = {0};
	struct sx_oa_options options = {.input = SX_OA_RECORDING, .rows = SX_OA_TOTAL};
	FILE *file = argc == 2 || argc == 4 ? fopen(argv[1], "rb") : NULL;
	if (!file)
		return fprintf(stderr, "usage: %s RECORDING | REPORTS FORMAT CATALOG\n", argv[0]),
		       2;
	if (argc == 4) { /* reports say neither their format nor their device */
		options.input = SX_OA_REPORTS;
		options.format = sx_oa_format_find(argv[2]);
		r.catalog_name = argv[3];
	}
	enum sx_status status = sx_context_create(NULL, &r.context, &err);
	if (!status)
		status = sx_oa_decoder_create(&options, &r.decoder, &err);
	if (!status)
		status = read_file(&r, file, &err);
	if (status == SX_INCOMPLETE)
		fprintf(stderr, "not whole: %s\n", err.message);
	if (!sx_failed(status))
		status = show(&r, &err);
	fclose(file);
	sx_metrics_destroy(r.metrics);
	sx_catalog_unref(r.catalog);
	sx_oa_decoder_destroy(r.decoder);
	sx_context_destroy(r.context);
	return sx_failed(status) ? fail(&err) : 0;
}
