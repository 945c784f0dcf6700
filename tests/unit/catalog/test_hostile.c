/* Files that are made to cost time or memory are refused within a second and 64 MiB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include <sextant/catalog.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOW 1
#endif
#endif

#define MIB	 ((size_t)1024 * 1024)
#define TEXT_MAX (9 * MIB)

static const char head[] = "sextant-catalog: 1\nname: x\ntitle: X\nvendor: V\nkind: gpu\n"
			   "dialect: standard\nnotation: infix\n";

struct text {
	char *data;
	size_t size;
};

static void add(struct text *t, const char *part)
{
	size_t len = strlen(part);
	assert_true(t->size + len < TEXT_MAX);
	memcpy(t->data + t->size, part, len);
	t->size += len;
}

static void fill(struct text *t, char c, size_t count)
{
	assert_true(t->size + count < TEXT_MAX);
	memset(t->data + t->size, c, count);
	t->size += count;
}

static void alias_bomb(struct text *t)
{
	add(t, "a: &a [x, x, x, x, x, x, x, x, x]\n");
	for (char c = 'b'; c <= 'z'; c++) {
		char line[64];
		snprintf(line, sizeof(line), "%c: &%c [*%c, *%c, *%c, *%c]\n", c, c, c - 1, c - 1,
			 c - 1, c - 1);
		add(t, line);
	}
}

static void deep_flow(struct text *t)
{
	add(t, head);
	add(t, "facts: ");
	fill(t, '[', MIB);
}

static void deep_block(struct text *t)
{
	for (size_t i = 0; i < 2000; i++) {
		fill(t, ' ', i);
		add(t, "a:\n");
	}
}

static void deep_dashes(struct text *t)
{
	add(t, head);
	add(t, "facts:\n");
	for (size_t i = 0; i < MIB; i++)
		add(t, "- ");
}

static void million_entries(struct text *t)
{
	add(t, head);
	add(t, "facts: [");
	for (size_t i = 0; i < 1000000; i++)
		add(t, "a,");
	add(t, "a]\n");
}

static void million_counters(struct text *t)
{
	add(t, head);
	add(t, "counters:\n");
	for (unsigned i = 0; i < 200000; i++) {
		char line[64];
		snprintf(line, sizeof(line), "- {name: c%u, unit: count}\n", i);
		add(t, line);
	}
}

static void as_many_counters_as_nodes_allow(struct text *t)
{
	add(t, head);
	add(t, "counters:\n");
	for (unsigned i = 0; i < 39000; i++) {
		char line[64];
		snprintf(line, sizeof(line), "- {name: c%u, unit: count}\n", i);
		add(t, line);
	}
}

static void million_keys(struct text *t)
{
	add(t, head);
	for (unsigned i = 0; i < 500000; i++) {
		char line[32];
		snprintf(line, sizeof(line), "k%u: 1\n", i);
		add(t, line);
	}
}

static void huge_plain_scalar(struct text *t)
{
	add(t, head);
	add(t, "facts: [");
	fill(t, 'a', 7 * MIB);
	add(t, "]\n");
}

static void huge_quoted_scalar(struct text *t)
{
	add(t, head);
	add(t, "facts: [\"");
	while (t->size < 7 * MIB)
		add(t, "\\u20ac\n ");
	add(t, "\"]\n");
}

static void huge_key(struct text *t)
{
	add(t, head);
	fill(t, 'k', 5 * MIB);
	add(t, ": 1\n");
}

static void huge_comment(struct text *t)
{
	fill(t, '#', 7 * MIB);
}

static void too_large(struct text *t)
{
	add(t, head);
	fill(t, '\n', 8 * MIB);
}

static void nuls(struct text *t)
{
	add(t, head);
	fill(t, '\0', MIB);
}

static void bad_utf8(struct text *t)
{
	add(t, head);
	fill(t, '\xff', MIB);
}

static void utf16(struct text *t)
{
	add(t, "\xff\xfe");
	for (size_t i = 0; i < MIB; i++) {
		add(t, "a");
		fill(t, '\0', 1);
	}
}

/* Metrics times groups: few nodes, many entries. */
static void groups_product(struct text *t)
{
	add(t, head);
	add(t, "groups:\n");
	for (unsigned i = 0; i < 400; i++) {
		char line[64];
		snprintf(line, sizeof(line), "- {name: g%u, kind: list}\n", i);
		add(t, line);
	}
	add(t, "metrics:\n");
	for (unsigned m = 0; m < 450; m++) {
		char line[64];
		snprintf(line, sizeof(line), "- {name: m%u, unit: count, expr: '1', groups: [", m);
		add(t, line);
		for (unsigned i = 0; i < 400; i++) {
			snprintf(line, sizeof(line), "g%u,", i);
			add(t, line);
		}
		add(t, "]}\n");
	}
}

/* One long formula, in as many groups as there may be. */
static void long_formulas(struct text *t)
{
	add(t, head);
	add(t, "groups:\n");
	for (unsigned i = 0; i < 30000; i++) {
		char line[64];
		snprintf(line, sizeof(line), "- {name: g%u, kind: list}\n", i);
		add(t, line);
	}
	add(t, "metrics:\n- name: m\n  unit: count\n  expr: \"1");
	for (unsigned i = 0; i < 16000; i++)
		add(t, "+ $a");
	add(t, "\"\n  groups: [");
	for (unsigned i = 0; i < 30000; i++) {
		char line[16];
		snprintf(line, sizeof(line), "g%u,", i);
		add(t, line);
	}
	add(t, "]\n");
}

/* A chain of metrics as long as possible that closes at its end. */
static void long_circle(struct text *t)
{
	add(t, head);
	add(t, "metrics:\n");
	for (unsigned i = 0; i < 25000; i++) {
		char line[96];
		snprintf(line, sizeof(line), "- {name: m%u, unit: count, expr: m%u}\n", i,
			 (i + 1) % 25000);
		add(t, line);
	}
}

static void wide_formulas(struct text *t)
{
	add(t, head);
	add(t, "metrics:\n");
	for (unsigned i = 0; i < 60; i++) {
		char line[64];
		snprintf(line, sizeof(line), "- name: m%u\n  unit: count\n  expr: \"1", i);
		add(t, line);
		for (unsigned j = 0; j < 12000; j++)
			add(t, "+ a b");
		add(t, "\"\n");
	}
	add(t, "- {name: last, unit: count, expr: last}\n");
}

static void many_unknown_units(struct text *t)
{
	add(t, head);
	add(t, "constants:\n- {name: a, unit: ");
	fill(t, '/', 60000);
	add(t, "}\n");
}

struct hostile {
	const char *name;
	void (*make)(struct text *t);
};

#define CASE(f)                                                                                    \
	{                                                                                          \
#f, f                                                                              \
	}

static const struct hostile cases[] = {
    CASE(alias_bomb),
    CASE(deep_flow),
    CASE(deep_block),
    CASE(deep_dashes),
    CASE(million_entries),
    CASE(million_counters),
    CASE(as_many_counters_as_nodes_allow),
    CASE(million_keys),
    CASE(huge_plain_scalar),
    CASE(huge_quoted_scalar),
    CASE(huge_key),
    CASE(huge_comment),
    CASE(too_large),
    CASE(nuls),
    CASE(bad_utf8),
    CASE(utf16),
    CASE(groups_product),
    CASE(long_formulas),
    CASE(long_circle),
    CASE(wide_formulas),
    CASE(many_unknown_units),
};

static size_t peak_bytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (size_t)usage.ru_maxrss * 1024;
}

static double cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Runs one case; the exit status of the child that does. */
static int run_case(const struct hostile *h)
{
	struct text t = {.data = malloc(TEXT_MAX)};
	if (!t.data)
		return 10;
	memset(t.data, 0, TEXT_MAX);
	h->make(&t);
	struct sx_catalog *catalog = NULL;
	struct sx_error err = {0};
	size_t memory = peak_bytes();
	double begin = cpu_seconds();
	enum sx_status status = sx_catalog_parse(t.data, t.size, "evil.yaml", &catalog, &err);
	double seconds = cpu_seconds() - begin;
	memory = peak_bytes() - memory;
	print_message("%-32s %6.1f ms %5.1f MiB  %s\n", h->name, seconds * 1e3,
		      (double)memory / (double)MIB, err.message);
	free(t.data);
	if (status != SX_ERR_BAD_INPUT && status != SX_ERR_LIMIT)
		return 11;
	if (strncmp(err.message, "evil.yaml:", strlen("evil.yaml:")) != 0)
		return 12;
#ifndef SLOW
	if (seconds > 1.0)
		return 13;
	if (memory > 64 * MIB)
		return 14;
#endif
	return 0;
}

static void test_hostile_files(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fflush(NULL);
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			int code = run_case(&cases[i]);
			fflush(NULL);
			_exit(code);
		}
		int status;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fail_msg("%s: %s %d", cases[i].name,
				 WIFEXITED(status) ? "status" : "signal",
				 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hostile_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
