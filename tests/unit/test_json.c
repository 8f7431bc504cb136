// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/bpftool/hex_rows.h"
#include "input/bpftool/json.h"
#include "mock_collector.h"
#include "run.h"

/* A text that is being read as JSON, at most STEP bytes at once (0: all). */
struct count_reading {
	struct bytes bytes;
	struct log log;
	struct source *source;
	struct json json;
};

static void reading_init(
	struct count_reading *reading, const char *text, size_t len, size_t step, bool lenient)
{
	*reading = (struct count_reading){.bytes = {text, text + len, step}};
	reading->source = bytes_source(&reading->bytes, &reading->log);
	json_init(&reading->json, reading->source, lenient);
}

static void reading_deinit(struct count_reading *reading)
{
	json_deinit(&reading->json);
	source_destroy(reading->source);
	log_deinit(&reading->log);
}

/* The tokens of TEXT in short: { } [ ] :name "string" number t f n ~bare, $ at the end, ! at an
 * error. */
static char *tokens(const char *text, size_t len, bool lenient, size_t step, char **problem)
{
	struct count_reading reading;
	struct json *json = &reading.json;
	struct text out = {};
	enum json_token token;

	reading_init(&reading, text, len, step, lenient);
	do {
		token = json_next(json);
		text_add_char(&out, "!${}[]:\"#tfn~k"[token]);
		if (token == JSON_NAME || token == JSON_STRING || token == JSON_NUMBER ||
			token == JSON_BARE)
			text_add(&out, json->text.data, json->text.len);
		if (token == JSON_BREAK)
			source_skip_line(reading.source);
	} while (token != JSON_ERROR && token != JSON_END);
	if (problem)
		*problem = json->problem ? strdup(json->problem) : NULL;
	reading_deinit(&reading);
	return text_take(&out);
}

static void expect(const char *text, const char *want, bool lenient)
{
	size_t steps[] = {0, 1, 2, 3, 7};

	for (size_t i = 0; i < 5; i++) {
		char *got = tokens(text, strlen(text), lenient, steps[i], NULL);
		ck_assert_str_eq(got, want);
		free(got);
	}
}

static void expect_problem(const char *text, size_t len, const char *want)
{
	for (size_t step = 0; step < 3; step++) {
		char *problem;
		char *got = tokens(text, len, false, step, &problem);

		ck_assert_msg(problem, "accepted: %s", text);
		ck_assert_ptr_nonnull(strstr(problem, want));
		ck_assert_int_eq(got[strlen(got) - 1], '!');
		free(got);
		free(problem);
	}
}

START_TEST(values)
{
	expect("{}", "{}$", false);
	expect(" [ ] ", "[]$", false);
	expect("[1,-0,2.5e+3,true,false,null]", "[#1#-0#2.5e+3tfn]$", false);
	expect("{\"a\":{\"b\":[\"c\"]},\"\":1}", "{:a{:b[\"c]}:#1}$", false);
	expect("\"x\"", "\"x$", false);
	expect("12", "#12$", false);
	expect("[1]garbage", "[#1]$", false);
}
END_TEST

START_TEST(strings)
{
	expect("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\"\\/\b\f\n\r\t]$", false);
	expect("[\"\\u0041\\u00e9\\u20ac\\uD83D\\ude00\"]",
		"[\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80]$", false);
	expect("[\"caf\xc3\xa9 \xf0\x9f\x98\x80\"]", "[\"caf\xc3\xa9 \xf0\x9f\x98\x80]$", false);
	/* A lone surrogate is grammatical; it becomes U+FFFD. */
	expect("[\"\\ud800x\",\"\\udc00\",\"\\ud800\\u0041\"]",
		"[\"\xef\xbf\xbdx\"\xef\xbf\xbd\"\xef\xbf\xbd"
		"A]$",
		false);
}
END_TEST

static const struct {
	const char *text, *problem;
} wrongs[] = {
	{"", "byte 0: the JSON text ends"},
	{"[", "byte 1: the JSON text ends"},
	{"[1", "byte 2: the JSON text ends"},
	{"[\"a", "byte 3: the JSON text ends"},
	{"{\"a\"", "byte 4: the JSON text ends"},
	{"[\"\\u12", "the JSON text ends"},
	{"[1,]", "byte 3: expected a value, not ']'"},
	{"[,1]", "byte 1: expected a value, not ','"},
	{"[1 2]", "byte 3: expected ',' or ']', not '2'"},
	{"[1}", "byte 2: expected ',' or ']', not '}'"},
	{"{\"a\":1]", "byte 6: expected ',' or '}', not ']'"},
	{"{\"a\":1,}", "byte 7: expected a member's name, not '}'"},
	{"{1:2}", "byte 1: expected a member's name, not '1'"},
	{"{\"a\" 1}", "byte 5: expected ':', not '1'"},
	{"[01]", "byte 1: neither a number"},
	{"[+1]", "byte 1: neither"},
	{"[1.]", "byte 1: neither"},
	{"[.5]", "byte 1: neither"},
	{"[1e]", "byte 1: neither"},
	{"[-]", "byte 1: neither"},
	{"[0x10]", "byte 1: neither"},
	{"[nul]", "byte 1: neither"},
	{"[True]", "byte 1: neither"},
	{"[NaN]", "byte 1: neither"},
	{"[\"\\x\"]", "byte 2: unknown escape"},
	{"[\"\\u12g4\"]", "byte 2: \\u without four hex digits"},
	{"[\"a\nb\"]", "byte 3: a raw control byte"},
	{"[\"\x01\"]", "byte 2: a raw control byte"},
	{"[\"\xff\"]", "byte 2: bytes that are not UTF-8"},
	{"[\"\xc0\xaf\"]", "byte 2: bytes that are not UTF-8"},
	{"[\"\xed\xa0\x80\"]", "byte 2: bytes that are not UTF-8"},
	{"[\"\xe2\x82\"]", "byte 2: bytes that are not UTF-8"},
	{"['a']", "byte 1: expected a value, not '''"},
	{"[1/**/]", "byte 2: expected ',' or ']', not '/'"},
	{"\xef\xbb\xbf[]", "byte 0: expected a value, not byte 0xef"},
	{"[\x0c]", "byte 1: expected a value, not byte 0x0c"},
};

START_TEST(wrong)
{
	expect_problem(wrongs[_i].text, strlen(wrongs[_i].text), wrongs[_i].problem);
}
END_TEST

START_TEST(nul_bytes)
{
	expect_problem("[\0]", 3, "byte 1: expected a value, not byte 0x00");
	expect_problem("[\"\0\"]", 5, "byte 2: a raw control byte");
}
END_TEST

START_TEST(depth)
{
	char text[600] = "";

	memset(text, '[', 256);
	memset(text + 256, ']', 256);
	char *got = tokens(text, 512, false, 0, NULL);
	ck_assert_int_eq(got[strlen(got) - 1], '$');
	free(got);
	memset(text, '[', 300);
	expect_problem(text, 300, "byte 256: nested deeper than 256 levels");
}
END_TEST

START_TEST(long_token)
{
	size_t len = 3 << 20;
	char *text = malloc(len), *problem;

	memset(text, 'x', len);
	text[0] = '[';
	text[1] = '"';
	char *got = tokens(text, len, true, 0, &problem);
	ck_assert_ptr_nonnull(strstr(problem, "byte 1: a string longer than a megabyte"));
	free(problem);
	free(got);
	memset(text + 1, '1', len - 1);
	got = tokens(text, len, true, 0, &problem);
	ck_assert_ptr_nonnull(strstr(problem, "byte 1: a number longer than a megabyte"));
	free(problem);
	free(got);
	free(text);
}
END_TEST

START_TEST(lenient)
{
	expect("{\"p\":0xffff888012345678,\"n\":(nil),\"e\":KIND_B}",
		"{:p~0xffff888012345678:n~(nil):e~KIND_B}$", true);
	expect("[\"a\x0b\xff\"]", "[\"a\x0b\xff]$", true);
	expect("[{}key: 80 85  value: <no entry>\n,{}]", "[{}k{}]$", true);
	expect("[key: 80 85  value: <no entry>\n{}]", "[k{}]$", true);
	expect("[key: 80 85  value: <no entry>\n]", "[k]$", true);
	expect("[\"0x0\n[", "[!", true);
}
END_TEST

/* json_bytes() on TEXT, then how many tokens follow up to the end. */
static void expect_bytes(
	const char *text, bool numbers, const char *want, bool want_run, const char *next)
{
	for (size_t step = 0; step < 9; step++) {
		struct count_reading reading;
		struct json *json = &reading.json;
		struct text out = {}, hex = {};

		reading_init(&reading, text, strlen(text), step, true);
		ck_assert_int_eq(json_next(json), JSON_ARRAY);
		ck_assert_int_eq(json_bytes(json, numbers, 40, &out), want_run);
		for (size_t i = 0; i < out.len; i++)
			text_printf(&hex, "%02x", (unsigned char)out.data[i]);
		ck_assert_str_eq(hex.data ? hex.data : "", want);
		enum json_token token = json_next(json);
		ck_assert_int_eq("!${}[]:\"#tfn~k"[token], next[0]);
		if (next[1])
			ck_assert_str_eq(json->text.data, next + 1);
		reading_deinit(&reading);
		text_deinit(&out);
		text_deinit(&hex);
	}
}

START_TEST(byte_runs)
{
	expect_bytes("[]", false, "", true, "$");
	expect_bytes("[\"0x0c\",\"0xfF\"]", false, "0cff", true, "$");
	expect_bytes("[ \"0x0c\" ,\n\t\"0xff\"\n ]", false, "0cff", true, "$");
	expect_bytes(
		"[\"0x00\",\"0x01\",\"0x02\",\"0x03\",\"0x04\",\"0x05\",\"0x06\",\"0x07\",\"0x08\","
		"\"0x09\",\"0xa\",\"0x0b\",\"0x0c\",\"0x0d\",\"0x0e\",\"0x0f\",\"0x10\",\"0x11\"]",
		false, "000102030405060708090a0b0c0d0e0f1011", true, "$");
	expect_bytes("[177,28,0,255]", true, "b11c00ff", true, "$");
	expect_bytes("[177,\"0x1c\"]", true, "b11c", true, "$");
	expect_bytes("[177,28]", false, "", false, "#177");
	expect_bytes("[1,256,2]", true, "01", false, "#256");
	expect_bytes("[1,-2]", true, "01", false, "#-2");
	expect_bytes("[\"0x01\",\"0xzz\"]", false, "01", false, "\"0xzz");
	expect_bytes("[\"0x01\",\"0x012\"]", false, "01", false, "\"0x012");
	expect_bytes("[\"0x01\",{\"a\":1}]", false, "01", false, "{");
	expect_bytes("[\"0x01\",]", false, "01", false, "!");
	expect_bytes("[\"0x01\"}", false, "01", false, "!");
	expect_bytes("[\"0x01\" \"0x02\"]", false, "01", false, "!");
	expect_bytes("[\"0x01\",\"0x", false, "01", false, "!");
	expect_bytes("[\"0x01\"", false, "01", false, "!");
}
END_TEST

/* Every wrong byte in a long run is found, at any position in a group. */
START_TEST(byte_run_errors)
{
	char text[7 * 32 + 2];

	for (int at = 0; at < 7 * 32; at++) {
		char *p = text;

		*p++ = '[';
		for (int i = 0; i < 32; i++)
			p += sprintf(p, "\"0x%02x\"%c", i, i < 31 ? ',' : ']');
		if (text[1 + at] == ']')
			continue;
		text[1 + at] = '!';
		struct count_reading reading;
		struct json *json = &reading.json;
		struct text out = {};

		reading_init(&reading, text, (size_t)(p - text), 0, false);
		json_next(json);
		ck_assert_int_eq(json_bytes(json, false, 40, &out), false);
		ck_assert_uint_eq(out.len, (unsigned)at / 7);
		reading_deinit(&reading);
		text_deinit(&out);
	}
}
END_TEST

START_TEST(byte_run_limit)
{
	char text[7 * 100 + 2];
	char *p = text;

	*p++ = '[';
	for (int i = 0; i < 100; i++)
		p += sprintf(p, "\"0x%02x\"%c", i, i < 99 ? ',' : ']');
	struct count_reading reading;
	struct json *json = &reading.json;
	struct text out = {};

	reading_init(&reading, text, (size_t)(p - text), 0, false);
	json_next(json);
	ck_assert_int_eq(json_bytes(json, false, 42, &out), false);
	ck_assert_uint_eq(out.len, 42);
	ck_assert(json_skip_rest(json));
	ck_assert_int_eq(json_next(json), JSON_END);
	reading_deinit(&reading);
	text_deinit(&out);
}
END_TEST

START_TEST(integers)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t number;
	} cases[] = {
		{"[4294967282]", true, 4294967282},
		{"[-14]", true, (uint64_t)-14},
		{"[18446744073709551615]", true, UINT64_MAX},
		{"[18446744073709551616]", false, 0},
		{"[1.5]", false, 0},
		{"[0xffff888012345678]", true, 0xffff888012345678},
		{"[(nil)]", true, 0},
		{"[\"0x2\"]", true, 2},
		{"[\"7\\u0000\"]", false, 0},
		{"[KIND]", false, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct count_reading reading;
		struct json *json = &reading.json;
		uint64_t number = 0;

		reading_init(&reading, cases[i].text, strlen(cases[i].text), 0, true);
		json_next(json);
		json_next(json);
		ck_assert_int_eq(json_integer(json, &number), cases[i].ok);
		ck_assert_uint_eq(number, cases[i].number);
		reading_deinit(&reading);
	}
}
END_TEST

/* Each byte in each place among good digits: alone it decides whether all are good. */
START_TEST(hex_bytes_of_any_digits)
{
	static const char good[] = "09afAF5c";

	for (int place = 0; place < 8; place++)
		for (int c = 0; c < 256; c++) {
			char digits[9] = "", bytes[4], pair[3] = "";
			uint64_t bad = 0;

			memcpy(digits, good, 8);
			digits[place] = (char)c;
			hex_bytes(hex_load(digits), bytes, &bad);
			ck_assert_int_eq(!bad, isxdigit(c) != 0);
			for (int i = 0; !bad && i < 4; i++) {
				memcpy(pair, digits + 2 * i, 2);
				ck_assert_uint_eq((uint8_t)bytes[i], strtoul(pair, NULL, 16));
			}
		}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("json");

	tcase_add_test(tests, values);
	tcase_add_test(tests, strings);
	tcase_add_loop_test(tests, wrong, 0, sizeof(wrongs) / sizeof(*wrongs));
	tcase_add_test(tests, nul_bytes);
	tcase_add_test(tests, depth);
	tcase_add_test(tests, long_token);
	tcase_add_test(tests, lenient);
	tcase_add_test(tests, byte_runs);
	tcase_add_test(tests, byte_run_errors);
	tcase_add_test(tests, byte_run_limit);
	tcase_add_test(tests, hex_bytes_of_any_digits);
	tcase_add_test(tests, integers);
	return tests_run(tests);
}
