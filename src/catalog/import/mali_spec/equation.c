/* Equations of the specification with our names. */
#include "catalog/import/mali_spec/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
