/* Elements of the specification as lists of counters, slots and products. */
#include "base/error.h"
#include "catalog/import/mali_spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFOS_MAX 16384
#define SLOTS_MAX 8192

/* "|a|" and "b" to "|a|b|". */
static const char *spec_append(struct spec *s, const char *list, const char *more)
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
	struct spec_info *i = &s->info;
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
	s->slots[s->slot_count++] = (struct spec_slot){.key = s->layout,
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

static bool open_element(struct spec *s)
{
	const char *name = s->in->xml.name, *size;
	if (spec_is(name, "CounterInfo"))
		s->info = (struct spec_info){0};
	else if (spec_is(name, "ProductInfo"))
		s->product = (struct spec_product){0};
	else if (spec_is(name, "HardwareLayout"))
		s->layout = xml_get(&s->in->xml, "gpu");
	else if (spec_is(name, "Counter"))
		return add_slot(s);
	else if (spec_is(name, "CounterBlock")) {
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
		if (spec_is(s->in->xml.name, texts[i].element))
			return (*texts[i].text = xml_text(&s->in->xml)) != NULL;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (!spec_is(s->in->xml.name, lists[i].element))
			continue;
		const char *more = xml_text(&s->in->xml);
		if (!more)
			return false;
		*lists[i].list = spec_append(s, *lists[i].list, more);
	}
	return true;
}

static bool close_element(struct spec *s)
{
	if (spec_is(s->in->xml.name, "CounterInfo"))
		return add_info(s);
	if (spec_is(s->in->xml.name, "ProductInfo"))
		return add_product(s);
	if (!take_text(s)) {
		s->in->status = s->in->xml.status;
		return false;
	}
	return s->in->status == SX_OK;
}

bool spec_read(struct spec *s)
{
	for (;;) {
		enum xml_event event = xml_next(&s->in->xml);
		if (event == XML_END)
			return true;
		if (event == XML_FAILED)
			s->in->status = s->in->xml.status;
		if (event == XML_FAILED ||
		    !(event == XML_OPEN ? open_element(s) : close_element(s)))
			return false;
	}
}
