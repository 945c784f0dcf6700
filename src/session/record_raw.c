/*
 * Writes raw samples of a source into a file of its own format: head, samples as they come, tail.
 */
#include "session/session.h"

#include "base/clock.h"
#include "base/error.h"
#include "source/source.h"

#define DEFAULT_NS UINT64_C(10000000000)
#define WAIT_MS	   100
#define REST_NS	   UINT64_C(2000000000) /* a source that never comes to an end is left */
#define EDGE_BYTES 4096			/* of a head or a tail */

struct sink {
	const struct sx_raw_recording *recording;
	bool (*write)(void *user, const uint8_t *data, size_t size);
	void *user;
};

/* A head or a tail, as the source has it now. */
struct edge {
	uint8_t bytes[EDGE_BYTES];
	size_t size;
};

static void take_edge(struct source *source, size_t (*edge)(struct source *, uint8_t *, size_t),
		      struct edge *out)
{
	out->size = edge ? edge(source, out->bytes, sizeof(out->bytes)) : 0;
}

static bool write_edge(const struct edge *edge, const struct sink *sink)
{
	return !edge->size || sink->write(sink->user, edge->bytes, edge->size);
}

static bool record_raw_asked_to_end(const struct sink *sink)
{
	return sink->recording->stop && sink->recording->stop(sink->user);
}

static enum sx_status copy_sample(struct source *source, int wait_ms, const struct sink *sink,
				  bool *more, struct sx_error *err)
{
	struct raw_sample raw;
	enum sx_status status = source->ops->read(source, wait_ms, &raw, err);
	if (!status && raw.kind == source->ops->raw)
		*more = sink->write(sink->user, raw.data, raw.size);
	return status == SX_AGAIN ? SX_OK : status;
}

/* Samples that were unread when the source stopped belong to the recording. */
static enum sx_status copy_rest(struct source *source, const struct sink *sink, bool *more,
				struct sx_error *err)
{
	enum sx_status status = source->ops->stop(source, err);
	uint64_t until = sys_now_ns(source->sys) + REST_NS;
	while (!status && *more && sys_now_ns(source->sys) < until)
		status = copy_sample(source, 0, sink, more, err);
	return status == SX_END ? SX_OK : status;
}

/* Head, samples until the end, what is left, tail: also of a source that fails on the way. */
static enum sx_status record_raw_stream(struct source *source, uint64_t end_ns,
					const struct sink *sink, struct sx_error *err)
{
	struct edge edge;
	enum sx_status status = SX_OK;
	take_edge(source, source->ops->raw_head, &edge);
	bool more = write_edge(&edge, sink);
	while (!status && more && sys_now_ns(source->sys) < end_ns &&
	       !record_raw_asked_to_end(sink))
		status = copy_sample(source, WAIT_MS, sink, &more, err);
	if (!status && more)
		status = copy_rest(source, sink, &more, err);
	take_edge(source, source->ops->raw_tail, &edge);
	if (more)
		more = write_edge(&edge, sink);
	if (!status && !more)
		status = error_set(err, SX_ERR_IO, "the recording could not be written");
	return status == SX_END ? SX_OK : status;
}

/* The source of an id: the one that opens it. */
static enum sx_status open_source(const struct source_host *host, const char *id,
				  struct source **out, struct sx_error *err)
{
	struct sx_error why = {0};
	for (const struct source_ops *const *ops = source_all(); *ops; ops++) {
		if (!(*ops)->raw_head)
			continue;
		enum sx_status status = (*ops)->open(host, id, out, &why);
		if (status != SX_ERR_NOT_FOUND) {
			if (status && err)
				*err = why;
			return status;
		}
	}
	if (!why.message[0])
		error_set(&why, SX_ERR_NOT_FOUND, "there is no device \"%.64s\"", id);
	if (err)
		*err = why;
	return SX_ERR_NOT_FOUND;
}

enum sx_status record_raw(const struct source_host *host, const struct sx_raw_recording *recording,
			  bool (*write)(void *user, const uint8_t *data, size_t size), void *user,
			  struct sx_error *err)
{
	struct sink sink = {recording, write, user};
	struct source *source = NULL;
	struct source_request request = {.set = recording->set,
					 .definitions = recording->definitions,
					 .definition_count = recording->definition_count,
					 .interval_ns = recording->interval_ns};
	enum sx_status status = open_source(host, recording->device, &source, err);
	if (status)
		return status;
	const struct source_ops *ops = source->ops;
	status = ops->start(source, &request, err);
	uint64_t duration = recording->duration_ns ? recording->duration_ns : DEFAULT_NS;
	if (!status)
		status = record_raw_stream(source, sys_now_ns(host->sys) + duration, &sink, err);
	ops->stop(source, NULL);
	ops->close(source);
	return status;
}

enum sx_status sx_raw_record(struct sx_context *context, const struct sx_raw_recording *recording,
			     bool (*write)(void *user, const uint8_t *data, size_t size),
			     void *user, struct sx_error *err)
{
	struct source_host host = {.sys = sys_real(), .catalogs = context};
	return record_raw(&host, recording, write, user, err);
}
