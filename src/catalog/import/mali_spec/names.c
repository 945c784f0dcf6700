/* What counters, metrics and products of the specification are called in ours. */
#include "catalog/import/mali_spec/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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
