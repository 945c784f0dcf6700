/* Groups, and the register writes that program a metric set. */
#include "catalog/load/load.h"

#include <string.h>

struct group {
	struct sx_group_info info;
	const struct yaml_node *exclusive, *programs;
	int unit; /* index in `units` */
};

static const char *const group_kinds[] = {"set", "uncore", "list", NULL};
static const char *const program_kinds[] = {"mux", "boolean", "flex", NULL};
static const char *const units[] = {"", "oag", "oam", NULL};

#define AT(member) offsetof(struct group, member)

static const struct field group_fields[] = {
    {"name", FIELD_NAME, true, AT(info.name), NULL},
    {"title", FIELD_TEXT, false, AT(info.title), NULL},
    {"kind", FIELD_ENUM, true, AT(info.kind), group_kinds},
    {"uuid", FIELD_NAME, false, AT(info.uuid), NULL},
    {"exclusive", FIELD_NODE, false, AT(exclusive), NULL},
    {"counter-format", FIELD_NAME, false, AT(info.counter_format), NULL},
    {"unit", FIELD_ENUM, false, AT(unit), units},
    {"scope", FIELD_TEXT, false, AT(info.scope), NULL},
    {"notes", FIELD_STRINGS, false, AT(info.notes), NULL},
    {"programs", FIELD_NODE, false, AT(programs), NULL},
};

struct program {
	struct sx_program_info info;
	const char *name;
	const struct yaml_node *use;
};

#undef AT
#define AT(member) offsetof(struct program, member)

/* What a program is, and what a group says where it uses one. */
static const struct field program_fields[] = {
    {"name", FIELD_NAME, true, AT(name), NULL},
    {"kind", FIELD_ENUM, true, AT(info.kind), program_kinds},
    {"writes", FIELD_TEXT, true, AT(info.writes), NULL},
};

static const struct field use_fields[] = {
    {"use", FIELD_NODE, true, AT(use), NULL},
    {"priority", FIELD_I32, false, AT(info.priority), NULL},
    {"when", FIELD_TEXT, false, AT(info.when), NULL},
};

static const struct field own_fields[] = {
    {"kind", FIELD_ENUM, true, AT(info.kind), program_kinds},
    {"priority", FIELD_I32, false, AT(info.priority), NULL},
    {"when", FIELD_TEXT, false, AT(info.when), NULL},
    {"writes", FIELD_TEXT, true, AT(info.writes), NULL},
};

/* 1 to 8 hexadecimal digits; returns where they end, or NULL. Large sets have tens of thousands. */
static const char *skip_hex(const char *p)
{
	const char *begin = p;
	while ((*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'F') || (*p >= 'a' && *p <= 'f'))
		p++;
	return p > begin && p - begin <= 8 ? p : NULL;
}

static bool check_writes(struct loader *l, const struct yaml_node *n, struct sx_program_info *out)
{
	for (const char *p = out->writes; p && *p; out->count++) {
		const char *end = skip_hex(p);
		end = end && *end == ':' ? skip_hex(end + 1) : NULL;
		if (!end || (*end && *end != ' '))
			return load_fail(
			    l, n->line,
			    "write %u must be ADDRESS:VALUE in hexadecimal, not \"%.20s\"",
			    out->count + 1, p);
		p = end;
		while (*p == ' ')
			p++;
	}
	return true;
}

/*
 * The named programs of a catalog and its shared file are only noted here; each is read where a
 * group uses it.
 */
bool load_named_programs(struct loader *l, const struct yaml_node *list)
{
	uint32_t count = 0;
	l->programs = load_array(l, list, sizeof(*l->programs));
	if (!l->programs)
		return false;
	for (const struct yaml_node *n = list->first; n; n = n->next) {
		const struct yaml_node *name = yaml_child(n, "name");
		if (!name)
			return load_fail(l, n->line, "a program needs \"name\"");
		l->programs[count] = n;
		if (!load_check_name(l, name, "name") ||
		    !load_bind(l, n->line,
			       (struct index_key){INDEX_PROGRAM, INDEX_NO_GROUP, name->text},
			       count++))
			return false;
	}
	return true;
}

static bool read_program(struct loader *l, const struct yaml_node *n, struct sx_program_info *out)
{
	struct program p = {0};
	uint32_t named;
	if (n->kind != YAML_SCALAR && !yaml_child(n, "use")) {
		if (!fields_read(l, n, FIELDS("a program", own_fields), &p))
			return false;
		*out = p.info;
		return check_writes(l, n, out);
	}
	if (n->kind == YAML_SCALAR)
		p.use = n;
	else if (!fields_read(l, n, FIELDS("a program", use_fields), &p))
		return false;
	if (!load_reference(l, p.use, INDEX_PROGRAM, &named))
		return false;
	n = l->programs[named];
	if (!fields_read(l, n, FIELDS("a program", program_fields), &p))
		return false;
	*out = p.info;
	return check_writes(l, n, out);
}

static bool load_programs(struct loader *l, const struct yaml_node *list, struct sx_group_info *out)
{
	if (!load_expect(l, list, YAML_LIST, "programs"))
		return false;
	struct sx_program_info *p = load_array(l, list, sizeof(*p));
	if (!p)
		return false;
	out->programs = p;
	out->program_count = list->count;
	for (const struct yaml_node *n = list->first; n; n = n->next, p++)
		if (!read_program(l, n, p))
			return false;
	return true;
}

static bool load_group(struct loader *l, const struct yaml_node *n, uint32_t index)
{
	struct sx_group_info *out = &l->cat->groups[index];
	struct group g = {0};
	if (!fields_read(l, n, FIELDS("a group", group_fields), &g))
		return false;
	g.info.exclusive = g.info.kind != SX_GROUP_LIST;
	if (g.exclusive) {
		if (g.exclusive->kind != YAML_SCALAR || (strcmp(g.exclusive->text, "true") != 0 &&
							 strcmp(g.exclusive->text, "false") != 0))
			return load_fail(l, g.exclusive->line, "exclusive must be true or false");
		g.info.exclusive = g.exclusive->text[0] == 't';
	}
	g.info.unit = g.unit ? units[g.unit] : NULL;
	if (g.programs && !load_programs(l, g.programs, &g.info))
		return false;
	if (!g.info.title)
		g.info.title = g.info.name;
	*out = g.info;
	/* A uuid names a group as well: captures and kernel interfaces know sets by it. */
	return load_bind(l, n->line, (struct index_key){INDEX_GROUP, INDEX_NO_GROUP, out->name},
			 index) &&
	       (!out->uuid || strcmp(out->uuid, out->name) == 0 ||
		load_bind(l, n->line, (struct index_key){INDEX_GROUP, INDEX_NO_GROUP, out->uuid},
			  index));
}

bool load_groups(struct loader *l, const struct yaml_node *list)
{
	l->cat->groups = load_things(l, list, INDEX_GROUP, sizeof(*l->cat->groups));
	return l->cat->groups && load_each(l, list, load_group, &l->cat->group_count);
}
