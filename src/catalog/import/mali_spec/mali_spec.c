/*
 * The specification in libGPUCounters (specification/database): a product list, a layout of slots
 * for each key, and what each counter is or is worked out from, in XML files that are given one
 * behind the other. One key of it becomes a catalog.
 */
#include "base/error.h"
#include "base/text_buf.h"
#include "catalog/import/mali_spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The layout of a name, which may be that of a product; without one, the only layout there is. */
static bool choose_key(struct spec *s)
{
	char ours[SPEC_NAME_MAX], list[512] = "";
	const char *name = s->in->request->name, *last = NULL;
	size_t keys = 0;
	for (size_t i = 0; name && i < s->product_count; i++)
		if (spec_is(spec_plain_name(s->products[i].name, ours), name))
			s->key = s->products[i].key;
	for (size_t i = 0; i < s->slot_count; i++) {
		const char *key = s->slots[i].key;
		if (last && spec_is(last, key))
			continue;
		last = key;
		keys++;
		spec_plain_name(key, ours);
		if (name && spec_is(ours, name))
			s->key = key;
		text_append_item(list, sizeof(list), ", ", "%.40s", ours);
	}
	if (!name && keys == 1)
		s->key = last;
	for (size_t i = 0; s->key && i < s->slot_count; i++)
		if (spec_is(s->slots[i].key, s->key))
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

bool vendor_mali_spec(struct vendor *in)
{
	struct spec s = {.in = in};
	in->xml.many = true;
	bool good = spec_read(&s) && choose_key(&s);
	if (good)
		spec_write(&s);
	free(s.infos);
	free(s.slots);
	free(s.products);
	free(s.groups);
	return good && in->status == SX_OK;
}
