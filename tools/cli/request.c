/* See request.h. */
#include "tools/cli/request.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cli/device_words.h"
#include "tools/cli/gate_options.h"

static enum sx_status request_places(void *user, const struct input_request *request,
				     struct sx_capture_reader *reader, struct input_places *out,
				     struct sx_error *err)
{
	return device_words_places(user, request->path, reader, out, err);
}

static void request_progress(void *user, const char *shown, uint64_t done, uint64_t all)
{
	ticker_at(user, shown, done, all);
}

static void request_note(void *user, const char *line)
{
	cli_note(user, "note: %s", line);
}

static void request_about(void *user, const char *line)
{
	cli_note(user, "%s", line);
}

static void request_remark(void *user, const char *text)
{
	const struct cli *cli = user;
	char line[640];
	if (cli->options.quiet)
		return;
	snprintf(line, sizeof(line), "note: %s", text);
	text_wrap(&cli->err, 2, line);
}

struct input_request request_of(const struct cli *cli, const char *path)
{
	const struct options *o = &cli->options;
	return (struct input_request){.context = cli->context,
				      .path = path,
				      .import = imported_of(cli, path),
				      .shown = imported_shown(cli, path),
				      .find_places = request_places,
				      .progress = request_progress,
				      .user = (void *)cli,
				      .note = request_note,
				      .about = request_about,
				      .remark = request_remark,
				      .metrics = o->metrics.items,
				      .metric_count = o->metrics.count,
				      .counters = o->counters,
				      .set = o->set,
				      .variant = o->api,
				      .constants = o->constants,
				      .constant_count = (uint32_t)o->constant_count,
				      .constants_if_known = options_is_default(o, "const"),
				      .rows = {.process = o->process,
					       .only_context = o->context.given,
					       .context = o->context.value},
				      .as = o->as,
				      .catalog = o->catalog,
				      /* eval looks by itself */
				      .check_given = !options_word("eval", cli->verb->name)};
}

enum sx_status request_open(struct cli *cli, const char *path, struct input_device **out,
			    struct sx_error *err)
{
	struct options *o = &cli->options;
	struct input_device *d;
	const struct input_request request = request_of(cli, path);
	enum sx_status status = input_device_open(&request, SX_NONE, &d, err);
	if (status)
		return status;
	struct sx_constant_value *all = calloc(d->facts.constant_count + 1, sizeof(*all));
	if (!all) {
		input_device_close(d);
		return error_nomem(err, "reading a capture");
	}
	memcpy(all, d->constants, d->facts.constant_count * sizeof(*all));
	free(o->constants);
	o->constants = all;
	o->constant_count = d->facts.constant_count;
	o->constant_cap = d->facts.constant_count + 1;
	o->set = d->facts.set;
	cli->view.simulated = d->info->facts.simulated;
	d->of = request_of(cli, path);
	*out = d;
	return SX_OK;
}

void compare_input_own(struct cli *cli)
{
	struct string_list *list = &cli->options.metrics;
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++)
		if (!compare_is_own(list->items[i]))
			list->items[kept++] = list->items[i];
	cli->options.only_own = list->count && !kept;
	list->count = kept;
}

/* One of the files. Gates are about metrics that are compared whatever --metric selects. */
static enum sx_status compare_input_add(struct cli *cli, const char *path, struct compare_set *set,
					bool *whole, struct sx_error *err)
{
	struct arena arena = {0};
	struct gates gates = {0};
	struct gate_names names = {0};
	const struct input_compare_options options = {.fps = cli->options.fps,
						      .only_own = cli->options.only_own};
	enum sx_status status = gate_options_read(cli, &arena, &gates.items, &gates.count, err);
	if (!status)
		status = gate_options_names(&arena, gates, &names, err);
	struct input_request request = request_of(cli, path);
	request.also = names.items;
	request.also_count = names.count;
	if (!status)
		status = input_compare_add(&request, &options, set, whole, err);
	arena_finish(&arena);
	return status;
}

enum sx_status compare_input_load(struct cli *cli, const char *files, struct compare_set *set,
				  bool *whole, struct sx_error *err)
{
	compare_set_init(set);
	char *list = strdup(files), *save = NULL;
	enum sx_status status = list ? SX_OK : error_nomem(err, "reading files");
	if (!status && baseline_is(files)) {
		status = baseline_read(files, set, err);
		free(list);
		return status;
	}
	/* A comma may be part of a name. */
	const char *apart = access(files, F_OK) == 0 ? "\n" : ",";
	char *path = status ? NULL : strtok_r(list, apart, &save);
	bool read = imported_of(cli, files);
	for (; path && !status; path = strtok_r(NULL, apart, &save)) {
		const char *file = path;
		status = read ? SX_OK : imported_replace(cli, &file, err);
		if (!status)
			status = compare_input_add(cli, file, set, whole, err);
	}
	if (!status)
		status = compare_set_done(set, err);
	free(list);
	return status;
}
