// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/scan.h"

const char scan_hex_values[56] = "\1\2\3\4\5\6\7\10\11\12\0\0\0\0\0\0\0\13\14\15\16\17\20"
				 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
				 "\13\14\15\16\17\20";

void scan_blanks(struct scan *scan)
{
	while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'))
		scan->at++;
}

bool scan_char(struct scan *scan, char c)
{
	if (scan->at == scan->end || *scan->at != c)
		return false;
	scan->at++;
	return true;
}

bool scan_hex(struct scan *scan, uint64_t *ret)
{
	const char *p = scan->at, *end = scan_left(scan) > 17 ? p + 17 : scan->end;
	uint64_t number = 0;

	for (int digit; p < end && (digit = scan_hex_digit(*p)) >= 0; p++)
		number = number << 4 | (unsigned)digit;
	if (p == scan->at || p - scan->at > 16)
		return false;
	scan->at = p;
	*ret = number;
	return true;
}

bool scan_decimal(struct scan *scan, uint64_t *ret)
{
	const char *p = scan->at;
	uint64_t number = 0;

	for (; p < scan->end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, (unsigned)(*p - '0'), &number))
			return false;
	if (p == scan->at)
		return false;
	scan->at = p;
	*ret = number;
	return true;
}

bool scan_number(struct scan *scan, uint64_t *ret)
{
	struct scan s = *scan;
	uint64_t number;
	bool negative = scan_char(&s, '-');

	if (scan_literal(&s, "0x") || scan_literal(&s, "0X")) {
		if (!scan_hex(&s, &number))
			return false;
	} else if (!scan_decimal(&s, &number)) {
		return false;
	}
	*ret = negative ? -number : number;
	*scan = s;
	return true;
}

bool scan_line(struct scan *scan, struct scan *ret)
{
	if (scan->at == scan->end)
		return false;
	const char *newline = memchr(scan->at, '\n', scan_left(scan));
	const char *end = newline ? newline : scan->end;

	ret->at = scan->at;
	ret->end = end > ret->at && end[-1] == '\r' ? end - 1 : end;
	scan->at = newline ? newline + 1 : scan->end;
	return true;
}

bool scan_word(struct scan *scan, struct scan *ret)
{
	const char *p = scan->at;

	while (p < scan->end &&
		((unsigned char)*p > ' ' || (*p != ' ' && *p != '\t' && *p != '\n')))
		p++;
	if (p == scan->at)
		return false;
	*ret = (struct scan){scan->at, p};
	scan->at = p;
	return true;
}

int scan_word_number(const char *words, struct scan word)
{
	struct scan all = scan_of(words), one;

	for (int i = 0; scan_word(&all, &one); i++) {
		if (scan_left(&one) == scan_left(&word) &&
			!memcmp(one.at, word.at, scan_left(&one)))
			return i;
		scan_blanks(&all);
	}
	return -1;
}

bool scan_whole_number(const char *s, uint64_t *ret)
{
	struct scan scan = scan_of(s);
	uint64_t number;

	if (!scan_number(&scan, &number) || scan_left(&scan))
		return false;
	*ret = number;
	return true;
}

bool scan_seconds(struct scan *scan, uint64_t *ns)
{
	uint64_t unit = 1000000000, seconds;

	if (!scan_decimal(scan, &seconds) || __builtin_mul_overflow(seconds, unit, ns))
		return false;
	for (bool more = scan_char(scan, '.'); more && scan_left(scan); scan->at++) {
		if (*scan->at < '0' || *scan->at > '9')
			break;
		if (__builtin_add_overflow(*ns, (uint64_t)(*scan->at - '0') * (unit /= 10), ns))
			return false;
	}
	return true;
}

bool scan_prefixed_hex(struct scan *scan, uint64_t *ret)
{
	struct scan at = *scan;

	if (!scan_literal(&at, "0x") || !scan_hex(&at, ret))
		return false;
	*scan = at;
	return true;
}

bool scan_bracketed_hex(struct scan *scan, uint64_t *ret)
{
	struct scan at = *scan;

	scan_blanks(&at);
	if (!scan_char(&at, '[') || !scan_prefixed_hex(&at, ret) || !scan_char(&at, ']'))
		return false;
	*scan = at;
	return true;
}

bool scan_all_decimal(struct scan s, uint64_t *ret)
{
	return scan_decimal(&s, ret) && !scan_left(&s);
}

bool scan_all_hex(struct scan s, uint64_t *ret)
{
	return scan_hex(&s, ret) && !scan_left(&s);
}

bool scan_equals(struct scan s, const char *word)
{
	/* test the first byte before the call: most words differ in it */
	char first = scan_left(&s) ? *s.at : '\0';

	return first == *word && scan_literal(&s, word) && !scan_left(&s);
}

bool scan_is_one_of(struct scan s, const char *const *words, size_t n)
{
	for (size_t i = 0; scan_left(&s) && i < n; i++)
		if (*s.at == *words[i] && scan_equals(s, words[i]))
			return true;
	return false;
}

bool scan_ends(struct scan s, const char *word)
{
	size_t len = strlen(word);

	return scan_left(&s) >= len && !memcmp(s.end - len, word, len);
}

const char *scan_find(struct scan s, const char *word)
{
	return scan_left(&s) ? memmem(s.at, scan_left(&s), word, strlen(word)) : NULL;
}

const char *scan_first(struct scan s, char c)
{
	return scan_left(&s) ? memchr(s.at, c, scan_left(&s)) : NULL;
}

const char *scan_last(struct scan s, char c)
{
	return scan_left(&s) ? memrchr(s.at, c, scan_left(&s)) : NULL;
}

bool scan_to(struct scan *scan, char c, struct scan *ret)
{
	const char *at = scan_first(*scan, c);

	*ret = (struct scan){scan->at, at ?: scan->end};
	scan->at = at ? at + 1 : scan->end;
	return at;
}

bool scan_cut_last(struct scan *scan, char c, struct scan *after_ret)
{
	const char *at = scan_last(*scan, c);

	if (!at)
		return false;
	*after_ret = (struct scan){at + 1, scan->end};
	scan->end = at;
	return true;
}

struct scan scan_trimmed(struct scan s)
{
	scan_blanks(&s);
	while (scan_left(&s) && (s.end[-1] == ' ' || s.end[-1] == '\t'))
		s.end--;
	return s;
}
