/* The PMUs that the kernel shows in sysfs. */
#include "source/perf/perf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text_buf.h"

#define PMUS_MAX 4096

struct listing {
	const struct sx_sys *sys;
	struct pmu_list *list;
	int error;	/* of the current PMU */
	bool no_memory; /* ends the listing */
};

/*
 * A file that does not exist is no error: this kernel or PMU has no such attribute. Any other
 * failure is one.
 */
static bool list_read_attribute(struct listing *l, const char *pmu, const char *file, char *out,
				size_t size)
{
	char path[sizeof(PMU_FOLDER) + PMU_NAME_MAX + 32];
	snprintf(path, sizeof(path), PMU_FOLDER "/%s/%s", pmu, file);
	ssize_t n = l->sys->read_file(l->sys->user, path, out, size);
	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		l->error = errno ? errno : EIO;
	if (n <= 0)
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return n > 0;
}

/* A name of characters that can be typed and printed; the kernel has no others. */
static bool is_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isgraph((unsigned char)*at) || *at == '/')
			return false;
	return *name != '\0';
}

static int list_visit(void *arg, const char *name)
{
	struct listing *l = arg;
	struct pmu_list *list = l->list;
	struct pmu_device d = {.type = 0};
	char type[32], *end;
	if (strlen(name) >= sizeof(d.name) || !is_name(name))
		return 0;
	snprintf(d.name, sizeof(d.name), "%s", name);
	l->error = 0;
	if (!list_read_attribute(l, name, "type", type, sizeof(type)) && !l->error)
		return 0;
	unsigned long number = strtoul(type, &end, 10);
	if (!l->error && (!isdigit((unsigned char)type[0]) || *end || number > INT32_MAX))
		return 0;
	d.type = (uint32_t)number;
	if (!l->error)
		d.is_shared = list_read_attribute(l, name, "cpumask", d.cpus, sizeof(d.cpus));
	if (!d.is_shared && !l->error)
		list_read_attribute(l, name, "cpus", d.cpus, sizeof(d.cpus)); /* hybrid */
	d.unreadable = l->error;
	if (d.unreadable)
		d.type = UINT32_MAX;
	l->no_memory = d.unreadable == ENOMEM ||
		       !mem_grow(&list->items, &list->cap, list->count + 1, sizeof(*list->items));
	if (l->no_memory)
		return 1;
	list->items[list->count++] = d;
	return list->count == PMUS_MAX;
}

/* "uncore_imc_2" behind "uncore_imc_1", "uncore_imc_10" behind both. */
static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct pmu_device *)a)->name,
			  ((const struct pmu_device *)b)->name);
}

enum sx_status pmu_list_read(const struct sx_sys *sys, struct pmu_list *out, struct sx_error *err)
{
	struct listing l = {.sys = sys, .list = out};
	int failed = sys->list_dir(sys->user, PMU_FOLDER, list_visit, &l) < 0 ? errno : 0;
	if (l.no_memory || failed == ENOMEM)
		return error_nomem(err, "the list of PMUs");
	bool some = !out->count;
	for (uint32_t i = 0; i < out->count; i++)
		some |= !out->items[i].unreadable;
	if (!some)
		failed = out->items[0].unreadable;
	if (failed && failed != ENOENT)
		return error_errno(err, failed, "cannot read the PMUs in " PMU_FOLDER);
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_name);
	return SX_OK;
}

void pmu_list_finish(struct pmu_list *list)
{
	free(list->items);
	*list = (struct pmu_list){0};
}

/* The name without a number at its end. */
static size_t family(const char *name)
{
	size_t length = strlen(name), all = length;
	while (length && isdigit((unsigned char)name[length - 1]))
		length--;
	return length < all && length > 1 && name[length - 1] == '_' ? length - 1 : all;
}

void pmu_list_note(const struct pmu_list *list, char *out, size_t size)
{
	out[0] = '\0';
	for (uint32_t i = 0, same; i < list->count; i += same) {
		const char *name = list->items[i].name;
		size_t length = family(name);
		if (list->items[i].unreadable) {
			same = 1;
			continue;
		}
		for (same = 1; i + same < list->count; same++) {
			const char *other = list->items[i + same].name;
			if (list->items[i + same].unreadable || family(other) != length ||
			    memcmp(other, name, length) != 0)
				break;
		}
		text_append_item(out, size, ", ", "%.*s", (int)(same > 1 ? length : strlen(name)),
				 name);
		if (same > 1)
			text_append(out, size, " (%u)", same);
	}
}

bool pmu_list_unreadable(const struct pmu_list *list, char *out, size_t size)
{
	const struct pmu_device *first = NULL;
	uint32_t count = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		if (!list->items[i].unreadable)
			continue;
		first = first ? first : &list->items[i];
		count++;
	}
	out[0] = '\0';
	if (count == 1)
		snprintf(out, size, "PMU %s cannot be read: %s", first->name,
			 strerror(first->unreadable));
	else if (count)
		snprintf(out, size, "PMU %s and %u more cannot be read: %s", first->name, count - 1,
			 strerror(first->unreadable));
	return count != 0;
}
