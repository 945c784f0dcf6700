/* Names of temporary files and folders. */
#ifndef TOOLS_CLI_TEMP_H
#define TOOLS_CLI_TEMP_H

#include <sextant/status.h>

#define TEMP_NAME_MAX 512

/* "FOLDER/NAME-XXXXXX" for mkostemp() and mkdtemp(): in TMPDIR if that is usable, else /tmp. */
void temp_name(char buf[TEMP_NAME_MAX], const char *name);
/* Nothing could be made under such a name; `number` is errno. Returns its status. */
enum sx_status temp_refused(int number, struct sx_error *err);

#endif
