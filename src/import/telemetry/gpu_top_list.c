/* intel_gpu_top -l: what -c has, in blanks below two lines of words. */
#include "import/telemetry/gpu_top_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_COLUMNS 256

struct gpu_top_list {
	char *text;
	size_t used, cap;
	bool no_memory;
};

/* The line without the blanks before it, which its numbers' width makes. */
static struct import_cell list_trim(struct import_cell line)
{
	while (line.size && line.text[0] == ' ') {
		line.text++;
		line.size--;
	}
	return line;
}

/* The line of groups, which has no commas, as that of -c has. */
static bool list_is_head(struct import_cell line)
{
	line = list_trim(line);
	return import_begins(line, "Freq MHz ") && !memchr(line.text, ',', line.size);
}

bool gpu_top_is_list(struct import_cell text)
{
	struct import_job job = {.text = text.text, .size = text.size};
	struct import_lines lines = import_lines(&job);
	struct import_cell head, names;
	return import_line(&lines, &head) && list_is_head(head) && import_line(&lines, &names) &&
	       import_begins(list_trim(names), "req ");
}

static void list_put(struct gpu_top_list *list, const char *text, size_t size)
{
	if (list->no_memory || !mem_grow(&list->text, &list->cap, list->used + size + 1, 1)) {
		list->no_memory = true;
		return;
	}
	memcpy(list->text + list->used, text, size);
	list->used += size;
	list->text[list->used] = '\0';
}

/* Groups of single columns and of pairs; what else stands among them are engines. */
static bool list_is_group(struct import_cell word)
{
	static const char *const words[] = {"Freq", "MHz", "IRQ", "RC6", "Power", "W", "IMC"};
	bool is = word.size > 2 && memcmp(word.text + word.size - 2, "/s", 2) == 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		is |= import_is(word, words[i]);
	return is;
}

/* The group of a column by its name; NULL: an engine's, which begins with its share. */
static const char *list_group(struct import_cell name, bool engines)
{
	static const struct {
		const char *name, *group;
	} groups[] = {
	    {"req", "Freq MHz"}, {"act", "Freq MHz"}, {"/s", "IRQ"}, {"%", "RC6"},
	    {"gpu", "Power W"},	 {"pkg", "Power W"},  {"rd", "IMC"}, {"wr", "IMC"},
	};
	for (size_t i = 0; !engines && i < sizeof(groups) / sizeof(*groups); i++)
		if (import_is(name, groups[i].name))
			return groups[i].group;
	return NULL;
}

static void list_put_head(struct gpu_top_list *list, struct import_cell above,
			  struct import_cell names)
{
	struct import_cell groups[LIST_COLUMNS], columns[LIST_COLUMNS], engine = {"", 0},
									imc = {"MiB/s", 5};
	size_t group_count = import_split(above, ' ', groups, LIST_COLUMNS), at = 0;
	size_t count = import_split(names, ' ', columns, LIST_COLUMNS);
	bool asleep = false; /* RC6 was met: further shares are engines' */
	for (size_t i = 0; i + 1 < group_count; i++)
		imc = import_is(groups[i], "IMC") ? groups[i + 1] : imc;
	for (size_t i = 0; i < count; i++) {
		bool share = import_is(columns[i], "%");
		const char *group = list_group(columns[i], engine.size || (share && asleep));
		while (!group && share && at < group_count && list_is_group(groups[at]))
			at++;
		if (!group && share && at < group_count)
			engine = groups[at++];
		asleep |= share;
		list_put(list, ",", i > 0);
		list_put(list, group ? group : engine.text, group ? strlen(group) : engine.size);
		if (group && import_is((struct import_cell){group, strlen(group)}, "IMC")) {
			list_put(list, " ", 1);
			list_put(list, imc.text, imc.size);
		}
		list_put(list, " ", 1);
		list_put(list, columns[i].text, columns[i].size);
	}
}

bool gpu_top_list_text(struct import_job *job, const char **text, size_t *size)
{
	struct gpu_top_list list = {.used = 0};
	struct import_lines lines = import_lines(job);
	struct import_cell above, line, cells[LIST_COLUMNS];
	import_line(&lines, &above);
	import_line(&lines, &line);
	list_put_head(&list, above, line);
	while (import_line(&lines, &line)) {
		list_put(&list, "\n", 1);
		bool head = list_is_head(line) || import_begins(list_trim(line), "req ");
		size_t count = head ? 0 : import_split(line, ' ', cells, LIST_COLUMNS);
		for (size_t i = 0; i < count; i++) {
			list_put(&list, ",", i > 0);
			list_put(&list, cells[i].text, cells[i].size);
		}
	}
	if (!lines.unfinished)
		list_put(&list, "\n", 1);
	*text = list.no_memory ? NULL : import_text(job, list.text, list.used);
	*size = list.used;
	free(list.text);
	return *text;
}
