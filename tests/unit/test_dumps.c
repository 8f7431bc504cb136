// SPDX-License-Identifier: GPL-2.0-or-later
/* Every shape of dump, down to the calls of the collector. Fixtures: $srcdir/tests/fixtures/dumps.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/documents.h"
#include "recording.h"
#include "util/cleanup.h"

struct result {
	char *calls, *log;
	struct error *err;
	uint64_t used;
	unsigned flushes, completes;
};

static struct error *count_flush(void *context)
{
	return collector_flush(context);
}

static struct result read_bytes(const char *text, size_t len, size_t step, unsigned fail_at)
{
	struct bytes bytes = {text, text + len, step};
	struct input_options options = {.pid = -1};
	struct log log = {};
	struct text log_lines = {};
	struct collector collector = {.fail_at = fail_at};
	struct source *source = bytes_source(&bytes, &log);
	struct dump dump = {.source = source, .collector = &collector, .log = &log, .live = true};

	source->before_wait = count_flush;
	source->wait_context = &collector;
	struct error *err = documents_read(&dump, &options);
	log_text(&log, &log_lines);
	struct result result = {text_take(&collector.calls), text_take(&log_lines), err, dump.used,
		collector.flushes, collector.completes};
	source_destroy(source);
	log_deinit(&log);
	return result;
}

static void result_deinit(struct result *result)
{
	free(result->calls);
	free(result->log);
	error_destroy(result->err);
}

/* Reads TEXT in pieces of several sizes and compares calls and log each time. */
static void expect(const char *text, const char *calls, const char *log)
{
	static const size_t steps[] = {0, 1, 2, 5, 64};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct result result = read_bytes(text, strlen(text), steps[i], 0);

		ck_assert_str_eq(result.calls, calls);
		ck_assert_str_eq(result.log, log);
		ck_assert_ptr_null(result.err);
		result_deinit(&result);
	}
}

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

/* ---- what bpftool printed ---- */

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
	/* Maps with BTF go on as JSON behind the header line. */
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
		"event 5 b11c\n", "detail: F: the events end without a ]\n");
	expect("== @1.000000002 CPU: 0 index: 0 =====\nb1 1c\n== @1.000000003 CPU: 0 index: 0 "
	       "=====\nb1",
		"event 1000000002 b11c\n", "");
	expect("== @1.000000002 CPU: 0 index: 0 =====\nb1 1c zz\nlost 1 events\n", "lost 1\n",
		"warning: F:1: event skipped: not all of it is bytes in hex\n");
	expect("[{\"type\":9,\"timestamp\":5,\"data\":[1,300]}]", "",
		"warning: F: byte 1: event skipped: its data are not all bytes\n");
}
END_TEST

/* An event is passed on before the next one is there. */
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

/* ---- order, repetition, mixtures ---- */

START_TEST(member_order)
{
	expect("[{\"formatted\":{\"value\":5,\"key\":{\"pid\":1}},\"value\":[\"0x05\"],\"key\":["
	       "\"0x01\"]}]",
		"map F 0\nentry 01:05 key.pid=1 value=5\nend\n", "");
	expect("[{\"values\":[{\"value\":[\"0x05\"],\"cpu\":1},{\"value\":[\"0x06\"],\"cpu\":0}],"
	       "\"formatted\":{\"values\":[{\"cpu\":0,\"value\":6},{\"cpu\":1,\"value\":5}],"
	       "\"key\":1},"
	       "\"key\":[\"0x01\"]}]",
		"map F 0\nentry cpu1 01:05 key=1 value=5\nentry cpu0 01:06 key=1 value=6\nend\n",
		"");
	expect("[{\"elements\":[{\"value\":[\"0x05\"],\"key\":[\"0x01\"]}],\"id\":7}]",
		"map F 0\nentry 01:05\nend\n", "");
}
END_TEST

START_TEST(duplicates)
{
	expect("[{\"key\":[\"0x01\"],\"value\":[\"0x05\"],\"value\":[\"0x06\"],\"key\":[\"0x02\"]}"
	       "]",
		"map F 0\nentry 02:06\nend\n",
		"warning: F: byte 1: key or value comes twice in an entry; the last one counts\n");
}
END_TEST

START_TEST(mixtures)
{
	expect("[]\n[{\"key\":[\"0x01\"],\"value\":[\"0x05\"]}]\n\nkey: 01  value: 05\nFound 1 "
	       "element\n"
	       "Found 0 elements\n77 5 -14 3 bash\n78 5 -14 3 bash\n\nnull\n"
	       "== @1.000000002 CPU: 0 index: 0 =====\nb1 "
	       "1c\n{\"key\":1,\"value\":2}{\"key\":3,\"value\":4}",
		"map F 0\nend\nmap F 0\nentry 01:05\nend\nmap F 0\nentry 01:05\nend\nmap F 0\nend\n"
		"line 77 5 -14 3 bash\nline 78 5 -14 3 bash\nline \n"
		"map F 0\nerror Not found\nend\nevent 1000000002 b11c\n"
		"map F 0\nentry key=1 value=2\nend\nmap F 0\nentry key=3 value=4\nend\n",
		"");
	expect("key: 01  value: 05\npid count\n", "map F 0\nentry 01:05\nend\nline pid count\n",
		"");
	expect("\xef\xbb\xbf[]", "map F 0\nend\n", "");
	expect("  77 5\n[unknown] 7\n[3] {x}\n", "line   77 5\nline [unknown] 7\nline [3] {x}\n",
		"");
	expect("77 5\r\n\r\n[]\r\n", "line 77 5\nline \nmap F 0\nend\n", "");
}
END_TEST

START_TEST(arrays)
{
	expect("[{\"key\":[0,0,0],\"value\":[1,2,300]}]",
		"map F 0\nentry key=<0,0,0> value=<1,2,12c>\nend\n", "");
	expect("[{\"key\":[[104,105],[0,7]],\"value\":[]}]", "map F 0\nentry key=\"hi\"\nend\n",
		"");
}
END_TEST

/* ---- bad input ---- */

START_TEST(cut)
{
	expect("[{\"key\":[\"0x01\"],\"value\":[\"0x05\"]},{\"key\":[\"0x02\"],\"val",
		"map F 0\nentry 01:05\ncut\n",
		"warning: F: byte 55: the JSON text ends before it is complete: the dump is cut "
		"off; "
		"what was complete is used: dump it again\n");
	expect("key: 01  value: 05 06\nkey: 02  value: 05", "map F 0\nentry 01:0506\ncut\n",
		"warning: F:2: the dump is cut off (no \"Found\" line); what was complete is used: "
		"dump it again\n");
	expect("key: 01  value: 05\nkey: 02\n", "map F 0\nentry 01:05\ncut\n",
		"warning: F:2: the dump is cut off (no \"Found\" line); what was complete is used: "
		"dump it again\n");
	expect("key: 01  value: 05\nFound 2 elements\n", "map F 0\nentry 01:05\ncut\n",
		"warning: F:2: 2 elements announced, 1 are there: dump it again\n");
}
END_TEST

START_TEST(wrong_json)
{
	/* What stands on a line of its own behind it is read again. */
	expect("[{\"key\":[\"0x01\"],\"value\":[\"0x05\"]},{\"key\":!},{\"key\":[\"0x03\"]\n[]"
	       "\nx\n",
		"map F 0\nentry 01:05\ncut\nmap F 0\nend\nline x\n",
		"warning: F: byte 42: '!' where a value belongs; the rest of this dump is skipped: "
		"dump it again\n");
	expect("[{\"key\":[\"0x01\"],\"value\":[\"0x0\n[{\"key\":[\"0x02\"],\"value\":[\"0x06\"]}]"
	       "\n",
		"map F 0\nentry 02:06\nend\n",
		"warning: F: byte 30: a raw control byte in a string; the rest of this dump is "
		"skipped: dump it again\n");
	expect("[{\"key\":[\"0x01\",\"0x0g\"],\"value\":[\"0x05\"]},{\"key\":[\"0x02\"],\"value\":["
	       "\"0x06\"]}]",
		"map F 0\nentry 02:06\nend\n",
		"warning: F: byte 1: entry skipped: not all of its bytes look like \"0x0c\"\n");
	expect("[{\"a\":1},7,{\"key\":1}]", "map F 0\nend\n",
		"warning: F: byte 1: skipped: an object that is no map entry\n"
		"warning: F: byte 9: skipped: a value that is no map entry\n"
		"warning: F: byte 11: skipped: an object that is no map entry\n");
	expect("[{\"key\":1,\"value\":\"\xff\"}]", "map F 0\nentry key=1 value=\"\\xff\"\nend\n",
		"warning: F: byte 19: text that is not UTF-8, taken as it is\n");
}
END_TEST

START_TEST(wrong_text)
{
	expect("key: 01  value: 0g\nkey: 02  value: 06\nkey: 0z\nvalue: 05\nkey: 03  value: 07 zz\n"
	       "key:\n04\nvalue:\n00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f\nzz\nFound 5 "
	       "elements\n",
		"map F 0\nentry 02:06\nend\n",
		"warning: F:1: entry skipped: \"0g\" is no byte in hex\n"
		"warning: F:3: entry skipped: \"0z\" is no byte in hex\n"
		"warning: F:5: entry skipped: \"zz\" is no byte in hex\n"
		"warning: F:10: entry skipped: \"zz\" is no byte in hex\n");
}
END_TEST

START_TEST(binary)
{
	static const struct {
		const char *text;
		size_t len;
		const char *log;
	} cases[] = {
		{"\177ELF\2\1\1\0\0", 9,
			"an ELF file, not a dump: to look addresses up in it, use -e"},
		{"\x1f\x8b\x08xxxxxxx", 10, "compressed: pipe it through zcat"},
		{"a\0b", 3, "binary data: give the text that bpftool prints"},
		{"\1\2\3\4\n[]", 7, "binary data: give the text that bpftool prints"},
	};

	for (size_t i = 0; i < 4; i++) {
		struct result result = read_bytes(cases[i].text, cases[i].len, 2, 0);

		ck_assert_str_eq(result.calls, "");
		ck_assert_ptr_nonnull(strstr(result.log, cases[i].log));
		ck_assert_uint_eq(result.used, 0);
		result_deinit(&result);
	}
}
END_TEST

START_TEST(huge)
{
	size_t len = 8 << 20;
	char *text = malloc(len);

	memset(text, 'x', len);
	memcpy(text + len - 4, "\n[]\n", 4);
	struct result result = read_bytes(text, len, 0, 0);
	ck_assert_str_eq(result.calls, "map F 0\nend\n");
	ck_assert_str_eq(result.log,
		"warning: F:1: skipped: longer than a megabyte, no dump has such lines\n");
	result_deinit(&result);
	memset(text, '[', len);
	text[1] = '{';
	text[2] = '"';
	result = read_bytes(text, len, 0, 0);
	ck_assert_ptr_nonnull(strstr(result.log, "byte 2: a string longer than a megabyte"));
	result_deinit(&result);
	char *p = text + sprintf(text, "[{\"key\":[\"0x01\"],\"value\":[");
	while (p < text + len - 64)
		p += sprintf(p, "\"0x00\",");
	sprintf(p, "\"0x00\"]},{\"key\":[\"0x02\"],\"value\":[\"0x03\"]}]");
	result = read_bytes(text, strlen(text), 0, 0);
	ck_assert_str_eq(result.log, "warning: F: byte 1: entry skipped: larger than any map's\n");
	ck_assert_str_eq(result.calls, "map F 0\nentry 02:03\nend\n");
	result_deinit(&result);
	free(text);
}
END_TEST

START_TEST(sink_fails)
{
	struct result result = read_bytes("1 2\n3 4\n5 6\n", 12, 0, 2);

	ck_assert_ptr_nonnull(result.err);
	ck_assert_str_eq(result.calls, "line 1 2\nline 3 4\n");
	ck_assert_uint_eq(result.completes, 1);
	result_deinit(&result);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dumps");
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
	tcase_add_test(tests, member_order);
	tcase_add_test(tests, duplicates);
	tcase_add_test(tests, mixtures);
	tcase_add_test(tests, arrays);
	tcase_add_test(tests, cut);
	tcase_add_test(tests, wrong_json);
	tcase_add_test(tests, wrong_text);
	tcase_add_test(tests, binary);
	tcase_add_test(tests, huge);
	tcase_add_test(tests, sink_fails);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
