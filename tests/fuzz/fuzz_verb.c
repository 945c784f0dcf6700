/*
 * The command on damaged files, in this process; $SEXTANT_FUZZ_VERB is the verb. The hashes of a
 * damaged capture are corrected, so that the code behind the check is reached.
 * Besides what sanitizers see, every run must end with a status of the contract, and one that fails
 * with the error triplet.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/format/bytes.h"
#include "capture/format/format.h"
#include "fuzz.h"

#define ARGS_MOST 12
#define DEVICES	  64

int sextant_main(int argc, char **argv); /* tools/main.c */
void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* Ways to call a verb; @ is the file, + a copy of it that nothing has damaged. */
static const struct way {
	const char *verb, *args[ARGS_MOST];
} ways[] = {
    {"report", {"report", "@"}},
    {"report", {"report", "@", "--by", "time", "--json"}},
    {"report", {"report", "@", "-f", "html"}},
    {"report", {"report", "@", "--by", "frame", "--csv"}},
    {"report", {"report", "@", "--gate", "cpu_time.p95<1s", "-f", "junit"}},
    {"stat", {"stat", "-i", "@"}},
    {"stat", {"stat", "-i", "@", "--json", "-n", "3"}},
    {"eval", {"eval", "-i", "@", "--json"}},
    {"eval", {"eval", "-i", "@", "--csv", "-m", "all"}},
    {"eval", {"eval", "-i", "@", "--for", "cpu", "-f", "ndjson"}},
    {"diff", {"diff", "@", "+"}},
    {"diff", {"diff", "+", "@", "--json"}},
    {"diff", {"diff", "@,+", "+", "-f", "markdown", "--gate", "cpu_time<+5%"}},
    {"export", {"export", "@", "--csv"}},
    {"export", {"export", "@", "--json"}},
    {"export", {"export", "@", "-f", "perfetto"}},
    {"export", {"export", "@", "-f", "openmetrics"}},
    {"export", {"export", "@", "-f", "ndjson"}},
    {"advise", {"advise", "@", "-v"}},
    {"advise", {"advise", "@", "--json"}},
    {"explain", {"explain", "cpu_time", "-i", "@"}},
    {"import", {"import", "@", "-o", "="}},
    {"import", {"import", "@", "--as", "perf-stat", "-o", "="}},
    {"import", {"import", "@", "--as", "mangohud", "-o", "="}},
    {"capture", {"capture", "info", "@"}},
    {"capture", {"capture", "info", "@", "--json"}},
    {"capture", {"capture", "check", "@"}},
    {"capture", {"capture", "cut", "@", "-o", "=", "--from", "1ms", "--to", "1s"}},
    {"capture", {"capture", "merge", "@", "+", "--offset=0s", "-o", "="}},
    {"capture", {"capture", "anonymise", "@", "-o", "="}},
};

static struct {
	char folder[64], input[96], sound[96], output[96];
	int messages; /* standard error of the runs */
	int real;     /* that of the fuzzer */
	unsigned codes[8];
	const char *verb;
} stage;

static void die(const char *what)
{
	dprintf(stage.real ? stage.real : STDERR_FILENO, "fuzz: %s\n", what);
	abort();
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		die("no room for inputs");
	close(fd);
}

/* How the runs ended: a target in which all fail alike finds nothing. */
static void remove_stage(void)
{
	for (int i = 0; getenv("SEXTANT_FUZZ_TELL") && i < 8; i++)
		dprintf(stage.real, "exit %d: %u runs\n", i, stage.codes[i]);
	unlink(stage.input);
	unlink(stage.sound);
	unlink(stage.output);
	rmdir(stage.folder);
}

/* What the command says goes into a file; sanitizers keep the real standard error. */
static void set_stage(void)
{
	if (stage.verb)
		return;
	stage.verb = getenv("SEXTANT_FUZZ_VERB");
	strcpy(stage.folder, "/tmp/sextant-fuzz-XXXXXX");
	if (!stage.verb || !mkdtemp(stage.folder))
		die("SEXTANT_FUZZ_VERB is not set");
	snprintf(stage.input, sizeof(stage.input), "%s/in", stage.folder);
	snprintf(stage.sound, sizeof(stage.sound), "%s/sound", stage.folder);
	snprintf(stage.output, sizeof(stage.output), "%s/out.sxc", stage.folder);
	atexit(remove_stage);
	setenv("HOME", stage.folder, 1);
	setenv("NO_COLOR", "1", 1);
	unsetenv("SEXTANT_CATALOG_PATH");
	stage.real = dup(STDERR_FILENO);
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	stage.messages = memfd_create("messages", MFD_CLOEXEC);
	if (stage.real < 0 || nothing < 0 || stage.messages < 0)
		die("no descriptors");
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)stage.real);
	dup2(nothing, STDOUT_FILENO);
	dup2(stage.messages, STDERR_FILENO);
}

static size_t left_of(size_t size, size_t at)
{
	return at < size ? size - at : 0;
}

/* Hashes of the damaged contents; sizes are taken as they are. */
static void make_sound(uint8_t *data, size_t size)
{
	static const uint8_t magic[8] = {0x89, 'S', 'X', 'C', 'A', 'P', '\r', '\n'};
	uint64_t hashes[DEVICES] = {0};
	uint32_t sequence = 0;
	size_t at = CAPTURE_HEADER_SIZE;
	if (size < CAPTURE_HEADER_SIZE || memcmp(data, magic, sizeof(magic)) != 0)
		return;
	frame_put_header(data);
	while (left_of(size, at) >= CAPTURE_FRAME_SIZE) {
		uint8_t *to = data + at, type = to[4];
		size_t room = left_of(size, at) - CAPTURE_FRAME_SIZE, part = little_u32(to + 8);
		uint16_t device = little_u16(to + 6);
		part = part < room ? part : room;
		if (type == CAPTURE_ROWS && part >= CAPTURE_ROWS_HEAD)
			little_put_u64(to + CAPTURE_FRAME_SIZE + 24, hashes[device % DEVICES]);
		frame_put(to, type, device, sequence++, part);
		if (type == CAPTURE_DEVICE)
			hashes[device % DEVICES] = little_u64(to + 24);
		at += CAPTURE_FRAME_SIZE + part;
	}
}

static void clear_messages(void)
{
	if (ftruncate(stage.messages, 0) || lseek(stage.messages, 0, SEEK_SET))
		die("messages");
}

/* A run that fails says so in three lines, after what it noted on the way. */
static void check_messages(const struct way *way, int code)
{
	static char text[1 << 16];
	ssize_t size = pread(stage.messages, text, sizeof(text) - 1, 0);
	text[size > 0 ? size : 0] = '\0';
	bool fine = code == 0 || code == 1 || code == 2 || code == 3 || code == 5 || code == 6;
	/* Damage may be reported as a note, and gates in the result. */
	bool shown =
	    !code || code == 1 || code == 6 ||
	    (strstr(text, "error: ") && strstr(text, "because: ") && strstr(text, "try: "));
	clear_messages();
	if (fine && shown && !strstr(text, "because: ok"))
		return;
	dprintf(stage.real, "%s %s: exit %d: %s\n", way->args[0], way->args[1], code, text);
	abort();
}

static void run(const struct way *way)
{
	char *argv[ARGS_MOST + 2] = {"sextant"};
	int argc = 1;
	for (const char *const *arg = way->args; *arg; arg++) {
		const char *text = strcmp(*arg, "@") == 0   ? stage.input
				   : strcmp(*arg, "+") == 0 ? stage.sound
				   : strcmp(*arg, "=") == 0 ? stage.output
							    : *arg;
		char both[256];
		if (strcmp(*arg, "@,+") == 0) {
			snprintf(both, sizeof(both), "%s,%s", stage.input, stage.sound);
			text = both;
		}
		argv[argc++] = strdup(text);
	}
	clear_messages(); /* the fuzzer's own lines go there as well */
	int code = sextant_main(argc, argv);
	fflush(stdout);
	stage.codes[code >= 0 && code < 8 ? code : 7]++;
	for (int i = 1; i < argc; i++)
		free(argv[i]);
	check_messages(way, code);
}

/* The first input is the undamaged one: fuzzers begin with their seeds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	set_stage();
	uint8_t *copy = malloc(size + 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	make_sound(copy, size);
	write_file(stage.input, copy, size);
	if (access(stage.sound, F_OK) != 0)
		write_file(stage.sound, copy, size);
	/* One way each, chosen by the input. */
	uint64_t dice = size;
	for (size_t i = 0; i < size; i++)
		dice = dice * 31 + copy[i];
	size_t count = 0;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		count += strcmp(ways[i].verb, stage.verb) == 0;
	if (!count)
		die("no such verb here");
	size_t chosen = (dice ^ dice >> 29) % count;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(ways[i].verb, stage.verb) == 0 && chosen-- == 0)
			run(&ways[i]);
	free(copy);
	return 0;
}
