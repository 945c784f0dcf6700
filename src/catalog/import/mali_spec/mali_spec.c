/*
 * The specification in libGPUCounters (specification/database): a product list, a layout of slots
 * for each key, and what each counter is or is worked out from, in XML files that are given one
 * behind the other. One key of it becomes a catalog.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_buf.h"
#include "catalog/import/mali_spec/spec.h"

bool spec_is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

bool spec_holds(const char *list, const char *word)
{
	size_t size = strlen(word);
	for (const char *p = list; p && (p = strstr(p, word)); p += size)
		if (p > list && p[-1] == '|' && p[size] == '|')
			return true;
	return false;
}

const char *spec_plain_name(const char *text, char buf[SPEC_NAME_MAX])
{
	size_t size = 0;
	for (; *text && size + 1 < SPEC_NAME_MAX; text++)
		buf[size++] =
		    isalnum((unsigned char)*text) ? (char)tolower((unsigned char)*text) : '-';
	buf[size] = '\0';
	return buf;
}

const char *spec_metric_name(const char *text, char buf[SPEC_NAME_MAX])
{
	size_t size = 0;
	for (; *text && size + 1 < SPEC_NAME_MAX; text++) {
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

const char *spec_counter_name(const struct spec_info *info, char buf[SPEC_NAME_MAX])
{
	const char *parts[] = {info->group, info->title};
	size_t size = (size_t)snprintf(buf, SPEC_NAME_MAX, "Mali");
	for (size_t i = 0; i < 2; i++) {
		bool first = true;
		for (const char *p = parts[i]; *p && size + 1 < SPEC_NAME_MAX; p++) {
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

/* What the implementation gives, and what it is called in ours. */
static const struct {
	const char *theirs, *ours;
} constants[] = {
    {"MALI_CONFIG_EXT_BUS_BYTE_SIZE", "($MaliConstantsBusWidthBits / 8)"},
    {"MALI_CONFIG_L2_CACHE_COUNT", "$MaliConstantsL2SliceCount"},
    {"MALI_CONFIG_SHADER_CORE_COUNT", "$MaliConstantsShaderCoreCount"},
    {"MALI_CONFIG_TIME_SPAN", "$seconds"},
};

static const struct spec_info *find_machine(const struct spec *s, const char *name, size_t size)
{
	for (size_t i = 0; i < s->info_count; i++) {
		const struct spec_info *info = &s->infos[i];
		if (strlen(info->machine) == size && memcmp(info->machine, name, size) == 0 &&
		    spec_holds(info->gpus, s->key) && (info->equation || info->slotted))
			return info;
	}
	return NULL;
}

/* Appends a name of an equation as ours; false when nothing bears it. */
static bool put_name(struct spec *s, const char *name, size_t size, struct vendor_text *out)
{
	char buf[SPEC_NAME_MAX], text[SPEC_NAME_MAX + 8] = "";
	if ((size == 3 && memcmp(name, "min", 3) == 0) ||
	    (size == 3 && memcmp(name, "max", 3) == 0))
		snprintf(text, sizeof(text), "%.3s", name);
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (strlen(constants[i].theirs) == size &&
		    memcmp(constants[i].theirs, name, size) == 0)
			snprintf(text, sizeof(text), "%s", constants[i].ours);
	const struct spec_info *info = text[0] ? NULL : find_machine(s, name, size);
	const char *ours = !info	    ? ""
			   : info->equation ? spec_metric_name(info->human, buf)
					    : spec_counter_name(info, buf);
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

char *spec_equation(struct spec *s, const struct spec_info *info)
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
	s->in->status = error_set(s->in->err, none ? SX_ERR_BAD_INPUT : SX_ERR_USAGE,
				  none ? "%s:1: no layout here" : "%s:1: no GPU was chosen",
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
