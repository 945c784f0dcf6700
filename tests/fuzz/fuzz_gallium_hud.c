/* A folder of Mesa's GALLIUM_HUD_DUMP_DIR with a file of any content beside a whole one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "import/import.h"

static char folder[64];

static void put(const char *name, const void *data, size_t size)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

static void remove_folder(void)
{
	static const char *const names[] = {"fps", "GPU-load"};
	char path[128];
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sx_context *context;
	struct import *import = NULL;
	struct sx_error err = {0};
	if (!context) {
		const char *temp = getenv("TMPDIR");
		snprintf(folder, sizeof(folder), "%s/fuzz-hud-XXXXXX",
			 temp && strlen(temp) < 40 ? temp : "/tmp");
		if (!mkdtemp(folder) || atexit(remove_folder) ||
		    sx_context_create(NULL, &context, NULL))
			abort();
		put("fps", "60\n61\n", 6);
	}
	put("GPU-load", data, size);
	struct import_request request = {.context = context, .path = folder, .as = "gallium-hud"};
	enum sx_status status = import_read(&request, &import, &err);
	bool made = !status || status == SX_INCOMPLETE;
	if (made != (import != NULL) || (status && (!err.message[0] || !err.because[0])))
		abort();
	import_destroy(import);
	return 0;
}
