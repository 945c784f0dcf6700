/* Merging of trees. The trees belong to one load, so their nodes are moved and changed in place. */
#include "catalog/load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct removal {
	const struct yaml_node *node;
	const char *list;
	bool used;
};

/* Lists of named entries, and the key that names them. */
static const struct named_list {
	const char *list, *name;
	enum index_kind kind;
} lists[] = {
    {"constants", "name", INDEX_CONSTANT}, {"blocks", "name", INDEX_BLOCK},
    {"sections", "id", INDEX_SECTION},	   {"groups", "name", INDEX_GROUP},
    {"counters", "name", INDEX_COUNTER},   {"metrics", "name", INDEX_METRIC},
    {"advice", "rule", INDEX_ADVICE},	   {"programs", "name", INDEX_PROGRAM},
};

static const struct named_list *find_list(const char *key)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(lists[i].list, key) == 0)
			return &lists[i];
	return NULL;
}

static struct yaml_node *copy_node(struct merge *m, const struct yaml_node *node)
{
	struct yaml_node *copy = arena_alloc(m->nodes, sizeof(*copy));
	if (!copy) {
		load_no_memory(m->loader);
		return NULL;
	}
	*copy = *node;
	copy->next = NULL;
	return copy;
}

/* A container's children being listed anew. */
struct chain {
	struct yaml_node *first, *last;
	uint32_t count;
};

static void chain_add(struct chain *chain, struct yaml_node *node)
{
	node->next = NULL;
	if (chain->last)
		chain->last->next = node;
	else
		chain->first = node;
	chain->last = node;
	chain->count++;
}

static void chain_set(const struct chain *chain, struct yaml_node *into)
{
	into->first = chain->first;
	into->count = chain->count;
}

static struct chain chain_of(struct yaml_node *node)
{
	struct chain chain = {.first = node->first, .count = node->count};
	for (struct yaml_node *n = node->first; n; n = n->next)
		chain.last = n;
	return chain;
}

/* Gives a mapping the keys of another one that it does not have. */
static bool fill(struct merge *m, struct yaml_node *into, const struct yaml_node *from)
{
	struct chain chain = chain_of(into);
	for (const struct yaml_node *n = from->kind == YAML_MAP ? from->first : NULL; n;
	     n = n->next) {
		if (yaml_child(into, n->key) || strcmp(n->key, "form") == 0)
			continue;
		struct yaml_node *copy = copy_node(m, n);
		if (!copy)
			return false;
		chain_add(&chain, copy);
		chain_set(&chain, into);
	}
	return true;
}

/* "a.b" in the arena, or `b` alone when there is no a. */
static const char *merge_join(struct merge *m, const char *a, char mark, const char *b)
{
	if (!a)
		return b;
	size_t a_len = strlen(a), b_len = strlen(b);
	char *text = arena_alloc(m->nodes, a_len + b_len + 2);
	if (!text) {
		load_no_memory(m->loader);
		return NULL;
	}
	memcpy(text, a, a_len);
	text[a_len] = mark;
	memcpy(text + a_len + 1, b, b_len);
	return text;
}

static bool note_removals(struct merge *m, const struct yaml_node *list)
{
	const struct named_list *named = find_list(list->key);
	if (!named)
		return load_fail(m->loader, list->line, "\"%s\" cannot be removed from", list->key);
	if (!load_expect(m->loader, list, YAML_LIST, list->key))
		return false;
	for (const struct yaml_node *n = list->first; n; n = n->next) {
		uint32_t holder;
		if (!load_expect(m->loader, n, YAML_SCALAR, "a name to remove"))
			return false;
		if (!mem_grow(&m->removals, &m->removal_cap, m->removal_count + 1,
			      sizeof(*m->removals)))
			return load_no_memory(m->loader);
		m->removals[m->removal_count] = (struct removal){.node = n, .list = list->key};
		if (index_add(&m->removed, (struct index_key){named->kind, INDEX_NO_GROUP, n->text},
			      (uint32_t)m->removal_count++, &holder) == INDEX_NO_MEMORY)
			return load_no_memory(m->loader);
	}
	return true;
}

bool merge_begin(struct merge *m, struct yaml_node *root, const struct yaml_node *remove)
{
	if (remove && !load_expect(m->loader, remove, YAML_MAP, "remove"))
		return false;
	for (const struct yaml_node *n = remove ? remove->first : NULL; n; n = n->next)
		if (!note_removals(m, n))
			return false;
	(void)root;
	return true;
}

static bool is_removed(struct merge *m, enum index_kind kind, const char *name)
{
	const struct index_slot *slot =
	    name ? index_find(&m->removed, kind, INDEX_NO_GROUP, name, strlen(name)) : NULL;
	if (slot)
		m->removals[slot->value].used = true;
	return slot != NULL;
}

bool merge_check_removed(struct merge *m)
{
	for (size_t i = 0; i < m->removal_count; i++)
		if (!m->removals[i].used)
			return load_fail(m->loader, m->removals[i].node->line,
					 "the parent has no \"%.128s\" in %s",
					 m->removals[i].node->text, m->removals[i].list);
	return true;
}

struct yaml_node *merge_add_empty(struct merge *m, struct yaml_node *root,
				  const struct yaml_node *like)
{
	struct yaml_node *copy = copy_node(m, like);
	if (!copy)
		return NULL;
	if (find_list(like->key) && like->kind == YAML_LIST) {
		copy->first = NULL;
		copy->count = 0;
	}
	struct chain chain = chain_of(root);
	chain_add(&chain, copy);
	chain_set(&chain, root);
	return copy;
}

/* The child's entries by name; a metric or counter of groups once for each, as "group.name". */
struct entries {
	struct index index;
	struct yaml_node **nodes;
	bool *used;
};

static bool index_entry(struct merge *m, struct entries *e, const char *name, uint32_t at)
{
	uint32_t holder;
	if (!name)
		return true;
	if (index_add(&e->index, (struct index_key){INDEX_METRIC, INDEX_NO_GROUP, name}, at,
		      &holder) == INDEX_NO_MEMORY)
		return load_no_memory(m->loader);
	return true;
}

static bool index_groups(struct merge *m, struct entries *e, const struct named_list *named,
			 const struct yaml_node *entry, uint32_t at)
{
	const char *name = yaml_child_text(entry, named->name);
	const char *group = yaml_child_text(entry, "group");
	const struct yaml_node *groups = yaml_child(entry, "groups");
	if (!groups || !name) {
		const char *key = group && name ? merge_join(m, group, '.', name) : name;
		return (key || !name) && index_entry(m, e, key, at);
	}
	for (const struct yaml_node *g = groups->first; g; g = g->next) {
		const char *key = merge_join(m, g->text, '.', name);
		if (!key || !index_entry(m, e, key, at))
			return false;
	}
	return true;
}

static void entries_finish(struct entries *e)
{
	index_finish(&e->index);
	free(e->nodes);
	free(e->used);
}

/* Indexes an entry under its names. */
typedef bool (*index_fn)(struct merge *m, struct entries *e, const struct named_list *named,
			 const struct yaml_node *entry, uint32_t at);

static bool entries_init(struct merge *m, struct entries *e, const struct named_list *named,
			 const struct yaml_node *list, index_fn add)
{
	*e = (struct entries){0};
	e->nodes = calloc((size_t)list->count + 1, sizeof(struct yaml_node *));
	e->used = calloc((size_t)list->count + 1, sizeof(bool));
	bool good = (e->nodes && e->used) || load_no_memory(m->loader);
	uint32_t at = 0;
	for (struct yaml_node *n = list->first; good && n; n = n->next, at++) {
		e->nodes[at] = n;
		good = add(m, e, named, n, at);
	}
	if (!good)
		entries_finish(e);
	return good;
}

/* The child's entry of a name, which is then as good as placed; NULL when there is none. */
static struct yaml_node *claim(struct entries *e, const char *name)
{
	const struct index_slot *slot =
	    name ? index_find(&e->index, INDEX_METRIC, INDEX_NO_GROUP, name, strlen(name)) : NULL;
	if (!slot)
		return NULL;
	e->used[slot->value] = true;
	return e->nodes[slot->value];
}

/* Whether the child says itself what a name in a group is. */
static bool is_taken(const struct entries *e, const char *key)
{
	return index_find(&e->index, INDEX_METRIC, INDEX_NO_GROUP, key, strlen(key)) != NULL;
}

/*
 * Leaves a parent's metric the groups that it still has: not those that are removed, nor those in
 * which the child has a metric of that name. *left is how many.
 */
static bool filter_groups(struct merge *m, const struct entries *e, struct yaml_node *entry,
			  const char *name, uint32_t *left)
{
	struct yaml_node *groups = entry->first;
	while (strcmp(groups->key, "groups") != 0)
		groups = groups->next;
	struct chain chain = {0};
	for (struct yaml_node *g = groups->first, *next; g; g = next) {
		next = g->next;
		const char *key = merge_join(m, g->text, '.', name);
		if (!key)
			return false;
		bool gone = is_removed(m, INDEX_METRIC, key);
		gone = is_removed(m, INDEX_GROUP, g->text) || gone;
		if (!gone && !is_taken(e, key))
			chain_add(&chain, g);
	}
	chain_set(&chain, groups);
	*left = chain.count;
	return true;
}

/* One of the parent's entries into the new list. */
static bool place(struct merge *m, struct entries *e, const struct named_list *named,
		  struct yaml_node *entry, struct chain *into)
{
	const char *name = yaml_child_text(entry, named->name);
	const char *group = yaml_child_text(entry, "group");
	const char *key = group && name ? merge_join(m, group, '.', name) : name;
	uint32_t left = 1;
	if (is_removed(m, named->kind, name) || is_removed(m, named->kind, key) ||
	    (group && is_removed(m, INDEX_GROUP, group)))
		return true;
	struct yaml_node *mine = claim(e, key);
	if (name && yaml_child(entry, "groups")) {
		if (!filter_groups(m, e, entry, name, &left))
			return false;
		if (left == 0)
			return true;
	}
	if (mine && !fill(m, mine, entry))
		return false;
	chain_add(into, mine ? mine : entry);
	return true;
}

bool merge_lists(struct merge *m, struct yaml_node *mine, const struct yaml_node *theirs)
{
	const struct named_list *named = find_list(mine->key);
	struct entries e;
	if (!named || mine->kind != YAML_LIST || theirs->kind != YAML_LIST)
		return true;
	if (!entries_init(m, &e, named, mine, index_groups))
		return false;
	struct chain chain = {0};
	bool good = true;
	for (struct yaml_node *n = theirs->first, *next; good && n; n = next) {
		next = n->next;
		good = place(m, &e, named, n, &chain);
	}
	for (uint32_t i = 0; good && i < mine->count; i++)
		if (!e.used[i])
			chain_add(&chain, e.nodes[i]);
	if (good)
		chain_set(&chain, mine);
	entries_finish(&e);
	return good;
}

void merge_finish(struct merge *m)
{
	index_finish(&m->removed);
	free(m->removals);
}

/* Drops a key from a mapping and returns its value, or NULL. */
static const struct yaml_node *drop_key(struct yaml_node *map, const char *key)
{
	struct chain chain = {0};
	const struct yaml_node *dropped = NULL;
	for (struct yaml_node *n = map->kind == YAML_MAP ? map->first : NULL, *next; n; n = next) {
		next = n->next;
		if (strcmp(n->key, key) == 0)
			dropped = n;
		else
			chain_add(&chain, n);
	}
	if (dropped)
		chain_set(&chain, map);
	return dropped;
}

/* The name of a shared entry: "name", or "name#2" for another form of it. */
static const char *shared_name(struct merge *m, const struct yaml_node *entry,
			       const struct named_list *named, const struct yaml_node *form)
{
	const char *name = yaml_child_text(entry, named->name);
	return name && form ? merge_join(m, name, '#', form->text) : name;
}

static bool fill_entry(struct merge *m, struct entries *e, const struct named_list *named,
		       struct yaml_node *entry)
{
	const struct yaml_node *form = drop_key(entry, "form");
	const char *key = shared_name(m, entry, named, form);
	const struct yaml_node *said = key ? claim(e, key) : NULL;
	if (form && !said)
		return load_fail(m->loader, form->line,
				 "the shared file has no form %.20s of \"%s\"", form->text,
				 yaml_child_text(entry, named->name));
	const struct yaml_node *base = form ? claim(e, yaml_child_text(entry, named->name)) : NULL;
	return (!said || fill(m, entry, said)) && (!base || fill(m, entry, base));
}

static bool index_form(struct merge *m, struct entries *e, const struct named_list *named,
		       const struct yaml_node *entry, uint32_t at)
{
	return index_entry(m, e, shared_name(m, entry, named, yaml_child(entry, "form")), at);
}

/* Takes all programs of the shared file: groups use them by name. */
static bool take_programs(struct merge *m, struct yaml_node *root, const struct yaml_node *shared)
{
	struct yaml_node *mine = yaml_child(root, "programs");
	if (!mine && !(mine = merge_add_empty(m, root, shared)))
		return false;
	return merge_lists(m, mine, shared);
}

bool merge_shared(struct merge *m, struct yaml_node *root, const struct yaml_node *shared)
{
	bool good = true;
	for (const struct yaml_node *n = shared->first; good && n; n = n->next) {
		const struct named_list *named = find_list(n->key);
		struct yaml_node *mine = yaml_child(root, n->key);
		struct entries e;
		if (!named || n->kind != YAML_LIST)
			continue;
		if (named->kind == INDEX_PROGRAM) {
			good = take_programs(m, root, n);
			continue;
		}
		if (!mine || mine->kind != YAML_LIST)
			continue;
		if (!entries_init(m, &e, named, n, index_form))
			return false;
		for (struct yaml_node *entry = mine->first; good && entry; entry = entry->next)
			good = fill_entry(m, &e, named, entry);
		entries_finish(&e);
	}
	return good;
}
