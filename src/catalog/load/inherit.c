/* Inheritance: a parent's parts, with what the child overrides and removes. */
#include "catalog/load/load.h"

#include <string.h>

/* Keys that belong to one file alone. */
static const char *const own_keys[] = {
    "sextant-catalog", "name",	"title", "extends",  "shared",
    "remove",	       "facts", "match", "products", NULL,
};

static bool is_own(const char *key)
{
	for (size_t i = 0; own_keys[i]; i++)
		if (strcmp(own_keys[i], key) == 0)
			return true;
	return false;
}

static bool fetch_file(struct loader *l, const struct yaml_node *key, bool is_shared,
		       const struct load_fetch *fetch, struct arena *nodes)
{
	uint32_t file = is_shared ? LOAD_SHARED : LOAD_PARENT;
	struct sx_error why = {0};
	struct load_file got = {0};
	if (!load_check_name(l, key, key->key))
		return false;
	const struct load_wanted wanted = {key->text, is_shared, nodes, &l->cat->arena};
	enum sx_status status =
	    fetch ? fetch->read(fetch->user, &wanted, &got, &why) : SX_ERR_NOT_FOUND;
	if (status == SX_ERR_NO_MEMORY)
		return load_no_memory(l);
	if (status == SX_ERR_NOT_FOUND) {
		load_fail(l, key->line, "there is no %s \"%.128s\"",
			  is_shared ? "shared file" : "catalog", key->text);
		return load_because(l, "neither the catalog's folder nor the search path has it",
				    is_shared ? "put NAME.shared.yaml beside the catalog"
					      : "put NAME.yaml beside the catalog");
	}
	if (status != SX_OK) {
		/* The other file's own message has the line there. */
		l->status = status;
		if (l->err)
			*l->err = why;
		return false;
	}
	yaml_mark(got.root, file);
	l->files[file] = got.origin;
	l->hashes[file] = got.hash;
	l->roots[file] = got.root;
	return true;
}

static bool check_shared(struct loader *l, const struct yaml_node *key)
{
	const struct yaml_node *root = l->roots[LOAD_SHARED];
	const char *version = yaml_child_text(root, "sextant-shared");
	if (version && strcmp(version, "1") == 0)
		return true;
	load_fail(l, key->line, "\"%s\" is not a shared file", key->text);
	return load_because(l, "it does not begin with \"sextant-shared: 1\"",
			    "see docs/catalog-format.md");
}

static bool get_parent(struct loader *l, const struct yaml_node *root,
		       const struct load_fetch *fetch, struct arena *nodes)
{
	const struct yaml_node *key = yaml_child(root, "extends");
	const char *name = yaml_child_text(root, "name");
	if (!key)
		return true;
	if (key->kind == YAML_SCALAR && name && strcmp(key->text, name) == 0) {
		load_fail(l, key->line, "catalog \"%.128s\" extends itself", name);
		return load_because(l, "a catalog takes its parts from another one",
				    "drop the key, or name another catalog");
	}
	if (!fetch_file(l, key, false, fetch, nodes))
		return false;
	if (yaml_child(l->roots[LOAD_PARENT], "extends")) {
		load_fail(l, key->line, "\"%.128s\" extends another catalog itself", key->text);
		return load_because(l, "inheritance has one level", "extend the other one");
	}
	return true;
}

/* The child's own key, else its parent's: both then mean the same file. */
static bool get_shared(struct loader *l, const struct yaml_node *root,
		       const struct load_fetch *fetch, struct arena *nodes)
{
	const struct yaml_node *key = yaml_child(root, "shared");
	if (!key && l->roots[LOAD_PARENT])
		key = yaml_child(l->roots[LOAD_PARENT], "shared");
	return !key || (fetch_file(l, key, true, fetch, nodes) && check_shared(l, key));
}

/* Each part of the parent that the child may have as well. */
static bool take_parent(struct merge *m, struct yaml_node *root, const struct yaml_node *parent)
{
	for (const struct yaml_node *n = parent->first; n; n = n->next) {
		if (is_own(n->key))
			continue;
		struct yaml_node *mine = yaml_child(root, n->key);
		if (!mine && !(mine = merge_add_empty(m, root, n)))
			return false;
		else if (mine->kind == YAML_SCALAR || n->kind != mine->kind)
			continue;
		if (!merge_lists(m, mine, n))
			return false;
	}
	return true;
}

bool inherit_resolve(struct loader *l, struct yaml_node *root, const struct load_fetch *fetch,
		     struct arena *nodes)
{
	if (root->kind != YAML_MAP)
		return true;
	if (!get_parent(l, root, fetch, nodes) || !get_shared(l, root, fetch, nodes))
		return false;
	struct merge m = {.loader = l, .nodes = nodes};
	const struct yaml_node *parent = l->roots[LOAD_PARENT], *shared = l->roots[LOAD_SHARED];
	const struct yaml_node *remove = yaml_child(root, "remove");
	if (remove && !parent)
		return load_fail(l, remove->line, "remove needs a catalog that this one extends");
	bool good = merge_begin(&m, root, remove) && (!parent || take_parent(&m, root, parent)) &&
		    merge_check_removed(&m) && (!shared || merge_shared(&m, root, shared));
	merge_finish(&m);
	return good;
}
