// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/bpftrace_stack.h"

#include "input/processes.h"
#include "util/number.h"

enum {
	PROBE_MAX = 1 << 20, /* bpftrace numbers its probes from 0; BPFTRACE_MAX_PROBES is 1024 */
	RECORD_SIZE = 32,    /* sizeof(struct bpf_stack_build_id) */
	/* enum bpf_stack_build_id_status, include/uapi/linux/bpf.h; 0 is an empty slot */
	STATUS_VALID = 1,
	STATUS_IP = 2,
};

enum address_side bpftrace_side(const struct address_halves *halves, uint64_t value)
{
	return halves->separate ? address_side(value) : address_side_in(halves, value);
}

size_t bpftrace_header_size(enum bpftrace_kind kind)
{
	static const size_t sizes[] = {[BPFTRACE_USER] = 16,
		[BPFTRACE_USER_RECORDS] = 16,
		[BPFTRACE_KERNEL] = 8,
		[BPFTRACE_USER_ID] = 24,
		[BPFTRACE_KERNEL_ID] = 16,
		[BPFTRACE_USER_ID_22] = 20,
		[BPFTRACE_KERNEL_ID_22] = 12};

	return sizes[kind];
}

/* ---- hashes --------------------------------------------------------------------------------- */

/* Returns bpftrace's hash of N words (CodegenLLVM::createMurmurHash2Func()), with N in a byte. */
static uint64_t hash_of(const uint8_t *words, size_t n)
{
	const uint64_t factor = 0xc6a4a7935bd1e995;
	uint64_t hash = 1 ^ (n & 0xff) * factor;

	for (size_t i = 0; i < (n & 0xff); i++) {
		uint64_t word = load_u64(words + i * sizeof(word)) * factor;

		hash = (hash ^ (word ^ word >> 47) * factor) * factor;
	}
	return hash ?: 1;
}

static uint64_t id_of(uint64_t hash)
{
	return 1ULL << 62 | hash >> 2;
}

bool bpftrace_stack_is_hashed(
	const uint8_t *key, size_t key_len, const uint8_t *value, size_t len)
{
	if (key_len != 12 && key_len != 16)
		return false;
	size_t nr = load_u32(key + sizeof(uint64_t));
	return nr && nr <= len / sizeof(uint64_t) && load_u64(key) == hash_of(value, nr);
}

/* Adds entry I of MAP to STORE if it is hashed. */
static void add_stack(const struct count_map *map, size_t i, struct stack_store *store)
{
	const struct row row = count_map_row(map, i), raw = count_map_raw(map, i);
	const struct row *entry = row.n ? &row : &raw;
	const struct field *key = row_field(entry, "key"), *value = row_field(entry, "value");

	if (entry->n != 2 || !key || !value)
		return;
	const uint8_t *bytes = (const uint8_t *)key->bytes, *stack = (const uint8_t *)value->bytes;
	if (bpftrace_stack_is_hashed(bytes, key->len, stack, value->len))
		(void)stack_store_add(store, id_of(load_u64(bytes)), stack, value->len);
}

bool bpftrace_stacks_find(const struct count_map *map, const struct address_halves *halves,
	struct stack_store **store)
{
	struct stack_store *found = stack_store_create(
		map->name, stack_store_role(*store), INPUT_SHAPE_ADDRESSES, halves);

	for (size_t i = 0; i < map->entries.len; i++)
		add_stack(map, i, found);
	bool any = stack_store_count(found);
	stack_store_destroy(any ? *store : found);
	if (any)
		*store = found;
	return any;
}

/*
 * A kernel stack has no user addresses, but the leaf of a user stack may look like a kernel address
 * after a jump to an invalid one.
 */
static enum bpftrace_fit look_hash(enum bpftrace_kind kind, const struct stack_index *index,
	const uint8_t *bytes, size_t len, struct bpftrace_stack *ret)
{
	bool user = kind == BPFTRACE_USER_ID || kind == BPFTRACE_USER_ID_22;
	size_t size = bpftrace_header_size(kind);
	struct stack_position found;

	if (len < size)
		return BPFTRACE_UNFIT;
	uint32_t pid = user ? load_u32(bytes + size - 8) : 0;
	if (pid > PROCESS_ID_MAX || (user && load_u32(bytes + size - 4) > PROBE_MAX))
		return BPFTRACE_UNFIT;
	*ret = (struct bpftrace_stack){.pid = pid ? (int64_t)pid : -1,
		.slots = bytes + size,
		.slot_size = sizeof(uint64_t),
		.id = load_u32(bytes + 8) ? id_of(load_u64(bytes)) : UINT64_MAX};
	if (stack_index_find(index, ret->id, SIDE_UNKNOWN, NULL, &found) != STACK_FOUND)
		return BPFTRACE_OPEN;
	if (found.stack->side == (user ? SIDE_USER : SIDE_KERNEL))
		return BPFTRACE_FITS;
	return found.stack->side == SIDE_USER ? BPFTRACE_UNFIT : BPFTRACE_OPEN;
}

/* ---- inline stacks -------------------------------------------------------------------------- */

/* Reads the header into RET. Returns false if a number of the header is out of range. */
static bool read_header(
	enum bpftrace_kind kind, const uint8_t *bytes, size_t len, struct bpftrace_stack *ret)
{
	size_t header = bpftrace_header_size(kind);
	int32_t pid = 0, probe = 0;

	*ret = (struct bpftrace_stack){
		.slot_size = kind == BPFTRACE_USER_RECORDS ? RECORD_SIZE : sizeof(uint64_t)};
	if (len < header + ret->slot_size)
		return false;
	if (kind != BPFTRACE_KERNEL) {
		pid = (int32_t)load_u32(bytes);
		probe = (int32_t)load_u32(bytes + 4);
	}
	uint64_t nr = load_u64(bytes + header - sizeof(nr));
	ret->room = (len - header) / ret->slot_size;
	if (pid < 0 || pid > PROCESS_ID_MAX || probe < 0 || probe > PROBE_MAX || nr > ret->room)
		return false;
	ret->pid = pid ? pid : -1;
	ret->slots = bytes + header;
	ret->nr = (size_t)nr;
	return true;
}

/* Checks a kernel stack. The unwinder verifies each address, so that none is a user address. */
static enum bpftrace_fit look_kernel(
	const struct address_halves *halves, const struct bpftrace_stack *stack)
{
	for (size_t i = 0; i < stack->nr; i++) {
		enum address_side side = bpftrace_side(halves, load_u64(stack->slots + 8 * i));

		if (side == SIDE_USER || (!i && side != SIDE_KERNEL))
			return BPFTRACE_UNFIT;
	}
	return BPFTRACE_FITS;
}

/*
 * Checks a user stack. Without frame pointers its slots may contain anything, even text and zeros.
 * Only the leaf is reliable, unless the process has just jumped to an invalid address.
 */
static enum bpftrace_fit look_user(
	const struct address_halves *halves, const struct bpftrace_stack *stack)
{
	return bpftrace_side(halves, load_u64(stack->slots)) == SIDE_USER ? BPFTRACE_FITS
									  : BPFTRACE_OPEN;
}

static enum bpftrace_fit look_records(
	const struct address_halves *halves, const struct bpftrace_stack *stack)
{
	enum bpftrace_fit fit = BPFTRACE_OPEN;

	for (size_t i = 0; i < stack->nr; i++) {
		const uint8_t *record = stack->slots + i * RECORD_SIZE;
		uint32_t status = load_u32(record);

		if (status != STATUS_VALID && status != STATUS_IP)
			return BPFTRACE_UNFIT;
		if (status == STATUS_VALID ||
			bpftrace_side(halves, load_u64(record + RECORD_SIZE - 8)) == SIDE_USER)
			fit = BPFTRACE_FITS;
	}
	return fit;
}

enum bpftrace_fit bpftrace_stack_read(enum bpftrace_kind kind, const struct address_halves *halves,
	const struct stack_index *index, const uint8_t *bytes, size_t len,
	struct bpftrace_stack *ret)
{
	struct bpftrace_stack stack;
	enum bpftrace_fit fit = BPFTRACE_OPEN;

	if (kind >= BPFTRACE_USER_ID)
		return look_hash(kind, index, bytes, len, ret);
	if (!read_header(kind, bytes, len, &stack))
		return BPFTRACE_UNFIT;
	if (stack.nr && kind == BPFTRACE_KERNEL)
		fit = look_kernel(halves, &stack);
	else if (stack.nr && kind == BPFTRACE_USER)
		fit = look_user(halves, &stack);
	else if (stack.nr)
		fit = look_records(halves, &stack);
	if (fit != BPFTRACE_UNFIT)
		*ret = stack;
	return fit;
}
