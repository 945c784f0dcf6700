/* Which CPUs are online, and which of them are of one core type: one cluster. */
#include "source/cpu/cpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define PMU_DIR "/sys/bus/event_source/devices"

/* A core PMU of a machine with several: it lists the CPUs it serves. */
struct core_pmu {
	char name[CPU_PMU_NAME_MAX];
	uint32_t type;
	char cpus[1024];
};

struct pmu_list {
	const struct sx_sys *sys;
	struct core_pmu pmus[CPU_CLUSTERS_MAX];
	uint32_t count;
	int error; /* errno of a file that is there but cannot be read */
};

/* One core type: CPUs with the same PMU, or else the same capacity. */
struct core_type {
	uint64_t capacity; /* the highest of its CPUs */
	uint32_t pmu;	   /* index, or SX_NONE */
};

static bool list_holds(const char *text, uint64_t cpu)
{
	uint64_t first, last;
	while (perf_cpus_next(&text, &first, &last))
		if (cpu >= first && cpu <= last)
			return true;
	return false;
}

/* A file that is not there tells nothing; one that cannot be read would tell a lie. */
static bool read_text(struct pmu_list *list, const char *path, char *text, size_t size)
{
	if (list->sys->read_file(list->sys->user, path, text, size) > 0)
		return true;
	if (errno != ENOENT && errno != ENOTDIR)
		list->error = errno ? errno : EIO;
	return false;
}

static uint64_t read_number(struct pmu_list *list, const char *path)
{
	char text[64];
	if (!read_text(list, path, text, sizeof(text)) || text[0] < '0' || text[0] > '9')
		return 0;
	return strtoull(text, NULL, 10);
}

static enum sx_status read_online(const struct sx_sys *sys, struct cpu_topology *out,
				  struct sx_error *err)
{
	char list[4096];
	if (sys->read_file(sys->user, CPU_DIR "/online", list, sizeof(list)) < 0)
		return error_errno(err, errno, "cannot read " CPU_DIR "/online");
	uint64_t first, last;
	uint32_t count = 0;
	for (const char *at = list; perf_cpus_next(&at, &first, &last);)
		count += (uint32_t)(last - first + 1);
	if (count == 0 || count > CPU_IDS_MAX)
		return error_set(err, SX_ERR_BAD_INPUT, CPU_DIR "/online holds no list of CPUs");
	out->cpus = calloc(count, sizeof(*out->cpus));
	out->cluster = calloc(count, sizeof(*out->cluster));
	if (!out->cpus || !out->cluster)
		return error_nomem(err, "the list of CPUs");
	for (const char *at = list; perf_cpus_next(&at, &first, &last);)
		for (uint64_t cpu = first; cpu <= last; cpu++)
			out->cpus[out->cpu_count++] = (uint16_t)cpu;
	return SX_OK;
}

/* Only the PMUs of cores have a file "cpus"; those of other devices have "cpumask". */
static int visit_pmu(void *arg, const char *name)
{
	struct pmu_list *list = arg;
	char path[256];
	struct core_pmu *pmu = &list->pmus[list->count];
	if (strlen(name) >= sizeof(pmu->name))
		return 0;
	snprintf(path, sizeof(path), PMU_DIR "/%s/cpus", name);
	if (!read_text(list, path, pmu->cpus, sizeof(pmu->cpus)))
		return 0;
	snprintf(path, sizeof(path), PMU_DIR "/%s/type", name);
	pmu->type = (uint32_t)read_number(list, path);
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	list->count++;
	return list->count == CPU_CLUSTERS_MAX;
}

static uint32_t find_pmu(const struct pmu_list *list, uint64_t cpu)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list_holds(list->pmus[i].cpus, cpu))
			return i;
	return SX_NONE;
}

/* Index of the CPU's core type, added when new. More types than fit share the last one. */
static uint32_t find_type(struct core_type *types, uint32_t *count, bool by_pmu, uint32_t pmu,
			  uint64_t capacity)
{
	for (uint32_t i = 0; i < *count; i++) {
		if (by_pmu ? types[i].pmu != pmu : types[i].capacity != capacity)
			continue;
		if (capacity > types[i].capacity)
			types[i].capacity = capacity;
		return i;
	}
	if (*count == CPU_CLUSTERS_MAX)
		return *count - 1;
	types[*count] = (struct core_type){.capacity = capacity, .pmu = pmu};
	return (*count)++;
}

/* Place of a type when the weakest comes first; names decide where capacities are equal. */
static uint32_t rank_of(const struct core_type *types, uint32_t count, uint32_t type,
			const struct pmu_list *list)
{
	uint32_t rank = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (types[i].capacity != types[type].capacity)
			rank += types[i].capacity < types[type].capacity;
		else if (types[i].pmu != SX_NONE && types[type].pmu != SX_NONE)
			rank += strcmp(list->pmus[types[i].pmu].name,
				       list->pmus[types[type].pmu].name) < 0;
	}
	return rank;
}

static void assign_clusters(struct cpu_topology *out, struct pmu_list *list)
{
	struct core_type types[CPU_CLUSTERS_MAX];
	uint32_t rank[CPU_CLUSTERS_MAX];
	char path[128];
	for (uint32_t i = 0; i < out->cpu_count; i++) {
		snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpu_capacity", out->cpus[i]);
		uint64_t capacity = read_number(list, path);
		uint32_t pmu = out->mixed ? find_pmu(list, out->cpus[i]) : SX_NONE;
		out->cluster[i] =
		    (uint8_t)find_type(types, &out->cluster_count, out->mixed, pmu, capacity);
	}
	for (uint32_t i = 0; i < out->cluster_count; i++) {
		rank[i] = rank_of(types, out->cluster_count, i, list);
		if (types[i].pmu != SX_NONE)
			out->pmu_type[rank[i]] = list->pmus[types[i].pmu].type;
	}
	for (uint32_t i = 0; i < out->cpu_count; i++)
		out->cluster[i] = (uint8_t)rank[out->cluster[i]];
}

enum sx_status cpu_topology_read(const struct sx_sys *sys, struct cpu_topology *out,
				 struct sx_error *err)
{
	enum sx_status status = read_online(sys, out, err);
	if (status != SX_OK)
		return status;
	struct pmu_list *list = calloc(1, sizeof(*list));
	if (!list)
		return error_nomem(err, "the list of PMUs");
	list->sys = sys;
	if (sys->list_dir(sys->user, PMU_DIR, visit_pmu, list) < 0 && errno != ENOENT)
		list->error = errno;
	out->mixed = list->count > 1;
	assign_clusters(out, list);
	if (list->error)
		status = error_errno(err, list->error, "cannot tell the CPUs' core types");
	free(list);
	return status;
}

void cpu_topology_finish(struct cpu_topology *topology)
{
	free(topology->cpus);
	free(topology->cluster);
	*topology = (struct cpu_topology){0};
}

uint32_t cpu_topology_find(const struct cpu_topology *topology, uint64_t cpu)
{
	uint32_t low = 0, high = topology->cpu_count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (topology->cpus[middle] < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < topology->cpu_count && topology->cpus[low] == cpu ? low : SX_NONE;
}
