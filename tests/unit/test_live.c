// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Live maps, as far as no kernel is needed: names of maps, records of perf buffers, types by BTF.
 */
#include <check.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#ifndef WITHOUT_LIBBPF
#include <bpf/btf.h>

#include "input/live/live_dump.h"
#include "input/live/events.h"
#include "input/live/live_map.h"
#include "input/live/type.h"

static void check_spec(const char *text, enum live_spec_kind kind, uint32_t id, const char *name)
{
	struct live_spec spec = {};

	ck_assert_ptr_null(live_spec_parse(text, "--map", &spec));
	ck_assert_int_eq(spec.kind, kind);
	ck_assert_uint_eq(spec.id, id);
	if (name)
		ck_assert_str_eq(spec.name, name);
	else
		ck_assert_ptr_null(spec.name);
}

START_TEST(specs)
{
	check_spec("id:12", LIVE_SPEC_ID, 12, NULL);
	check_spec("id:4294967295", LIVE_SPEC_ID, UINT32_MAX, NULL);
	check_spec("name:a:b/c", LIVE_SPEC_NAME, 0, "a:b/c");
	check_spec("pinned:/sys/fs/bpf/x", LIVE_SPEC_PINNED, 0, "/sys/fs/bpf/x");
	check_spec("prog:7", LIVE_SPEC_PROG, 7, NULL);
	check_spec("prog:7/counts", LIVE_SPEC_PROG, 7, "counts");
}
END_TEST

START_TEST(wrong_specs)
{
	static const char *const texts[] = {"", "counts", "12", "id:", "id:0", "id:-1", "id:1x",
		"id:4294967296", "name:", "pinned:", "prog:", "prog:x", "prog:1/", "prog:1x",
		"Id:1"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct live_spec spec = {};
		struct error *err = live_spec_parse(texts[i], "--map", &spec);

		ck_assert_ptr_nonnull(err);
		ck_assert_int_eq(error_kind(err), ERROR_USAGE);
		error_destroy(err);
	}
}
END_TEST

/* struct perf_event_header: u32 type, u16 misc, u16 size. */
START_TEST(records)
{
	static const uint8_t sample[] = {
		9, 0, 0, 0, 0, 0, 24, 0, 5, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 'a', 'b', 'c', 'd'};
	static const uint8_t lost[] = {
		2, 0, 0, 0, 0, 0, 24, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0};
	struct live_record record;
	uint8_t longer[sizeof(sample)];

	ck_assert(live_record_parse(sample, sizeof(sample), &record));
	ck_assert_uint_eq(record.time, 5);
	ck_assert_uint_eq(record.len, 4);
	ck_assert_mem_eq(record.data, "abcd", 4);
	for (size_t i = 0; i < sizeof(sample); i++)
		ck_assert(!live_record_parse(sample, i, &record));
	memcpy(longer, sample, sizeof(sample));
	longer[16] = 5; /* more bytes than the record has */
	ck_assert(!live_record_parse(longer, sizeof(longer), &record));
	ck_assert(live_record_parse(lost, sizeof(lost), &record));
	ck_assert_ptr_null(record.data);
	ck_assert_uint_eq(record.lost, 7);
}
END_TEST

/*
 * typedef int pid_t; struct { pid_t pid; u32 low:3, high:5; struct { char comm[4]; } in;
 * struct { u64 anonymous; }; u64 ips[2]; u32 few[2]; }
 */
static struct btf *make_btf(void)
{
	struct btf *btf = btf__new_empty();

	btf__add_int(btf, "int", 4, BTF_INT_SIGNED); /* 1 */
	btf__add_typedef(btf, "pid_t", 1);	     /* 2 */
	btf__add_int(btf, "u32", 4, 0);		     /* 3 */
	btf__add_int(btf, "char", 1, BTF_INT_CHAR);  /* 4 */
	btf__add_array(btf, 3, 4, 4);		     /* 5 */
	btf__add_int(btf, "u64", 8, 0);		     /* 6 */
	btf__add_array(btf, 3, 6, 2);		     /* 7 */
	btf__add_array(btf, 3, 3, 2);		     /* 8 */
	btf__add_struct(btf, "", 4);		     /* 9 */
	btf__add_field(btf, "comm", 5, 0, 0);
	btf__add_struct(btf, "", 8); /* 10 */
	btf__add_field(btf, "anonymous", 6, 0, 0);
	btf__add_struct(btf, "key", 48); /* 11 */
	btf__add_field(btf, "pid", 2, 0, 0);
	btf__add_field(btf, "low", 3, 32, 3);
	btf__add_field(btf, "high", 3, 35, 5);
	btf__add_field(btf, "in", 9, 64, 0);
	btf__add_field(btf, "", 10, 128, 0);
	btf__add_field(btf, "ips", 7, 192, 0);
	btf__add_field(btf, "few", 8, 320, 0);
	return btf;
}

static const uint8_t value[48] = {0xfe, 0xff, 0xff, 0xff, 0xad, 0, 0, 0, 'a', '"', 0, 0, 0, 0, 0, 0,
	7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0,
	0};

START_TEST(fields)
{
	static const char *const names[] = {
		"key.pid", "key.low", "key.high", "key.in.comm", "key.anonymous", "key.ips"};
	static const uint64_t numbers[] = {(uint64_t)-2, 5, 21, 0, 7, 0};
	struct btf *btf = make_btf();
	struct live_type type = {};
	struct field found[16];

	live_type_make(btf, 11, "key", sizeof(value), &type);
	ck_assert_uint_eq(type.layout.fields.len, 7);
	ck_assert_uint_eq(layout_decode(&type.layout, value, sizeof(value), found), 6);
	for (size_t i = 0; i < 6; i++) {
		ck_assert_str_eq(found[i].name, names[i]);
		if (found[i].kind == FIELD_NUMBER)
			ck_assert_uint_eq(found[i].number, numbers[i]);
	}
	ck_assert_int_eq(found[3].kind, FIELD_TEXT);
	ck_assert_uint_eq(found[3].len, 2);
	ck_assert_int_eq(found[5].kind, FIELD_WORDS);
	ck_assert_uint_eq(found[5].len, 16);
	live_type_deinit(&type);
	btf__free(btf);
}
END_TEST

/* (ustack, (comm, int), int) as bpftrace describes it: no member has a name. */
START_TEST(members_without_names)
{
	static const char *const names[] = {"key.0", "key.1", "key.2", "key.3"};
	static const uint8_t data[48] = {1, 0, 0, 0, 0, 0, 0, 0, [24] = 'a', [40] = 5, [44] = 6};
	struct btf *btf = btf__new_empty();
	struct live_type type = {};
	struct field found[4];

	btf__add_int(btf, "int8", 1, BTF_INT_SIGNED); /* 1 */
	btf__add_int(btf, "int32", 4, 0);	      /* 2 */
	btf__add_array(btf, 2, 1, 24);		      /* 3 */
	btf__add_array(btf, 2, 1, 16);		      /* 4 */
	btf__add_struct(btf, "", 20);		      /* 5 */
	btf__add_field(btf, "", 4, 0, 0);
	btf__add_field(btf, "", 2, 128, 0);
	btf__add_struct(btf, "", 48); /* 6 */
	btf__add_field(btf, "", 3, 0, 0);
	btf__add_field(btf, "", 5, 192, 0);
	btf__add_field(btf, "", 2, 352, 0);
	live_type_make(btf, 6, "key", sizeof(data), &type);
	ck_assert_uint_eq(layout_decode(&type.layout, data, sizeof(data), found), 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_str_eq(found[i].name, names[i]);
	ck_assert_int_eq(found[0].kind, FIELD_UNNAMED);
	ck_assert_uint_eq(found[0].len, 24);
	ck_assert_int_eq(found[1].kind, FIELD_UNNAMED);
	ck_assert_uint_eq(found[3].number, 6);
	live_type_deinit(&type);
	btf__free(btf);
}
END_TEST

/* Live maps are dumped in a form that can be read again. */
START_TEST(dumps_without_names)
{
	const struct live_map map = {.id = 5, .key_size = 1, .value_size = 1, .n_cpus = 1};
	static const uint8_t data[24] = "A";
	struct btf *btf = btf__new_empty();
	struct live_type type = {}, number = {};
	struct live_dump dump;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);  /* 1 */
	btf__add_int(btf, "int8", 1, BTF_INT_SIGNED); /* 2 */
	btf__add_array(btf, 1, 2, 16);		      /* 3 */
	btf__add_struct(btf, "", 24);		      /* 4 */
	btf__add_field(btf, "", 3, 0, 0);
	btf__add_field(btf, "", 1, 128, 0);
	live_type_make(btf, 4, "key", sizeof(data), &type);
	live_type_make(btf, 1, "value", 4, &number);
	live_dump_begin(&dump, file);
	const struct live_shape shape = {&map, type, number, true};
	live_dump_map(&dump, &shape);
	live_dump_entry(&dump, data, data);
	live_dump_map_end(&dump);
	ck_assert_ptr_null(live_dump_end(&dump));
	fclose(file);
	ck_assert_ptr_nonnull(strstr(
		text, "\"formatted\":{\"key\":{\"\":[65,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],\"\":0},"));
	free(text);
	live_type_deinit(&type);
	live_type_deinit(&number);
	btf__free(btf);
}
END_TEST

/* Bytes after the end of the value are no field. */
START_TEST(short_values)
{
	struct btf *btf = make_btf();
	struct live_type type = {};

	live_type_make(btf, 11, "key", 16, &type);
	ck_assert_uint_eq(type.layout.fields.len, 4);
	live_type_deinit(&type);
	type = (struct live_type){};
	live_type_make(btf, 99, "key", 16, &type);
	ck_assert_uint_eq(type.layout.fields.len, 0);
	live_type_deinit(&type);
	btf__free(btf);
}
END_TEST

START_TEST(dumps)
{
	const struct live_map map = {.id = 5, .key_size = 2, .value_size = 1, .n_cpus = 1};
	struct btf *btf = make_btf();
	struct live_type type = {}, number = {};
	struct live_dump dump;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	live_type_make(btf, 11, "key", sizeof(value), &type);
	live_type_make(btf, 1, "value", 4, &number);
	live_dump_begin(&dump, file);
	const struct live_shape shape = {&map, type, number, true};
	live_dump_map(&dump, &shape);
	live_dump_entry(&dump, value, value);
	live_dump_map_end(&dump);
	ck_assert_ptr_null(live_dump_end(&dump));
	fclose(file);
	ck_assert_str_eq(text,
		"[{\"id\":5,\"elements\":[\n{\"key\":[\"0xfe\",\"0xff\"],\"value\":[\"0xfe\"],"
		"\"formatted\":{\"key\":{\"pid\":-2,\"low\":5,\"high\":21,\"in\":{\"comm\":\"a\\\"\"},"
		"\"anonymous\":7,\"ips\":[1,2],\"few\":[3,4]},\"value\":-2}}]}]\n");
	free(text);
	live_type_deinit(&type);
	live_type_deinit(&number);
	btf__free(btf);
}
END_TEST
static void check_fill(const struct live_map *map, uint64_t entries, const char *expected)
{
	struct log log = {};

	live_fill_report(map, entries, 4, &log);
	ck_assert_uint_eq(log.entries.len, expected ? 1 : 0);
	if (expected) {
		ck_assert_int_eq(log.entries.data[0].level, LOG_WARNING);
		ck_assert_str_eq(log.entries.data[0].text, expected);
	}
	log_deinit(&log);
}

#define HASH_FULL "m: full: new keys are not counted: raise max_entries from 1000 to 2000 or more"
#define LRU_FULL                                                                                   \
	"m: an LRU map so full that it evicts keys, whose counts are missing: raise "              \
	"max_entries from 1000 to 2000 or more"

START_TEST(full_keys)
{
	struct live_map map = {.label = (char[]){"m"},
		.kind = LIVE_COUNTS,
		.type = BPF_MAP_TYPE_HASH,
		.max_entries = 1000};

	check_fill(&map, 999, NULL);
	check_fill(&map, 1000, HASH_FULL);
	map.type = BPF_MAP_TYPE_PERCPU_HASH;
	check_fill(&map, 1000, HASH_FULL);
	map.type = BPF_MAP_TYPE_ARRAY;
	check_fill(&map, 1000, NULL);
	map.type = BPF_MAP_TYPE_LRU_HASH; /* each of four CPUs holds 125 entries ready */
	check_fill(&map, 499, NULL);
	check_fill(&map, 500, LRU_FULL);
	map.type = BPF_MAP_TYPE_LRU_PERCPU_HASH;
	map.flags = BPF_F_NO_COMMON_LRU;
	check_fill(&map, 249, NULL);
	check_fill(&map, 250, LRU_FULL);
	map.max_entries = 1; /* hostile, or a mistake */
	map.flags = 0;
	check_fill(&map, 0, NULL);
}
END_TEST

START_TEST(full_stacks)
{
	struct live_map map = {.label = (char[]){"m"},
		.kind = LIVE_STACKS,
		.max_entries = 1000,
		.value_size = 1016};

	ck_assert(live_fill_expected(0, 1024) == 0);
	ck_assert(live_fill_expected(1, 1024) == 1);
	ck_assert(live_fill_expected(2, 2) == 3);
	/* half of the buckets: n ln 2 = 710 stacks came */
	ck_assert_uint_eq((uint64_t)live_fill_expected(512, 1024), 709);
	ck_assert_uint_eq(live_fill_buckets(709), 8192);
	ck_assert_uint_eq(live_fill_buckets(1e300), 1ULL << 31);
	check_fill(&map, 90, NULL);
	check_fill(&map, 512,
		"m: about 28 % of the stacks collided in a bucket and are lost (or replaced "
		"another): raise max_entries from 1000 to 8192 (7 MiB)");
	map.max_entries = 4; /* one that collides is no pattern */
	check_fill(&map, 1, NULL);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("live");

	tcase_add_test(tcase, specs);
	tcase_add_test(tcase, wrong_specs);
	tcase_add_test(tcase, records);
	tcase_add_test(tcase, full_keys);
	tcase_add_test(tcase, full_stacks);
	tcase_add_test(tcase, fields);
	tcase_add_test(tcase, members_without_names);
	tcase_add_test(tcase, dumps_without_names);
	tcase_add_test(tcase, short_values);
	tcase_add_test(tcase, dumps);
	return tests_run(tcase);
}
#else
int main(void)
{
	return tests_run(tcase_create("live"));
}
#endif
