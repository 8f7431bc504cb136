// SPDX-License-Identifier: GPL-2.0-or-later
/* Which unnamed arrays of bytes are bpftrace's stacks, and which are not. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "input/roles/bpftrace_stack.h"
#include "input/roles/unnamed.h"
#include "run.h"

#define U 0x7f0000001000ULL
#define K 0xffffffff81000000ULL
#define PID(pid, probe) ((uint64_t)(probe) << 32 | (pid))

static struct count_map *map;

static void setup(void)
{
	map = count_map_create("m", false);
}

static void teardown(void)
{
	count_map_destroy(map);
}

static struct field bytes(const char *name, const void *p, size_t len)
{
	return (struct field){.name = name, .kind = FIELD_UNNAMED, .bytes = p, .len = len};
}

static struct field number(const char *name, uint64_t n)
{
	return (struct field){.name = name, .kind = FIELD_NUMBER, .number = n};
}

#define WORDS(name, ...) bytes(name, (uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}))

/* An entry with these fields, and a value that makes its key unique. */
#define ENTRY(...)                                                                                 \
	add((struct field[]){__VA_ARGS__},                                                         \
		sizeof((struct field[]){__VA_ARGS__}) / sizeof(struct field))

static void add(const struct field *fields, size_t n)
{
	struct row row = {fields, n};
	uint64_t key = map->entries.len;
	struct map_entry entry = {.key = (const uint8_t *)&key,
		.key_len = sizeof(key),
		.value = (const uint8_t *)&key,
		.value_len = sizeof(key),
		.cpu = -1,
		.formatted = &row};

	count_map_add(map, &entry);
}

static void describe(struct text *text, const struct field *field)
{
	uint64_t word;

	text_printf(text, "%s%s=", text->len ? " " : "", field->name);
	if (field->kind == FIELD_NUMBER)
		text_printf(text, "%lld", (long long)field->number);
	else if (field->kind == FIELD_TEXT)
		text_printf(text, "'%.*s'", (int)field->len, field->bytes);
	else if (field->kind == FIELD_BYTES)
		text_printf(text, "[%zu]", field->len);
	else
		ck_assert_int_eq(field->kind, FIELD_WORDS);
	for (size_t i = 0; field->kind == FIELD_WORDS && i < field->len; i += 8) {
		memcpy(&word, field->bytes + i, 8);
		text_printf(text, "%s%llx", i ? "," : "<", (unsigned long long)word);
	}
	if (field->kind == FIELD_WORDS)
		text_add_char(text, '>');
}

static void expect(size_t i, const char *wanted)
{
	const struct row row = count_map_row(map, i);
	struct text text = {};

	for (size_t j = 0; j < row.n; j++)
		describe(&text, &row.fields[j]);
	ck_assert_str_eq(text.data, wanted);
	text_deinit(&text);
}

static const struct address_halves halves;
static struct stack_index stacks;
static const char comm[16] = "shop", other[16] = "a b", probe[16] = "kprobe:vfs_read";
static const char zeros[64];

START_TEST(both_stacks)
{
	ENTRY(WORDS("key.0", PID(7, 1), 2, U, 5, 99, 98), WORDS("key.1", 1, K, 0),
		bytes("key.2", comm, 16), number("key.3", 3), number("value", 9));
	ENTRY(bytes("key.0", zeros, 48), bytes("key.1", zeros, 24), bytes("key.2", other, 16),
		number("key.3", 4), number("value", 8));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0.pid=7 key.0.ustack=<7f0000001000,5,0> key.1.kstack=<ffffffff81000000,0> "
		  "key.2.comm='shop' key.3=3 value=9");
	expect(1,
		"key.0.pid=-1 key.0.ustack=<0> key.1.kstack=<0> key.2.comm='a b' key.3=4 value=8");
}
END_TEST

START_TEST(full_stacks_have_no_zero_behind)
{
	ENTRY(WORDS("key", PID(7, 0), 3, U, U, U));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.pid=7 key.ustack=<7f0000001000,7f0000001000,7f0000001000>");
}
END_TEST

/*
 * A number, then kstack(3), on 32-bit machines: what is before it makes it a ustack by the numbers
 * of 64-bit ones.
 */
START_TEST(narrow_kernels)
{
	const struct address_halves narrow = {.kernel_start = 0xc0000000};

	ENTRY(WORDS("key", 7, 3, 0xc0101000, 0xc0101004, 0xc0101008));
	unnamed_settle(map, &narrow, &stacks);
	expect(0, "key.kstack=<c0101000,c0101004,c0101008>");
}
END_TEST

/*
 * With overlapping address spaces and no other evidence, an array is no stack, and `sideless` is
 * why.
 */
START_TEST(no_number_tells)
{
	const struct address_halves separate = {.separate = true};

	ENTRY(WORDS("key", 7, 3, 0x101000, 0x101004, 0x101008));
	unnamed_settle(map, &separate, &stacks);
	expect(0, "key=[40]");
	ck_assert(map->sideless);
}
END_TEST

/* kstack(1) has the size of a comm. */
START_TEST(sixteen_bytes)
{
	ENTRY(WORDS("key.0", 1, K), bytes("key.1", comm, 16), bytes("key.2", zeros, 16));
	ENTRY(bytes("key.0", zeros, 16), bytes("key.1", zeros, 16), bytes("key.2", zeros, 16));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0.kstack=<ffffffff81000000> key.1.comm='shop' "
		  "key.2=<0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0>");
}
END_TEST

START_TEST(no_comm)
{
	ENTRY(WORDS("key.0", 1, K), bytes("key.1", comm, 16), bytes("key.2", other, 16));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0.kstack=<ffffffff81000000> key.1='shop' key.2='a b'");
	teardown();
	setup();
	ENTRY(WORDS("key.0", 1, K), bytes("key.1", probe, 16));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0.kstack=<ffffffff81000000> key.1='kprobe:vfs_read'");
	teardown();
	setup();
	ENTRY(WORDS("key.0", 1, K), bytes("key.1", (const char[16]){"2:worker"}, 16));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0.kstack=<ffffffff81000000> key.1.comm='2:worker'");
}
END_TEST

/* If one entry is no stack, none is. */
START_TEST(all_entries_must_agree)
{
	ENTRY(WORDS("key.0", PID(7, 1), 1, U, 0), number("value", 1));
	ENTRY(WORDS("key.0", PID(7, 1), 3, U, 0), number("value", 1));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0=[32] value=1");
	teardown();
	setup();
	ENTRY(number("key.0", 300), number("value", 1));
	ENTRY(WORDS("key.0", PID(7, 1), 1, U, 0), number("value", 1));
	unnamed_settle(map, &halves, &stacks);
	expect(1, "key.0=[32] value=1");
	teardown();
	setup();
	ENTRY(WORDS("key.0", PID(7, 1), 1, U, 0));
	ENTRY(WORDS("key.0", PID(7, 1), 1, U));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0=[32]");
}
END_TEST

START_TEST(no_stacks)
{
	static const char text[24] = "AA0";

	ENTRY(bytes("key.0", text, 24), WORDS("key.1", 5u << 20, 1, U), WORDS("key.2", 1, U),
		WORDS("key.3", PID(7, 0x80000000), 1, U), number("value", 1));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0='AA0' key.1=[24] key.2=[16] key.3=[24] value=1");
}
END_TEST

/* [pid, cpu, a pointer] and the bucket of a histogram */
START_TEST(flat_key_without_stack)
{
	ENTRY(WORDS("key", 1234, 0, U, 1), number("value", 1));
	ENTRY(WORDS("key", 1234, 1, U, 2), number("value", 1));
	unnamed_settle(map, &halves, &stacks);
	expect(1, "key=[32] value=1");
}
END_TEST

/* [comm, ustack(4), kstack(2)] and a bucket */
START_TEST(flat_key)
{
	uint64_t key[] = {0, 0, PID(70000, 2), 3, U, U + 1, U + 2, 0, 2, K, K + 1, 3};

	memcpy(key, comm, 16);
	ENTRY(bytes("key", key, sizeof(key)), number("value", 1));
	key[3] = 1;
	key[8] = 0;
	ENTRY(bytes("key", key, sizeof(key)), number("value", 1));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.pid=70000 key.ustack=<7f0000001000,7f0000001001,7f0000001002,0> value=1");
	teardown();
	setup();
	key[3] = 3;
	key[8] = 3;
	key[11] = K + 2;
	ENTRY(bytes("key", key, sizeof(key)), number("value", 1));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.pid=70000 key.ustack=<7f0000001000,7f0000001001,7f0000001002,0> "
		  "key.kstack=<ffffffff81000000,ffffffff81000001,ffffffff81000002> value=1");
}
END_TEST

/* [pid, cpu, ustack(4)] and a bucket: the second word may be a count of slots, too. */
START_TEST(flat_key_that_begins_like_a_stack)
{
	ENTRY(WORDS("key", 70000, 1, PID(70000, 0), 3, U, U, U, 0, 5));
	ENTRY(WORDS("key", 70000, 2, PID(70000, 0), 3, U, U, U, 0, 5));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.pid=70000 key.ustack=<7f0000001000,7f0000001000,7f0000001000,0>");
}
END_TEST

START_TEST(build_ids)
{
	struct {
		int32_t pid, probe;
		uint64_t nr;
		struct {
			int32_t status;
			uint8_t id[20];
			uint64_t offset;
		} slots[2];
	} key = {7, 0, 1, {{1, {0, 0, 0, 0, 1}, 0x1234}, {1, {9}, 9}}};

	ENTRY(bytes("key.0", &key, sizeof(key)));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0.pid=7 key.0.ustack=[64]");
	const char *slots = count_map_row(map, 0).fields[1].bytes;
	ck_assert_mem_eq(slots, key.slots, 32);
	ck_assert_mem_eq(slots + 32, zeros, 32);
}
END_TEST

/* The plain key is then no stack ID. */
START_TEST(stack_as_value)
{
	ENTRY(number("key", 7), WORDS("value", PID(7, 0), 1, U, 0));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0=7 value.pid=7 value.ustack=<7f0000001000,0>");
}
END_TEST

START_TEST(one_pid)
{
	ENTRY(WORDS("key.0", PID(7, 0), 1, U, 0), WORDS("value.0", PID(7, 0), 1, U, 0));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0.pid=7 key.0.ustack=<7f0000001000,0> value.0.ustack=<7f0000001000,0>");
}
END_TEST

/* ---- hashes of bpftrace 0.21 to 0.24 ---- */

#define USER_HASH 0x8d1a03b452048eecULL /* of U, U + 5; printed by another implementation */
#define USER_ID "7153546813864223675"
#define KERNEL_HASH 0x1e3558d67f56b556ULL /* of K, K + 5, K + 9 */
#define KERNEL_ID "5155871936723922261"

/* An entry of the hash: the key with HASH and NR, then a stack of 4 slots. */
static void add_hashed(struct count_map *hash, uint64_t id, uint64_t nr, const uint64_t *slots)
{
	const struct field fields[] = {
		bytes("key", ((uint64_t[]){id, nr}), 12), {.name = "value",
								  .kind = FIELD_WORDS,
								  .is_sum = true,
								  .bytes = (const char *)slots,
								  .len = 32}};
	const struct row row = {fields, 2};

	count_map_add(hash, &(struct map_entry){.cpu = -1, .formatted = &row});
}

/* Returns the stacks of ALL, a hash, or NULL, and destroys ALL. */
static struct stack_store *find_stacks(struct count_map *all)
{
	struct stack_store *store = stack_store_create("m", INPUT_ANY, INPUT_SHAPE_LOOK, &halves);
	bool found = bpftrace_stacks_find(all, &halves, &store);

	count_map_destroy(all);
	if (found)
		return store;
	stack_store_destroy(store);
	return NULL;
}

/* Returns the stacks of a hash in which the key of one entry has HASH, or NULL. */
static struct stack_store *stacks_with(uint64_t hash)
{
	struct count_map *all = count_map_create("stack_bpftrace_", false);

	add_hashed(all, 1, 0, (uint64_t[4]){});
	add_hashed(all, hash, 2, (uint64_t[4]){U, U + 5});
	return find_stacks(all);
}

START_TEST(only_the_hash_of_its_value_proves_a_stack)
{
	ck_assert_ptr_null(stacks_with(USER_HASH + 1));
	struct stack_store *store = stacks_with(USER_HASH);
	ck_assert_uint_eq(store->stacks.len, 1);
	stack_store_destroy(store);
}
END_TEST

static void add_stacks(void)
{
	struct count_map *kernel = count_map_create("stack_bpftrace_", false);

	add_hashed(kernel, KERNEL_HASH, 3, (uint64_t[4]){K, K + 5, K + 9});
	struct stack_store *store[] = {stacks_with(USER_HASH), find_stacks(kernel)};
	for (size_t i = 0; i < 2; i++) {
		stack_store_seal(store[i]);
		ck_assert(stack_index_add(&stacks, store[i]));
	}
}

START_TEST(hashes_become_ids)
{
	add_stacks();
	ENTRY(WORDS("key.0", USER_HASH, 2, PID(7, 1)), WORDS("key.1", KERNEL_HASH, 3),
		bytes("key.2", comm, 16));
	/* no stack; a hash that is not found; a user stack that looks like one of the kernel */
	ENTRY(bytes("key.0", zeros, 24), WORDS("key.1", 5, 3), bytes("key.2", other, 16));
	ENTRY(WORDS("key.0", KERNEL_HASH, 3, PID(8, 1)), WORDS("key.1", 1, 0),
		bytes("key.2", other, 16));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0.pid=7 key.0.ustack=" USER_ID " key.1.kstack=" KERNEL_ID
		  " key.2.comm='shop'");
	expect(1, "key.0.pid=-1 key.0.ustack=-1 key.1.kstack=4611686018427387905 "
		  "key.2.comm='a b'");
	expect(2, "key.0.pid=8 key.0.ustack=" KERNEL_ID " key.1.kstack=-1 key.2.comm='a b'");
	stack_index_deinit(&stacks);
}
END_TEST

/* The bytes behind the hash would fit a stack of one slot that is inline. */
START_TEST(hash_in_a_flat_key)
{
	add_stacks();
	ENTRY(WORDS("key", 3, USER_HASH, 2, PID(7, 1), 1, U));
	ENTRY(WORDS("key", 4, USER_HASH, 2, PID(9, 1), 1, U + 8));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.pid=7 key.ustack=" USER_ID);
	expect(1, "key.pid=9 key.ustack=" USER_ID);
	stack_index_deinit(&stacks);
}
END_TEST

/* There, parts of other sizes have no padding. */
START_TEST(hash_at_an_odd_byte)
{
	struct {
		char text[3], stack[24];
		uint64_t bucket;
	} __attribute__((packed)) key = {.text = "ab"};

	add_stacks();
	memcpy(key.stack, ((uint64_t[]){USER_HASH, 2, PID(7, 1)}), 24);
	ENTRY(bytes("key", &key, sizeof(key)));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.pid=7 key.ustack=" USER_ID);
	stack_index_deinit(&stacks);
}
END_TEST

/* In bpftrace 0.22 the number of frames has 4 bytes. */
START_TEST(short_hashes)
{
	struct {
		uint64_t hash;
		uint32_t nr, pid, probe;
	} user = {USER_HASH, 2, 7, 1};

	add_stacks();
	ENTRY(bytes("key.0", &user, 20),
		bytes("key.1", ((uint32_t[]){(uint32_t)KERNEL_HASH, KERNEL_HASH >> 32, 3}), 12));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0.pid=7 key.0.ustack=" USER_ID " key.1.kstack=" KERNEL_ID);
	stack_index_deinit(&stacks);
}
END_TEST

START_TEST(hash_as_value)
{
	add_stacks();
	ENTRY(number("key", 7), WORDS("value", KERNEL_HASH, 3));
	unnamed_settle(map, &halves, &stacks);
	expect(0, "key.0=7 value.kstack=" KERNEL_ID);
	stack_index_deinit(&stacks);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("unnamed");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, both_stacks);
	tcase_add_test(tcase, full_stacks_have_no_zero_behind);
	tcase_add_test(tcase, narrow_kernels);
	tcase_add_test(tcase, no_number_tells);
	tcase_add_test(tcase, sixteen_bytes);
	tcase_add_test(tcase, no_comm);
	tcase_add_test(tcase, all_entries_must_agree);
	tcase_add_test(tcase, no_stacks);
	tcase_add_test(tcase, flat_key_without_stack);
	tcase_add_test(tcase, flat_key);
	tcase_add_test(tcase, flat_key_that_begins_like_a_stack);
	tcase_add_test(tcase, build_ids);
	tcase_add_test(tcase, stack_as_value);
	tcase_add_test(tcase, one_pid);
	tcase_add_test(tcase, only_the_hash_of_its_value_proves_a_stack);
	tcase_add_test(tcase, hashes_become_ids);
	tcase_add_test(tcase, hash_in_a_flat_key);
	tcase_add_test(tcase, hash_at_an_odd_byte);
	tcase_add_test(tcase, short_hashes);
	tcase_add_test(tcase, hash_as_value);
	return tests_run(tcase);
}
