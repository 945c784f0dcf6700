/* Constants of the chip that radeonsi tells as counters: its group GPIN. */
#include "gpa/gl/amd.h"

#include <string.h>

/* Counters of the group, in Mesa's order: chip, compute units, back ends, SPIs, engines. */
enum { GPIN_UNITS = 1, GPIN_ENGINES = 4, GPIN_COUNT };
#define GPIN_ASKS 1000 /* they are no queries of the GPU: the first answer is there at once */

static const struct amd_group *find_gpin(const struct gl_amd *amd)
{
	for (size_t i = 0; i < amd->group_count; i++)
		if (strcmp(amd->groups[i].name, "GPIN") == 0)
			return &amd->groups[i];
	return NULL;
}

static bool is_there(const struct gl_api *gl, GLuint monitor)
{
	for (int i = 0; i < GPIN_ASKS; i++) {
		GLuint there = 0;
		gl->GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AVAILABLE_AMD,
						 sizeof(there), &there, NULL);
		if (there)
			return true;
	}
	return false;
}

/* Triples of group, counter and a value of 32 bits. */
static void amd_gpin_collect(const struct gl_api *gl, GLuint monitor, GLuint *values)
{
	GLuint data[3 * GPIN_COUNT] = {0};
	GLint written = 0;
	gl->GetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data,
					 &written);
	for (GLint i = 0; i + 2 < written / 4 && i + 2 < 3 * GPIN_COUNT; i += 3)
		if (data[i + 1] < GPIN_COUNT)
			values[data[i + 1]] = data[i + 2];
}

void amd_gpin_read(struct gl_amd *amd, const struct gl_api *gl)
{
	const struct amd_group *group = find_gpin(amd);
	GLuint monitor = 0, values[GPIN_COUNT] = {0};
	GLuint counters[2] = {GPIN_UNITS, GPIN_ENGINES};
	GLenum type = 0;
	if (!group || group->counters != GPIN_COUNT)
		return;
	gl->GetPerfMonitorCounterInfoAMD(group->id, GPIN_UNITS, GL_COUNTER_TYPE_AMD, &type);
	if (type != GL_UNSIGNED_INT)
		return;
	gl->GenPerfMonitorsAMD(1, &monitor);
	gl->SelectPerfMonitorCountersAMD(monitor, GL_TRUE, group->id, 2, counters);
	gl->BeginPerfMonitorAMD(monitor);
	gl->EndPerfMonitorAMD(monitor);
	if (is_there(gl, monitor))
		amd_gpin_collect(gl, monitor, values);
	gl->DeletePerfMonitorsAMD(1, &monitor);
	gl_api_take_error(gl);
	if (values[GPIN_UNITS] && values[GPIN_ENGINES])
		amdgpu_set_shape(&amd->constants, values[GPIN_ENGINES], values[GPIN_UNITS]);
}
