// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "collector_fixture.h"
#include "input/lists/lines.h"
#include "input/text/patterns.h"
#include "run.h"

/* Reads LINES as a document beside user stack 25 and kernel stack 17. */
static struct error *read_lines(const char *lines)
{
	struct line_reader *reader;
	struct error *err, *end;
	char position[32];
	int n = 0;

	start();
	err = line_reader_create(&options, &messages, collector, &reader);
	if (err)
		return err;
	collector_map_begin(collector, "stacks", INPUT_ANY);
	stack5(25, U, U + 1, 0, 0, 0);
	stack5(17, K, K + 1, 0, 0, 0);
	collector_map_end(collector, false);
	while (*lines && !err) {
		const char *newline = strchrnul(lines, '\n');

		snprintf(position, sizeof(position), "t:%d", ++n);
		err = line_reader_line(reader, lines, (size_t)(newline - lines), position);
		lines = *newline ? newline + 1 : newline;
	}
	if (!err)
		err = line_reader_end(reader);
	end = collector_end(collector, &stats);
	line_reader_destroy(reader);
	if (!err)
		return end;
	error_destroy(end);
	return err;
}

static void expect(const char *lines, const char *expected)
{
	struct error *err = read_lines(lines);

	ck_assert_msg(!err, "%s", err ? error_message(err) : "");
	ck_assert_str_eq(recorded(&recording), expected);
}

#define DEMO                                                                                       \
	"1234/-1 demo app x99 u=7f0000001000,7f0000001001 k=ffffffff81000000,ffffffff81000001\n"

START_TEST(table_with_header)
{
	expect("PID KSTACK-ID USTACK COUNT COMM\n# comment\n\n1234 17 25 99 demo app\n", DEMO);
}
END_TEST

START_TEST(table_with_commas)
{
	expect("comm, count,pid,user,kernel\ndemo app,99,1234,0x19,17\n", DEMO);
}
END_TEST

START_TEST(table_with_tabs)
{
	expect("comm\tcount\tpid\tcpu\tuser\tkernel\ndemo app\t99\t1234\t1\t25\t17\n", DEMO);
}
END_TEST

START_TEST(table_with_columns)
{
	options.columns = "pid_tgid,kernel,user,count,comm";
	expect("pid_tgid kernel user count comm\n5299989644498 17 -14 2 x y  z\n"
	       "5299989644498 - 25 2\n1 2\n",
		"1234/1234 x y  z x2 k=ffffffff81000000,ffffffff81000001\n"
		"1234/1234 - x2 u=7f0000001000,7f0000001001\n");
	ck_assert(log_has(&messages, "t:4: not understood: '1 2'"));
}
END_TEST

START_TEST(columns_without_stack)
{
	options.columns = "pid,count";
	struct error *err = read_lines("1 2\n");

	ck_assert_ptr_nonnull(err);
	ck_assert_int_eq(error_kind(err), ERROR_USAGE);
	error_destroy(err);
}
END_TEST

START_TEST(table_without_header)
{
	struct error *err = read_lines("1234 17 25 99 demo\n1234 16383 16001\n");

	/* The lines are the counts, so the stacks are not printed once each. */
	ck_assert_ptr_nonnull(err);
	ck_assert_int_eq(error_kind(err), ERROR_INPUT);
	error_destroy(err);
	ck_assert_str_eq(recorded(&recording), "");
	ck_assert(log_has(&messages, "t:1: not understood"));
	ck_assert(log_has(&messages, "t:2: not understood"));
	ck_assert(log_has(&messages, "--columns pid,kernel,user,count,comm"));
}
END_TEST

/* the two stacks of the map come behind: there are no counts */
#define MAP                                                                                        \
	"%d/-1 - x1 k=ffffffff81000000,ffffffff81000001\n"                                         \
	"%d/-1 - x1 u=7f0000001000,7f0000001001\n"

static void expect_lines(const char *lines, const char *expected)
{
	char all[2048];

	snprintf(all, sizeof(all), "%s" MAP, expected, (int)options.pid, (int)options.pid);
	struct error *err = read_lines(lines);
	/* A line that was not understood may have been counts: the stacks are not printed then. */
	bool refused = log_has(&messages, "not understood");
	ck_assert_msg(!err == !(refused && !*expected), "%s", err ? error_message(err) : "");
	error_destroy(err);
	ck_assert_str_eq(recorded(&recording), refused ? expected : all);
}

START_TEST(pid_and_addresses)
{
	expect_lines("1234 0x401136 "
		     "7f0000abcdef,401200\n5;ffffffff81000010;0xffffffff81000020;0x400000\n",
		"1234/-1 - x1 u=401136,7f0000abcdef,401200\n"
		"5/-1 - x1 u=400000 k=ffffffff81000010,ffffffff81000020\n");
}
END_TEST

START_TEST(kernel_addresses_need_no_owner)
{
	expect_lines("ffffffff81000010 0xffffffff81000020\n0x401136\n",
		"-1/-1 - x1 k=ffffffff81000010,ffffffff81000020\n");
	ck_assert(log_has(&messages, "pass -p PID, -e FILE or -k"));
}
END_TEST

START_TEST(bare_addresses)
{
	options.bare = INPUT_BARE_USER;
	options.pid = 3;
	expect_lines("1136\n0x401136 401200\n", "3/-1 - x1 u=1136\n3/-1 - x1 u=401136,401200\n");
}
END_TEST

START_TEST(build_ids)
{
	expect_lines("4fa9000000000000000000000000000000000001 0x1136\n"
		     "4fa9000000000001+10 abcd000000000000000002+0x20;0xffffffff81000010\n",
		"-1/-1 - x1 u=4fa9+1136\n"
		"-1/-1 - x1 u=4fa9+10,abcd+20,ffffffff81000010\n");
}
END_TEST

START_TEST(files)
{
	expect_lines("/a/b.so+0x10 /c d/e+f (g)+0x20\n"
		     "/a/b.so+0x10\n/a/b.so+0x11\n# comment\n\n"
		     "  ./a.out(+0x1139) [0x55d0c8a0b139]\n./a.out(main+0x1f) [0x55d0c8a0b15f]\n"
		     "a.out() [0x401136]\n[0x7f0000000010]\n./a b[0x401136]\n"
		     "/x y+0x1 z(q)(f+0x2) [0x3]; ../l+0x4,bin/p+0x5\n"
		     "lib/l.so+0xffffffffffffffff\n",
		"-1/-1 - x1 u=/a/b.so(~10,/c d/e+f (g)(~20\n"
		"-1/-1 - x1 u=/a/b.so(~10,/a/b.so(~11\n"
		"-1/-1 - x1 u=./a.out(+1139,./a.out(main+1f,a.out(+401136,7f0000000010,./a b(+401136\n"
		"-1/-1 - x1 u=/x y+0x1 z(q)(f+2,../l+0x4,bin/p(~5\n"
		"-1/-1 - x1 u=lib/l.so(~ffffffffffffffff\n");
}
END_TEST

START_TEST(no_files)
{
	expect_lines("main+0x10\nvfs_read+0x1/0x20\n/a/b+0x1/0x2\n/a/b()\n/a/b(f)\n/a b\n+0x10\n"
		     "f(+0x\n/a+0x12345678123456781\n",
		"");
	ck_assert(log_has(&messages, "PATH+0xOFFSET"));
	ck_assert(log_has(&messages, "--filter"));
}
END_TEST

START_TEST(files_of_a_long_stack)
{
	struct text text = {};

	for (int i = 0; i < 5000; i++)
		text_add_string(&text, "/a+0x1\n");
	struct error *err = read_lines(text.data);
	ck_assert(!err);
	ck_assert_uint_eq(recording.samples, 4); /* and those of the maps */
	ck_assert(log_has(&messages, "t:4097: a stack of more than 4096 frames"));
	text_deinit(&text);
}
END_TEST

START_TEST(garbage)
{
	char lines[4096] = "";

	for (int i = 0; i < 50; i++)
		strcat(lines, "\x01 what\xff is this\n");
	struct error *err = read_lines(lines);
	ck_assert_ptr_nonnull(err);
	error_destroy(err);
	ck_assert_uint_lt(messages.entries.len, 12);
	ck_assert(log_has(&messages, "another line was not understood"));
}
END_TEST

/*
 * Without PCRE2 the text of other tools is not recognized, so its addresses may not be taken for a
 * list.
 */
START_TEST(unknown_text)
{
	struct error *err = read_lines("0xffffffff81000000\n@[\n0xffffffff81000001\n]: 9\n");

	ck_assert(!err == !patterns_missing());
	ck_assert(!err || strstr(error_message(err), "PCRE2"));
	error_destroy(err);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("lines");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, table_with_header);
	tcase_add_test(tcase, table_with_commas);
	tcase_add_test(tcase, table_with_tabs);
	tcase_add_test(tcase, columns_without_stack);
	tcase_add_test(tcase, pid_and_addresses);
	tcase_add_test(tcase, bare_addresses);
	tcase_add_test(tcase, build_ids);
	tcase_add_test(tcase, files);
	tcase_add_test(tcase, files_of_a_long_stack);
	tcase_add_test(tcase, garbage);
	tcase_add_test(tcase, unknown_text);
	if (!patterns_missing()) {
		tcase_add_test(tcase, table_with_columns);
		tcase_add_test(tcase, table_without_header);
		tcase_add_test(tcase, kernel_addresses_need_no_owner);
		tcase_add_test(tcase, no_files);
	}
	return tests_run(tcase);
}
