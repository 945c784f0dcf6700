/* Events, and the kernel's description of their formats, of any content. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/pmu/pmu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines: the terms, then what files hold, in the order in which they are read. */
struct files {
	const char *text;
};

static ssize_t next_file(void *user, const char *path, char *buf, size_t size)
{
	struct files *files = user;
	size_t length = strcspn(files->text, "\n");
	if (!*files->text || *files->text == '!') { /* a file that is not there */
		files->text += length + (files->text[length] == '\n');
		errno = ENOENT;
		return -1;
	}
	size_t n = length < size - 1 ? length : size - 1;
	memcpy(buf, files->text, n);
	buf[n] = '\0';
	files->text += length + (files->text[length] == '\n');
	return (ssize_t)n;
}

static void encode(struct files *files, const char *terms)
{
	struct sx_sys sys = {.user = files, .read_file = next_file};
	struct pmu_device device = {.name = "x", .type = 99};
	struct pmu_code code;
	struct sx_error err = {0};
	enum sx_status status = pmu_encode(&sys, &device, terms, &code, &err);
	if (status && (!err.message[0] || !err.because[0] || !err.remedy[0]))
		abort();
	if (!status && code.type != 99)
		abort();
}

static void feed(const char *text)
{
	struct pmu_feed feed;
	struct pmu_code code = {.scale = 0.5, .unit = "MiB"};
	const struct sx_counter_info counter = {.unit = "bytes"};
	double factor;
	struct sx_error err = {0};
	if (pmu_feed_parse(text, &feed, &err)) {
		if (!err.message[0] || !err.remedy[0])
			abort();
		return;
	}
	pmu_feed_unit(&feed, &code);
	if (pmu_feed_factor(&feed, &code, &counter, &factor, &err) == SX_OK && !(factor > 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	char *rest = strchr(text, '\n');
	struct files files = {rest ? rest + 1 : ""};
	if (rest)
		*rest = '\0';
	encode(&files, text);
	struct sx_error err = {0};
	if (pmu_feed_check(text, &err) && !err.message[0])
		abort();
	feed(text);
	free(text);
	return 0;
}
