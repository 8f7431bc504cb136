// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/symbol_word.h"

#include <string.h>

#include "util/cleanup.h"
#include "util/scan.h"
#include "util/xalloc.h"

void symbol_word_deinit(struct symbol_word *word)
{
	free(take(word->name));
	free(take(word->text));
}

/* Removes `+NUMBER` from the end of S. */
static bool cut_number(struct scan *s, uint64_t *ret)
{
	const char *plus = scan_left(s) ? memrchr(s->at, '+', scan_left(s)) : NULL;
	struct scan number = {plus ? plus + 1 : s->end, s->end};
	uint64_t value;

	if (!plus || plus == s->at || !scan_number(&number, &value) || scan_left(&number))
		return false;
	*ret = value;
	s->end = plus;
	return true;
}

/* Returns the last OPENING after a blank if S ends in CLOSING, else NULL. */
static const char *opening_of(struct scan s, char opening, char closing)
{
	if (scan_left(&s) < 4 || s.end[-1] != closing)
		return NULL;
	for (const char *at = s.end - 2; at > s.at; at--)
		if (*at == opening && (at[-1] == ' ' || at[-1] == '\t'))
			return at;
	return NULL;
}

static bool hex_number(struct scan s, uint64_t *ret)
{
	return scan_literal(&s, "0x") && scan_hex(&s, ret) && !scan_left(&s);
}

/* Removes `@0xADDRESS` or `@SECTION+0xADDRESS`, perhaps followed by `+OFFSET`. */
static bool cut_address(struct scan *s, struct symbol_word *ret)
{
	const char *sign = scan_left(s) ? memrchr(s->at, '@', scan_left(s)) : NULL;
	struct scan all = {sign ? sign + 1 : s->end, s->end};
	const char *plus = memchr(all.at, '+', scan_left(&all));
	struct scan section = {all.at, all.at};

	if (!sign)
		return false;
	if (plus && *all.at != '0') {
		section.end = plus;
		all.at = plus + 1;
	}
	if (!hex_number(all, &ret->address) &&
		!(cut_number(&all, &ret->offset) && hex_number(all, &ret->address)))
		return false;
	ret->qualifier = SYMBOL_AT;
	ret->text = xstrndup(section.at, scan_left(&section));
	s->end = sign;
	return true;
}

static bool cut_brackets(struct scan *s, struct symbol_word *ret)
{
	struct scan inner = *s;
	uint64_t offset = 0;

	(void)cut_number(&inner, &offset);
	const char *file = opening_of(inner, '(', ')'), *owner = opening_of(inner, '[', ']');
	const char *at = file ? file : owner;
	if (!at)
		return false;
	ret->qualifier = file ? SYMBOL_OF_FILE : SYMBOL_OF_OWNER;
	ret->text = xstrndup(at + 1, (size_t)(inner.end - 1 - (at + 1)));
	ret->offset = offset;
	s->end = at;
	return true;
}

bool symbol_word_parse(const char *word, bool qualified, struct symbol_word *ret)
{
	scope_guard(symbol_word_deinit) struct symbol_word parsed = {};
	struct scan s = {word, word + strlen(word)};
	uint64_t offset = 0;

	if (qualified && !cut_brackets(&s, &parsed) && !cut_address(&s, &parsed))
		return false;
	while (s.end > s.at && (s.end[-1] == ' ' || s.end[-1] == '\t'))
		s.end--;
	(void)cut_number(&s, &offset);
	if (!scan_left(&s))
		return false;
	parsed.offset += offset;
	parsed.name = xstrndup(s.at, scan_left(&s));
	if (!parsed.text)
		parsed.text = xstrdup("");
	*ret = parsed;
	parsed = (struct symbol_word){};
	return true;
}
