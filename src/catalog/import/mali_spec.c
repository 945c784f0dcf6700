/*
 * The specification in libGPUCounters (specification/database): a product list, a layout of slots
 * for each key, and what each counter is or is worked out from, in XML files that are given one
 * behind the other. One key of it becomes a catalog.
 */
#include "base/error.h"
#include "catalog/import/import.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFOS_MAX 16384
#define SLOTS_MAX 8192
#define NAMES_MAX 256

/* A counter as it is described; texts are the arena's, "" where the file has none. */
struct info {
	const char *machine, *source, *aliases, *human, *group, *title, *units, *text, *equation;
	const char *gpus; /* "|Mali-G71|Mali-G72|" */
	bool slotted;	  /* some slot of the chosen layout holds it */
};

struct slot {
	const char *key, *block, *source;
	uint32_t index, shift, size; /* size: of the block */
};

struct product {
	const char *name, *key, *ids; /* "|0xa002|0xa007|" */
};

struct spec {
	struct vendor *in;
	struct info *infos, info;
	struct slot *slots;
	struct product *products, product;
	size_t info_count, info_cap, slot_count, slot_cap, product_count, product_cap;
	const char *layout, *block; /* of the element at hand */
	uint32_t block_size;
	const char *key;     /* of the layout that was chosen */
	const char **groups; /* of the sections that were written */
	size_t group_count, group_cap;
};

static const struct {
	const char *theirs, *ours, *more;
	bool sum;
} blocks[] = {
    {"GPU Front-end", "front-end", "code: 0", false},
    {"Tiler", "tiler", "code: 1", false},
    {"Memory System", "memory", "code: 2, instances: l2_slices", true},
    {"Shader Core", "shader-core", "code: 3, instances: shader_cores", true},
};
#define BLOCKS (sizeof(blocks) / sizeof(blocks[0]))

/* What the implementation gives, and what it is called in ours. */
static const struct {
	const char *theirs, *ours;
} constants[] = {
    {"MALI_CONFIG_EXT_BUS_BYTE_SIZE", "($MaliConstantsBusWidthBits / 8)"},
    {"MALI_CONFIG_L2_CACHE_COUNT", "$MaliConstantsL2SliceCount"},
    {"MALI_CONFIG_SHADER_CORE_COUNT", "$MaliConstantsShaderCoreCount"},
    {"MALI_CONFIG_TIME_SPAN", "$seconds"},
};

static bool mali_spec_is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* "|a|" and "b" to "|a|b|". */
static const char *mali_spec_append(struct spec *s, const char *list, const char *more)
{
	size_t a = list ? strlen(list) : 0, b = strlen(more);
	char *text = arena_alloc(&s->in->arena, a + b + 3);
	if (!text) {
		vendor_no_memory(s->in);
		return list;
	}
	snprintf(text, a + b + 3, "%s%s|", a ? list : "|", more);
	return text;
}

static bool holds(const char *list, const char *word)
{
	size_t size = strlen(word);
	for (const char *p = list; p && (p = strstr(p, word)); p += size)
		if (p > list && p[-1] == '|' && p[size] == '|')
			return true;
	return false;
}

/* "Mali-G725" and "Mali G1" as `--for` has them: mali-g725, mali-g1. */
static const char *plain_name(const char *text, char buf[NAMES_MAX])
{
	size_t size = 0;
	for (; *text && size + 1 < NAMES_MAX; text++)
		buf[size++] =
		    isalnum((unsigned char)*text) ? (char)tolower((unsigned char)*text) : '-';
	buf[size] = '\0';
	return buf;
}

/* "GPU active cycles" as gpu_active_cycles. */
static const char *slug(const char *text, char buf[NAMES_MAX])
{
	size_t size = 0;
	for (; *text && size + 1 < NAMES_MAX; text++) {
		bool good = isalnum((unsigned char)*text) != 0;
		if (good)
			buf[size++] = (char)tolower((unsigned char)*text);
		else if (size && buf[size - 1] != '_')
			buf[size++] = '_';
	}
	size -= size && buf[size - 1] == '_';
	buf[size] = '\0';
	return buf;
}

/* Streamline's name: Mali, then each word of group and title with a capital. */
static const char *streamline(const struct info *info, char buf[NAMES_MAX])
{
	const char *parts[] = {info->group, info->title};
	size_t size = (size_t)snprintf(buf, NAMES_MAX, "Mali");
	for (size_t i = 0; i < 2; i++) {
		bool first = true;
		for (const char *p = parts[i]; *p && size + 1 < NAMES_MAX; p++) {
			if (!isalnum((unsigned char)*p)) {
				first = true;
				continue;
			}
			buf[size++] = first ? (char)toupper((unsigned char)*p) : *p;
			first = false;
		}
	}
	buf[size] = '\0';
	return buf;
}

static bool too_many(struct spec *s, const char *what)
{
	s->in->status = error_set(s->in->err, SX_ERR_LIMIT, "%s:%u: too many %s", s->in->xml.origin,
				  xml_line(&s->in->xml), what);
	error_because(s->in->err, "the specification has some hundreds");
	error_try(s->in->err, "give the files as Arm published them");
	return false;
}

static bool add_info(struct spec *s)
{
	struct info *i = &s->info;
	if (!vendor_is_name(i->machine) || !i->human || !i->gpus) {
		vendor_note(s->in, "%s:%u: a counter has no name, no title or no GPU",
			    s->in->xml.origin, xml_line(&s->in->xml));
		return true;
	}
	i->group = i->group ? i->group : "";
	i->title = i->title ? i->title : "";
	if (s->info_count >= INFOS_MAX)
		return too_many(s, "counters");
	if (!mem_grow(&s->infos, &s->info_cap, s->info_count + 1, sizeof(*i)))
		return vendor_no_memory(s->in);
	s->infos[s->info_count++] = *i;
	return true;
}

static bool add_slot(struct spec *s)
{
	const char *name = xml_get(&s->in->xml, "name"), *index = xml_get(&s->in->xml, "index");
	const char *shift = xml_get(&s->in->xml, "shift");
	unsigned long at = index ? strtoul(index, NULL, 10) : s->block_size;
	unsigned long by = shift ? strtoul(shift, NULL, 10) : 0;
	if (!s->block || !s->layout)
		return true;
	if (!vendor_is_name(name) || at >= s->block_size || by > 16) {
		vendor_note(s->in, "%s:%u: a slot of %s has no name, or an index beyond its block",
			    s->in->xml.origin, xml_line(&s->in->xml), s->block);
		return true;
	}
	if (s->slot_count >= SLOTS_MAX)
		return too_many(s, "slots");
	if (!mem_grow(&s->slots, &s->slot_cap, s->slot_count + 1, sizeof(*s->slots)))
		return vendor_no_memory(s->in);
	s->slots[s->slot_count++] = (struct slot){.key = s->layout,
						  .block = s->block,
						  .source = name,
						  .index = (uint32_t)at,
						  .shift = (uint32_t)by,
						  .size = s->block_size};
	return true;
}

static bool add_product(struct spec *s)
{
	if (!s->product.name || !s->product.key)
		return true;
	if (!mem_grow(&s->products, &s->product_cap, s->product_count + 1, sizeof(*s->products)))
		return vendor_no_memory(s->in);
	s->products[s->product_count++] = s->product;
	return true;
}

static bool mali_spec_open_element(struct spec *s)
{
	const char *name = s->in->xml.name, *size;
	if (mali_spec_is(name, "CounterInfo"))
		s->info = (struct info){0};
	else if (mali_spec_is(name, "ProductInfo"))
		s->product = (struct product){0};
	else if (mali_spec_is(name, "HardwareLayout"))
		s->layout = xml_get(&s->in->xml, "gpu");
	else if (mali_spec_is(name, "Counter"))
		return add_slot(s);
	else if (mali_spec_is(name, "CounterBlock")) {
		s->block = xml_get(&s->in->xml, "type");
		size = xml_get(&s->in->xml, "size");
		s->block_size = size ? (uint32_t)strtoul(size, NULL, 10) : 0;
		s->block_size = s->block_size <= 256 ? s->block_size : 256;
	}
	return true;
}

static bool take_text(struct spec *s)
{
	const struct {
		const char *element, **text;
	} texts[] = {
	    {"MachineName", &s->info.machine}, {"SourceName", &s->info.source},
	    {"HumanName", &s->info.human},     {"GroupName", &s->info.group},
	    {"Units", &s->info.units},	       {"GroupHumanName", &s->info.title},
	    {"Equation", &s->info.equation},   {"ShortDescription", &s->info.text},
	    {"Name", &s->product.name},	       {"DatabaseKey", &s->product.key},
	};
	const struct {
		const char *element, **list;
	} lists[] = {
	    {"GPU", &s->info.gpus}, {"SourceAlias", &s->info.aliases}, {"Id", &s->product.ids}};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (mali_spec_is(s->in->xml.name, texts[i].element))
			return (*texts[i].text = xml_text(&s->in->xml)) != NULL;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (!mali_spec_is(s->in->xml.name, lists[i].element))
			continue;
		const char *more = xml_text(&s->in->xml);
		if (!more)
			return false;
		*lists[i].list = mali_spec_append(s, *lists[i].list, more);
	}
	return true;
}

static bool mali_spec_close_element(struct spec *s)
{
	if (mali_spec_is(s->in->xml.name, "CounterInfo"))
		return add_info(s);
	if (mali_spec_is(s->in->xml.name, "ProductInfo"))
		return add_product(s);
	if (!take_text(s)) {
		s->in->status = s->in->xml.status;
		return false;
	}
	return s->in->status == SX_OK;
}

static bool mali_spec_read_all(struct spec *s)
{
	for (;;) {
		enum xml_event event = xml_next(&s->in->xml);
		if (event == XML_END)
			return true;
		if (event == XML_FAILED)
			s->in->status = s->in->xml.status;
		if (event == XML_FAILED ||
		    !(event == XML_OPEN ? mali_spec_open_element(s) : mali_spec_close_element(s)))
			return false;
	}
}

/* The layout of a name, which may be that of a product; without one, the only layout there is. */
static bool choose_key(struct spec *s)
{
	char ours[NAMES_MAX], list[512] = "";
	const char *name = s->in->request->name, *last = NULL;
	size_t keys = 0;
	for (size_t i = 0; name && i < s->product_count; i++)
		if (mali_spec_is(plain_name(s->products[i].name, ours), name))
			s->key = s->products[i].key;
	for (size_t i = 0; i < s->slot_count; i++) {
		const char *key = s->slots[i].key;
		if (last && mali_spec_is(last, key))
			continue;
		last = key;
		keys++;
		plain_name(key, ours);
		if (name && mali_spec_is(ours, name))
			s->key = key;
		size_t used = strlen(list);
		snprintf(list + used, sizeof(list) - used, "%s%.40s", used ? ", " : "", ours);
	}
	if (!name && keys == 1)
		s->key = last;
	for (size_t i = 0; s->key && i < s->slot_count; i++)
		if (mali_spec_is(s->slots[i].key, s->key))
			return true;
	bool none = keys == 0;
	s->in->status =
	    error_set(s->in->err, none ? SX_ERR_BAD_INPUT : SX_ERR_USAGE,
		      none ? "%s:1: no layout here" : "%s:1: which GPU is wanted is not told",
		      s->in->request->origin);
	error_because(s->in->err, none ? "no element is called HardwareLayout" : "there are %s",
		      list);
	error_try(s->in->err, none ? "give the folder specification/database of libGPUCounters"
				   : "--for NAME with one of them, or with one of their products");
	return false;
}

static struct info *find_source(struct spec *s, const char *source)
{
	for (size_t i = 0; i < s->info_count; i++) {
		struct info *info = &s->infos[i];
		if (!info->equation && holds(info->gpus, s->key) &&
		    ((info->source && mali_spec_is(info->source, source)) ||
		     holds(info->aliases, source)))
			return info;
	}
	return NULL;
}

static const struct info *find_machine(const struct spec *s, const char *name, size_t size)
{
	for (size_t i = 0; i < s->info_count; i++) {
		const struct info *info = &s->infos[i];
		if (strlen(info->machine) == size && memcmp(info->machine, name, size) == 0 &&
		    holds(info->gpus, s->key) && (info->equation || info->slotted))
			return info;
	}
	return NULL;
}

static const char *unit_of(struct spec *s, const struct info *info)
{
	const char *unit = info->units ? vendor_unit(info->units) : NULL;
	if (!unit)
		vendor_note(s->in, "%s: the unit \"%s\" is not known; taken as a count",
			    info->machine, info->units ? info->units : "");
	return unit ? unit : "count";
}

/* Appends a name of an equation as ours; false when nothing bears it. */
static bool put_name(struct spec *s, const char *name, size_t size, struct vendor_text *out)
{
	char buf[NAMES_MAX], text[NAMES_MAX + 8] = "";
	if ((size == 3 && memcmp(name, "min", 3) == 0) ||
	    (size == 3 && memcmp(name, "max", 3) == 0))
		snprintf(text, sizeof(text), "%.3s", name);
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (strlen(constants[i].theirs) == size &&
		    memcmp(constants[i].theirs, name, size) == 0)
			snprintf(text, sizeof(text), "%s", constants[i].ours);
	const struct info *info = text[0] ? NULL : find_machine(s, name, size);
	const char *ours = !info	    ? ""
			   : info->equation ? slug(info->human, buf)
					    : streamline(info, buf);
	/* No name in a formula begins with a digit; the database's own is an alias. */
	if (info)
		snprintf(text, sizeof(text), "$%s",
			 isdigit((unsigned char)ours[0]) ? info->machine : ours);
	size_t length = strlen(text);
	if (!length || !mem_grow(&out->data, &out->cap, out->size + length + 1, 1))
		return false;
	memcpy(out->data + out->size, text, length + 1);
	out->size += length;
	return true;
}

/* An equation with our names; NULL, told, when it cannot be said. To be freed. */
static char *translate(struct spec *s, const struct info *info)
{
	struct vendor_text out = {0};
	const char *p = info->equation, *bad = NULL;
	while (*p && !bad) {
		size_t size = 0;
		while (isalnum((unsigned char)p[size]) || p[size] == '_')
			size++;
		if (size && isalpha((unsigned char)*p)) {
			bad = put_name(s, p, size, &out) ? NULL : p;
			p += size;
			continue;
		}
		size = size ? size : 1;
		if (!strchr("+-*/()., 0123456789", *p) ||
		    !mem_grow(&out.data, &out.cap, out.size + size + 1, 1)) {
			bad = p;
			break;
		}
		memcpy(out.data + out.size, p, size);
		out.data[out.size += size] = '\0';
		p += size;
	}
	if (!bad && out.size)
		return out.data;
	vendor_note(s->in, "%s: its equation is not translated: %.60s", info->machine,
		    bad ? bad : "it is empty");
	free(out.data);
	return NULL;
}

static void mali_spec_put_head(struct spec *s)
{
	char name[NAMES_MAX], product[NAMES_MAX];
	struct vendor *in = s->in;
	plain_name(in->request->name ? in->request->name : s->key, name);
	vendor_put(in,
		   "sextant-catalog: 1\nname: %s\ntitle: \"Arm %s\"\nvendor: Arm\nkind: gpu\n"
		   "dialect: standard\nnotation: infix\n"
		   "facts: [\"imported from the specification of libGPUCounters\"]\n"
		   "notes: [\"sections are the groups of the specification, in its files' order; "
		   "which way is better was left out\"]\n",
		   name, s->key);
	vendor_put(in, "match:\n");
	for (size_t i = 0; i < s->product_count; i++) {
		const struct product *p = &s->products[i];
		if (!mali_spec_is(p->key, s->key) || !p->ids)
			continue;
		plain_name(p->name, product);
		vendor_put(in, "  - {drivers: [kbase, panthor], key: product_id, values: [");
		for (const char *id = p->ids + 1; *id; id = strchr(id, '|') + 1)
			vendor_put(in, "%s\"%.*s\"", id == p->ids + 1 ? "" : ", ",
				   (int)strcspn(id, "|"), id);
		vendor_put(in, "], product: %s}\n", product);
	}
	vendor_put(in, "products:\n");
	for (size_t i = 0; i < s->product_count; i++)
		if (mali_spec_is(s->products[i].key, s->key) && s->products[i].ids)
			vendor_put(in, "  - {name: %s, title: \"Arm %s\"}\n",
				   plain_name(s->products[i].name, product), s->products[i].name);
	vendor_put(in, "%s",
		   "constants:\n"
		   "  - {name: MaliConstantsBusWidthBits, unit: bits, aliases: [bus_width_bits], "
		   "description: \"Width of the external bus of one L2 slice.\"}\n"
		   "  - {name: MaliConstantsL2SliceCount, unit: instances, aliases: [l2_slices], "
		   "description: \"L2 cache slices present.\"}\n"
		   "  - {name: MaliConstantsShaderCoreCount, unit: instances, aliases: "
		   "[shader_cores], description: \"Shader cores present.\"}\n"
		   "  - {name: shader_core_mask, unit: count, description: \"Bit n is set when "
		   "shader core n is present.\"}\n"
		   "  - {name: gpu_max_clock_hz, unit: Hz, description: \"The highest clock of the "
		   "GPU's top level.\"}\n");
}

static size_t find_block(const char *theirs)
{
	size_t i = 0;
	while (i < BLOCKS && !mali_spec_is(blocks[i].theirs, theirs))
		i++;
	return i;
}

static void put_blocks(struct spec *s)
{
	bool done[BLOCKS] = {0};
	const char *told = NULL;
	vendor_put(s->in, "blocks:\n");
	for (size_t i = 0; i < s->slot_count; i++) {
		const struct slot *slot = &s->slots[i];
		size_t b = mali_spec_is(slot->key, s->key) ? find_block(slot->block) : BLOCKS;
		if (b < BLOCKS && !done[b])
			vendor_put(s->in,
				   "  - {name: %s, title: \"%s\", slots: %u, slot-bits: 32, %s}\n",
				   blocks[b].ours, blocks[b].theirs, slot->size, blocks[b].more);
		if (b < BLOCKS)
			done[b] = true;
		else if (mali_spec_is(slot->key, s->key) &&
			 (!told || !mali_spec_is(told, slot->block)))
			vendor_note(s->in, "the block \"%s\" is not known; its slots are left out",
				    told = slot->block);
	}
}

/* The number of a section, which is written when its group is met first. */
static size_t section_of(struct spec *s, const char *group)
{
	size_t i = 0;
	while (i < s->group_count && !mali_spec_is(s->groups[i], group))
		i++;
	if (i < s->group_count)
		return i + 1;
	if (!mem_grow(&s->groups, &s->group_cap, i + 1, sizeof(*s->groups))) {
		vendor_no_memory(s->in);
		return 1;
	}
	s->groups[s->group_count++] = group;
	vendor_put(s->in, "  - {id: \"%zu\", title: ", i + 1);
	vendor_put_quoted(s->in, *group ? group : "Other", 200);
	vendor_put(s->in, "}\n");
	return i + 1;
}

/* Which counters and metrics the key has; sections first, as references look backwards. */
static void put_sections(struct spec *s)
{
	for (size_t i = 0; i < s->slot_count; i++) {
		const struct slot *slot = &s->slots[i];
		struct info *info =
		    mali_spec_is(slot->key, s->key) && find_block(slot->block) < BLOCKS
			? find_source(s, slot->source)
			: NULL;
		if (info)
			info->slotted = true;
	}
	vendor_put(s->in, "sections:\n");
	for (size_t i = 0; i < s->info_count; i++)
		if (holds(s->infos[i].gpus, s->key) &&
		    (s->infos[i].equation || s->infos[i].slotted))
			section_of(s, s->infos[i].group);
}

static void put_text(struct spec *s, const struct info *info)
{
	vendor_put(s->in, ", description: ");
	vendor_put_quoted(s->in, info->text && *info->text ? info->text : info->human, 230);
	vendor_put(s->in, "}\n");
}

/* Names of a counter besides Streamline's: the database's, the machine's and its older ones. */
static void put_aliases(struct spec *s, const struct info *info, const char *source,
			const char *name)
{
	bool any = !mali_spec_is(info->machine, name);
	vendor_put(s->in, ", aliases: [%s", any ? info->machine : "");
	if (!mali_spec_is(source, name) && !mali_spec_is(source, info->machine)) {
		vendor_put(s->in, "%s%s", any ? ", " : "", source);
		any = true;
	}
	for (const char *p = info->aliases ? info->aliases + 1 : ""; *p; p = strchr(p, '|') + 1) {
		size_t size = strcspn(p, "|");
		if (strlen(source) == size && memcmp(source, p, size) == 0)
			continue;
		vendor_put(s->in, "%s%.*s", any ? ", " : "", (int)size, p);
		any = true;
	}
	vendor_put(s->in, "]");
}

static void put_counter(struct spec *s, const struct slot *slot, const struct info *info)
{
	char buf[NAMES_MAX];
	const char *name = info ? streamline(info, buf) : slot->source;
	size_t b = find_block(slot->block);
	vendor_put(s->in, "  - {name: %s, block: %s, slot: %u, bits: 32, reduce: %s", name,
		   blocks[b].ours, slot->index, blocks[b].sum ? "sum" : "single");
	if (slot->shift)
		vendor_put(s->in, ", scale: %u", 1u << slot->shift);
	if (!info) {
		vendor_put(s->in, ", unit: count, description: \"%s\"}\n", slot->source);
		return;
	}
	vendor_put(s->in, ", unit: %s, title: ", unit_of(s, info));
	vendor_put_quoted(s->in, info->title, 200);
	put_aliases(s, info, slot->source, name);
	put_text(s, info);
}

/* Whether an earlier one bears the name. The lists are short. */
static bool comes_again(const struct spec *s, const struct info *info)
{
	char mine[NAMES_MAX], theirs[NAMES_MAX];
	slug(info->human, mine);
	for (const struct info *i = s->infos; i < info; i++)
		if (holds(i->gpus, s->key) && (i->equation || i->slotted) &&
		    mali_spec_is(slug(i->human, theirs), mine))
			return true;
	return false;
}

static void put_metric(struct spec *s, const struct info *info)
{
	char name[NAMES_MAX], counter[NAMES_MAX];
	if (comes_again(s, info)) {
		vendor_note(s->in, "%s: another metric is called \"%s\" as well; left out",
			    info->machine, info->human);
		return;
	}
	char *expr = info->equation ? translate(s, info) : NULL;
	if (info->equation && !expr)
		return;
	vendor_put(s->in, "  - {name: %s, title: ", slug(info->human, name));
	vendor_put_quoted(s->in, info->human, 200);
	vendor_put(s->in, ", aliases: [%s], section: \"%zu\", unit: %s, expr: \"%s%s\"",
		   info->machine, section_of(s, info->group), unit_of(s, info), expr ? "" : "$",
		   expr ? expr : streamline(info, counter));
	put_text(s, info);
	free(expr);
}

static void put_all(struct spec *s)
{
	mali_spec_put_head(s);
	put_blocks(s);
	put_sections(s);
	vendor_put(s->in, "counters:\n");
	for (size_t i = 0; i < s->slot_count; i++) {
		const struct slot *slot = &s->slots[i];
		if (!mali_spec_is(slot->key, s->key) || find_block(slot->block) == BLOCKS)
			continue;
		const struct info *info = find_source(s, slot->source);
		if (!info)
			vendor_note(s->in, "%s: no counter is described for this slot",
				    slot->source);
		put_counter(s, slot, info);
	}
	vendor_put(s->in, "metrics:\n");
	for (size_t i = 0; i < s->info_count; i++)
		if (holds(s->infos[i].gpus, s->key) &&
		    (s->infos[i].equation || s->infos[i].slotted))
			put_metric(s, &s->infos[i]);
}

bool vendor_mali_spec(struct vendor *in)
{
	struct spec s = {.in = in};
	in->xml.many = true;
	bool good = mali_spec_read_all(&s) && choose_key(&s);
	if (good)
		put_all(&s);
	free(s.infos);
	free(s.slots);
	free(s.products);
	free(s.groups);
	return good && in->status == SX_OK;
}
