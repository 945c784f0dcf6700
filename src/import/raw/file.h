/* Files of raw samples that a decoder reads, by their first bytes. */
#ifndef IMPORT_RAW_FILE_H
#define IMPORT_RAW_FILE_H

#include "decode/decode.h"

/* What a file is; NULL: no decoder knows it, it cannot be read, or is standard input. */
const struct decoder_file *import_raw_file(const char *path);

#endif
