// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/lists/addresses.h"
#include "input/stacks/stack_index.h"
#include "input/stacks/stack_store.h"
#include "run.h"

#define U 0x7f0000001000ULL
#define K 0xffffffff81000000ULL

struct id_record {
	int32_t status;
	uint8_t build_id[20];
	uint64_t offset;
};

static const struct address_halves canonical;
static struct stack_store *store;
static struct arena memory;

static void setup(void)
{
	store = stack_store_create("map", INPUT_ANY, INPUT_SHAPE_LOOK, &canonical);
	memory = (struct arena){};
}

static void teardown(void)
{
	stack_store_destroy(store);
	arena_deinit(&memory);
}

static void add(uint32_t id, const void *value, size_t len)
{
	ck_assert(stack_store_add(store, id, value, len));
}

START_TEST(inner_zeros_stay)
{
	uint64_t value[6] = {U, 0, U + 2};

	add(9, value, sizeof(value));
	add(3, value, 24);
	stack_store_seal(store);
	struct stack stack = stack_store_stack(store, stack_store_find(store, 9), &memory);
	ck_assert_uint_eq(stack.depth, 3);
	ck_assert_uint_eq(stack.values[1], 0);
	ck_assert(!stack.truncated);
	stack = stack_store_stack(store, stack_store_find(store, 3), &memory);
	ck_assert(stack.truncated);
	ck_assert_ptr_null(stack_store_find(store, 4));
}
END_TEST

START_TEST(last_of_an_id_stays)
{
	uint64_t first[2] = {U, U}, second[2] = {U + 8, U + 8};

	add(5, first, sizeof(first));
	add(1, first, sizeof(first));
	add(5, second, sizeof(second));
	stack_store_seal(store);
	ck_assert_uint_eq(store->stacks.len, 2);
	ck_assert_uint_eq(store->repeated, 1);
	struct stack stack = stack_store_stack(store, stack_store_find(store, 5), &memory);
	ck_assert_uint_eq(stack.values[0], U + 8);
}
END_TEST

START_TEST(bytes_come_back)
{
	uint8_t value[128];

	srand(1);
	for (uint32_t id = 0; id < 200; id++) {
		for (size_t i = 0; i < sizeof(value); i++)
			value[i] = rand() % 3 ? 0 : (uint8_t)(rand() % (id % 2 ? 3 : 256));
		add(id, value, sizeof(value));
		ck_assert_mem_eq(
			stack_store_bytes(store, &store->stacks.data[id], &memory), value, 128);
	}
}
END_TEST

START_TEST(records_by_majority)
{
	struct id_record ids[4] = {{1, {1, 2, 3}, 0x1000}, {2, {}, U}};
	uint64_t odd[16] = {U, U + 1};

	add(1, ids, sizeof(ids));
	add(2, ids, sizeof(ids));
	add(3, odd, sizeof(odd));
	ck_assert(stack_store_plausible(store));
	stack_store_seal(store);
	struct stack stack = stack_store_stack(store, stack_store_find(store, 1), &memory);
	ck_assert_uint_eq(stack.depth, 2);
	ck_assert_uint_eq(stack.origins[0].build_id.len, 20);
	ck_assert_uint_eq(stack.values[0], 0x1000);
	ck_assert_uint_eq(stack.origins[1].build_id.len, 0);
	ck_assert_uint_eq(stack.values[1], U);
}
END_TEST

START_TEST(counters_are_no_stacks)
{
	uint64_t sums[3] = {93000000000000, 17, 5}, words[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	add(1, sums, sizeof(sums));
	add(2, sums, sizeof(sums));
	ck_assert(!stack_store_plausible(store));
	teardown();
	setup();
	add(1, words, sizeof(words));
	ck_assert(!stack_store_plausible(store));
	ck_assert(!stack_store_add(store, 1, (uint8_t *)words, 7));
	ck_assert(!stack_store_add(store, 1, (uint8_t *)words, 0));
}
END_TEST

static void fill(bool records)
{
	static struct id_record ids[127];
	static uint64_t words[127];

	for (uint32_t id = 0; id < 16384; id++) {
		for (uint32_t i = 0; i < 127; i++) {
			ids[i] = (struct id_record){1, {(uint8_t)(i % 50), 1}, id * 127 + i};
			words[i] = U + id * 127 + i;
		}
		add(id, records ? (void *)ids : (void *)words,
			records ? sizeof(ids) : sizeof(words));
	}
	stack_store_seal(store);
}

/* Bytes of this process's memory that are in use. */
#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes(void); /* gcc has no header with it */

static size_t resident(void)
{
	return __sanitizer_get_current_allocated_bytes();
}
#else
static size_t resident(void)
{
	/* "size resident …" in pages */
	unsigned long size, pages;
	FILE *file = fopen("/proc/self/statm", "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%lu %lu", &size, &pages), 2);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}
#endif

START_TEST(memory_is_bounded)
{
	size_t before = resident();

	fill(_i);
	ck_assert_uint_lt(resident() - before, 40U << 20); /* of 66 MB */
}
END_TEST

START_TEST(split_by_range_and_marks)
{
	uint64_t mixed[] = {K, K + 1, U, 5}, user[] = {U, K, U + 1};
	uint64_t marks[] = {U, (uint64_t)-128, K, (uint64_t)-512, U + 1};
	struct stack in = {.state = STACK_PRESENT, .depth = 4, .values = mixed}, u, k;

	address_split(&memory, &canonical, &in, SIDE_UNKNOWN, &u, &k);
	ck_assert_uint_eq(k.depth, 2);
	ck_assert_uint_eq(u.depth, 2);
	in = (struct stack){.state = STACK_PRESENT, .depth = 3, .values = user};
	address_split(&memory, &canonical, &in, SIDE_UNKNOWN, &u, &k);
	ck_assert_uint_eq(u.depth, 3);
	ck_assert_int_eq(k.state, STACK_ABSENT);
	in = (struct stack){.state = STACK_PRESENT, .depth = 5, .values = marks};
	address_split(&memory, &canonical, &in, SIDE_USER, &u, &k);
	ck_assert_uint_eq(u.depth, 2);
	ck_assert_uint_eq(u.values[1], U + 1);
	ck_assert_uint_eq(k.depth, 1);
}
END_TEST

START_TEST(split_of_other_machines)
{
	const struct address_halves arm = {.kernel_start = 0xbf000000}, s390 = {.separate = true};
	uint64_t mixed[] = {0xc0012344, 0xbf000010, 0xb6f00000, 0x10500};
	uint64_t marks[] = {(uint64_t)-128, 0x100400, (uint64_t)-512, 0x100800};
	struct stack in = {.state = STACK_PRESENT, .depth = 4, .values = mixed}, u, k;

	address_split(&memory, &arm, &in, SIDE_UNKNOWN, &u, &k);
	ck_assert_uint_eq(k.depth, 2);
	ck_assert_uint_eq(u.depth, 2);
	ck_assert_int_eq(address_leaf_side(&arm, &in), SIDE_KERNEL);
	address_split(&memory, &s390, &in, SIDE_UNKNOWN, &u, &k);
	ck_assert_int_eq(u.state, STACK_LOST_SIDE);
	ck_assert_int_eq(k.state, STACK_ABSENT);
	ck_assert_int_eq(address_leaf_side(&s390, &in), SIDE_UNKNOWN);
	address_split(&memory, &s390, &in, SIDE_KERNEL, &u, &k);
	ck_assert_uint_eq(k.depth, 4);
	in.values = marks;
	address_split(&memory, &s390, &in, SIDE_UNKNOWN, &u, &k);
	ck_assert_uint_eq(k.depth, 1);
	ck_assert_uint_eq(u.depth, 1);
	ck_assert_uint_eq(u.values[0], 0x100800);
}
END_TEST

START_TEST(errors_of_ids)
{
	ck_assert_int_eq(address_no_stack(-1).state, STACK_ABSENT);
	ck_assert_int_eq(address_no_stack(-14).state, STACK_ABSENT);
	ck_assert_int_eq(address_no_stack(-17).state, STACK_LOST_COLLISION);
	ck_assert_int_eq(address_no_stack(-12).state, STACK_LOST_FULL);
	ck_assert_int_eq(address_no_stack(-22).state, STACK_LOST_ERROR);
	ck_assert_int_eq(address_no_stack(-22).error, -22);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("stack_store");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, inner_zeros_stay);
	tcase_add_test(tcase, last_of_an_id_stays);
	tcase_add_test(tcase, bytes_come_back);
	tcase_add_test(tcase, records_by_majority);
	tcase_add_test(tcase, counters_are_no_stacks);
	tcase_add_loop_test(tcase, memory_is_bounded, 0, 2);
	tcase_add_test(tcase, split_by_range_and_marks);
	tcase_add_test(tcase, split_of_other_machines);
	tcase_add_test(tcase, errors_of_ids);
	return tests_run(tcase);
}
