/* What a descriptor's fdinfo and amdgpu's gpu_metrics may hold: anything. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "source/drm/drm.h"

static void check_fdinfo(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct drm_fdinfo info;
	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (drm_fdinfo_parse(text, &info) && !info.driver[0])
		abort();
	for (uint32_t i = 0; i < DRM_ENGINES; i++)
		if (!info.engines[i].capacity)
			abort(); /* it is divided by */
	free(text);
}

static void check_metrics(const uint8_t *data, size_t size)
{
	struct drm_gpu_metrics m;
	struct sx_error err = {0};
	enum sx_status status = drm_gpu_metrics_parse(data, size, &m, &err);
	if ((status != SX_OK) != (err.message[0] != '\0'))
		abort();
	if (!isfinite(m.clock_hz) || !isfinite(m.energy_uj) || (m.has_busy && m.busy > 100))
		abort();
	/* What is refused says nothing but its number. */
	if (status != SX_OK && (m.has_clock || m.has_power || m.has_energy || m.has_residency))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_fdinfo(data, size);
	check_metrics(data, size);
	return 0;
}
