/*
 * /proc/PID/fdinfo/N of a DRM descriptor: keys and values as the kernel's drm-usage-stats describes
 * them. A value that is no number, or in a unit that is not known, is left out.
 */
#include "source/drm/drm.h"

#include <stdio.h>
#include <string.h>
#include "base/number.h"

/* A part of the text, not terminated. */
struct span {
	const char *text;
	size_t size;
};

static bool is_text(struct span s, const char *text)
{
	return s.size == strlen(text) && memcmp(s.text, text, s.size) == 0;
}

static bool begins(struct span *s, const char *prefix)
{
	size_t size = strlen(prefix);
	if (s->size <= size || memcmp(s->text, prefix, size) != 0)
		return false;
	s->text += size;
	s->size -= size;
	return true;
}

static struct span word(struct span *rest)
{
	size_t skip = 0, size = 0;
	while (skip < rest->size && (rest->text[skip] == ' ' || rest->text[skip] == '\t'))
		skip++;
	while (skip + size < rest->size && rest->text[skip + size] != ' ' &&
	       rest->text[skip + size] != '\t')
		size++;
	struct span found = {rest->text + skip, size};
	rest->text += skip + size;
	rest->size -= skip + size;
	return found;
}

struct unit {
	const char *name;
	uint64_t factor;
};

/* A number and its unit; false when either is not what the key may have. */
static bool read_quantity(struct span value, const struct unit *units, size_t count, uint64_t *out)
{
	struct span digits = word(&value), unit = word(&value), more = word(&value);
	/* Hexadecimal digits are none of the kernel's here. */
	if (more.size || (digits.size > 1 && (digits.text[1] == 'x' || digits.text[1] == 'X')) ||
	    !number_u64(digits.text, digits.size, out))
		return false;
	for (size_t i = 0; i < count; i++)
		if (is_text(unit, units[i].name))
			return !__builtin_mul_overflow(*out, units[i].factor, out);
	return false;
}

static bool read_plain(struct span value, uint64_t *out)
{
	static const struct unit none[] = {{"", 1}};
	return read_quantity(value, none, 1, out);
}

static bool read_bytes(struct span value, uint64_t *out)
{
	static const struct unit units[] = {{"", 1}, {"KiB", 1024}, {"MiB", 1024 * 1024}};
	return read_quantity(value, units, 3, out);
}

static bool read_ns(struct span value, uint64_t *out)
{
	static const struct unit units[] = {{"ns", 1}};
	return read_quantity(value, units, 1, out);
}

static bool read_hz(struct span value, uint64_t *out)
{
	static const struct unit units[] = {{"Hz", 1}, {"KHz", 1000}, {"MHz", 1000000}};
	return read_quantity(value, units, 3, out);
}

static enum drm_engine engine_of(struct span key)
{
	static const char *const keys[] = {
#define ENGINE(id, key, kind, column) key,
#include "source/drm/engines.def"
#undef ENGINE
	};
	for (uint32_t i = 0; i < DRM_ENGINE_OTHER; i++)
		if (is_text(key, keys[i]))
			return (enum drm_engine)i;
	return DRM_ENGINE_OTHER;
}

enum drm_engine_kind drm_engine_kind(enum drm_engine engine)
{
	static const enum drm_engine_kind kinds[] = {
#define ENGINE(id, key, kind, column) DRM_##kind,
#include "source/drm/engines.def"
#undef ENGINE
	};
	return kinds[engine];
}

/* Numbers behind a region's name are its instances. */
static enum drm_region region_of(struct span key)
{
	static const struct {
		const char *name;
		enum drm_region region;
	} names[] = {
	    {"vram", DRM_REGION_VRAM},
	    {"local", DRM_REGION_VRAM},
	    {"gtt", DRM_REGION_GTT},
	    {"cpu", DRM_REGION_CPU},
	    {"system", DRM_REGION_SYSTEM},
	    {"stolen", DRM_REGION_STOLEN},
	    {"memory", DRM_REGION_MEMORY},
	    {"stolen-system", DRM_REGION_STOLEN},
	    {"stolen-local", DRM_REGION_STOLEN},
	};
	while (key.size && key.text[key.size - 1] >= '0' && key.text[key.size - 1] <= '9')
		key.size--;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_text(key, names[i].name))
			return names[i].region;
	return DRM_REGION_OTHER;
}

static void add(uint64_t *to, uint64_t value)
{
	if (__builtin_add_overflow(*to, value, to))
		*to = UINT64_MAX;
}

static void take_memory(struct drm_fdinfo *out, struct span key, enum drm_kind kind,
			struct span value)
{
	uint64_t bytes;
	enum drm_region region = region_of(key);
	if (!read_bytes(value, &bytes) || bytes > DRM_BYTES_MAX)
		return;
	add(&out->memory[region][kind], bytes);
	out->has_memory[region][kind] = true;
}

static bool take_memory_key(struct drm_fdinfo *out, struct span key, struct span value)
{
	static const char *const kinds[DRM_KINDS] = {"drm-total-", "drm-shared-", "drm-resident-",
						     "drm-active-", "drm-purgeable-"};
	for (uint32_t kind = 0; kind < DRM_KINDS; kind++)
		if (begins(&key, kinds[kind])) {
			take_memory(out, key, (enum drm_kind)kind, value);
			return true;
		}
	return false;
}

/* Longer prefixes first: "drm-engine-capacity-X" is no engine of that name. */
static void take_engine_key(struct drm_fdinfo *out, struct span key, struct span value)
{
	uint64_t n;
	if (begins(&key, "drm-engine-capacity-")) {
		if (read_plain(value, &n) && n > 0 && n <= DRM_UNITS_MAX)
			out->engines[engine_of(key)].capacity = (uint32_t)n;
	} else if (begins(&key, "drm-engine-")) {
		struct drm_engine_use *e = &out->engines[engine_of(key)];
		if (read_ns(value, &n)) {
			add(&e->ns, n); /* several engines may share "other" */
			e->has_ns = true;
		}
	} else if (begins(&key, "drm-total-cycles-")) {
		struct drm_engine_use *e = &out->engines[engine_of(key)];
		e->has_total |= read_plain(value, &e->total);
	} else if (begins(&key, "drm-cycles-")) {
		struct drm_engine_use *e = &out->engines[engine_of(key)];
		e->has_cycles |= read_plain(value, &e->cycles);
	} else if (begins(&key, "drm-maxfreq-")) {
		(void)read_hz(value, &out->engines[engine_of(key)].max_hz);
	} else if (begins(&key, "drm-curfreq-")) {
		(void)read_hz(value, &out->engines[engine_of(key)].cur_hz);
	}
}

static void copy_word(struct span value, char *out, size_t size)
{
	struct span w = word(&value);
	snprintf(out, size, "%.*s", (int)(w.size < size ? w.size : size - 1), w.text);
}

/* Values of the older key; they are resident memory, where no newer key says so. */
struct legacy {
	uint64_t bytes[DRM_REGIONS];
	bool has[DRM_REGIONS];
};

static void take_line(struct drm_fdinfo *out, struct legacy *legacy, struct span line)
{
	const char *colon = memchr(line.text, ':', line.size);
	if (!colon)
		return;
	struct span key = {line.text, (size_t)(colon - line.text)};
	struct span value = {colon + 1, line.size - key.size - 1};
	uint64_t bytes;
	if (is_text(key, "drm-driver")) {
		copy_word(value, out->driver, sizeof(out->driver));
	} else if (is_text(key, "drm-pdev")) {
		copy_word(value, out->pdev, sizeof(out->pdev));
	} else if (is_text(key, "drm-client-id")) {
		out->has_id = read_plain(value, &out->id);
	} else if (begins(&key, "drm-memory-")) {
		enum drm_region region = region_of(key);
		if (read_bytes(value, &bytes) && bytes <= DRM_BYTES_MAX) {
			add(&legacy->bytes[region], bytes);
			legacy->has[region] = true;
		}
	} else if (strncmp(line.text, "drm-total-cycles-", 17) == 0 ||
		   !take_memory_key(out, key, value)) {
		take_engine_key(out, key, value);
	}
}

bool drm_fdinfo_parse(const char *text, struct drm_fdinfo *out)
{
	struct legacy legacy = {{0}, {0}};
	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < DRM_ENGINES; i++)
		out->engines[i].capacity = 1;
	/* A line without an end is cut off, and so may its number be. */
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		if (end - text >= 5 && memcmp(text, "drm-", 4) == 0)
			take_line(out, &legacy, (struct span){text, (size_t)(end - text)});
	for (uint32_t r = 0; r < DRM_REGIONS; r++)
		if (legacy.has[r] && !out->has_memory[r][DRM_RESIDENT]) {
			out->memory[r][DRM_RESIDENT] = legacy.bytes[r];
			out->has_memory[r][DRM_RESIDENT] = true;
		}
	return out->driver[0] != '\0';
}
