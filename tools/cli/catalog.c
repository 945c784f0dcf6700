/* The catalog of a verb: that of --for, of -d, or of its input. */
#include "tools/cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "input/input.h"
#include "tools/cli/request.h"
#include "tools/cli/selection.h"

/* The input when it is a capture: --input, or the only argument. */
static const char *capture_path(const struct cli *cli)
{
	const struct options *o = &cli->options;
	const char *path = o->input;
	if (!path && cli->verb->max_args == 1 && o->args.count == 1)
		path = o->args.items[0];
	return path && imported_is_recording(cli, path) ? path : NULL;
}

/* The input should name the catalog, but is of no known kind: the error says why. */
static enum sx_status of_no_kind(const struct cli *cli, const char *path, struct sx_error *err)
{
	struct input_import *import = NULL;
	if (strcmp(path, "-") != 0 && access(path, R_OK) < 0)
		return error_input(err, errno, "cannot read", path);
	const struct input_request request = {.context = cli->context, .path = path, .shown = path};
	enum sx_status status = input_import_read(&request, &import, err);
	if (sx_failed(status))
		return status;
	input_import_destroy(import);
	error_set(err, SX_ERR_BAD_INPUT, "%s does not name its catalog", path);
	error_because(err, "it is neither a capture nor of a kind that is known");
	error_try(err, "--for NAME; sextant devices lists the names");
	return SX_ERR_BAD_INPUT;
}

/* Constants of the configuration are for the devices that have them. */
static void drop_others_constants(struct options *o, const struct sx_catalog *catalog)
{
	size_t kept = 0;
	for (size_t i = 0; i < o->constant_count; i++)
		if (sx_catalog_find_constant(catalog, o->constants[i].name) != SX_NONE)
			o->constants[kept++] = o->constants[i];
	o->constant_count = kept;
}

/* --for may name a capture by mistake; the error says so. */
static enum sx_status open_catalog(struct cli *cli, struct sx_catalog **out, struct sx_error *err)
{
	const char *name = cli->options.catalog;
	enum sx_status status = sx_catalog_open(cli->context, name, out, err);
	if (status && input_is_capture(name)) {
		error_set(err, SX_ERR_USAGE, "--for %s is a capture", name);
		error_because(err, "--for takes a catalog, and a capture knows its own");
		error_try(err, "without --for: sextant %s -i %s", cli->verb->name,
			  error_word((char[ERROR_WORD_MAX]){0}, name));
		return SX_ERR_USAGE;
	}
	return status;
}

static enum sx_status find_catalog(struct cli *cli, struct sx_catalog **out, struct sx_error *err)
{
	const char *path = capture_path(cli);
	if (path) {
		enum sx_status status = request_open(cli, path, &cli->capture, err);
		if (!status)
			*out = sx_catalog_ref(cli->capture->catalog);
		return status;
	}
	if (cli->options.devices.count)
		return selection_catalog(cli, out, err);
	if (cli->options.catalog)
		return open_catalog(cli, out, err);
	path = cli->options.input;
	bool tables = options_word("eval advise", cli->verb->name);
	if (!path && tables && cli->options.args.count)
		path = cli->options.args.items[0];
	if (path && tables)
		return of_no_kind(cli, path, err);
	/* A capture names its catalog, so a missing file is reported first. */
	if (path && strcmp(path, "-") != 0 && access(path, R_OK) < 0)
		return error_input(err, errno, "cannot read", path);
	error_set(err, SX_ERR_USAGE, "no catalog was named");
	error_because(err, "sextant %s needs to know which device is meant", cli->verb->name);
	error_try(err, "--for NAME; sextant devices lists the names");
	return SX_ERR_USAGE;
}

enum sx_status cli_catalog(struct cli *cli, struct sx_catalog **out, struct sx_error *err)
{
	enum sx_status status = find_catalog(cli, out, err);
	struct options *o = &cli->options;
	if (!status && options_is_default(o, "const"))
		drop_others_constants(o, *out);
	if (!status)
		o->constant_count =
		    report_constants(*out, o->constants, (uint32_t)o->constant_count);
	return status;
}
