/* See file.h. */
#include "import/raw/file.h"

#include <stdio.h>
#include <string.h>

const struct decoder_file *import_raw_file(const char *path)
{
	uint8_t head[DECODER_HEAD];
	FILE *file = path && strcmp(path, "-") != 0 ? fopen(path, "rbe") : NULL;
	if (!file)
		return NULL;
	size_t size = fread(head, 1, sizeof(head), file);
	fclose(file);
	return decode_recognise(head, size);
}
