/* Opening: a catalog's file and those that it builds upon, from folders or from the library. */
#include "base/error.h"
#include "catalog/internal.h"
#include "catalog/load/load.h"
#include "catalog/search/context.h"
#include "catalog/search/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".yaml"

/* Where a catalog's file is, and where those are looked for that it builds upon. */
struct place {
	const struct sx_context *context; /* NULL: no search path */
	bool is_inside;			  /* in the library, as `file`; else at `path` */
	struct pack_file file;
	const char *text; /* in memory, `size` bytes; NULL: it is not */
	size_t size;
	char path[PATH_BYTES_MAX];
	bool head_only;
	struct dump_text *resolved;
};

/* Reads a whole regular file; the size is bounded by the format's limit. */
static enum sx_status read_all(int fd, const char *path, char **out, size_t *size,
			       struct sx_error *err)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return error_errno(err, errno, "cannot read the catalog %s", path);
	if (!S_ISREG(st.st_mode)) {
		error_set(err, SX_ERR_BAD_INPUT, "%s:1: not a regular file", path);
		error_because(err, "a catalog is a file");
		error_try(err, "give the path of a YAML file");
		return SX_ERR_BAD_INPUT;
	}
	/* One byte beyond the limit is enough for the parser to see that it is passed. */
	size_t want = YAML_BYTES_MAX + 1, used = 0;
	if ((uint64_t)st.st_size < want)
		want = (size_t)st.st_size + 1;
	char *text = malloc(want);
	if (!text)
		return error_nomem(err, "reading a catalog");
	ssize_t n = 1;
	while (n > 0 && used < want) {
		n = read(fd, text + used, want - used);
		if (n > 0)
			used += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	if (n < 0) {
		enum sx_status status = error_errno(err, errno, "cannot read the catalog %s", path);
		free(text);
		return status;
	}
	*out = text;
	*size = used;
	return SX_OK;
}

static enum sx_status read_path(const struct place *p, struct arena *nodes, struct arena *texts,
				struct load_file *out, struct sx_error *err)
{
	/* Not blocking: the path may be a FIFO. */
	int fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		enum sx_status status =
		    error_errno(err, errno, "cannot open the catalog %s", p->path);
		error_try(err, "check the path and its permissions");
		return status;
	}
	char *text = NULL;
	size_t size = 0;
	enum sx_status status = read_all(fd, p->path, &text, &size, err);
	close(fd);
	const struct yaml_input input = {text, size, p->path, p->head_only};
	if (status == SX_OK)
		status = load_text(&input, nodes, texts, out, err);
	free(text);
	return status;
}

static enum sx_status place_read(void *user, struct arena *nodes, struct arena *texts,
				 struct load_file *out, struct sx_error *err)
{
	const struct place *p = user;
	if (p->is_inside)
		return pack_read(&p->file, nodes, texts, out, err);
	const struct yaml_input input = {p->text, p->size, p->path, p->head_only};
	if (p->text)
		return load_text(&input, nodes, texts, out, err);
	return read_path(p, nodes, texts, out, err);
}

/* Whether FOLDER/NAME.yaml exists; its path is then p->path. */
static bool is_in(struct place *p, const char *folder, size_t len, const char *name)
{
	int n = snprintf(p->path, sizeof(p->path), "%.*s/%s" SUFFIX, (int)len, folder, name);
	return n >= 0 && (size_t)n < sizeof(p->path) && access(p->path, F_OK) == 0;
}

static bool is_in_folders(struct place *p, const char *name)
{
	const struct sx_context *context = p->context;
	for (size_t i = 0; context && i < context->folder_count; i++)
		if (is_in(p, context->folders[i], strlen(context->folders[i]), name))
			return true;
	return false;
}

bool path_is_in_folder(const struct sx_context *context, const char *name)
{
	struct place p = {.context = context};
	return is_in_folders(&p, name);
}

/* Finds a file by its name along the search path; false when there is none. */
static bool place_find(struct place *p, const char *name)
{
	if (is_in_folders(p, name))
		return true;
	p->is_inside = pack_find(name, &p->file) && p->file.yaml_bytes;
	return p->is_inside;
}

/* What a catalog builds upon: beside its own file, else along the search path. */
static enum sx_status place_fetch(void *user, const struct load_wanted *wanted,
				  struct load_file *out, struct sx_error *err)
{
	const struct place *own = user;
	char file[256];
	snprintf(file, sizeof(file), "%s%s", wanted->name, wanted->is_shared ? PATH_SHARED : "");
	struct place *p = calloc(1, sizeof(*p));
	if (!p)
		return error_nomem(err, "loading a catalog");
	p->context = own->context;
	const char *slash = own->is_inside || own->text ? NULL : strrchr(own->path, '/');
	bool found = !strchr(file, '/') &&
		     ((slash && is_in(p, own->path, (size_t)(slash - own->path), file)) ||
		      place_find(p, file));
	enum sx_status status =
	    found ? place_read(p, wanted->nodes, wanted->texts, out, err) : SX_ERR_NOT_FOUND;
	free(p);
	return status;
}

static enum sx_status place_open(struct place *p, const char *product, struct sx_catalog **out,
				 struct sx_error *err)
{
	struct load_fetch fetch = {.read = place_fetch, .user = p};
	struct load_job job = {.read = place_read,
			       .user = p,
			       .fetch = &fetch,
			       .product = product,
			       .head_only = p->head_only,
			       .resolved = p->resolved};
	return load_run(&job, out, err);
}

enum sx_status catalog_open_inside(const char *name, struct sx_catalog **out, struct sx_error *err)
{
	struct path_request request = {.name = name};
	return path_open(&request, out, err);
}

static enum sx_status open_file(const struct sx_context *context, const char *path,
				struct dump_text *resolved, struct sx_catalog **out,
				struct sx_error *err)
{
	struct place *p = calloc(1, sizeof(*p));
	if (!p)
		return error_nomem(err, "loading a catalog");
	p->context = context;
	p->resolved = resolved;
	snprintf(p->path, sizeof(p->path), "%s", path);
	enum sx_status status = place_open(p, NULL, out, err);
	free(p);
	return status;
}

enum sx_status catalog_open_file(const struct sx_context *context, const char *path,
				 struct sx_catalog **out, struct sx_error *err)
{
	return open_file(context, path, NULL, out, err);
}

enum sx_status path_parse(const struct sx_context *context, const struct path_text *text,
			  struct sx_catalog **out, struct sx_error *err)
{
	struct place *p = calloc(1, sizeof(*p));
	if (!p)
		return error_nomem(err, "loading a catalog");
	p->context = context;
	p->text = text->text;
	p->size = text->size;
	snprintf(p->path, sizeof(p->path), "%s", text->origin);
	enum sx_status status = place_open(p, NULL, out, err);
	free(p);
	return status;
}

enum sx_status sx_catalog_parse(const char *text, size_t size, const char *origin,
				struct sx_catalog **out, struct sx_error *err)
{
	return path_parse(NULL, &(struct path_text){text, size, origin}, out, err);
}

static enum sx_status check_name(const char *name, struct sx_catalog **catalog,
				 struct sx_error *err)
{
	const struct sx_catalog_info *info = sx_catalog_info(*catalog);
	if (strcmp(info->catalog, name) == 0)
		return SX_OK;
	error_set(err, SX_ERR_BAD_INPUT,
		  "%s:2: the catalog's name is \"%s\", but the file's is \"%s\"", info->origin,
		  info->catalog, name);
	error_because(err, "a catalog is found by the name of its file");
	error_try(err, "rename the file or the catalog");
	sx_catalog_unref(*catalog);
	*catalog = NULL;
	return SX_ERR_BAD_INPUT;
}

enum sx_status path_open(const struct path_request *request, struct sx_catalog **out,
			 struct sx_error *err)
{
	struct place *p = calloc(1, sizeof(*p));
	if (!p)
		return error_nomem(err, "loading a catalog");
	p->context = request->context;
	p->head_only = request->head_only;
	p->resolved = request->resolved;
	enum sx_status status = SX_ERR_NOT_FOUND;
	if (place_find(p, request->name)) {
		status = place_open(p, request->product, out, err);
		if (status == SX_OK && !p->is_inside)
			status = check_name(request->name, out, err);
	} else {
		error_set(err, SX_ERR_NOT_FOUND, "no catalog is called \"%s\"", request->name);
		error_because(
		    err, "no folder of the search path has %s" SUFFIX ", and it is not built in",
		    request->name);
	}
	free(p);
	return status;
}

enum sx_status sx_catalog_resolve(struct sx_context *context, const char *name, char **out,
				  struct sx_error *err)
{
	struct dump_text text = {0};
	struct sx_catalog *found = NULL, *catalog = NULL;
	/* Once for the name, which may be a product's. */
	enum sx_status status = sx_catalog_open(context, name, &found, err);
	if (!status && strchr(name, '/')) {
		status = open_file(context, name, &text, &catalog, err);
	} else if (!status) {
		struct path_request request = {
		    .context = context, .name = sx_catalog_info(found)->catalog, .resolved = &text};
		status = path_open(&request, &catalog, err);
	}
	sx_catalog_unref(found);
	sx_catalog_unref(catalog);
	if (status)
		free(text.data);
	else
		*out = text.data;
	return status;
}
