// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arrays of bytes without a name: a byte that says how long the key is and one for the value (in 8
 * bytes; 0: none), then entries of that size. What is left over is read as a stack of each kind.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "input/roles/bpftrace_stack.h"
#include "input/roles/unnamed.h"

static const struct stack_index no_stacks;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void touch(const char *bytes, size_t len)
{
	volatile char sum = 0;

	for (size_t i = 0; i < len; i++)
		sum = (char)(sum + bytes[i]);
}

static void try_stacks(const struct address_halves *halves, const uint8_t *data, size_t size)
{
	struct bpftrace_stack stack;

	for (enum bpftrace_kind kind = 0; kind < BPFTRACE_KINDS; kind++)
		if (bpftrace_stack_read(kind, halves, &no_stacks, data, size, &stack) !=
			BPFTRACE_UNFIT)
			touch((const char *)stack.slots, stack.nr * stack.slot_size);
}

static void check(const struct row *row)
{
	for (size_t i = 0; i < row->n; i++) {
		if (row->fields[i].kind == FIELD_UNNAMED)
			abort();
		if (row->fields[i].kind != FIELD_NUMBER)
			touch(row->fields[i].bytes, row->fields[i].len);
	}
}

static void add(struct count_map *map, const uint8_t *data, size_t key_len, size_t value_len)
{
	struct field fields[] = {
		{.name = data[0] & 1 ? "key" : "key.0",
			.kind = FIELD_UNNAMED,
			.bytes = (const char *)data,
			.len = key_len},
		{.name = "value",
			.kind = FIELD_UNNAMED,
			.bytes = (const char *)data + key_len,
			.len = value_len},
	};
	struct row row = {fields, value_len ? 2 : 1};
	struct map_entry entry = {.cpu = -1, .formatted = &row};

	count_map_add(map, &entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= 2)
		return 0;
	size_t key_len = data[0] * 8U, value_len = data[1] * 8U;
	const uint8_t *at = data + 2, *end = data + size;
	/* Each kind of machine by the last byte. */
	const struct address_halves halves = {.kernel_start = data[size - 1] & 1 ? 0xc0000000 : 0,
		.separate = data[size - 1] & 2};
	struct count_map *map = count_map_create("m", false);

	if (key_len < UNNAMED_SIZE_MIN || (value_len && value_len < UNNAMED_SIZE_MIN))
		at = end;
	for (; (size_t)(end - at) >= key_len + value_len && at < end; at += key_len + value_len)
		add(map, at, key_len, value_len);
	unnamed_settle(map, &halves, &no_stacks);
	for (size_t i = 0; i < map->entries.len; i++) {
		const struct row settled = count_map_row(map, i);

		check(&settled);
	}
	try_stacks(&halves, at, (size_t)(end - at));
	count_map_destroy(map);
	return 0;
}
