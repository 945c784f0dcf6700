/* Matching over heads, which are read once for each context. */
#include "catalog/internal.h"
#include "catalog/load/load.h"
#include "catalog/search/context.h"
#include "catalog/search/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Heads of the library's catalogs, from one frame of the pack. */
struct inside {
	struct arena nodes, texts;
	struct yaml_node *first;
};

/* Hands the tree of one head to the loader; its texts outlive it as the context's. */
static enum sx_status read_head(void *user, struct arena *nodes, struct arena *texts,
				struct load_file *out, struct sx_error *err)
{
	(void)nodes;
	(void)texts;
	(void)err;
	*out = (struct load_file){.origin = "embedded", .root = user};
	return SX_OK;
}

static struct yaml_node *find_head(const struct inside *inside, const char *name)
{
	for (struct yaml_node *n = inside->first; n; n = n->next) {
		const char *is = yaml_child_text(n, "name");
		if (is && strcmp(is, name) == 0)
			return n;
	}
	return NULL;
}

/* A head that cannot be read is NULL and no error, unless memory is out. */
static enum sx_status open_head(struct sx_context *context, const struct inside *inside,
				const char *name, struct sx_catalog **out)
{
	enum sx_status status;
	struct yaml_node *node = path_is_in_folder(context, name) ? NULL : find_head(inside, name);
	if (node) {
		struct load_job job = {.read = read_head, .user = node, .head_only = true};
		status = load_run(&job, out, NULL);
		return status == SX_ERR_NO_MEMORY ? status : SX_OK;
	}
	struct path_request request = {.context = context, .name = name, .head_only = true};
	struct sx_error why = {0};
	status = path_open(&request, out, &why);
	if (status == SX_ERR_NO_MEMORY)
		return status;
	if (status)
		context_log(context, SX_LOG_WARNING, "%s", why.message);
	return SX_OK;
}

static bool read_inside(struct sx_context *context, struct inside *out)
{
	struct pack_file file;
	struct load_file got = {0};
	if (!pack_find(PACK_HEADS, &file) ||
	    pack_read(&file, &out->nodes, &context->arena, &got, NULL) != SX_OK)
		return false;
	out->first = got.root->first;
	return true;
}

/* Call with the lock held. A catalog with an unreadable head is left out. */
static bool open_heads(struct sx_context *context, const char *const *names, size_t count)
{
	struct inside inside = {0};
	context->heads = calloc(count + 1, sizeof(struct sx_catalog *));
	context->infos = calloc(count + 1, sizeof(struct sx_catalog_info *));
	bool good = context->heads && context->infos && read_inside(context, &inside);
	for (size_t i = 0; good && i < count; i++) {
		struct sx_catalog *head = NULL;
		good = open_head(context, &inside, names[i], &head) == SX_OK;
		if (!head)
			continue;
		context->infos[context->head_count] = sx_catalog_info(head);
		context->heads[context->head_count++] = head;
	}
	arena_finish(&inside.nodes);
	return good;
}

const struct sx_catalog_info *const *sx_catalog_heads(struct sx_context *context, size_t *count)
{
	size_t name_count;
	const char *const *names = sx_catalog_names(context, &name_count);
	pthread_mutex_lock(&context->lock);
	/* A list that is cut for want of memory would make described devices look unknown. */
	bool good = names && !context->heads_lack &&
		    (context->heads || open_heads(context, names, name_count));
	context->heads_lack = !good;
	const struct sx_catalog_info *const *infos = good ? context->infos : NULL;
	if (count)
		*count = good ? context->head_count : 0;
	pthread_mutex_unlock(&context->lock);
	return infos;
}

static void match_set(struct match_found *out, const struct sx_catalog_info *info, uint32_t product)
{
	const struct sx_product_info *p = product == SX_NONE ? NULL : &info->products[product];
	snprintf(out->name, sizeof(out->name), "%s", p ? p->name : info->name);
	snprintf(out->title, sizeof(out->title), "%s", p ? p->title : info->title);
	snprintf(out->catalog, sizeof(out->catalog), "%s", info->name);
}

static bool meets(const struct sx_catalog_info *info, const struct match_query *q,
		  struct match_found *out)
{
	for (uint32_t i = 0; i < info->match_count; i++) {
		const struct sx_match_info *m = &info->matches[i];
		if (strcmp(m->driver, q->driver) != 0 || strcmp(m->key, q->key) != 0 ||
		    strcasecmp(m->value, q->value) != 0)
			continue;
		match_set(out, info, m->product);
		return true;
	}
	return false;
}

bool match_device(struct sx_context *context, const struct match_query *queries, size_t count,
		  struct match_found *out)
{
	size_t heads;
	const struct sx_catalog_info *const *infos = sx_catalog_heads(context, &heads);
	for (size_t q = 0; q < count; q++)
		for (size_t i = 0; i < heads; i++)
			if (meets(infos[i], &queries[q], out))
				return true;
	return false;
}

static bool is_product(const struct sx_product_info *p, const char *name)
{
	bool hit = strcasecmp(p->name, name) == 0;
	for (uint32_t i = 0; !hit && i < p->aliases.count; i++)
		hit = strcasecmp(p->aliases.items[i], name) == 0;
	return hit;
}

size_t match_name(struct sx_context *context, const char *name, struct match_found *out)
{
	size_t heads, hits = 0;
	const struct sx_catalog_info *const *infos = sx_catalog_heads(context, &heads);
	for (size_t i = 0; i < heads; i++)
		if (strcasecmp(infos[i]->name, name) == 0) {
			match_set(out, infos[i], SX_NONE);
			return 1;
		}
	for (size_t i = 0; i < heads; i++)
		for (uint32_t p = 0; p < infos[i]->product_count; p++)
			if (is_product(&infos[i]->products[p], name) && hits++ == 0)
				match_set(out, infos[i], p);
	return hits;
}
