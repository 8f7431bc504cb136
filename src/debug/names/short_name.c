// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/names/short_name.h"

#include <string.h>

#include "util/number.h"
#include "util/scan.h"
#include "util/vec.h"

enum { BRACKETS_MAX = 64 };

struct shortening {
	struct text *text;
	enum short_name_form form;
	bool dropped;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/*
 * Returns the length of "operator<" or the like at AT, 0 if there is none: its symbols are not
 * brackets. BEFORE: the beginning of the name.
 */
static size_t operator_length(const char *before, const char *at, const char *end)
{
	static const char *const symbols[] = {
		"()", "->*", "->", "<=>", "<<=", ">>=", "<<", ">>", "<=", ">=", "<", ">"};
	struct scan s = {at, end};

	if (*at != 'o' || !scan_literal(&s, "operator") || (at > before && is_word(at[-1])))
		return 0;
	array_each(symbol, symbols, array_len(symbols))
		if (scan_literal(&s, *symbol))
			return (size_t)(s.at - at);
	return 0;
}

static char closing_of(char c)
{
	return c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '\0';
}

/*
 * Returns the bracket that closes the one at AT, NULL if there is none. In parentheses, < and > may
 * be operators of an expression.
 */
static const char *closing_bracket(const char *at, const char *end)
{
	char open[BRACKETS_MAX];
	size_t depth = 0;

	for (const char *begin = at; at < end; at++) {
		if (*at != 'o' && is_word(*at))
			continue;
		size_t skip = operator_length(begin, at, end);

		if (skip) {
			at += skip - 1;
		} else if (*at == '>' && at[-1] == '-') {
			continue;
		} else if (closing_of(*at)) {
			if (depth == BRACKETS_MAX)
				return NULL;
			open[depth++] = closing_of(*at);
		} else if (memchr(">)]}", *at, 4)) {
			while (*at != '>' && depth && open[depth - 1] == '>')
				depth--;
			if (*at == '>' && depth && open[depth - 1] != '>')
				continue;
			if (!depth || open[depth - 1] != *at)
				return NULL;
			if (!--depth)
				return at;
		}
	}
	return NULL;
}

static bool add_short(struct shortening *shortening, struct scan s, int depth);

/*
 * Adds the "<...>" at the front of S. SELF: it begins a Rust path, as in "<X as Y>::f", and is not
 * an argument list.
 */
static bool add_arguments(struct shortening *shortening, struct scan *s, bool self, int depth)
{
	const char *closing = closing_bracket(s->at, s->end);
	struct scan inside = {s->at + 1, closing};

	if (!closing || depth == BRACKETS_MAX)
		return false;
	s->at = closing + 1;
	if (shortening->form != SHORT_NAME_PLAIN && !self &&
		scan_left(&inside) > SHORT_NAME_ARGUMENTS_MAX) {
		shortening->dropped = true;
		text_add_string(shortening->text, "<…>");
		return true;
	}
	text_add_char(shortening->text, '<');
	if (!add_short(shortening, inside, depth + 1))
		return false;
	text_add_char(shortening->text, '>');
	return true;
}

/*
 * Adds the shorter form of what S begins with. Returns false, and leaves S unchanged, if there is
 * none.
 */
static bool add_tidied(struct shortening *shortening, struct scan *s)
{
	struct scan tag = *s;

	if (shortening->form != SHORT_NAME_CXX)
		return false;
	if (scan_literal(s, "(anonymous namespace)")) {
		text_add_string(shortening->text, "(anon)");
		return true;
	}
	if (scan_starts(*s, "{lambda(")) {
		/*
		 * "{lambda(int)#1}" without its arguments. These count as dropped, because the
		 * lambdas of a function are numbered separately for each argument list.
		 */
		const char *arguments = s->at + strlen("{lambda");
		const char *closing = closing_bracket(arguments, s->end);

		if (!closing)
			return false;
		shortening->dropped |= closing > arguments + 1;
		text_add_string(shortening->text, "{lambda");
		s->at = closing + 1;
		return true;
	}
	if (!scan_literal(&tag, "[abi:"))
		return false;
	while (scan_left(&tag) && is_word(*tag.at))
		tag.at++;
	if (!scan_char(&tag, ']'))
		return false;
	shortening->dropped = true;
	*s = tag;
	return true;
}

/*
 * Skips the arguments, at the front of S, of a function that the rest is local to: "(int) const::".
 * Returns false if there are none.
 */
static bool skip_arguments(const char *begin, struct scan *s)
{
	static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
	const char *closing = s->at > begin && s->at[-1] != ' ' && s->at[-1] != ':'
				      ? closing_bracket(s->at, s->end)
				      : NULL;
	struct scan rest = {closing ? closing + 1 : s->end, s->end};

	array_each(qualifier, qualifiers, array_len(qualifiers))
		(void)scan_literal(&rest, *qualifier);
	if (!scan_starts(rest, "::"))
		return false;
	*s = rest;
	return true;
}

static bool add_short(struct shortening *shortening, struct scan s, int depth)
{
	const char *begin = s.at;

	while (scan_left(&s)) {
		size_t word = 0;

		/* a part of a word that begins no operator */
		while (word < scan_left(&s) && s.at[word] != 'o' && is_word(s.at[word]))
			word++;
		if (!word && shortening->form != SHORT_NAME_RUST)
			word = operator_length(begin, s.at, s.end);
		if (!word && add_tidied(shortening, &s))
			continue;
		if (!word && *s.at == '(' && !depth && skip_arguments(begin, &s)) {
			shortening->dropped = true;
			continue;
		}
		if (!word && *s.at == '<') {
			bool self = shortening->form == SHORT_NAME_RUST &&
				    (s.at == begin || strchr("&*(,[ ", s.at[-1]));

			if (!add_arguments(shortening, &s, self, depth))
				return false;
			continue;
		}
		word = word ?: 1;
		text_add(shortening->text, s.at, word);
		s.at += word;
	}
	return true;
}

bool short_name_add(
	struct text *text, const char *name, enum short_name_form form, bool *dropped_ret)
{
	struct shortening shortening = {.text = text, .form = form};
	size_t len = text->len;

	if (!add_short(&shortening, scan_of(name), 0)) {
		text->len = len;
		if (text->data)
			text->data[len] = '\0';
		return false;
	}
	*dropped_ret = shortening.dropped;
	return true;
}

/*
 * Returns the last "::operator()" in NAME, NULL if there is none. Template arguments may follow it.
 */
static const char *last_call(const char *name)
{
	static const char word[] = "::operator()";
	const char *found = NULL;

	for (const char *at = name; (at = strstr(at, word)); at += sizeof(word) - 1)
		found = at;
	return found;
}

/* Returns the beginning of the number that ends at AT; AT if there is none. */
static const char *number_before(const char *begin, const char *at)
{
	while (at > begin && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at;
}

bool short_name_add_lambda(struct text *text, const char *name, uint32_t line)
{
	const char *call = last_call(name);
	const char *end = call && call > name && call[-1] == '}' ? call - 1 : call;
	const char *number = call ? number_before(name, end) : NULL;

	if (!call || number == end || number - name < 2)
		return false;
	if (end < call && number[-1] == '#')
		text_printf(text, "%.*s:%u%s", (int)(end - name), name, line, end);
	else if (end == call && number[-1] == '_' && number[-2] == '$')
		text_printf(text, "%.*s{%.*s:%u}%s", (int)(number - 2 - name), name,
			(int)(end - number + 2), number - 2, line, end);
	else
		return false;
	return true;
}

bool short_name_add_unlined(struct text *text, const char *name)
{
	const char *call = last_call(name);
	const char *line =
		call && call > name && call[-1] == '}' ? number_before(name, call - 1) : NULL;
	const char *end = line && line > name && line[-1] == ':' ? line - 1 : NULL;
	const char *number = end ? number_before(name, end) : NULL;
	if (!number || number == end || number - name < 3)
		return false;
	if (number[-1] == '#')
		text_printf(text, "%.*s%s", (int)(end - name), name, call - 1);
	else if (!memcmp(number - 3, "{$_", 3))
		text_printf(text, "%.*s%.*s%s", (int)(number - 3 - name), name,
			(int)(end - number + 2), number - 2, call);
	else
		return false;
	return true;
}

const char *short_name_go(const char *name)
{
	/* "type:.eq.a/b.T" and "go:..." do not belong to a package */
	size_t path = strcspn(name, "([:");
	const char *slash =
		name[path] == ':' || !strncmp(name, "type..", 6) ? NULL : memrchr(name, '/', path);

	return slash && slash[1] ? slash + 1 : name;
}

void short_name_add_mark(struct text *text, const char *name)
{
	static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
	uint64_t hash = stable_hash(name, strlen(name));

	hash ^= hash >> 40;
	text_add_char(text, '#');
	for (int i = 0; i < 8; i++, hash >>= 5)
		text_add_char(text, digits[hash & 31]);
}
