/* Reading gates. */
#include "analysis/compare/gate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_MAX 256

static const char *const stats[] = {"total", "mean", "min", "p50", "p95", "p99", "max"};
static const char *const operators[] = {"<", "<=", ">", ">=", "=="};

static enum sx_status refuse(struct sx_error *err, const char *text, const char *because)
{
	error_set(err, SX_ERR_USAGE, "\"%s\" is no gate", text);
	error_because(err, "%s", because);
	error_try(err, "'frame_time.p95 < 16.6ms', or in diff 'frame_time < +5%%'");
	return SX_ERR_USAGE;
}

static char *cut(struct arena *arena, const char *begin, const char *end)
{
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	return arena_strndup(arena, begin, (size_t)(end - begin));
}

/* A known statistic behind the last dot is cut off; names have dots of their own. */
static void take_stat(char *metric, struct gate *out)
{
	char *dot = strrchr(metric, '.');
	out->stat = GATE_MEAN;
	for (size_t i = 0; dot && i < sizeof(stats) / sizeof(stats[0]); i++) {
		if (strcasecmp(dot + 1, stats[i]) != 0)
			continue;
		out->stat = (enum gate_stat)i;
		out->stated = true;
		*dot = '\0';
		return;
	}
}

static bool take_op(const char *at, size_t len, struct gate *out)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (strlen(operators[i]) == len && strncmp(at, operators[i], len) == 0) {
			out->op = (enum gate_op)i;
			return true;
		}
	return false;
}

static enum sx_status take_limit(const char *text, char *limit, struct gate *out,
				 struct sx_error *err)
{
	char *end;
	bool sign = *limit == '+' || *limit == '-';
	/* strtod() also reads 0x10, inf and nan. */
	const char *digits = limit + sign, *behind = digits + strspn(digits, "0");
	if (!strspn(digits, "0123456789.") || *behind == 'x' || *behind == 'X')
		return refuse(err, text, "the limit is no number");
	out->number = strtod(limit, &end);
	if (end == limit || !isfinite(out->number))
		return refuse(err, text, "the limit is no number");
	while (isspace((unsigned char)*end))
		end++;
	/* A second point, a comma, or an exponent without digits. */
	if (ispunct((unsigned char)*end) && *end != '%' && *end != '/')
		return refuse(err, text, "the limit is no number");
	if ((*end == 'e' || *end == 'E') && strcspn(end + 1, "+-0123456789") == 0)
		return refuse(err, text, "the limit is no number");
	if (strpbrk(end, "<>= \t") || isdigit((unsigned char)*end))
		return refuse(err, text, "the text after the number is no unit");
	out->unit = end;
	out->relative = sign;
	if (!sign)
		return SX_OK;
	if (strcmp(end, "%") == 0)
		out->number /= 100;
	else if (*end || out->number != 0)
		return refuse(err, text, "a limit with a sign is a share of A's value, in percent");
	out->unit = "";
	return SX_OK;
}

enum sx_status gate_parse(struct arena *arena, const char *text, struct gate *out,
			  struct sx_error *err)
{
	*out = (struct gate){0};
	if (strlen(text) >= TEXT_MAX)
		return refuse(err, "...", "it is too long");
	const char *op = strpbrk(text, "<>=");
	size_t len = op ? strspn(op, "<>=") : 0;
	if (!op || !take_op(op, len, out))
		return refuse(err, text, "it needs one of < <= > >= ==");
	char *metric = cut(arena, text, op);
	char *limit = cut(arena, op + len, text + strlen(text));
	out->text = cut(arena, text, text + strlen(text));
	if (!metric || !limit || !out->text)
		return error_nomem(err, "a gate");
	if (!*metric)
		return refuse(err, text, "there is no metric before the operator");
	take_stat(metric, out);
	out->metric = metric;
	enum sx_status status = take_limit(text, limit, out, err);
	if (status)
		return status;
	bool known;
	if (!gate_unit_known(out->unit, arena, &known))
		return error_nomem(err, "a gate");
	return known ? SX_OK : refuse(err, text, "nothing is measured in its unit");
}

enum sx_status gate_parse_lines(struct arena *arena, const char *name, const char *text,
				struct gates *out, struct sx_error *err)
{
	size_t lines = 1, number = 0;
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* some editors begin UTF-8 so */
		text += 3;
	*out = (struct gates){arena_alloc(arena, lines * sizeof(*out->items)), 0};
	if (!out->items)
		return error_nomem(err, "gates");
	for (const char *line = text; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *end = line + strcspn(line, "#\n");
		char *one = cut(arena, line, end);
		number++;
		if (!one)
			return error_nomem(err, "gates");
		if (!*one)
			continue;
		struct sx_error why = {0};
		if (gate_parse(arena, one, &out->items[out->count], &why)) {
			error_set(err, SX_ERR_BAD_INPUT, "%s:%zu: \"%s\" is no gate", name, number,
				  one);
			error_because(err, "%s", why.because);
			error_try(err, "%s", why.remedy);
			return SX_ERR_BAD_INPUT;
		}
		out->count++;
	}
	return SX_OK;
}
