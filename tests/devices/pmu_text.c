/* PMUs from a text (tests/data/pmu/README.md has the form) into the fake kernel. */
#include "pmu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 8

/* The words of a line, none of which has a blank in it. */
static int split(char *line, char *words[WORDS_MAX])
{
	char *rest = NULL;
	int count = 0;
	for (char *word = strtok_r(line, " \n", &rest); word && count < WORDS_MAX;
	     word = strtok_r(NULL, " \n", &rest))
		words[count++] = word;
	return count;
}

/* The text after a word of an option, or NULL. */
static const char *option(char *const words[WORDS_MAX], int count, const char *name)
{
	for (int i = 0; i + 1 < count; i++)
		if (strcmp(words[i], name) == 0)
			return words[i + 1];
	return NULL;
}

static void add_file(struct fake_pmu *fake, const char *folder, const char *name,
		     const char *suffix, const char *text)
{
	char path[160];
	if (!text)
		return;
	snprintf(path, sizeof(path), "%s/%s/%s%s", fake->types[fake->type_count - 1].name, folder,
		 name, suffix);
	fake_pmu_file(fake, path, text);
}

/* "config1:0-3,8" makes these bits of that word defined. */
static void define_bits(struct fake_pmu_type *type, const char *text)
{
	const char *colon = strchr(text, ':');
	uint64_t *word = text[6] == '1'	  ? &type->configs1
			 : text[6] == '2' ? &type->configs2
					  : &type->configs;
	for (const char *at = colon ? colon + 1 : ""; *at; at += strspn(at, ",")) {
		char *end;
		unsigned long first = strtoul(at, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		for (unsigned long bit = first; bit <= last && bit < 64; bit++)
			*word |= UINT64_C(1) << bit;
		at = end;
	}
}

static void add_pmu(struct fake_pmu *fake, char *words[WORDS_MAX], int count)
{
	const char *cpus = option(words, count, "cpus"),
		   *counters = option(words, count, "counters");
	struct fake_pmu_type type = {.type = (uint32_t)strtoul(words[2], NULL, 10),
				     .shared = cpus != NULL,
				     .no_exclude = cpus != NULL,
				     .counters =
					 counters ? (uint32_t)strtoul(counters, NULL, 10) : 0,
				     .cpus = cpus ? strdup(cpus) : NULL}; /* as long as we run */
	snprintf(type.name, sizeof(type.name), "%s", words[1]);
	fake_pmu_add(fake, &type);
}

static bool add_line(struct fake_pmu *fake, char *line)
{
	char *words[WORDS_MAX];
	int count = split(line, words);
	struct fake_pmu_type *type = fake->type_count ? &fake->types[fake->type_count - 1] : NULL;
	if (!count || words[0][0] == '#')
		return true;
	if (strcmp(words[0], "pmu") == 0 && count >= 3) {
		add_pmu(fake, words, count);
	} else if (!type || count < 3) {
		return false;
	} else if (strcmp(words[0], "format") == 0) {
		add_file(fake, "format", words[1], "", words[2]);
		define_bits(type, words[2]);
	} else if (strcmp(words[0], "event") == 0) {
		add_file(fake, "events", words[1], "", words[2]);
		add_file(fake, "events", words[1], ".scale", option(words, count, "scale"));
		add_file(fake, "events", words[1], ".unit", option(words, count, "unit"));
	} else if (strcmp(words[0], "counts") == 0) {
		fake_pmu_rate(fake, type->type, strtoull(words[1], NULL, 0),
			      strtoull(words[2], NULL, 10));
	} else {
		return false;
	}
	return true;
}

bool fake_pmu_load(struct fake_pmu *fake, const char *path)
{
	char line[512];
	bool good = true;
	FILE *file = fopen(path, "r");
	while (file && good && fgets(line, sizeof(line), file))
		good = add_line(fake, line);
	if (file)
		fclose(file);
	return file && good;
}
