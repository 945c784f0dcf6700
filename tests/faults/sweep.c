/*
 * Runs verbs of the command again and again, each time with another allocation failing. Every
 * failure must end in an error triplet that speaks of memory, or change nothing: never in a crash,
 * and never in a success that lacks something.
 * Usage: sweep ROOT [-n POINTS] [-v VERB [ALLOCATION]]
 * With -n at most so many allocations of each verb fail, spread over all; with -v one verb, or one
 * failure of it, runs with its messages.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/reader.h"
#include "unit/capture/sample.h"
#include "failing.h"

#define ARGS_MAX  24
#define TEXT_MAX  (4u << 20)
#define SECONDS	  60
#define SHOWN_MAX 40

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

/* Words are separated by blanks; @ is the project's root. */
struct verb {
	const char *line;
	bool varies;	     /* its output differs from run to run */
	const char *written; /* a file that it writes, which must be whole as well */
};

static const struct verb verbs[] = {
    {.line = "list metrics --for mali-g310"},
    {.line = "list metrics --for mali-g625 --json"},
    {.line = "list counters --for intel-merrifield --csv"},
    {.line = "list sets --for intel-bdw --json"},
    {.line = "explain gpu_active_cycles --for mali-g310"},
    {.line = "explain gpu_active_cycles --for mali-g625 --json"},
    {.line = "explain EuActive --for intel-bdw --set RenderBasic"},
    {.line = "explain VSBusy"},
    {.line = "explain gpu.busy --for mali-g310"},
    {.line = "explain cpu.saturated"},
    {.line = "list metrics"},
    {.line = "list metrics VSBusy --json"},
    {.line = "plan --for amd-gcn2 -m VSBusy,PSBusy"},
    {.line = "plan --for amd-gcn2 -m VSBusy,PSBusy --json"},
    {.line = "eval --for mali-g310 -i rows.csv"},
    {.line = "eval --for mali-g310 -i rows.csv --json"},
    {.line = "eval --for mali-g310 rows.csv -f ndjson"},
    {.line = "eval --for mali-g310 rows.csv --csv -o out.csv", .written = "out.csv"},
    {.line = "advise oa.csv --for intel-bdw --set RenderBasic"},
    {.line = "advise oa.csv --for intel-bdw --set RenderBasic --json"},
    {.line = "report sample.sxc"},
    {.line = "report sample.sxc --json"},
    {.line = "report sample.sxc -d gpu --json"},
    {.line = "report sample.sxc -f html"},
    {.line = "report sample.sxc -f html --baseline sample.sxc"},
    {.line = "report sample.sxc --by frame --top 3"},
    {.line = "export sample.sxc --counters"},
    {.line = "export sample.sxc --counters --json"},
    {.line = "export sample.sxc -f ndjson"},
    {.line = "stat -i sample.sxc --json"},
    {.line = "capture info sample.sxc"},
    {.line = "capture info sample.sxc --json"},
    {.line = "capture check sample.sxc"},
    {.line = "capture cut sample.sxc --from 1us --to 20us -o cut.sxc", .written = "cut.sxc"},
    {.line = "capture merge sample.sxc other.sxc --offset=0s -o merged.sxc",
     .written = "merged.sxc"},
    {.line = "capture anonymise sample.sxc -o plain.sxc", .written = "plain.sxc"},
    {.line = "catalog lint @/catalogs/cpu/cpu.yaml"},
    {.line = "catalog show intel-merrifield"},
    {.line = "catalog diff mali-g310 mali-g625"},
    {.line = "decode -i dump.bin --as mali-dump:u32 --for mali-g310 --const l2_slices=1 "
	     "--const shader_core_mask=1 --json"},
    {.line = "decode perf.csv --as perf-stat --for cpu --csv"},
    {.line = "export perf.csv --counters --csv"},
    {.line = "decode -i oa.record --as i915-record --csv"},
    {.line = "decode -i oa.record --as i915-record --counters --json"},
    {.line = "oa flex encode --counter A7 --event 5 --json"},
    {.line = "oa flex decode --register EU_PERF_CNT_CTL0 --value 0x5004"},
    {.line = "stat -d cpu -t 1ms --json", .varies = true},
    {.line = "stat -d mali-g310 -t 1ms -I 200us", .varies = true},
    {.line = "record -d cpu -t 1ms -o run.sxc", .varies = true},
    {.line = "record -d mali-g310 -t 1ms -I 200us -o run.sxc", .varies = true},
};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

struct result {
	int status; /* of waitpid() */
	int64_t count, failed;
	char *out, *err, *written; /* texts; owned */
	size_t out_size, written_size;
};

struct tally {
	long runs, crashed, silent, unknown;
	int shown;
};

static struct failing *shared;
static const char *root;

static char *read_whole(const char *path, size_t *size)
{
	char *text = calloc(1, TEXT_MAX + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;
	if (!text)
		exit(2);
	for (*size = 0; fd >= 0 && n > 0 && *size<TEXT_MAX; *size += n> 0 ? (size_t)n : 0)
		n = read(fd, text + *size, TEXT_MAX - *size);
	if (fd >= 0)
		close(fd);
	return text;
}

/* Splits a line in place; `pool` holds words that name the root. */
static int split(char *line, char **args, char (*pool)[4096])
{
	int n = 0;
	args[n++] = (char *)(uintptr_t) "sextant";
	for (char *word = strtok(line, " "); word && n < ARGS_MAX; word = strtok(NULL, " ")) {
		if (*word == '@') {
			snprintf(*pool, sizeof(*pool), "%s%s", root, word + 1);
			word = *pool++;
		}
		args[n++] = word;
	}
	args[n] = NULL;
	return n;
}

static void become(int to, const char *path, int flags)
{
	int fd = open(path, flags, 0600);
	if (fd < 0 || dup2(fd, to) < 0)
		_exit(99);
	close(fd);
}

static _Noreturn void child(const struct verb *verb, bool loud, const char *locale)
{
	char line[1024], pool[4][4096], *args[ARGS_MAX + 1];
	snprintf(line, sizeof(line), "%s", verb->line);
	int count = split(line, args, pool);
	if (!loud) {
		become(0, "/dev/null", O_RDONLY);
		become(1, "stdout", O_WRONLY | O_CREAT | O_TRUNC);
		become(2, "stderr", O_WRONLY | O_CREAT | O_TRUNC);
	}
	setenv("LC_ALL", locale, 1);
	alarm(SECONDS);
	failing_begin(shared);
	int code = __real_main(count, args);
	failing_begin(NULL);
	fflush(NULL);
	_exit(code);
}

static struct result run_in(const char *locale, const struct verb *verb, int64_t fail_at, bool loud)
{
	struct result r = {0};
	size_t size;
	if (verb->written)
		unlink(verb->written);
	*shared = (struct failing){.fail_at = fail_at};
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		child(verb, loud, locale);
	if (pid < 0 || waitpid(pid, &r.status, 0) != pid)
		exit(2);
	r.count = shared->count;
	r.failed = shared->failed;
	r.out = read_whole("stdout", &r.out_size);
	r.err = read_whole("stderr", &size);
	if (verb->written)
		r.written = read_whole(verb->written, &r.written_size);
	return r;
}

static struct result run(const struct verb *verb, int64_t fail_at, bool loud)
{
	return run_in("C.UTF-8", verb, fail_at, loud);
}

static void release(struct result *r)
{
	free(r->out);
	free(r->err);
	free(r->written);
}

/* Captures may be stored in another way: what counts is that they are sound and hold as much. */
static bool is_sound(const struct result *r, uint64_t *rows)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	if (capture_open_memory(r->written, r->written_size, "written", &reader, NULL) != SX_OK)
		return false;
	for (*rows = 0; sx_capture_next(reader, &record, NULL) == SX_OK;)
		*rows += record.type == SX_CAPTURE_ROWS ? record.rows.count : 0;
	bool sound = sx_capture_info(reader)->clean && !sx_capture_account(reader)->what[0];
	sx_capture_close(reader);
	return sound;
}

static bool same_file(const struct verb *verb, const struct result *a, const struct result *b)
{
	uint64_t here, there;
	if (!verb->written)
		return true;
	if (strstr(verb->written, ".sxc"))
		return is_sound(a, &here) && is_sound(b, &there) && here == there;
	return a->written_size == b->written_size &&
	       memcmp(a->written, b->written, a->written_size) == 0;
}

static bool same(const struct verb *verb, const struct result *a, const struct result *b)
{
	if (verb->varies)
		return true;
	return a->out_size == b->out_size && memcmp(a->out, b->out, a->out_size) == 0 &&
	       same_file(verb, a, b);
}

/* A result that was delivered with less in it, and says so. */
static bool is_incomplete(const struct result *r)
{
	return WEXITSTATUS(r->status) == 1 &&
	       (strcasestr(r->err, "memory") || strstr(r->err, "samples were lost"));
}

/* The three lines, with the cause that it was. */
static bool is_triplet(const char *text)
{
	const char *error = strstr(text, "error: ");
	const char *because = error ? strstr(error, "\nbecause: ") : NULL;
	const char *remedy = because ? strstr(because, "\ntry: ") : NULL;
	return remedy && (strcasestr(error, "memory"));
}

static void show(struct tally *tally, const struct verb *verb, int64_t k, const char *what,
		 const struct result *r)
{
	if (tally->shown++ >= SHOWN_MAX)
		return;
	size_t tail = strlen(r->err);
	printf("%s, allocation %ld: %s\n    %s\n", verb->line, (long)k, what,
	       r->err + (tail > 300 ? tail - 300 : 0));
}

/*
 * The output of a verb when nothing fails. Out of memory for the user's locale it continues in the
 * C locale, with ASCII text, which is accepted, too.
 */
struct due {
	struct result good, ascii;
};

static void judge(struct tally *tally, const struct verb *verb, int64_t k, const struct due *due,
		  const struct result *r)
{
	const struct result *good = &due->good;
	bool whole = same(verb, good, r) || same(verb, &due->ascii, r);
	tally->runs++;
	if (!WIFEXITED(r->status) || WEXITSTATUS(r->status) > 6) {
		tally->crashed++;
		show(tally, verb, k, "crashed", r);
	} else if (WEXITSTATUS(r->status) == WEXITSTATUS(good->status) && !whole &&
		   !strcasestr(r->err, "memory")) {
		tally->silent++;
		show(tally, verb, k, "told as success, and something lacks", r);
	} else if (WEXITSTATUS(r->status) != WEXITSTATUS(good->status) && !is_triplet(r->err) &&
		   !is_incomplete(r)) {
		tally->unknown++;
		show(tally, verb, k, "ended without saying why", r);
	}
}

static int sweep(const struct verb *verb, long points, struct tally *tally)
{
	struct due due = {run(verb, -1, false), run_in("C", verb, -1, false)};
	const struct result good = due.good;
	long before = tally->crashed + tally->silent + tally->unknown;
	/* The sample has some lost rows, so the status is 1. */
	if (!WIFEXITED(good.status) || WEXITSTATUS(good.status) > 1) {
		printf("%s: fails by itself\n%s\n", verb->line, good.err);
		release(&due.good);
		release(&due.ascii);
		return 1;
	}
	int64_t step = points && good.count > points ? good.count / points : 1;
	/* Another offset for each verb, so that together the points see more of what is shared. */
	for (int64_t k = (verb - verbs) % step; k < good.count; k += step) {
		struct result r = run(verb, k, false);
		if (r.failed)
			judge(tally, verb, k, &due, &r);
		release(&r);
	}
	printf("%-60.60s %7ld allocations, %ld failures\n", verb->line, (long)good.count,
	       tally->crashed + tally->silent + tally->unknown - before);
	release(&due.good);
	release(&due.ascii);
	return 0;
}

/* Ten rows of the counters that the verbs above want, and files of other tools. */
static bool make_inputs(void)
{
	char path[4096];
	size_t size;
	FILE *rows = fopen("rows.csv", "w"), *perf = fopen("perf.csv", "w"),
	     *dump = fopen("dump.bin", "w"), *advice = fopen("oa.csv", "w"),
	     *oa = fopen("oa.record", "w");
	if (!rows || !perf || !dump || !advice || !oa)
		return false;
	fputs("MaliGPUCyclesGPUActive,MaliFragQueueJob,MaliGeomQueueJob,duration_ns,odd\n", rows);
	for (int i = 0; i < 10; i++)
		fprintf(rows, "%d,%d,%s,16000000,1\n", 1000 * i, i, i % 3 ? "7" : "");
	for (int i = 1; i < 5; i++)
		fprintf(perf, "%d.000100000,%d000,,cycles,1000000,100.00,,\n", i, i);
	for (int i = 0; i < 4 * 256 * 2; i++)
		fwrite(&(uint32_t){(uint32_t)(i % 64 < 4 ? 0 : i)}, 4, 1, dump);
	fputs("A0,A1,A7,A8,A9,A10,A13,A21,A26,A27,B0,B1,C0,C1,GpuCoreClocks,timestamp_ns,duration_"
	      "ns\n",
	      advice);
	for (int i = 0; i < 5; i++)
		fprintf(advice, "900,800,7,8,9,10,700,%d,26,27,1,2,3,4,1000,%d,1000\n", i,
			i * 1000);
	fclose(rows);
	fclose(advice);
	fclose(perf);
	fclose(dump);
	snprintf(path, sizeof(path), "%s/tests/data/oa/recording", root);
	char *record = read_whole(path, &size);
	if (record)
		fwrite(record, 1, size, oa);
	free(record);
	fclose(oa);
	return sample_file("sample.sxc", "mali-g310") && sample_file("other.sxc", "mali-g625");
}

static int one(const char *line, const char *allocation)
{
	for (size_t i = 0; i < VERBS; i++) {
		struct tally tally = {0};
		if (strcmp(verbs[i].line, line) != 0)
			continue;
		if (!allocation)
			return sweep(&verbs[i], 0, &tally);
		struct result r = run(&verbs[i], atol(allocation), true);
		printf("status %#x\n", (unsigned)r.status);
		release(&r);
		return 0;
	}
	printf("no such verb here: %s\n", line);
	return 1;
}

int __wrap_main(int argc, char **argv)
{
	struct tally tally = {0};
	char folder[] = "/tmp/sextant-sweep-XXXXXX", command[64];
	long points = argc > 3 && strcmp(argv[2], "-n") == 0 ? atol(argv[3]) : 0;
	int bad = 0;
	root = argc > 1 ? realpath(argv[1], NULL) : NULL;
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!root || shared == MAP_FAILED || !mkdtemp(folder) || chdir(folder) < 0 ||
	    !make_inputs())
		return 2;
	setenv("SEXTANT_PRELOAD_DIR", "/nonexistent", 1); /* no driver is asked for its name */
	if (argc > 3 && strcmp(argv[2], "-v") == 0)
		return one(argv[3], argc > 4 ? argv[4] : NULL);
	for (size_t i = 0; i < VERBS; i++)
		bad |= sweep(&verbs[i], points, &tally);
	printf("%ld failures injected: %ld crashed, %ld told as success, %ld not told\n",
	       tally.runs, tally.crashed, tally.silent, tally.unknown);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	bad |= system(command) != 0;
	return bad || tally.crashed || tally.silent || tally.unknown;
}
