/* Reading XML: a scanner with limits. */
#include "catalog/import/import.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

uint32_t xml_line(struct xml *xml)
{
	/* From where the last call stopped: a file with a fault in each line is asked for each. */
	for (; xml->counted < xml->at; xml->counted++)
		xml->lines += *xml->counted == '\n';
	return xml->lines + 1;
}

static bool refuse(struct xml *xml, enum sx_status status, const char *what, const char *because)
{
	xml->status = error_set(xml->err, status, "%s:%u: %s", xml->origin, xml_line(xml), what);
	error_because(xml->err, "%s", because);
	error_try(xml->err, "import the file as its vendor published it");
	return false;
}

static bool malformed(struct xml *xml, const char *because)
{
	return refuse(xml, SX_ERR_BAD_INPUT, "not well-formed XML", because);
}

bool xml_begin(struct xml *xml, const struct xml_input *input, struct arena *arena,
	       struct sx_error *err)
{
	const char *text = input->text;
	size_t size = input->size;
	*xml = (struct xml){.text = text,
			    .at = text,
			    .counted = text,
			    .end = text + size,
			    .origin = input->origin,
			    .arena = arena,
			    .err = err};
	if (size > XML_BYTES_MAX)
		return refuse(xml, SX_ERR_LIMIT, "file is too large", "it may have 64 MiB");
	if (memchr(text, '\0', size))
		return malformed(xml, "it holds a NUL");
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		xml->at += 3;
	return true;
}

static bool looks_at(const struct xml *xml, const char *word)
{
	size_t len = strlen(word);
	return (size_t)(xml->end - xml->at) >= len && memcmp(xml->at, word, len) == 0;
}

/* Goes behind the next occurrence of a word. */
static bool skip_past(struct xml *xml, const char *word)
{
	const char *found = memmem(xml->at, (size_t)(xml->end - xml->at), word, strlen(word));
	if (!found)
		return malformed(xml, "a comment, an instruction or a section does not end");
	xml->at = found + strlen(word);
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct xml *xml)
{
	while (xml->at < xml->end && is_blank(*xml->at))
		xml->at++;
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || c == '.' || c == ':' || (unsigned char)c >= 0x80;
}

static const char *read_name(struct xml *xml)
{
	const char *begin = xml->at;
	while (xml->at < xml->end && is_name_byte(*xml->at))
		xml->at++;
	if (xml->at == begin || xml->at - begin > 128) {
		malformed(xml, "a name is missing or too long");
		return NULL;
	}
	const char *name = arena_strndup(xml->arena, begin, (size_t)(xml->at - begin));
	if (!name)
		xml->status = error_nomem(xml->err, "reading XML");
	return name;
}

/* One of XML's own entities, or a character by its number up to 0x7f; NULL for any other. */
static const char *xml_decode(const char *p, const char *end, char *out)
{
	static const struct {
		const char *text;
		char is;
	} known[] = {
	    {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t len = strlen(known[i].text);
		if ((size_t)(end - p) >= len && memcmp(p, known[i].text, len) == 0) {
			*out = known[i].is;
			return p + len;
		}
	}
	if (end - p < 4 || p[1] != '#')
		return NULL;
	unsigned number = 0;
	const char *digit = p + 2;
	for (; digit < end && *digit >= '0' && *digit <= '9' && number < 1000; digit++)
		number = number * 10 + (unsigned)(*digit - '0');
	*out = number == 9 || number == 10 || number == 13 ? ' ' : (char)number;
	return digit < end && *digit == ';' && number < 0x80 && number >= 9 ? digit + 1 : NULL;
}

/* Text up to `close`: entities decoded, each run of blanks one, none at its ends. */
static const char *read_text(struct xml *xml, const char *from, const char *close)
{
	char *text = arena_alloc(xml->arena, (size_t)(close - from) + 1), *to = text;
	if (!text) {
		xml->status = error_nomem(xml->err, "reading XML");
		return NULL;
	}
	for (const char *p = from; p < close;) {
		char c = *p++;
		if (c == '<' || (c == '&' && !(p = xml_decode(p - 1, close, &c)))) {
			malformed(xml, c == '<' ? "a value holds \"<\""
						: "entities of its own are not read");
			return NULL;
		}
		c = is_blank(c) ? ' ' : c;
		if (c != ' ' || (to > text && to[-1] != ' '))
			*to++ = c;
	}
	to -= to > text && to[-1] == ' ';
	*to = '\0';
	return text;
}

/* An attribute's value, between quotes. */
static const char *read_value(struct xml *xml)
{
	char quote = xml->at < xml->end ? *xml->at : '\0';
	const char *close = quote == '"' || quote == '\''
				? memchr(xml->at + 1, quote, (size_t)(xml->end - xml->at - 1))
				: NULL;
	if (!close) {
		malformed(xml, "a value is not in quotes");
		return NULL;
	}
	const char *text = read_text(xml, xml->at + 1, close);
	if (text)
		xml->at = close + 1;
	return text;
}

const char *xml_text(struct xml *xml)
{
	if (!xml->is_leaf || !xml->inside)
		return "";
	const char *close = memchr(xml->inside, '<', (size_t)(xml->end - xml->inside));
	/* A comment or a section of its own within a text is left to its writer. */
	return close ? read_text(xml, xml->inside, close) : "";
}

static bool read_attribute(struct xml *xml)
{
	struct xml_attribute *a = &xml->attributes[xml->attribute_count];
	if (xml->attribute_count == XML_ATTRIBUTES_MAX)
		return refuse(xml, SX_ERR_LIMIT, "too many attributes", "an element may have 64");
	if (!(a->name = read_name(xml)))
		return false;
	skip_blanks(xml);
	if (xml->at == xml->end || *xml->at != '=')
		return malformed(xml, "an attribute has no value");
	xml->at++;
	skip_blanks(xml);
	if (!(a->value = read_value(xml)))
		return false;
	xml->attribute_count++;
	return true;
}

static enum xml_event xml_open_element(struct xml *xml)
{
	xml->at++;
	xml->attribute_count = 0;
	if (!(xml->name = read_name(xml)))
		return XML_FAILED;
	for (;;) {
		skip_blanks(xml);
		xml->closes = looks_at(xml, "/>");
		if (xml->closes || looks_at(xml, ">"))
			break;
		if (xml->at == xml->end) {
			malformed(xml, "an element does not end");
			return XML_FAILED;
		}
		if (!read_attribute(xml))
			return XML_FAILED;
	}
	xml->at += xml->closes ? 2 : 1;
	if (xml->depth == XML_DEPTH_MAX) {
		refuse(xml, SX_ERR_LIMIT, "nested too deeply", "elements may nest 32 levels");
		return XML_FAILED;
	}
	if (xml->depth == 0 && xml->any && !xml->many) {
		malformed(xml, "a second root begins");
		return XML_FAILED;
	}
	xml->any = true;
	xml->opened = true;
	xml->inside = xml->at;
	xml->open[xml->depth++] = xml->name;
	return XML_OPEN;
}

static enum xml_event xml_close_element(struct xml *xml)
{
	xml->is_leaf = xml->opened;
	xml->opened = false;
	if (xml->closes) {
		xml->closes = false;
		xml->name = xml->open[--xml->depth];
		return XML_CLOSE;
	}
	xml->at += 2;
	const char *name = read_name(xml);
	if (!name)
		return XML_FAILED;
	skip_blanks(xml);
	if (xml->depth == 0 || strcmp(xml->open[xml->depth - 1], name) != 0 ||
	    !looks_at(xml, ">")) {
		malformed(xml, "an element is closed that is not open");
		return XML_FAILED;
	}
	xml->at++;
	xml->name = xml->open[--xml->depth];
	return XML_CLOSE;
}

/* Where another file begins: its name and lines are those of messages from here on. */
static bool next_file(struct xml *xml)
{
	const char *name = xml->at + strlen(XML_FILE);
	if (!skip_past(xml, XML_FILE_END))
		return false;
	size_t size = (size_t)(xml->at - name) - strlen(XML_FILE_END);
	const char *copy = arena_strndup(xml->arena, name, size < 4096 ? size : 4096);
	if (!copy) {
		xml->status = error_nomem(xml->err, "reading XML");
		return false;
	}
	xml->origin = copy;
	xml->counted = xml->at;
	xml->lines = 0;
	return true;
}

/* Comments, instructions, sections and text; false at an element or the end, or on failure. */
static bool skip_other(struct xml *xml)
{
	if (looks_at(xml, "<!--"))
		return skip_past(xml, "-->");
	if (looks_at(xml, XML_FILE))
		return next_file(xml);
	if (looks_at(xml, "<?"))
		return skip_past(xml, "?>");
	if (looks_at(xml, "<![CDATA["))
		return skip_past(xml, "]]>");
	if (looks_at(xml, "<!"))
		return refuse(xml, SX_ERR_BAD_INPUT, "document types are not read",
			      "they may define entities, which no vendor's file needs");
	if (xml->at == xml->end || *xml->at == '<')
		return false;
	const char *next = memchr(xml->at, '<', (size_t)(xml->end - xml->at));
	xml->at = next ? next : xml->end;
	return true;
}

enum xml_event xml_next(struct xml *xml)
{
	if (xml->closes)
		return xml_close_element(xml);
	while (skip_other(xml))
		;
	if (xml->status != SX_OK)
		return XML_FAILED;
	if (xml->at == xml->end) {
		if (xml->depth == 0 && xml->any)
			return XML_END;
		malformed(xml, xml->any ? "an element is still open" : "there is no element");
		return XML_FAILED;
	}
	return looks_at(xml, "</") ? xml_close_element(xml) : xml_open_element(xml);
}

const char *xml_get(const struct xml *xml, const char *name)
{
	for (uint32_t i = 0; i < xml->attribute_count; i++)
		if (strcmp(xml->attributes[i].name, name) == 0)
			return xml->attributes[i].value;
	return NULL;
}
