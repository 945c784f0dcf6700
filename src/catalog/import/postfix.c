/* IGT's postfix: shifts and products of constants worked out, logic of conditions in our words. */
#include "catalog/import/import.h"
#include "base/text_buf.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

#define STACK_MAX 64

struct stack {
	const char *items[STACK_MAX];
	size_t count;
};

static const char *postfix_join(struct vendor *in, const char *const parts[3])
{
	size_t size = 1;
	for (size_t i = 0; i < 3; i++)
		size += strlen(parts[i]) + 1;
	char *text = arena_alloc(&in->arena, size);
	for (size_t i = 0; text && i < 3; i++)
		text_append_item(text, size, " ", "%s", parts[i]);
	if (!text)
		vendor_no_memory(in);
	return text;
}

static bool constant(const char *text, uint64_t *out)
{
	return number_u64(text, strlen(text), out);
}

static const char *spell(struct vendor *in, uint64_t value)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return arena_strndup(&in->arena, text, (size_t)len);
}

/* A shift by a constant is a product or a quotient of a power of two. */
static const char *shift(struct vendor *in, const char *a, const char *b, bool left)
{
	uint64_t x, n;
	if (!constant(b, &n) || n > 62)
		return NULL;
	if (constant(a, &x))
		return spell(in, left ? x << n : x >> n);
	const char *parts[] = {a, spell(in, UINT64_C(1) << n), left ? "UMUL" : "UDIV"};
	return n == 0 ? a : parts[1] ? postfix_join(in, parts) : NULL;
}

static bool compares(const char *text)
{
	static const char *const words[] = {" ULT", " ULTE", " UGT", " UGTE", " UEQ"};
	for (size_t i = 0; i < 5; i++) {
		size_t len = strlen(text), word = strlen(words[i]);
		if (len > word && strcmp(text + len - word, words[i]) == 0)
			return true;
	}
	return false;
}

static const char *truth(struct vendor *in, const char *text)
{
	const char *parts[] = {text, "0", "UGT"};
	return compares(text) ? text : postfix_join(in, parts);
}

/* Both sides hold: our AND works on bits, so each side becomes 0 or 1 first. */
static const char *both(struct vendor *in, const char *a, const char *b)
{
	if (strcmp(a, "true") == 0)
		return b;
	if (strcmp(b, "true") == 0)
		return a;
	const char *parts[] = {truth(in, a), truth(in, b), "AND"};
	return parts[0] && parts[1] ? postfix_join(in, parts) : NULL;
}

static bool is_operator(const char *word)
{
	static const char *const words[] = {"READ", "UADD", "USUB", "UMUL", "UDIV", "UMIN", "UMAX",
					    "FADD", "FSUB", "FMUL", "FDIV", "FMIN", "FMAX", "AND",
					    "OR",   "ULT",  "ULTE", "UGT",  "UGTE", "UEQ"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

static const char *apply(struct vendor *in, const char *a, const char *b, const char *word)
{
	uint64_t x, y, product;
	if (strcmp(word, "<<") == 0 || strcmp(word, ">>") == 0)
		return shift(in, a, b, word[0] == '<');
	if (strcmp(word, "&&") == 0)
		return both(in, a, b);
	if (strcmp(word, "UMUL") == 0 && constant(a, &x) && constant(b, &y) &&
	    !__builtin_mul_overflow(x, y, &product))
		return spell(in, product);
	const char *parts[] = {a, b, word};
	return postfix_join(in, parts);
}

const char *vendor_postfix(struct vendor *in, const char *text, const char **why)
{
	struct stack s = {0};
	*why = "it cannot be split into operands and operators";
	for (const char *p = text; *p;) {
		size_t len = strcspn(p, " ");
		const char *word = arena_strndup(&in->arena, p, len);
		if (!word)
			return vendor_no_memory(in), NULL;
		p += len + strspn(p + len, " ");
		bool logic = !strcmp(word, "<<") || !strcmp(word, ">>") || !strcmp(word, "&&");
		if (logic || is_operator(word)) {
			if (s.count < 2)
				return NULL;
			s.count -= 2;
			word = apply(in, s.items[s.count], s.items[s.count + 1], word);
			if (!word) {
				*why = "it shifts by what is no constant";
				return NULL;
			}
		} else if (word[0] != '$' && !(word[0] >= '0' && word[0] <= '9') &&
			   !(word[0] >= 'A' && word[0] <= 'Z') && strcmp(word, "true") != 0) {
			*why = "it has an operator that is not known";
			return NULL;
		}
		if (s.count == STACK_MAX)
			return NULL;
		s.items[s.count++] = word;
	}
	return s.count == 1 ? s.items[0] : NULL;
}
