/* Which catalogs may know a column, by an index of names in the pack: no catalog is opened. */
#include "base/little.h"
#include "catalog/column.h"
#include "catalog/internal.h"
#include "catalog/search/context.h"
#include "catalog/search/pack.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES_MAX 256

/* A bit for each of the library's catalogs. */
struct bits {
	uint64_t words[PACK_NAME_BITS / 64];
};

/* Hashes in ascending order, and the bits of each. */
struct name_index {
	uint32_t count;
	const uint8_t *hashes, *bits;
};

/* A folder's file changes what is built upon it as well: nothing is then known of any catalog. */
static bool is_any_in_folder(const struct sx_context *context)
{
	struct pack_file file;
	for (uint32_t i = 0; pack_get(i, &file); i++)
		if (file.name[0] && path_is_in_folder(context, file.name))
			return true;
	return false;
}

/* Call with the lock held. */
static void read_index(struct sx_context *context)
{
	struct pack_file file;
	const char *bytes;
	if (context->index_read)
		return;
	context->index_read = true;
	if (pack_find(PACK_NAMES, &file) && !is_any_in_folder(context) &&
	    pack_bytes(&file, &context->arena, &bytes, NULL) == SX_OK && file.unpacked >= 4 &&
	    file.unpacked ==
		4 + little_u32((const uint8_t *)bytes) * (uint64_t)(4 + sizeof(struct bits)))
		context->index = (const uint8_t *)bytes;
}

static struct bits look_up(const struct name_index *names, enum pack_name what, const char *letters,
			   size_t len)
{
	uint32_t hash = pack_hash(what, letters, len), low = 0, high = names->count;
	struct bits bits = {0};
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (little_u32(names->hashes + 4 * (size_t)middle) < hash)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == names->count || little_u32(names->hashes + 4 * (size_t)low) != hash)
		return bits;
	for (size_t w = 0; w < PACK_NAME_BITS / 64; w++)
		bits.words[w] = little_u64(names->bits + sizeof(bits) * low + 8 * w);
	return bits;
}

/* Adds the catalogs that have the name as it is, or as "Group.name" with any mark between. */
static void add_spelling(const struct name_index *names, const char *name, struct bits *out)
{
	char letters[NAME_BYTES_MAX] = "";
	size_t len = column_letters(letters, name);
	struct bits whole = look_up(names, PACK_NAME_THING, letters, len);
	for (size_t w = 0; w < PACK_NAME_BITS / 64; w++)
		out->words[w] |= whole.words[w];
	for (size_t i = 1; i < len; i++) {
		struct bits group = look_up(names, PACK_NAME_GROUP, letters, i);
		if (!group.words[0] && !group.words[1])
			continue;
		struct bits rest = look_up(names, PACK_NAME_THING, letters + i, len - i);
		for (size_t w = 0; w < PACK_NAME_BITS / 64; w++)
			out->words[w] |= group.words[w] & rest.words[w];
	}
}

/* The same without the number of an instance at the end of the part before `dot`. */
static void add_stem(const struct name_index *names, const char *name, const char *dot,
		     struct bits *out)
{
	char text[NAME_BYTES_MAX];
	size_t len = dot ? (size_t)(dot - name) : strlen(name);
	len -= len && name[len - 1] == ']';
	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	snprintf(text, sizeof(text), "%.*s%s", (int)len, name, dot ? dot : "");
	add_spelling(names, text, out);
}

static struct bits may_know(const struct name_index *names, const char *name)
{
	struct bits bits = {0};
	const char *dot = strchr(name, '.');
	if (strlen(name) >= NAME_BYTES_MAX) {
		memset(&bits, 0xff, sizeof(bits));
		return bits;
	}
	add_spelling(names, name, &bits);
	add_stem(names, name, NULL, &bits);
	if (dot)
		add_stem(names, name, dot, &bits);
	return bits;
}

void catalog_names_begin(struct sx_context *context, const char *const *columns, size_t count,
			 struct catalog_names *out)
{
	*out = (struct catalog_names){0};
	pthread_mutex_lock(&context->lock);
	read_index(context);
	const uint8_t *index = context->index;
	pthread_mutex_unlock(&context->lock);
	if (!index)
		return;
	struct name_index names = {.count = little_u32(index), .hashes = index + 4};
	names.bits = names.hashes + 4 * (size_t)names.count;
	out->is_known = true;
	for (size_t i = 0; i < count; i++) {
		struct bits bits = may_know(&names, columns[i]);
		for (size_t b = 0; b < PACK_NAME_BITS; b++)
			out->most[b] += (bits.words[b / 64] >> b % 64 & 1) != 0;
	}
}

size_t catalog_names_most(const struct catalog_names *names, const char *catalog)
{
	struct pack_file file;
	size_t bit = 0;
	for (uint32_t i = 0; names->is_known && pack_get(i, &file); i++) {
		if (!pack_is_catalog(&file))
			continue;
		if (strcmp(file.name, catalog) == 0)
			return names->most[bit];
		bit++;
	}
	return SIZE_MAX;
}
