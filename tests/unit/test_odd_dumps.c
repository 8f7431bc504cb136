// SPDX-License-Identifier: GPL-2.0-or-later
/* Dumps in other orders, twice, mixed, cut off, broken and huge. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump_check.h"
#include "run.h"

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

/* The output of several `bpftool map pop` is one map; equal entries stay separate. */
START_TEST(queues)
{
	expect("value: 05 06\nvalue: 05 06\nvalue:\n07 08\n",
		"map F 0\nentry :0506\nentry :0506\nentry :0708\nend\n", "");
	expect("{\"key\":[],\"value\":[\"0x05\"]}\n{\"key\":[],\"value\":[\"0x05\"]}\nnull\n"
	       "{\"value\":[\"0x06\"],\"key\":[]}\n",
		"map F 0\nentry :05\nentry :05\nerror Not found\nentry :06\nend\n", "");
	expect("value: 05\nError: empty map\nvalue: 06\n", "map F 0\nentry :05\nentry :06\nend\n",
		"warning: F:2: bpftool failed: Error: empty map\n");
	expect("value: 05\nkey: 01  value: 06\nvalue: 07\nkey: 02\nvalue: 08\n"
	       "[{\"key\":[\"0x01\"],\"value\":[\"0x05\"]}]",
		"map F 0\nentry :05\nend\nmap F 0\nentry 01:06\nend\nmap F 0\nentry :07\nend\n"
		"map F 0\nentry 02:08\nend\nmap F 0\nentry 01:05\nend\n",
		"");
	expect("value: 05\nvalue: unknown\n", "map F 0\nentry :05\nend\nline value: unknown\n", "");
}
END_TEST

/* As bpftool 7.8 dumps array_of_maps and hash_of_maps. */
START_TEST(maps_of_maps)
{
	static const char said[] =
		"warning: F:1: the entries of this map are maps: dump those instead: `bpftool map dump "
		"id 27`, `bpftool map dump id 28` (or pass the outer map to --map)\n";

	expect("key: 07 00 00 00  inner_map_id: 27 \nkey: 08 00 00 00  inner_map_id: 28 \n"
	       "key: 09 00 00 00  inner_map_id: 27 \nFound 3 elements\n",
		"map F 0\nend\n", said);
	expect("key:\n01 02 03\ninner_map_id:\n27 \nkey:\n01 02 04\ninner_map_id:\n28 \n"
	       "Found 2 elements\n",
		"map F 0\nend\n", said);
	expect("[{\"key\":[\"0x07\"],\"value\":[\"0x1b\",\"0x00\"],\"inner_map_id\":27}]",
		"map F 0\nend\n",
		"warning: F: byte 1: the entries of this map are maps: dump those instead: `bpftool "
		"map dump id 27` (or pass the outer map to --map)\n");
	expect("key: 07  inner_map_id: \nFound 1 element\n", "map F 0\nend\n",
		"warning: F:1: entry skipped: it has no value\n");
}
END_TEST

#define NO_DUMP ", not a dump: dump the maps"

static const char map_list[] =
	"25: hash  name other  flags 0x0\n\tkey 4B  value 8B  max_entries 8  memlock 1680B\n"
	"940: stack_trace  name stacks  flags 0x0\n\tkey 4B  value 1016B  max_entries 16384\n"
	"\tpids capture(77)\n"
	"941: percpu_hash  name counts  flags 0x0\n\tkey 28B  value 8B  max_entries 4096\n\tbtf_id 3\n"
	"952: lru_hash  name later  flags 0x0\n\tkey 4B  value 8B  max_entries 8\n";

/* A list of maps by bpftool is no dump; the message names maps that may be meant. */
START_TEST(lists)
{
	expect(map_list, "",
		"warning: F:1: this is a list of maps" NO_DUMP
		", for example `bpftool map dump id 941` "
		"(a hash) and `bpftool map dump id 940` (a stack map)\n");
	expect("7: queue  name q  flags 0x0\n\tkey 0B  value 16B  max_entries 8\nkey: 01  value: 05\n",
		"map F 0\nentry 01:05\nend\n",
		"warning: F:1: this is a list of maps" NO_DUMP
		", for example `bpftool map dump id 7`\n");
	expect("3: cgroup_device  tag e3dbd137be8d6168  gpl\n\tloaded_at 2026-11-22T02:18:17+0000  uid 0\n"
	       "\txlated 64B  jited 60B  memlock 4096B\n"
	       "415: raw_tracepoint  name on_syscall  tag c499697cf06d7e14  gpl\n"
	       "\txlated 3792B  jited 2326B  memlock 4096B  map_ids 939,960\n\tbtf_id 334\n[]",
		"map F 0\nend\n",
		"warning: F:1: this is a list of programs" NO_DUMP " that they use, listed after "
		"map_ids: `bpftool map dump id 939` and so on\n");
	expect("1: name [vmlinux]  size 5515236B\n334: name <anon>  size 6418B  prog_ids 415  map_ids 96,5\n",
		"",
		"warning: F:1: this is a list of BTF objects" NO_DUMP
		" that they use, listed after "
		"map_ids: `bpftool map dump id 96` and so on\n");
	expect("4: tracing  prog 12  \n\tprog_type tracing  attach_type trace_fentry  \n", "",
		"warning: F:1: this is a list of links" NO_DUMP " that their programs use, which "
		"`bpftool prog show id 12` lists as map_ids\n");
}
END_TEST

START_TEST(lists_in_json)
{
	expect("[{\"id\":9,\"type\":\"stack_trace\",\"name\":\"s\",\"flags\":0,\"bytes_key\":4},"
	       "{\"id\":8,\"type\":\"lru_hash\",\"name\":\"key\",\"bytes_key\":4,\"pids\":[{\"pid\":7,"
	       "\"comm\":\"c\"}]}]",
		"",
		"warning: F: byte 1: this is a list of maps" NO_DUMP
		", for example `bpftool map dump id "
		"8` (a hash) and `bpftool map dump id 9` (a stack map)\n");
	expect("{\"id\":9,\"type\":\"queue\",\"bytes_key\":0,\"frozen\":0}\n[]", "map F 0\nend\n",
		"warning: F: byte 0: this is a list of maps" NO_DUMP
		", for example `bpftool map dump id "
		"9`\n");
	expect("[{\"id\":3,\"type\":\"kprobe\",\"tag\":\"c4\",\"map_ids\":[]},{\"id\":4,\"type\":"
	       "\"kprobe\",\"tag\":\"c4\",\"map_ids\":[77,78],\"btf_id\":5}]",
		"",
		"warning: F: byte 1: this is a list of programs" NO_DUMP
		" that they use, listed after "
		"map_ids: `bpftool map dump id 77` and so on\n");
	expect("[{\"id\":1,\"size\":5,\"prog_ids\":[],\"map_ids\":[],\"kernel\":true}]", "",
		"warning: F: byte 1: this is a list of BTF objects, not a dump: dump maps, which "
		"`bpftool map list` shows\n");
	expect("[{\"id\":4,\"type\":\"tracing\",\"prog_id\":12}]", "",
		"warning: F: byte 1: this is a list of links" NO_DUMP
		" that their programs use, which "
		"`bpftool prog show id 12` lists as map_ids\n");
}
END_TEST

START_TEST(duplicates)
{
	expect("[{\"key\":[\"0x01\"],\"value\":[\"0x05\"],\"value\":[\"0x06\"],\"key\":[\"0x02\"]}"
	       "]",
		"map F 0\nentry 02:06\nend\n",
		"warning: F: byte 1: an entry has two keys or two values; the last one is used\n");
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

START_TEST(cut)
{
	expect("[{\"key\":[\"0x01\"],\"value\":[\"0x05\"]},{\"key\":[\"0x02\"],\"val",
		"map F 0\nentry 01:05\ncut\n",
		"warning: F: byte 55: the JSON text ends before it is complete: the dump is truncated; "
		"its complete entries are used: dump it again\n");
	expect("key: 01  value: 05 06\nkey: 02  value: 05", "map F 0\nentry 01:0506\ncut\n",
		"warning: F:2: the dump is truncated (no \"Found\" line); its complete entries are "
		"used: "
		"dump it again\n");
	expect("key: 01  value: 05\nkey: 02\n", "map F 0\nentry 01:05\ncut\n",
		"warning: F:2: the dump is truncated (no \"Found\" line); its complete entries are "
		"used: "
		"dump it again\n");
	expect("key: 01  value: 05\nFound 2 elements\n", "map F 0\nentry 01:05\ncut\n",
		"warning: F:2: the dump announces 2 elements but has 1: dump it again\n");
}
END_TEST

START_TEST(wrong_json)
{
	/* Reading continues with the next dump that begins a line. */
	expect("[{\"key\":[\"0x01\"],\"value\":[\"0x05\"]},{\"key\":!},{\"key\":[\"0x03\"]\n[]"
	       "\nx\n",
		"map F 0\nentry 01:05\ncut\nmap F 0\nend\nline x\n",
		"warning: F: byte 42: expected a value, not '!'; the rest of this dump is skipped: "
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
		"warning: F: byte 1: skipped: an object that is not a map entry\n"
		"warning: F: byte 9: skipped: a value that is not a map entry\n"
		"warning: F: byte 11: skipped: an object that is not a map entry\n");
	expect("[{\"key\":1,\"value\":\"\xff\"}]", "map F 0\nentry key=1 value=\"\\xff\"\nend\n",
		"warning: F: byte 19: text that is not valid UTF-8 is used unchanged\n");
}
END_TEST

START_TEST(wrong_text)
{
	expect("key: 01  value: 0g\nkey: 02  value: 06\nkey: 0z\nvalue: 05\nkey: 03  value: 07 zz\n"
	       "key:\n04\nvalue:\n00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f\nzz\nFound 5 "
	       "elements\n",
		"map F 0\nentry 02:06\nend\n",
		"warning: F:1: entry skipped: \"0g\" is not a hex byte\n"
		"warning: F:3: entry skipped: \"0z\" is not a hex byte\n"
		"warning: F:5: entry skipped: \"zz\" is not a hex byte\n"
		"warning: F:10: entry skipped: \"zz\" is not a hex byte\n");
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
			"an ELF file, not a dump: use -e to look up addresses in it"},
		{"\x1f\x8b\x08xxxxxxx", 10, "compressed: pipe it through zcat"},
		{"a\0b", 3, "binary data: expected the text that bpftool prints"},
		{"\1\2\3\4\n[]", 7, "binary data: expected the text that bpftool prints"},
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
	ck_assert_str_eq(result.log, "warning: F:1: line skipped: longer than a megabyte\n");
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
	ck_assert_str_eq(
		result.log, "warning: F: byte 1: entry skipped: larger than a map entry can be\n");
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

/*
 * Members without a name are numbered; those of an unnamed struct or union belong to the outer one.
 */
START_TEST(members_without_names)
{
	expect("[{\"key\":{\"\":7,\"\":{\"\":8,\"\":\"a\"},\"pid\":3,\"\":[1,2],\"\":9},"
	       "\"value\":{\"\":{\"bits\":1,\"number\":{\"\":5}}}}]",
		"map F 0\nentry key.0=7 key.1=8 key.2=\"a\" key.pid=3 key.4=0102 key.5=9 "
		"value.bits=1 value.number.0=5\nend\n",
		"");
	expect("[{\"key\":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2],\"value\":[{\"\":1},{\"\":2}]}]",
		"map F 0\nentry key=010000000000000000000000000000fe value.0=1 value.0=2\nend\n",
		"");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("odd_dumps");

	tcase_add_test(tests, member_order);
	tcase_add_test(tests, queues);
	tcase_add_test(tests, maps_of_maps);
	tcase_add_test(tests, lists);
	tcase_add_test(tests, lists_in_json);
	tcase_add_test(tests, duplicates);
	tcase_add_test(tests, mixtures);
	tcase_add_test(tests, arrays);
	tcase_add_test(tests, members_without_names);
	tcase_add_test(tests, cut);
	tcase_add_test(tests, wrong_json);
	tcase_add_test(tests, wrong_text);
	tcase_add_test(tests, binary);
	tcase_add_test(tests, huge);
	tcase_add_test(tests, sink_fails);
	return tests_run(tests);
}
