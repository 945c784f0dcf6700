/* Lists of strings, as options take them. */
#include "tools/cli/options/value.h"

#include <string.h>

#include "base/mem.h"

bool list_add(struct string_list *list, const char *item)
{
	if (!mem_grow(&list->items, &list->cap, list->count + 1, sizeof(*list->items)))
		return false;
	list->items[list->count++] = item;
	return true;
}

/* Splits at commas that do not stand in parentheses: A12=eu(fpu0-active, coarse=ps),EuActive. */
bool list_split(struct string_list *list, char *text)
{
	int depth = 0;
	char *start = text;
	for (char *p = text;; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')')
			depth--;
		if (*p && !(*p == ',' && depth <= 0))
			continue;
		bool last = !*p;
		*p = '\0';
		start += strspn(start, " ");
		if (*start && !list_add(list, start))
			return false;
		start = p + 1;
		if (last)
			return true;
	}
}
