/* A lenient walk over JSON: for the output of other tools, also when it is cut. */
#include "import/json.h"

#include <string.h>

#include "base/utf8.h"

struct level {
	bool object;
	bool keyed; /* a key was read, its value comes next */
};

struct walk {
	const char *p, *end;
	struct level levels[READ_JSON_DEPTH_MAX];
	struct import_cell keys[READ_JSON_DEPTH_MAX];
	size_t depth, objects;
};

static void read_json_skip_blanks(struct walk *w)
{
	while (w->p < w->end && strchr(" \t\r\n,", *w->p) && *w->p)
		w->p++;
}

/* A string behind its opening quote; false when it has no end. */
static bool read_string(struct walk *w, struct import_cell *out)
{
	const char *start = ++w->p;
	while (w->p < w->end && *w->p != '"') {
		w->p += *w->p == '\\' && w->p + 1 < w->end;
		w->p++;
	}
	if (w->p >= w->end)
		return false;
	*out = (struct import_cell){start, (size_t)(w->p - start)};
	w->p++;
	return true;
}

static bool is_bare(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '+' || c == '.';
}

static struct import_cell read_bare(struct walk *w)
{
	const char *start = w->p;
	while (w->p < w->end && is_bare(*w->p))
		w->p++;
	return (struct import_cell){start, (size_t)(w->p - start)};
}

static bool wants_key(const struct walk *w)
{
	return w->depth && w->levels[w->depth - 1].object && !w->levels[w->depth - 1].keyed;
}

static struct read_json_place place_of(const struct walk *w)
{
	return (struct read_json_place){w->keys, w->objects};
}

/* A value was read: in an object a key comes next. */
static void value_done(struct walk *w)
{
	if (w->depth)
		w->levels[w->depth - 1].keyed = false;
}

static enum read_json_result open_level(struct walk *w, bool object)
{
	if (w->depth >= READ_JSON_DEPTH_MAX)
		return READ_JSON_BAD;
	w->levels[w->depth++] = (struct level){.object = object};
	w->objects += object;
	w->p++;
	return READ_JSON_WHOLE;
}

static enum read_json_result close_level(struct walk *w, bool object)
{
	if (!w->depth)
		return object ? READ_JSON_BAD : READ_JSON_WHOLE; /* nvtop once opened with ] */
	if (w->levels[w->depth - 1].object != object || w->levels[w->depth - 1].keyed)
		return READ_JSON_BAD;
	w->depth--;
	w->objects -= object;
	value_done(w);
	return READ_JSON_WHOLE;
}

/* The key of a member, and the colon behind it. */
static enum read_json_result read_key(struct walk *w)
{
	struct import_cell key;
	if (!read_string(w, &key))
		return READ_JSON_CUT;
	while (w->p < w->end && strchr(" \t\r\n", *w->p) && *w->p)
		w->p++;
	if (w->p >= w->end)
		return READ_JSON_CUT;
	if (*w->p != ':')
		return READ_JSON_BAD;
	w->p++;
	w->keys[w->objects - 1] = key;
	w->levels[w->depth - 1].keyed = true;
	return READ_JSON_WHOLE;
}

typedef void see_fn(void *user, enum read_json_event event, const struct read_json_place *place,
		    struct import_cell value);

static enum read_json_result step(struct walk *w, see_fn *see, void *user)
{
	const struct import_cell nothing = {"", 0};
	struct read_json_place place = place_of(w);
	struct import_cell value;
	enum read_json_result result = READ_JSON_WHOLE;
	switch (*w->p) {
	case '{':
		if (wants_key(w))
			return READ_JSON_BAD;
		see(user, READ_JSON_BEGIN, &place, nothing);
		return open_level(w, true);
	case '[':
		return wants_key(w) ? READ_JSON_BAD : open_level(w, false);
	case '}':
	case ']':
		result = close_level(w, *w->p == '}');
		place = place_of(w);
		if (!result)
			see(user, *w->p == '}' ? READ_JSON_END : READ_JSON_LAST, &place, nothing);
		w->p++;
		return result;
	case '"':
		if (wants_key(w))
			return read_key(w);
		if (!read_string(w, &value))
			return READ_JSON_CUT;
		see(user, READ_JSON_TEXT, &place, value);
		break;
	default:
		if (wants_key(w) || !is_bare(*w->p))
			return READ_JSON_BAD;
		value = read_bare(w);
		/* A number at the very end may have lost digits. */
		if (w->p >= w->end && w->depth)
			return READ_JSON_CUT;
		see(user, READ_JSON_BARE, &place, value);
	}
	value_done(w);
	return result;
}

/* The line that a place of the text is in. */
static size_t line_of(const struct import_job *job, const char *place)
{
	size_t line = 1;
	for (const char *p = job->text, *next; p < place; p = next + 1, line++) {
		next = memchr(p, '\n', (size_t)(place - p));
		if (!next)
			break;
		backing_pass(job->backing, (size_t)(next - p));
	}
	return line;
}

enum read_json_result read_json_walk(const struct import_job *job, see_fn *see, void *user,
				     size_t *line)
{
	struct walk w = {.p = job->text, .end = job->text + job->size};
	enum read_json_result result = READ_JSON_WHOLE;
	const char *passed = w.p;
	for (read_json_skip_blanks(&w); !result && w.p < w.end; read_json_skip_blanks(&w)) {
		backing_pass(job->backing, (size_t)(w.p - passed));
		passed = w.p;
		result = step(&w, see, user);
	}
	/* An array without its end is what a tool leaves that was stopped. */
	if (!result && w.objects)
		result = READ_JSON_CUT;
	*line = line_of(job, w.p < w.end ? w.p : w.end);
	return result;
}

bool read_json_at(const struct read_json_place *place, size_t count, const char *first,
		  const char *second, const char *third)
{
	return place->depth == count && (count < 1 || import_is(place->keys[0], first)) &&
	       (count < 2 || import_is(place->keys[1], second)) &&
	       (count < 3 || import_is(place->keys[2], third));
}

/* Four hexadecimal digits; false when they are none. */
static bool read_hex(const char *p, const char *end, uint32_t *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++, p++) {
		const char *digits = "0123456789abcdef";
		const char *at = p < end && *p ? strchr(digits, *p | (*p > '9' ? 0x20 : 0)) : NULL;
		if (!at)
			return false;
		*code = *code << 4 | (uint32_t)(at - digits);
	}
	return true;
}

/* "uXXXX", also two of them for one character; what is behind it, or NULL where it is none. */
static const char *read_code(const char *p, const char *end, uint32_t *code)
{
	uint32_t low;
	if (*p != 'u' || !read_hex(p + 1, end, code))
		return NULL;
	p += 5;
	bool pair =
	    *code >= 0xd800 && *code < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u';
	if (pair && read_hex(p + 2, end, &low) && low >= 0xdc00 && low < 0xe000) {
		*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
		return p + 6;
	}
	if (!*code || (*code >= 0xd800 && *code < 0xe000))
		*code = 0xfffd;
	return p;
}

size_t read_json_plain(struct import_cell value, char *to)
{
	static const char escapes[] = "n\nt\tr\rb\bf\f";
	const char *p = value.text, *end = p + value.size;
	size_t used = 0;
	while (p < end) {
		uint32_t code;
		if (*p != '\\' || p + 1 >= end) {
			to[used++] = *p++;
			continue;
		}
		const char *behind = read_code(++p, end, &code);
		if (behind) {
			used += utf8_put(to + used, code);
			p = behind;
			continue;
		}
		char letter = *p++;
		for (size_t i = 0; escapes[i]; i += 2)
			if (letter == escapes[i]) {
				letter = escapes[i + 1];
				break;
			}
		to[used++] = letter;
	}
	return used;
}

struct import_cell read_json_unescape(struct import_job *job, struct import_cell value)
{
	if (!memchr(value.text, '\\', value.size))
		return value;
	char *out = import_text(job, value.text, value.size);
	return out ? (struct import_cell){out, read_json_plain(value, out)} : value;
}
