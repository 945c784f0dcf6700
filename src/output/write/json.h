/*
 * A streaming JSON writer: commas, escapes and numbers right by construction, u64 with all digits
 * (which a DOM of doubles or int64 cannot hold), nothing kept in memory.
 */
#ifndef OUTPUT_WRITE_JSON_H
#define OUTPUT_WRITE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 32

/* Zero-initialise with the stream; a write error shows in ferror(). */
struct json {
	FILE *out;
	bool compact; /* everything on one line */
	bool html;    /* inside a page: no "<" in a string */
	int depth;
	bool used[JSON_DEPTH_MAX]; /* the container at this depth has an element */
	bool flat[JSON_DEPTH_MAX]; /* ... and is written on one line */
	bool keyed;		   /* a key was written, its value comes next */
};

void json_object_begin(struct json *json);
void json_object_end(struct json *json);
void json_array_begin(struct json *json);
void json_array_end(struct json *json);
/* The next container, and all in it, on one line. */
void json_array_begin_flat(struct json *json);
void json_object_begin_flat(struct json *json);
void json_key(struct json *json, const char *key);

void json_string(struct json *json, const char *text); /* NULL: null */
void json_u64(struct json *json, uint64_t value);
void json_i64(struct json *json, int64_t value);
void json_f64(struct json *json, double value); /* not finite: null */
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

/* A key and its value. */
void json_kv_string(struct json *json, const char *key, const char *text);
void json_kv_u64(struct json *json, const char *key, uint64_t value);
void json_kv_f64(struct json *json, const char *key, double value);
void json_kv_bool(struct json *json, const char *key, bool value);
void json_kv_null(struct json *json, const char *key);
/* A key and the beginning of its container. */
void json_kv_object(struct json *json, const char *key);
void json_kv_array(struct json *json, const char *key);
void json_kv_object_flat(struct json *json, const char *key);
void json_kv_array_flat(struct json *json, const char *key);

/* Ends the document with a newline. */
void json_end(struct json *json);

/* Shortest decimal digits that read back as the same double; buf holds 32 bytes. */
void json_format_f64(char buf[32], double value);

#endif
