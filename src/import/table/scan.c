/* Lines, cells and numbers in text. */
#include "import/table/scan.h"

#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/backing.h"

#define RECORD_MAX ((ptrdiff_t)1 << 21) /* bytes of a cell in quotes */

bool import_line(struct import_lines *lines, struct import_cell *line)
{
	if (lines->p >= lines->end)
		return false;
	const char *eol = memchr(lines->p, '\n', (size_t)(lines->end - lines->p));
	const char *next = eol ? eol + 1 : lines->end;
	*line = (struct import_cell){lines->p, (size_t)((eol ? eol : lines->end) - lines->p)};
	if (line->size && line->text[line->size - 1] == '\r')
		line->size--;
	lines->unfinished = !eol;
	backing_pass(lines->backing, (size_t)(next - lines->p));
	lines->p = next;
	lines->number++;
	return true;
}

static const char *skip_quoted(const char *p, const char *end);

/* Behind the record that begins at `p`: after its line end, which is not within quotes. */
static const char *record_end(const char *p, const char *end, char separator)
{
	while (p < end && *p != '\n') {
		while (p < end && *p == ' ' && *p != separator)
			p++;
		const char *closed = NULL, *most = end - p > RECORD_MAX ? p + RECORD_MAX : end;
		if (p < end && *p == '"')
			closed = skip_quoted(p, most);
		if (closed && closed <= most && closed - p > 1 && closed[-1] == '"')
			p = closed;
		while (p < end && *p != separator && *p != '\n')
			p++;
		p += p < end && *p == separator;
	}
	return p;
}

bool import_record(struct import_lines *lines, char separator, struct import_cell *record)
{
	const char *start = lines->p;
	if (!import_line(lines, record) || !memchr(record->text, '"', record->size))
		return lines->p != start;
	const char *end = record_end(start, lines->end, separator);
	while (end > lines->p - !lines->unfinished && import_line(lines, record))
		;
	size_t size = (size_t)(lines->p - start) - !lines->unfinished;
	*record = (struct import_cell){start, size};
	if (size && start[size - 1] == '\r')
		record->size--;
	return true;
}

/* "sep=;": a hint for spreadsheets, which do not detect separators. */
static bool says_separator(struct import_cell line)
{
	return line.size == 5 && strncasecmp(line.text, "sep=", 4) == 0;
}

bool import_header_line(struct import_lines *lines, struct import_cell *header)
{
	while (import_line(lines, header))
		if (header->size && header->text[0] != '#' && !says_separator(*header))
			return true;
	return false;
}

struct import_cell import_next_word(struct import_cell *rest)
{
	size_t size = 0;
	while (size < rest->size && rest->text[size] != ' ' && rest->text[size] != '\t')
		size++;
	struct import_cell word = {rest->text, size};
	*rest = import_trim((struct import_cell){rest->text + size, rest->size - size});
	return word;
}

/* The end of a quoted cell: behind its closing quote; or the end of the line. */
static const char *skip_quoted(const char *p, const char *end)
{
	for (p++; p < end; p++) {
		if (*p != '"')
			continue;
		if (p + 1 >= end || p[1] != '"')
			return p + 1;
		p++;
	}
	return end;
}

static bool separates(char letter, char separator)
{
	return letter == separator || (letter == '\t' && separator == ' ');
}

size_t import_split(struct import_cell line, char separator, struct import_cell *cells, size_t max)
{
	if (separator == ' ')
		line = import_trim(line);
	const char *p = line.text, *end = line.text + line.size;
	size_t count = 0;
	for (;;) {
		const char *start = p;
		while (p < end && *p == ' ' && *p != separator)
			p++;
		if (p < end && *p == '"')
			p = skip_quoted(p, end);
		while (p < end && !separates(*p, separator))
			p++;
		struct import_cell cell =
		    import_trim((struct import_cell){start, (size_t)(p - start)});
		if (cell.size >= 2 && cell.text[0] == '"' && cell.text[cell.size - 1] == '"')
			cell = (struct import_cell){cell.text + 1, cell.size - 2};
		if (count < max)
			cells[count++] = cell;
		if (p >= end)
			return count;
		p++;
		while (separator == ' ' && p < end && separates(*p, ' '))
			p++;
	}
}

char import_separator(struct import_cell line)
{
	static const char candidates[] = ",;\t|";
	char best = ',';
	size_t most = 1;
	for (const char *c = candidates; *c; c++) {
		struct import_cell cells[64];
		size_t count = import_split(line, *c, cells, 64);
		if (count > most) {
			most = count;
			best = *c;
		}
	}
	return best;
}

bool import_is(struct import_cell cell, const char *word)
{
	return cell.size == strlen(word) && strncasecmp(cell.text, word, cell.size) == 0;
}

const char *import_word_of(struct import_cell cell, const char *words)
{
	for (const char *end; *words; words = *end ? end + 1 : end) {
		end = strchrnul(words, '|');
		if (cell.size == (size_t)(end - words) &&
		    strncasecmp(cell.text, words, cell.size) == 0)
			return words;
	}
	return NULL;
}

bool import_begins(struct import_cell cell, const char *word)
{
	size_t length = strlen(word);
	return cell.size >= length && memcmp(cell.text, word, length) == 0;
}

/* "-", "--" and dashes of other lengths. */
static bool only_dashes(struct import_cell cell)
{
	size_t i = 0;
	while (i < cell.size) {
		const char *p = cell.text + i;
		bool wide = cell.size - i >= 3 && memcmp(p, "\xe2\x80", 2) == 0 &&
			    (unsigned char)p[2] >= 0x90 && (unsigned char)p[2] <= 0x95;
		if (*p != '-' && !wide)
			return false;
		i += wide ? 3 : 1;
	}
	return true;
}

bool import_no_data(struct import_cell cell)
{
	/* Numbers by the million are none of them. */
	if (cell.size && strchr("nN#-[\\", cell.text[0]) &&
	    import_word_of(cell,
			   "N/A|NA|#N/A|n.a.|nan|-nan|null|#DIV/0!|none|[N/A]|[Not Supported]|"
			   "[Unknown Error]|#VALUE!|#REF!|#NUM!|#NAME?|\\N"))
		return true;
	return only_dashes(cell);
}

bool import_number(struct import_cell cell, double *value)
{
	cell = import_trim(cell);
	return !import_no_data(cell) && number_f64(cell.text, cell.size, value);
}

bool import_local_number(struct import_cell cell, double *value)
{
	char copy[64];
	const char *comma = memchr(cell.text, ',', cell.size);
	if (!comma || cell.size >= sizeof(copy))
		return import_number(cell, value);
	memcpy(copy, cell.text, cell.size);
	copy[comma - cell.text] = '.';
	return import_number((struct import_cell){copy, cell.size}, value);
}

bool import_amount(struct import_cell text, double *value, struct import_cell *unit)
{
	size_t size = 0;
	*value = 0;
	while (size < text.size && memchr("0123456789.,+-", text.text[size], 14))
		size++;
	*unit = import_trim((struct import_cell){text.text + size, text.size - size});
	return import_local_number((struct import_cell){text.text, size}, value);
}
