/* The streaming JSON writer. */
#include "output/write/json.h"

#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/utf8.h"

static void newline(struct json *json)
{
	if (json->compact || json->flat[json->depth])
		return;
	fputc('\n', json->out);
	for (int i = 0; i < json->depth; i++)
		fputs("  ", json->out);
}

/* What comes before a value or key: a comma unless it is the first, and a fresh line. */
static void json_separate(struct json *json)
{
	if (json->keyed) {
		json->keyed = false;
		return;
	}
	if (json->depth == 0)
		return;
	if (json->used[json->depth])
		fputs(json->flat[json->depth] && !json->compact ? ", " : ",", json->out);
	json->used[json->depth] = true;
	newline(json);
}

static void json_open(struct json *json, char bracket, bool flat)
{
	json_separate(json);
	fputc(bracket, json->out);
	bool inherited = json->flat[json->depth];
	if (json->depth + 1 < JSON_DEPTH_MAX)
		json->depth++;
	json->used[json->depth] = false;
	json->flat[json->depth] = inherited || flat;
}

static void json_close(struct json *json, char bracket)
{
	bool used = json->used[json->depth];
	bool flat = json->flat[json->depth];
	json->depth--;
	if (used && !flat) {
		bool outer = json->flat[json->depth];
		json->flat[json->depth] = false;
		newline(json);
		json->flat[json->depth] = outer;
	}
	fputc(bracket, json->out);
}

void json_object_begin(struct json *json)
{
	json_open(json, '{', false);
}

void json_object_begin_flat(struct json *json)
{
	json_open(json, '{', true);
}

void json_object_end(struct json *json)
{
	json_close(json, '}');
}

void json_array_begin(struct json *json)
{
	json_open(json, '[', false);
}

void json_array_begin_flat(struct json *json)
{
	json_open(json, '[', true);
}

void json_array_end(struct json *json)
{
	json_close(json, ']');
}

/* Controls beyond ASCII, and marks that turn the order of a line: written as numbers. */
static size_t escape_mark(FILE *out, const unsigned char *p)
{
	char shown[8];
	size_t n = p[0] < 0x80 ? 0 : utf8_control((const char *)p, shown);
	if (n < 2)
		return 0; /* none, or no character at all */
	unsigned code = n == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu)
			       : (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	fprintf(out, "\\u%04x", code);
	return n;
}

static void escape(FILE *out, const char *text, bool html)
{
	const unsigned char *p = (const unsigned char *)text;
	fputc('"', out);
	while (*p) {
		size_t n = utf8_length((const char *)p);
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p == '\n')
			fputs("\\n", out);
		else if (*p == '\t')
			fputs("\\t", out);
		else if (*p < 0x20 || *p == 0x7f || (html && *p == '<'))
			fprintf(out, "\\u%04x", *p);
		else if (n == 0)
			fputs("\xef\xbf\xbd", out);
		else if (!escape_mark(out, p))
			fwrite(p, 1, n, out);
		p += n ? n : 1;
	}
	fputc('"', out);
}

void json_key(struct json *json, const char *key)
{
	json_separate(json);
	escape(json->out, key, json->html);
	fputs(json->compact ? ":" : ": ", json->out);
	json->keyed = true;
}

void json_string(struct json *json, const char *text)
{
	if (!text) {
		json_null(json);
		return;
	}
	json_separate(json);
	escape(json->out, text, json->html);
}

void json_u64(struct json *json, uint64_t value)
{
	json_separate(json);
	fprintf(json->out, "%" PRIu64, value);
}

void json_i64(struct json *json, int64_t value)
{
	json_separate(json);
	fprintf(json->out, "%" PRId64, value);
}

void json_format_f64(char buf[32], double value)
{
	buf[number_put_f64(buf, value)] = '\0';
}

void json_f64(struct json *json, double value)
{
	if (!isfinite(value)) {
		json_null(json);
		return;
	}
	char digits[32];
	json_format_f64(digits, value);
	json_separate(json);
	fputs(digits, json->out);
}

void json_bool(struct json *json, bool value)
{
	json_separate(json);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json)
{
	json_separate(json);
	fputs("null", json->out);
}

void json_kv_string(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_string(json, text);
}

void json_kv_u64(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_u64(json, value);
}

void json_kv_f64(struct json *json, const char *key, double value)
{
	json_key(json, key);
	json_f64(json, value);
}

void json_kv_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	json_bool(json, value);
}

void json_kv_null(struct json *json, const char *key)
{
	json_key(json, key);
	json_null(json);
}

void json_kv_object(struct json *json, const char *key)
{
	json_key(json, key);
	json_object_begin(json);
}

void json_kv_array(struct json *json, const char *key)
{
	json_key(json, key);
	json_array_begin(json);
}

void json_kv_object_flat(struct json *json, const char *key)
{
	json_key(json, key);
	json_object_begin_flat(json);
}

void json_kv_array_flat(struct json *json, const char *key)
{
	json_key(json, key);
	json_array_begin_flat(json);
}

void json_end(struct json *json)
{
	fputc('\n', json->out);
}
