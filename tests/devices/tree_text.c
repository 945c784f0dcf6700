/* Reading: a text into nodes. */
#include "tree_nodes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_TIME UINT64_MAX
#define PAGE	4096

static bool wrong(struct tree *t, const char *line, const char *what)
{
	snprintf(t->why, sizeof(t->why), "%s: %.*s", what, (int)strcspn(line, "\n"), line);
	return false;
}

static struct tree_node *new_node(struct tree *t, const char *path, enum tree_kind kind)
{
	if (t->count == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 256;
		t->nodes = realloc(t->nodes, t->cap * sizeof(*t->nodes));
		if (!t->nodes)
			abort();
	}
	struct tree_node *n = &t->nodes[t->count];
	*n = (struct tree_node){.path = strdup(path),
				.kind = kind,
				.from_ns = t->at_ns,
				.until_ns = NO_TIME,
				.mode = 0444,
				.order = t->count};
	t->count++;
	t->sorted = false;
	return n;
}

static void set_bytes(struct tree_node *n, const char *bytes, size_t size)
{
	n->bytes = malloc(size + 1);
	if (!n->bytes)
		abort();
	memcpy(n->bytes, bytes, size);
	n->bytes[size] = '\0';
	n->size = size;
	n->plain = memchr(bytes, '{', size) == NULL;
}

/* The lines that begin with a tab, without it; sets `at` to their end. */
static void take_body(struct tree_node *n, const char **at)
{
	size_t cap = 256, used = 0;
	char *text = malloc(cap);
	for (const char *line = *at; text && *line == '\t'; line = *at) {
		size_t length = strcspn(line, "\n");
		if (used + length + 1 > cap) {
			cap = 2 * (used + length + 1);
			text = realloc(text, cap);
			if (!text)
				abort();
		}
		memcpy(text + used, line + 1, length - 1);
		used += length - 1;
		text[used++] = '\n';
		*at = line + length + (line[length] == '\n');
	}
	set_bytes(n, text, used);
	free(text);
}

static bool take_hex(struct tree_node *n)
{
	size_t used = 0;
	unsigned byte;
	for (char *at = n->bytes; *at;) {
		at += strspn(at, " \n\t");
		if (!*at)
			break;
		if (!isxdigit((unsigned char)at[0]) || sscanf(at, "%2x", &byte) != 1 ||
		    !isxdigit((unsigned char)at[1]))
			return false;
		n->bytes[used++] = (char)byte;
		at += 2;
	}
	n->size = used;
	n->plain = true;
	return true;
}

static bool number_with(const char *value, const char *const *units)
{
	size_t digits = strspn(value, "0123456789");
	if (!digits || (value[digits] && value[digits] != ' '))
		return false;
	const char *unit = value + digits + (value[digits] == ' ');
	for (; *units; units++)
		if (strcmp(unit, *units) == 0)
			return true;
	return false;
}

/* Whether the kernel could write this line: key, colon, blanks, and what the key may have. */
static bool line_is_right(char *line)
{
	static const struct {
		const char *prefix;
		const char *units[4];
	} keys[] = {
	    {"drm-engine-capacity-", {"", NULL}},
	    {"drm-engine-", {"ns", NULL}},
	    {"drm-total-cycles-", {"", NULL}},
	    {"drm-cycles-", {"", NULL}},
	    {"drm-maxfreq-", {"Hz", "KHz", "MHz", NULL}},
	    {"drm-curfreq-", {"Hz", "KHz", "MHz", NULL}},
	    {"drm-memory-", {"", "KiB", "MiB", NULL}},
	    {"drm-total-", {"", "KiB", "MiB", NULL}},
	    {"drm-shared-", {"", "KiB", "MiB", NULL}},
	    {"drm-resident-", {"", "KiB", "MiB", NULL}},
	    {"drm-active-", {"", "KiB", "MiB", NULL}},
	    {"drm-purgeable-", {"", "KiB", "MiB", NULL}},
	    {"drm-client-id", {"", NULL}},
	};
	char *colon = strchr(line, ':');
	if (!colon)
		return false;
	char *value = colon + 1 + strspn(colon + 1, " \t");
	*colon = '\0';
	if (strncmp(line, "drm-", 4) != 0)
		return strpbrk(line, " \t") == NULL; /* pos, flags, amd-…: others' lines */
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strncmp(line, keys[i].prefix, strlen(keys[i].prefix)) == 0)
			return number_with(value, keys[i].units);
	return strcmp(line, "drm-driver") == 0 || strcmp(line, "drm-pdev") == 0 ||
	       strcmp(line, "drm-client-name") == 0;
}

static bool fdinfo_is_right(struct tree *t, const struct tree_node *n)
{
	char text[PAGE];
	size_t size = tree_contents(t, n, text, sizeof(text) - 1);
	bool driver = false;
	text[size] = '\0';
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		char copy[256] = "";
		*end = '\0';
		memcpy(copy, line, strnlen(line, sizeof(copy) - 1));
		driver |= strncmp(line, "drm-driver:", 11) == 0;
		if (!line_is_right(copy))
			return wrong(t, line, "no line of a descriptor of the kernel's");
	}
	return driver || wrong(t, n->path, "a descriptor without drm-driver");
}

static void end_before(struct tree *t, const char *path, bool below)
{
	size_t length = strlen(path);
	for (size_t i = 0; i < t->count; i++) {
		struct tree_node *n = &t->nodes[i];
		bool same = strcmp(n->path, path) == 0;
		bool under = below && strncmp(n->path, path, length) == 0 && n->path[length] == '/';
		if ((same || under) && n->from_ns <= t->at_ns && n->until_ns > t->at_ns)
			n->until_ns = t->at_ns;
	}
}

static bool add_file(struct tree *t, const char *line, const char **at, bool hex)
{
	char path[256];
	unsigned mode = 0444, owner = 0;
	if (sscanf(line, "%*s %255s %o %u", path, &mode, &owner) < 1)
		return wrong(t, line, "a file without a path");
	if (t->at_ns)
		end_before(t, path, false);
	struct tree_node *n = new_node(t, path, FILE_NODE);
	n->mode = mode;
	n->owner = owner;
	take_body(n, at);
	if (hex && !take_hex(n))
		return wrong(t, line, "no hexadecimal bytes");
	if (t->strict && n->size > PAGE)
		return wrong(t, line, "more than a page, which sysfs never gives");
	return true;
}

static bool add_link(struct tree *t, const char *line)
{
	char path[256], target[256];
	if (sscanf(line, "%*s %255s %255s", path, target) != 2)
		return wrong(t, line, "a link without a target");
	if (t->at_ns)
		end_before(t, path, false);
	set_bytes(new_node(t, path, LINK_NODE), target, strlen(target));
	return true;
}

/* "process PID PARENT OWNER NAME": what every process has. */
static bool add_process(struct tree *t, const char *line)
{
	int pid, parent;
	unsigned owner;
	char name[32], path[64], text[160];
	if (sscanf(line, "%*s %d %d %u %31s", &pid, &parent, &owner, name) != 4)
		return wrong(t, line, "process PID PARENT OWNER NAME");
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	struct tree_node *n = new_node(t, path, FILE_NODE);
	n->owner = owner;
	snprintf(text, sizeof(text), "%s\n", name);
	set_bytes(n, text, strlen(text));
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	n = new_node(t, path, FILE_NODE);
	snprintf(text, sizeof(text), "%d (%s) S %d %d %d 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %lu\n",
		 pid, name, parent, pid, pid, 100 + (unsigned long)(t->at_ns / 10000000));
	set_bytes(n, text, strlen(text));
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	new_node(t, path, DIR_NODE);
	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	new_node(t, path, DIR_NODE);
	return true;
}

/* "descriptor PID FD NODE" and the text of its fdinfo. */
static bool add_descriptor(struct tree *t, const char *line, const char **at)
{
	int pid, fd;
	char node[64], path[64];
	if (sscanf(line, "%*s %d %d %63s", &pid, &fd, node) != 3)
		return wrong(t, line, "descriptor PID FD NODE");
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	if (t->at_ns)
		end_before(t, path, false);
	set_bytes(new_node(t, path, LINK_NODE), node, strlen(node));
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	if (t->at_ns)
		end_before(t, path, false);
	struct tree_node *n = new_node(t, path, FILE_NODE);
	take_body(n, at);
	bool drm = strncmp(node, "/dev/dri/", 9) == 0;
	return !t->strict || !drm || fdinfo_is_right(t, n);
}

static bool add_gone(struct tree *t, const char *line)
{
	char path[256];
	if (sscanf(line, "%*s %255s", path) != 1)
		return wrong(t, line, "gone PATH");
	end_before(t, path, true);
	return true;
}

static bool take_line(struct tree *t, const char *text, const char **at)
{
	unsigned long ms;
	char line[512]; /* alone, so that what follows is not read as part of it */
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	if (!*line || *line == '#')
		return true;
	if (strncmp(line, "file ", 5) == 0)
		return add_file(t, line, at, false);
	if (strncmp(line, "hex ", 4) == 0)
		return add_file(t, line, at, true);
	if (strncmp(line, "link ", 5) == 0)
		return add_link(t, line);
	if (strncmp(line, "process ", 8) == 0)
		return add_process(t, line);
	if (strncmp(line, "descriptor ", 11) == 0)
		return add_descriptor(t, line, at);
	if (strncmp(line, "gone ", 5) == 0)
		return add_gone(t, line);
	if (sscanf(line, "at %lums", &ms) == 1) {
		t->at_ns = ms * 1000000;
		return true;
	}
	return sscanf(line, "uid %u", &t->uid) == 1 || wrong(t, line, "no line of a tree");
}

bool tree_add(struct tree *t, const char *text)
{
	while (*text) {
		const char *line = text, *end = strchr(text, '\n');
		text = end ? end + 1 : text + strlen(text);
		if (!take_line(t, line, &text))
			return false;
	}
	return true;
}

bool tree_load(struct tree *t, const char *path)
{
	FILE *in = fopen(path, "r");
	long end = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : 0;
	char *text = end > 0 ? malloc((size_t)end + 1) : NULL;
	if (in)
		rewind(in);
	size_t size = text ? fread(text, 1, (size_t)end, in) : 0;
	if (in)
		fclose(in);
	if (text)
		text[size] = '\0';
	bool right = size ? tree_add(t, text) : wrong(t, path, "cannot be read");
	free(text);
	return right;
}

bool tree_put(struct tree *t, const char *path, const void *bytes, size_t size)
{
	t->at_ns = tree_elapsed(t);
	end_before(t, path, false);
	struct tree_node *n = new_node(t, path, FILE_NODE);
	set_bytes(n, bytes, size);
	n->plain = true;
	return true;
}
