/* The CSV of `perf stat`: `decode --as perf-stat`. */
#include "import/perf_stat/parse.h"
#include "tools/verbs/decode/formats.h"
#include "tools/cli/request.h"

static enum sx_status perf_stat_decode(struct decode_job *job, struct sx_error *err)
{
	struct perf_stat_tally tally;
	const char *path;
	if (!job->in.catalog) {
		error_set(err, SX_ERR_USAGE, "perf's counts do not say which catalog they are for");
		error_because(err, "events are matched with the counters of one");
		error_try(err, "--for cpu, or --for intel-merrifield");
		return SX_ERR_USAGE;
	}
	enum sx_status status = cli_input(job->cli, &path, err);
	const struct perf_stat_input input = {(const char *)job->in.data, job->in.size, path,
					      job->in.catalog};
	if (!status)
		status = perf_stat_parse(&input, &job->in.table, &tally, err);
	if (status)
		return status;
	job->shape.times = true;
	const struct input_request request = request_of(job->cli, path);
	input_note_unknown(&request, job->in.table, job->in.catalog);
	const struct note_sink to = cli_note_sink(job->cli);
	return perf_stat_whole(&tally, path, &to, err);
}

const struct decode_format decode_perf_stat = {
    .kind = "perf-stat",
    .about = "perf-stat: what perf stat -x, prints, with or without -I",
    .decode = perf_stat_decode,
};
