// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads output of bpftool ($srcdir/tests/fixtures/dumps), and compares the calls of the collector.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump_check.h"
#include "run.h"
#include "util/cleanup.h"

static char *slurp(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	struct text text = {};

	snprintf(path, sizeof(path), "%s/tests/fixtures/dumps/%s", srcdir ? srcdir : ".", name);
	auto_file FILE *file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	for (int c; (c = fgetc(file)) != EOF;)
		text_add_char(&text, (char)c);
	return text_take(&text);
}

static void expect_file(const char *name, const char *calls)
{
	auto_free char *text = slurp(name);

	expect(text, calls, "");
}

START_TEST(plain_text)
{
	expect_file("hex_small.txt", "map F 0\nentry 01000000:0500000000000000\nend\n");
	expect_file("hex_mid.txt", "map F 0\nentry 010000000203040501000000:"
				   "05000000000000000900000000000001\nend\n");
	expect_file("hex_big.txt", "map F 0\n"
				   "entry 0100000002030405010000000203040501020304:"
				   "050000000000000005000000000000000700000000000001\n"
				   "entry 0200000002030405010000000203040501020304:"
				   "050000000000000005000000000000000700000000000002\n"
				   "end\n");
}
END_TEST

START_TEST(per_cpu)
{
	static const char big[] = "map F 0\n"
				  "entry cpu0 0100000002030405010000000203040501020304:"
				  "050000000000000005000000000000000500000000000000\n"
				  "entry cpu1 0100000002030405010000000203040501020304:"
				  "050000000000000005000000000000000500000000000000\n"
				  "end\n";

	expect_file("hex_percpu_small.txt", "map F 0\nentry cpu0 01000000:0500000000000000\n"
					    "entry cpu1 01000000:0500000000000000\nend\n");
	expect_file("hex_percpu_big.txt", big);
	expect_file("hex_percpu_big.json", big);
	expect_file("hex_percpu_big_pretty.json", big);
	expect_file("percpu_btf.txt",
		"map F 0\n"
		"entry cpu0 key.pid=77 key.user=5 key.kern=-14 key.comm=\"bash\" value=3\n"
		"entry cpu1 key.pid=77 key.user=5 key.kern=-14 key.comm=\"bash\" value=3\n"
		"end\n");
	expect_file("percpu_btf.json",
		"map F 0\n"
		"entry cpu0 "
		"4d00000005000000f2ffffff62617368000000000000000000000000:0300000000000000"
		" key.pid=77 key.user=5 key.kern=-14 key.comm=\"bash\" value=3\n"
		"entry cpu1 "
		"4d00000005000000f2ffffff62617368000000000000000000000000:0300000000000000"
		" key.pid=77 key.user=5 key.kern=-14 key.comm=\"bash\" value=3\n"
		"end\n");
	expect_file("lookup_percpu_btf.txt", "map F 0\nentry cpu0 key=3 value.a=1 value.b=-2\n"
					     "entry cpu1 key=3 value.a=1 value.b=-2\nend\n");
}
END_TEST

START_TEST(several_maps)
{
	static const char text[] =
		"map F (map 883) 0\nentry 01000000:0500000000000000\nend\n"
		"map F (map 884) 0\nentry 00000000:00000000\nentry 01000000:00000000\nend\n";

	expect_file("two_maps.txt", text);
	expect_file("two_maps.json", text);
	expect_file("two_maps_pretty.json", text);
	/* Maps with BTF are JSON after the header line. */
	expect("12: hash  name counts  flags 0x0\n[{\n        \"key\": 1,\n        \"value\": 2\n  "
	       "  }\n]\n",
		"map F 0\nentry key=1 value=2\nend\n", "");
}
END_TEST

START_TEST(hash_btf)
{
	expect_file("hash_btf.txt",
		"map F 0\n"
		"entry key.pid=78 key.user=6 key.kern=-14 key.comm=\"b\"x\\x0ay z;q\""
		" value=-9223372036854775803\n"
		"entry key.pid=79 key.user=6 key.kern=9 key.comm=\"abcdefghijklmnop\" value=4\n"
		"entry key.pid=77 key.user=5 key.kern=-14 key.comm=\"bash\" value=3\n"
		"entry key.pid=80 key.user=6 key.kern=9 key.comm=\"caf\xc3\xa9\" value=4\n"
		"end\n");
	auto_free char *json = slurp("hash_btf.json"), *pretty = slurp("hash_btf_pretty.json");
	struct result a = read_bytes(json, strlen(json), 0, 0);
	struct result b = read_bytes(pretty, strlen(pretty), 0, 0);
	ck_assert_str_eq(a.calls, b.calls);
	ck_assert_ptr_nonnull(strstr(a.calls,
		"entry "
		"500000000600000009000000636166c3a90000000000000000000000:0400000000000000 "));
	ck_assert_ptr_nonnull(strstr(a.calls, "key.comm=\"caf\xc3\xa9\" value=4\n"));
	result_deinit(&a);
	result_deinit(&b);
}
END_TEST

START_TEST(struct_btf)
{
	auto_free char *text = slurp("struct_btf.txt"), *json = slurp("struct_btf.json");
	struct result a = read_bytes(text, strlen(text), 0, 0);
	struct result b = read_bytes(json, strlen(json), 0, 0);
	static const char first[] =
		" key=1 value.samples=9 value.in.a=1 value.in.b=-2"
		" value.ips=<401000,7fff12345678,ffffffff81000000,0> value.raw=0102030405c80708"
		" value.k=\"KIND_B\" value.bf1=2 value.bf2=85 value.c=1 value.flag=1"
		" value.ptr=-131391334099336 value.u=77 value.lo=77 value.arr.a=1 value.arr.b=-2"
		" value.arr.a=1 value.arr.b=-2\n";

	ck_assert_msg(strstr(a.calls, first) != NULL, "%s", a.calls);
	ck_assert_msg(strstr(b.calls, first) != NULL, "%s", b.calls);
	ck_assert_ptr_nonnull(strstr(a.calls, "value.ptr=0 "));
	result_deinit(&a);
	result_deinit(&b);
}
END_TEST

#define RECORDS                                                                                    \
	"01000000c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadb3412000000000000"                         \
	"02000000000000000000000000000000000000000000000011110000ff7f0000"

START_TEST(build_ids)
{
	expect_file("build_ids_btf.txt", "map F 0\nentry key=1 value.ids=" RECORDS "\nend\n");
	expect_file("build_ids_btf.json",
		"map F 0\nentry 01000000:" RECORDS " key=1 value.ids=" RECORDS "\nend\n");
}
END_TEST

START_TEST(lookups)
{
	static const char missing[] = "map F 0\nerror Not found\nend\n";

	expect_file("lookup_missing.txt", missing);
	expect_file("lookup_missing.json", missing);
	expect("key: 01 00 00 00  value: 05 00\n", "map F 0\nentry 01000000:0500\nend\n", "");
	expect("{\"key\":[\"0x01\"],\"value\":[\"0x02\"]}", "map F 0\nentry 01:02\nend\n", "");
}
END_TEST

START_TEST(errors_of_entries)
{
	static const char both[] =
		"map F 0\nerror Unknown error 524\nerror Unknown error 524\nend\n";

	expect_file("entry_errors.txt", both);
	expect_file("entry_errors.json", both);
	expect("key: 50 85 00 00  value: <no entry>\n"
	       "key: 51 85 00 00\nvalue: Bad file descriptor\nFound 0 elements\n",
		"map F 0\nerror <no entry>\nerror Bad file descriptor\nend\n", "");
	expect("[{\n \"key\": 1,\n \"value\": 2\n}key: 50 85  value: <no "
	       "entry>\n,{\"key\":3,\"value\":4}\n"
	       "key:\n50 85 00\n01\nvalue:\n<no entry>\n]\n",
		"map F 0\nentry key=1 value=2\nerror <no entry>\nentry key=3 value=4\n"
		"error <no entry>\nend\n",
		"");
	auto_free char *failed = slurp("failed.json");
	expect(failed, "",
		"warning: F: byte 0: bpftool failed: get map by id (99999): No such file or "
		"directory\n");
	expect("Error: get map by id (99999): No such file\n", "",
		"warning: F:1: bpftool failed: Error: get map by id (99999): No such file\n");
}
END_TEST

START_TEST(events)
{
	static const char lost[] = "lost 7\n";
	auto_free char *text = slurp("events.txt"), *json = slurp("events.json");
	struct result a = read_bytes(text, strlen(text), 3, 0);
	struct result b = read_bytes(json, strlen(json), 3, 0);

	ck_assert_str_eq(a.calls, "event 3331132898768 485b000005000000070000000000000009000000\n"
				  "event 3331132927502 485b000005000000070000000000000009000000\n"
				  "event 3331134046610 485b000005000000070000000000000009000000\n"
				  "event 3331134062780 485b000005000000070000000000000009000000\n");
	ck_assert_str_eq(b.calls, "event 3334158444111 565b000005000000070000000000000009000000\n"
				  "event 3334158464709 565b000005000000070000000000000009000000\n"
				  "event 3334159562978 565b000005000000070000000000000009000000\n"
				  "event 3334159575551 565b000005000000070000000000000009000000\n");
	ck_assert_str_eq(a.log, "");
	ck_assert_str_eq(b.log, "");
	ck_assert_uint_eq(a.completes, 1);
	ck_assert_uint_eq(b.completes, 1);
	result_deinit(&a);
	result_deinit(&b);
	expect("lost 7 events\n", lost, "");
	expect("[{\"type\":2,\"cpu\":1,\"index\":1,\"lost\":{\"id\":1,\"count\":7}}]", lost, "");
	expect("[{\"type\":9,\"timestamp\":5,\"data\":[\"0xb1\",\"0x1c\"]},{\"type\":9,\"timest",
		"event 5 b11c\n", "detail: F: the list of events ends without ]\n");
	expect("== @1.000000002 CPU: 0 index: 0 =====\nb1 1c\n== @1.000000003 CPU: 0 index: 0 "
	       "=====\nb1",
		"event 1000000002 b11c\n", "");
	expect("== @1.000000002 CPU: 0 index: 0 =====\nb1 1c zz\nlost 1 events\n", "lost 1\n",
		"warning: F:1: event skipped: not all of its words are hex bytes\n");
	expect("[{\"type\":9,\"timestamp\":5,\"data\":[1,300]}]", "",
		"warning: F: byte 1: event skipped: its data has elements that are not bytes\n");
}
END_TEST

/* An event is passed on before the next one has arrived. */
START_TEST(events_at_once)
{
	static const char *const texts[] = {
		"== @1.000000002 CPU: 0 index: 0 =====\nb1 1c\n",
		"[{\"type\":9,\"timestamp\":5,\"data\":[1,2]}",
	};

	for (int i = 0; i < 2; i++) {
		/* The sink fails at the event: had the reader waited, it would have flushed once
		 * more. */
		size_t len = strlen(texts[i]);
		struct result result = read_bytes(texts[i], len, len, 1);

		ck_assert_ptr_nonnull(result.err);
		ck_assert_uint_eq(result.flushes, 1);
		result_deinit(&result);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("dumps");

	tcase_add_test(tests, plain_text);
	tcase_add_test(tests, per_cpu);
	tcase_add_test(tests, several_maps);
	tcase_add_test(tests, hash_btf);
	tcase_add_test(tests, struct_btf);
	tcase_add_test(tests, build_ids);
	tcase_add_test(tests, lookups);
	tcase_add_test(tests, errors_of_entries);
	tcase_add_test(tests, events);
	tcase_add_test(tests, events_at_once);
	return tests_run(tests);
}
