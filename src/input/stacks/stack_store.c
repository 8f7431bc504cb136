// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/stacks/stack_store.h"

#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "util/sort.h"
#include "util/xalloc.h"

/* enum bpf_stack_build_id_status, include/uapi/linux/bpf.h */
enum { STATUS_EMPTY = 0, STATUS_BUILD_ID = 1, STATUS_IP = 2 };

#define SHORT_VALUE 32 /* in bytes; a shorter or equal value may be a struct of counters */
#define SHORT_LEAF_MIN (1ULL << 44)

_Static_assert(sizeof(struct record_head) == 24, "as in struct bpf_stack_build_id");

struct stack_store *stack_store_create(const char *name, enum input_role role,
	enum input_record_shape shape, const struct address_halves *halves)
{
	struct stack_store *store = xnew(store);

	store->name = xstrdup(name);
	store->role = role;
	store->given_side = role == INPUT_USER_STACKS	  ? SIDE_USER
			    : role == INPUT_KERNEL_STACKS ? SIDE_KERNEL
							  : SIDE_UNKNOWN;
	store->shape = shape;
	store->halves = *halves;
	return store;
}

void stack_store_destroy(struct stack_store *store)
{
	if (!store)
		return;
	free(store->name);
	vec_deinit(&store->stacks);
	arena_deinit(&store->memory);
	word_codes_deinit(&store->words);
	text_deinit(&store->codes);
	free(store->starts);
	table_deinit(&store->head_index);
	vec_deinit(&store->heads);
	free(store);
}

bool stack_records_look(const uint8_t *value, size_t len)
{
	int32_t status;

	if (!len || len % STACK_RECORD_SIZE)
		return false;
	for (size_t at = 0; at < len; at += STACK_RECORD_SIZE) {
		memcpy(&status, value + at, sizeof(status));
		if (status == STATUS_EMPTY)
			return at && scan_is_zero(value + at, len - at);
		if (status != STATUS_BUILD_ID && status != STATUS_IP)
			return false;
	}
	return true;
}

/*
 * Returns the number of records in use. A record with status 0 ends the stack, regardless of what
 * follows.
 */
static size_t records_in_use(const uint8_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int32_t status;

		memcpy(&status, value + i * STACK_RECORD_SIZE, sizeof(status));
		if (status == STATUS_EMPTY)
			return i;
	}
	return n;
}

/* Encodes VALUE, of STACK->len bytes, in the form that STACK->records says. */
static void store_value(struct stack_store *store, struct stored_stack *stack, const uint8_t *value)
{
	size_t depth = 0;
	uint64_t word, all = 0;
	struct record_head head;

	text_clear(&store->codes);
	if (stack->records) {
		depth = records_in_use(value, stack->len / STACK_RECORD_SIZE);
		for (size_t i = 0; i < depth; i++) {
			const uint8_t *record = value + i * STACK_RECORD_SIZE;
			bool added;

			memcpy(&head, record, sizeof(head));
			uint64_t *index = table_at(&store->head_index, &head, sizeof(head), &added);
			if (added) {
				*index = store->heads.len;
				vec_push(&store->heads, head);
			}
			varint_add(&store->codes, *index);
			word_codes_add(&store->words, record + sizeof(head), 1, &store->codes);
		}
	} else {
		for (size_t i = 0; i < stack->len / sizeof(word); i++) {
			memcpy(&word, value + i * sizeof(word), sizeof(word));
			all |= word;
			if (word)
				depth = i + 1;
		}
		word_codes_add(&store->words, value, depth, &store->codes);
	}
	stack->depth = (uint32_t)depth;
	stack->unmarked = !stack->records && !address_is_mark(all);
	stack->codes =
		(const uint8_t *)arena_copy(&store->memory, store->codes.data, store->codes.len);
}

/*
 * Decodes the slot at *AT and advances *AT. RET_HEAD gets the start of a build-ID record, or NULL
 * if the slot is an address.
 */
static uint64_t next_slot(const struct stack_store *store, const struct stored_stack *stack,
	const uint8_t **at, const struct record_head **ret_head)
{
	*ret_head = stack->records ? &store->heads.data[varint_next(at)] : NULL;
	return word_codes_next(&store->words, at);
}

static bool as_records(enum input_record_shape shape, const uint8_t *value, size_t len)
{
	return shape == INPUT_SHAPE_LOOK ? stack_records_look(value, len)
					 : shape == INPUT_SHAPE_BUILD_IDS;
}

bool stack_store_add(struct stack_store *store, uint64_t id, const uint8_t *value, size_t len)
{
	struct stored_stack stack = {
		.id = id, .len = (uint32_t)len, .order = (uint32_t)store->stacks.len};

	if (!len || len % sizeof(uint64_t) || len > STACK_VALUE_MAX)
		return false;
	stack.records = len % STACK_RECORD_SIZE == 0 && as_records(store->shape, value, len);
	store_value(store, &stack, value);
	vec_push(&store->stacks, stack);
	return true;
}

static bool words_look(const struct stack_store *store, const struct stored_stack *stack)
{
	size_t used = 0, addresses = 0;
	const uint8_t *at = stack->codes, *first = at;
	uint64_t leaf_word = word_codes_next(&store->words, &first);
	enum address_side leaf = address_side(leaf_word);

	for (size_t i = 0; i < stack->depth; i++) {
		uint64_t word = word_codes_next(&store->words, &at);

		used += word != 0;
		addresses += address_side(word) != SIDE_UNKNOWN;
	}
	if (leaf == SIDE_UNKNOWN && !address_is_mark(leaf_word))
		return false;
	if (stack->len == sizeof(uint64_t))
		return leaf == SIDE_KERNEL;
	if (stack->len <= SHORT_VALUE)
		return addresses == used && (leaf == SIDE_KERNEL || leaf_word >= SHORT_LEAF_MIN);
	return addresses * 2 >= used;
}

bool stack_store_plausible(const struct stack_store *store)
{
	size_t used = 0, looking = 0, long_enough = 0;

	vec_each(stack, &store->stacks) {
		long_enough += stack->len > sizeof(uint64_t);
		if (!stack->depth)
			continue;
		used++;
		looking += stack->records || words_look(store, stack);
	}
	return used ? looking * 4 >= used * 3 : long_enough > 0;
}

static enum address_side stored_side(
	const struct stack_store *store, const struct stored_stack *stack)
{
	const struct record_head *head;
	const uint8_t *at = stack->codes;

	for (size_t i = 0; i < stack->depth; i++) {
		uint64_t word = next_slot(store, stack, &at, &head);
		enum address_side side = address_side_in(&store->halves, word);

		if (head && head->status == STATUS_BUILD_ID)
			return SIDE_USER;
		if (side != SIDE_UNKNOWN)
			return side;
	}
	return SIDE_UNKNOWN;
}

COMPARE(compare_ids, struct stored_stack, order_of(a->id, b->id) ?: order_of(a->order, b->order))

/*
 * Builds an index for stack_store_find(): for each value of the upper bits of an ID, counted from
 * the lowest ID, the position of the first stack.
 */
static void find_starts(struct stack_store *store)
{
	const struct stored_stack *stacks = store->stacks.data;
	size_t n = store->stacks.len, next = 0;

	if (!n)
		return;
	uint64_t range = stacks[n - 1].id - stacks[0].id;
	while (range >> store->start_shift >= 2 * n)
		store->start_shift++;
	size_t parts = (range >> store->start_shift) + 1;
	store->starts = xreallocarray(store->starts, parts + 1, sizeof(*store->starts));
	for (size_t i = 0; i < n; i++)
		for (; next <= (stacks[i].id - stacks[0].id) >> store->start_shift; next++)
			store->starts[next] = (uint32_t)i;
	store->starts[parts] = (uint32_t)n;
}

void stack_store_seal(struct stack_store *store)
{
	struct arena scratch = {};
	size_t used = 0, records = 0, kept = 0;

	vec_each(stack, &store->stacks) {
		used += stack->depth > 0;
		records += stack->depth && stack->records;
	}
	/* garbage rarely looks like a record */
	bool build_ids = store->shape == INPUT_SHAPE_LOOK ? records * 2 > used
							  : store->shape == INPUT_SHAPE_BUILD_IDS;
	vec_sort(&store->stacks, compare_ids);
	vec_each(stack, &store->stacks) {
		if (kept && store->stacks.data[kept - 1].id == stack->id)
			kept--;
		store->stacks.data[kept++] = *stack;
	}
	store->repeated = store->stacks.len - kept;
	store->stacks.len = kept;
	vec_each(stack, &store->stacks) {
		/* convert what looked like the other form; records need a multiple of their size */
		if (stack->records ? !build_ids
				   : build_ids && stack->len % STACK_RECORD_SIZE == 0) {
			const uint8_t *value = stack_store_bytes(store, stack, &scratch);

			stack->records = build_ids;
			store_value(store, stack, value);
			arena_deinit(&scratch);
		}
		stack->side = stored_side(store, stack);
	}
	find_starts(store);
}

const struct stored_stack *stack_store_find(const struct stack_store *store, uint64_t id)
{
	const struct stored_stack *stacks = store->stacks.data;
	size_t n = store->stacks.len;

	if (!n || id < stacks[0].id || id > stacks[n - 1].id)
		return NULL;
	size_t part = (id - stacks[0].id) >> store->start_shift, end = store->starts[part + 1];
	size_t at = partition_point(i, store->starts[part], end, stacks[i].id < id);
	return at < end && stacks[at].id == id ? &stacks[at] : NULL;
}

uint8_t *stack_store_bytes(
	const struct stack_store *store, const struct stored_stack *stored, struct arena *memory)
{
	uint8_t *value = arena_alloc(memory, stored->len), *to = value;
	const struct record_head *head;
	const uint8_t *at = stored->codes;

	memset(value, 0, stored->len);
	for (size_t i = 0; i < stored->depth; i++) {
		uint64_t word = next_slot(store, stored, &at, &head);

		if (head) {
			memcpy(to, head, sizeof(*head));
			to += sizeof(*head);
		}
		memcpy(to, &word, sizeof(word));
		to += sizeof(word);
	}
	return value;
}

static struct stack_origin head_origin(const struct record_head *head)
{
	struct stack_origin origin = {};

	if (head->status == STATUS_BUILD_ID)
		origin.build_id = build_id_make(head->build_id, sizeof(head->build_id));
	return origin;
}

struct stack stack_store_stack(
	const struct stack_store *store, const struct stored_stack *stored, struct arena *memory)
{
	size_t slot = stored->records ? STACK_RECORD_SIZE : sizeof(uint64_t);
	uint64_t *values = arena_alloc(memory, stored->depth * sizeof(*values));
	struct stack_origin *origins =
		stored->records ? arena_alloc(memory, stored->depth * sizeof(*origins)) : NULL;
	const struct record_head *head;
	const uint8_t *at = stored->codes;

	for (size_t i = 0; i < stored->depth; i++) {
		values[i] = next_slot(store, stored, &at, &head);
		if (origins)
			origins[i] = head_origin(head);
	}
	return (struct stack){
		.state = stored->depth ? STACK_PRESENT : STACK_ABSENT,
		.id = (int64_t)stored->id,
		.depth = stored->depth,
		.values = values,
		.origins = origins,
		.truncated = stored->depth && stored->depth == stored->len / slot,
		.unmarked = stored->unmarked,
	};
}

bool stack_store_equal(const struct stack_store *a_store, const struct stored_stack *a,
	const struct stack_store *b_store, const struct stored_stack *b)
{
	const struct record_head *a_head, *b_head;
	const uint8_t *a_at = a->codes, *b_at = b->codes;

	if (a->depth != b->depth || a->records != b->records)
		return false;
	for (size_t i = 0; i < a->depth; i++)
		if (next_slot(a_store, a, &a_at, &a_head) !=
				next_slot(b_store, b, &b_at, &b_head) ||
			(a_head && memcmp(a_head, b_head, sizeof(*a_head))))
			return false;
	return true;
}

struct stack stack_of_bytes(
	struct arena *memory, const uint8_t *value, size_t len, enum input_record_shape shape)
{
	bool records = as_records(shape, value, len);
	size_t n = len / (records ? STACK_RECORD_SIZE : sizeof(uint64_t));
	uint64_t *values = arena_alloc(memory, n * sizeof(*values));
	struct stack stack = {.id = -1, .values = values};

	if (records) {
		struct stack_origin *origins = arena_alloc(memory, n * sizeof(*origins));
		struct record_head head;

		stack.depth = records_in_use(value, n);
		stack.origins = origins;
		for (size_t i = 0; i < stack.depth; i++, value += STACK_RECORD_SIZE) {
			memcpy(&head, value, sizeof(head));
			memcpy(&values[i], value + sizeof(head), sizeof(*values));
			origins[i] = head_origin(&head);
		}
	} else {
		memcpy(values, value, n * sizeof(*values));
		stack.depth = address_trim(values, n);
	}
	stack.truncated = n && stack.depth == n;
	stack.state = stack.depth ? STACK_PRESENT : STACK_ABSENT;
	return stack;
}
