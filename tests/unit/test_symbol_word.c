// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "resolve/lookup.h"
#include "run.h"
#include "util/text.h"

/* "NAME KIND TEXT ADDRESS OFFSET", "-" if it is not a symbol. */
static void check(const char *word, bool qualified, const char *expected)
{
	static const char *const kinds[] = {"plain", "file", "owner", "at"};
	struct symbol_word parsed;
	struct text text = {};

	if (symbol_word_parse(word, qualified, &parsed)) {
		text_printf(&text, "%s|%s|%s|%llx|%llx", parsed.name, kinds[parsed.qualifier],
			parsed.text, (unsigned long long)parsed.address,
			(unsigned long long)parsed.offset);
		symbol_word_deinit(&parsed);
	} else {
		text_add_char(&text, '-');
	}
	ck_assert_str_eq(text.data, expected);
	text_deinit(&text);
}

START_TEST(plain_names)
{
	check("main", false, "main|plain||0|0");
	check("main", true, "-");
	check("main+0x12", false, "main|plain||0|12");
	check("main+18", false, "main|plain||0|12");
	check("operator+", false, "operator+|plain||0|0");
	check("operator+(A, B)+0x1", false, "operator+(A, B)|plain||0|1");
	check("memcpy@@GLIBC_2.14", false, "memcpy@@GLIBC_2.14|plain||0|0");
	check("f(void (*)(int))", false, "f(void (*)(int))|plain||0|0");
	check("", false, "-");
	check("+0x1", false, "+0x1|plain||0|0");
}
END_TEST

START_TEST(qualified_names)
{
	check("work (one.c)", true, "work|file|one.c|0|0");
	check("work+0x4 (./sub/two.c)", true, "work|file|./sub/two.c|0|4");
	check("work (one.c)+0x4", true, "work|file|one.c|0|4");
	check("f(int) (a b.cc)", true, "f(int)|file|a b.cc|0|0");
	check("f(int) (a.cc)", true, "f(int)|file|a.cc|0|0");
	check("show [mod_a]", true, "show|owner|mod_a|0|0");
	check("show+0x4 [kernel]", true, "show|owner|kernel|0|4");
	check("twice@0x1139", true, "twice|at||1139|0");
	check("twice @0x1139", true, "twice|at||1139|0");
	check("twice+0x4 @0x1139", true, "twice|at||1139|4");
	check("twice@0x1139+0x4", true, "twice|at||1139|4");
	check("twice@.text.hot+0x1139", true, "twice|at|.text.hot|1139|0");
	check("twice@.text+0x1139+0x4", true, "twice|at|.text|1139|4");
	check("memcpy@GLIBC_2.14", true, "-");
	check("(one.c)", true, "-");
	check("@0x1139", true, "-");
	check(" (one.c)", true, "-");
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("symbol_word");

	tcase_add_test(tc, plain_names);
	tcase_add_test(tc, qualified_names);
	return tests_run(tc);
}
