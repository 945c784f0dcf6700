/*
 * Shortens names so that they stay different. Names that the usual cut would make alike are cut
 * together at the place nearest to it where they differ in several columns. Where no one place
 * separates them all, a part of the middle is shown where they begin to differ; and in the end they
 * are numbered.
 */
#include "output/write/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define PIECES	     6
#define DIFFER_MIN   4	/* columns that are seen at a glance */
#define ROOM_FOR_TWO 12 /* columns below which a third piece says nothing */

size_t cut_columns(const char *begin, const char *end)
{
	return utf8_columns(begin, (size_t)(end - begin));
}

static size_t whole_columns(const char *text)
{
	return cut_columns(text, text + strlen(text));
}

static const char *next_character(const char *at)
{
	do
		at++;
	while (*at && !utf8_begins(*at));
	return at;
}

/* The end of the first `columns` columns of a text, or of all of it. */
static const char *first_columns(const char *text, size_t columns)
{
	const char *end = text;
	size_t used = 0;
	while (*end) {
		const char *next = next_character(end);
		used += cut_columns(end, next);
		if (used > columns)
			break;
		end = next;
	}
	return end;
}

/* Where the last `columns` columns of a text begin. */
static const char *last_columns(const char *text, size_t columns)
{
	size_t left = whole_columns(text);
	while (*text && left > columns) {
		const char *next = next_character(text);
		left -= cut_columns(text, next);
		text = next;
	}
	return text;
}

static bool cut_fits(const struct cut *cut)
{
	return whole_columns(cut->text) <= cut->width;
}

/* Columns for what is left of the text. */
static size_t room_of(const struct cut *cut, const char *dots)
{
	size_t taken = whole_columns(dots);
	return cut->width > taken ? cut->width - taken : 0;
}

static void cut_to_tail(struct cut *cut, size_t tail, const char *dots)
{
	size_t room = room_of(cut, dots);
	cut->part = cut->part_end = cut->tail = NULL;
	cut->number = 0;
	if (cut_fits(cut)) {
		cut->head_end = cut->text + strlen(cut->text);
		return;
	}
	tail = tail < room ? tail : room;
	cut->head_end = first_columns(cut->text, room - tail);
	if (tail)
		cut->tail = last_columns(cut->text, tail);
}

void cut_end(struct cut *cut, const char *dots)
{
	cut_to_tail(cut, 0, dots);
}

struct piece {
	const char *text;
	size_t size;
};

#define NUMBER_MAX 16

/* What is shown, piece by piece; empty ones at the end. */
static void pieces_of(const struct cut *cut, const char *dots, struct piece out[PIECES],
		      char number[NUMBER_MAX])
{
	size_t n = 0;
	bool shortened = *cut->head_end != '\0';
	memset(out, 0, PIECES * sizeof(*out));
	out[n++] = (struct piece){cut->text, (size_t)(cut->head_end - cut->text)};
	if (shortened)
		out[n++] = (struct piece){dots, strlen(dots)};
	if (cut->part) {
		out[n++] = (struct piece){cut->part, (size_t)(cut->part_end - cut->part)};
		if (*cut->part_end)
			out[n++] = (struct piece){dots, strlen(dots)};
	}
	if (cut->tail)
		out[n++] = (struct piece){cut->tail, strlen(cut->tail)};
	if (cut->number) {
		int size = snprintf(number, NUMBER_MAX, "~%u", cut->number);
		out[n] = (struct piece){number, (size_t)size};
	}
}

size_t cut_width(const struct cut *cut, const char *dots)
{
	struct piece pieces[PIECES];
	char number[NUMBER_MAX];
	size_t width = 0;
	pieces_of(cut, dots, pieces, number);
	for (size_t i = 0; i < PIECES; i++)
		if (pieces[i].size)
			width += utf8_columns(pieces[i].text, pieces[i].size);
	return width;
}

void cut_write(const struct cut *cut, const char *dots, FILE *out)
{
	struct piece pieces[PIECES];
	char number[NUMBER_MAX];
	pieces_of(cut, dots, pieces, number);
	for (size_t i = 0; i < PIECES; i++)
		if (pieces[i].size)
			fwrite(pieces[i].text, 1, pieces[i].size, out);
}

/* The bytes that are shown, one after the other. */
struct shown {
	struct piece pieces[PIECES];
	char number[NUMBER_MAX];
	size_t piece, at;
};

/* Dots are one byte that no text holds: whether they are dots or text makes a difference. */
#define DOTS 1

static int shown_next(struct shown *s, const char *dots)
{
	while (s->piece < PIECES && s->at == s->pieces[s->piece].size) {
		s->piece++;
		s->at = 0;
	}
	if (s->piece == PIECES)
		return 0;
	if (s->pieces[s->piece].text == dots) {
		s->at = s->pieces[s->piece].size;
		return DOTS;
	}
	return (unsigned char)s->pieces[s->piece].text[s->at++];
}

/* Orders by what is shown; *differ (may be NULL) receives in how many bytes, counted to a limit. */
static int compare_shown(const struct cut *a, const struct cut *b, size_t *differ)
{
	static const char dots[] = "\1";
	struct shown x = {.piece = 0}, y = {.piece = 0};
	int order = 0;
	size_t found = 0;
	pieces_of(a, dots, x.pieces, x.number);
	pieces_of(b, dots, y.pieces, y.number);
	for (;;) {
		int p = shown_next(&x, dots), q = shown_next(&y, dots);
		if (p != q) {
			order = order ? order : p < q ? -1 : 1;
			found++;
		}
		if ((!p && !q) || (order && (!differ || found >= DIFFER_MIN)))
			break;
	}
	if (differ)
		*differ = found;
	return order;
}

static int by_shown(const void *x, const void *y)
{
	const struct cut *a = *(struct cut *const *)x, *b = *(struct cut *const *)y;
	int order = compare_shown(a, b, NULL);
	return order ? order : strcmp(a->text, b->text);
}

/* Where sorted ones that are shown as the one at `from` end; *several: of different texts. */
static size_t group_end(struct cut *const *cuts, size_t count, size_t from, bool *several)
{
	size_t end = from + 1;
	*several = false;
	while (end < count && compare_shown(cuts[from], cuts[end], NULL) == 0) {
		*several |= strcmp(cuts[from]->text, cuts[end]->text) != 0;
		end++;
	}
	return end;
}

/*
 * How different sorted texts are: first how many are equal to another, then by how many columns
 * they differ.
 */
struct apart {
	size_t alike, differ;
};

static struct apart how_far_apart(struct cut *const *cuts, size_t count)
{
	struct apart a = {.differ = DIFFER_MIN};
	for (size_t i = 1; i < count; i++) {
		size_t differ;
		if (strcmp(cuts[i - 1]->text, cuts[i]->text) == 0)
			continue;
		compare_shown(cuts[i - 1], cuts[i], &differ);
		a.alike += differ == 0;
		a.differ = differ < a.differ ? differ : a.differ;
	}
	return a;
}

static struct apart try_tail(struct cut **cuts, size_t count, size_t tail, const char *dots)
{
	for (size_t i = 0; i < count; i++)
		cut_to_tail(cuts[i], tail, dots);
	qsort(cuts, count, sizeof(struct cut *), by_shown);
	return how_far_apart(cuts, count);
}

static bool is_better(struct apart a, struct apart b)
{
	return a.alike < b.alike || (a.alike == b.alike && a.differ > b.differ);
}

/* Moves the cut of a group from its usual place to the nearest that separates most of them. */
static void move_cut(struct cut **cuts, size_t count, size_t usual, const char *dots)
{
	size_t room = room_of(cuts[0], dots) * 3 / 4,
	       best_tail = usual; /* names keep a beginning */
	struct apart best = try_tail(cuts, count, usual, dots);
	for (size_t step = 1; step <= room; step++) {
		const size_t tails[] = {usual + step, usual - step};
		for (size_t i = 0; i < 2; i++) {
			if (tails[i] > room) /* also below 0 */
				continue;
			struct apart now = try_tail(cuts, count, tails[i], dots);
			if (is_better(now, best)) {
				best = now;
				best_tail = tails[i];
			}
		}
		if (!best.alike && best.differ == DIFFER_MIN)
			break;
	}
	try_tail(cuts, count, best_tail, dots);
}

static size_t common_bytes(const char *a, const char *b)
{
	size_t n = 0;
	while (a[n] && a[n] == b[n])
		n++;
	while (n && !utf8_begins(a[n]))
		n--;
	return n;
}

/* Shows of each of a group what follows the place up to which all are the same. */
static void show_middle(struct cut **cuts, size_t count, const char *dots)
{
	size_t same = SIZE_MAX;
	for (size_t i = 1; i < count; i++) {
		size_t n = common_bytes(cuts[0]->text, cuts[i]->text);
		same = strcmp(cuts[0]->text, cuts[i]->text) != 0 && n < same ? n : same;
	}
	for (size_t i = 0; i < count; i++) {
		struct cut *cut = cuts[i];
		size_t room = room_of(cut, dots), more = whole_columns(dots);
		if (cut_fits(cut) || room < ROOM_FOR_TWO)
			continue;
		cut->tail = NULL;
		cut->head_end = first_columns(cut->text, room / 3);
		cut->part = cut->text + same;
		room -= cut_columns(cut->text, cut->head_end);
		if (whole_columns(cut->part) > room)
			cut->part_end = first_columns(cut->part, room - more);
		else
			cut->part_end = cut->part + strlen(cut->part);
		if (cut->part < cut->head_end) /* no middle: it is a cut at the end */
			cut_end(cut, dots);
	}
}

/* Calls for each group of different texts that are shown as one. */
static void each_group(struct cut **cuts, size_t count, bool middle, const char *dots)
{
	bool several;
	qsort(cuts, count, sizeof(struct cut *), by_shown);
	for (size_t from = 0, end; from < count; from = end) {
		end = group_end(cuts, count, from, &several);
		if (!several)
			continue;
		size_t size = end - from;
		move_cut(cuts + from, size, middle ? room_of(cuts[from], dots) / 2 : 0, dots);
		for (size_t a = from, b; a < end; a = b) {
			b = group_end(cuts, end, a, &several);
			if (several)
				show_middle(cuts + a, b - a, dots);
		}
	}
}

/* Texts that are still alike get numbers, which no two of the list share. */
static void number_rest(struct cut **cuts, size_t count, const char *dots)
{
	unsigned number = 0;
	bool several;
	qsort(cuts, count, sizeof(struct cut *), by_shown);
	for (size_t from = 0, end; from < count; from = end) {
		end = group_end(cuts, count, from, &several);
		for (size_t i = from; several && i < end; i++) {
			struct cut *cut = cuts[i];
			bool again = i > from && strcmp(cuts[i - 1]->text, cut->text) == 0;
			char text[NUMBER_MAX];
			if (cut_fits(cut))
				continue;
			number += !again;
			size_t taken = (size_t)snprintf(text, sizeof(text), "~%u", number);
			size_t room = room_of(cut, dots);
			cut->part = cut->tail = NULL;
			cut->head_end = first_columns(cut->text, room > taken ? room - taken : 0);
			cut->number = number;
		}
	}
}

void cut_apart(struct cut **cuts, size_t count, bool middle, const char *dots)
{
	for (size_t i = 0; i < count; i++)
		cut_to_tail(cuts[i], middle ? room_of(cuts[i], dots) / 2 : 0, dots);
	each_group(cuts, count, middle, dots);
	number_rest(cuts, count, dots);
}
