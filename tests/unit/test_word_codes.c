// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses as numbers, up to the limit and beyond; bytes as the codes of their words. */
#include <check.h>

#include "input/stacks/word_codes.h"
#include "run.h"

#define USER 0x7f0000001000ULL

static struct word_codes codes;
static struct text text;

static void teardown(void)
{
	word_codes_deinit(&codes);
	text_deinit(&text);
	codes = (struct word_codes){};
}

static uint64_t word(uint64_t i)
{
	return i % 3 ? USER + i * 7
		     : ~i; /* also words that differ in their high bits, and all ones */
}

static void add(uint64_t value)
{
	word_codes_add(&codes, &value, 1, &text);
}

static void check_words(uint64_t n)
{
	const uint8_t *at = (const uint8_t *)text.data;

	for (uint64_t i = 0; i < n; i++)
		ck_assert_uint_eq(word_codes_next(&codes, &at), word(i));
	ck_assert_ptr_eq(at, text.data + text.len);
}

START_TEST(repeated_words_are_short)
{
	for (int round = 0; round < 3; round++)
		for (uint64_t i = 0; i < 100; i++)
			add(word(i));
	ck_assert_uint_eq(text.len, 600);
	text.len = 200;
	check_words(100);
}
END_TEST

/* More words than there are numbers: the rest is encoded as it is. */
START_TEST(any_number_of_words)
{
	enum { N = 100000 };

	for (uint64_t i = 0; i < N; i++)
		add(word(i));
	check_words(N);
	size_t len = text.len;
	add(word(1));
	ck_assert_uint_eq(text.len, len + 2); /* the first ones have theirs still */
	add(word(N - 1));
	ck_assert_uint_eq(text.len, len + 2 + 2 + sizeof(uint64_t));
}
END_TEST

START_TEST(zero_is_a_word)
{
	add(0);
	add(UINT64_MAX);
	const uint8_t *at = (const uint8_t *)text.data;
	ck_assert_uint_eq(word_codes_next(&codes, &at), 0);
	ck_assert_uint_eq(word_codes_next(&codes, &at), UINT64_MAX);
}
END_TEST

/* LEN bytes with runs of zero and other words: bit I of RUNS decides for word I % 16. */
static void check_bytes(size_t len, unsigned int runs)
{
	uint8_t bytes[300] = {}, same[300];
	uint64_t number;

	for (size_t i = 0; i < len; i++) {
		number = word(i / 8);
		if (runs >> i / 8 % 16 & 1)
			bytes[i] = (uint8_t)(number >> i % 8 * 8);
	}
	text_clear(&text);
	word_codes_add_bytes(&codes, bytes, len, &text);
	const uint8_t *at = (const uint8_t *)text.data;
	memset(same, 0xaa, sizeof(same));
	word_codes_next_bytes(&codes, &at, same, len);
	ck_assert_ptr_eq(at, text.data + text.len);
	ck_assert_mem_eq(same, bytes, len);
	ck_assert_uint_eq(same[len], 0xaa);
}

START_TEST(bytes_come_back)
{
	static const unsigned int runs[] = {0, 1, 2, 0xff, 0xff00, 0x5555, 0xaaaa, 0xffff};

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		for (size_t len = WORD_CODES_BYTES_MIN; len < 299; len++)
			check_bytes(len, runs[i]);
}
END_TEST

/* A repeated key has the same code, before and after all numbers are used. */
START_TEST(same_bytes_have_the_same_code)
{
	struct text first = {};
	uint64_t words[10];

	for (uint64_t i = 0; i < 10; i++)
		words[i] = word(i * 100000);
	word_codes_add_bytes(&codes, words, sizeof(words), &first);
	for (uint64_t i = 0; i < 100000; i++) {
		text_clear(&text);
		add(word(i));
	}
	text_clear(&text);
	word_codes_add_bytes(&codes, words, sizeof(words), &text);
	ck_assert_uint_eq(text.len, first.len);
	ck_assert_mem_eq(text.data, first.data, first.len);
	text_deinit(&first);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("word_codes");

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, repeated_words_are_short);
	tcase_add_test(tcase, any_number_of_words);
	tcase_add_test(tcase, zero_is_a_word);
	tcase_add_test(tcase, bytes_come_back);
	tcase_add_test(tcase, same_bytes_have_the_same_code);
	return tests_run(tcase);
}
