// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/stacks/stack_store.h"

#include <stdlib.h>
#include <string.h>

#include "util/order.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* enum bpf_stack_build_id_status, include/uapi/linux/bpf.h */
enum { STATUS_EMPTY = 0, STATUS_BUILD_ID = 1, STATUS_IP = 2 };

#define SHORT_VALUE 32 /* bytes: as short as a struct of counters */
#define SHORT_LEAF_MIN (1ULL << 44)

/* What stands before the offset or address in a build-ID record; without padding. */
struct record_head {
	int32_t status;
	uint8_t build_id[BUILD_ID_BPF_LEN];
};

struct stack_store {
	char *name;
	enum input_role role;
	enum input_record_shape shape;
	struct address_halves halves;
	struct VEC(struct stored_stack) stacks;
	struct arena memory;
	struct table head_index; /* head → its place in heads */
	struct VEC(struct record_head) heads;
	size_t repeated;
	bool build_ids;
};

_Static_assert(sizeof(struct record_head) == 24, "as in struct bpf_stack_build_id");

struct stack_store *stack_store_create(const char *name, enum input_role role,
	enum input_record_shape shape, const struct address_halves *halves)
{
	struct stack_store *store = xcalloc(1, sizeof(*store));

	store->name = xstrdup(name);
	store->role = role;
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
	table_deinit(&store->head_index);
	vec_deinit(&store->heads);
	free(store);
}

static bool all_zero(const uint8_t *p, size_t len)
{
	return !len || (!p[0] && !memcmp(p, p + 1, len - 1));
}

bool stack_records_look(const uint8_t *value, size_t len)
{
	int32_t status;

	if (!len || len % STACK_RECORD_SIZE)
		return false;
	for (size_t at = 0; at < len; at += STACK_RECORD_SIZE) {
		memcpy(&status, value + at, sizeof(status));
		if (status == STATUS_EMPTY)
			return at && all_zero(value + at, len - at);
		if (status != STATUS_BUILD_ID && status != STATUS_IP)
			return false;
	}
	return true;
}

static uint32_t intern_head(struct stack_store *store, const struct record_head *head)
{
	bool added;
	uint64_t *index = table_at(&store->head_index, head, sizeof(*head), &added);

	if (added) {
		*index = store->heads.len;
		vec_push(&store->heads, *head);
	}
	return (uint32_t)*index;
}

static void store_words(struct stack_store *store, struct stored_stack *stack, const uint8_t *value)
{
	size_t n = stack->len / sizeof(uint64_t);
	uint64_t word = 0;

	for (; n; n--) {
		memcpy(&word, value + (n - 1) * sizeof(word), sizeof(word));
		if (word)
			break;
	}
	stack->heads = NULL;
	stack->depth = (uint32_t)n;
	stack->values = arena_alloc(&store->memory, n * sizeof(word));
	memcpy(stack->values, value, n * sizeof(word));
	stack->unmarked = !address_may_have_marks(stack->values, n);
}

/* A record of status 0 ends the stack, whatever stands after it. */
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

static void store_records(
	struct stack_store *store, struct stored_stack *stack, const uint8_t *value)
{
	size_t n = stack->len / STACK_RECORD_SIZE;
	struct record_head head;

	n = records_in_use(value, n);
	stack->depth = (uint32_t)n;
	stack->unmarked = false;
	stack->values = arena_alloc(&store->memory, n * sizeof(*stack->values));
	stack->heads = arena_alloc(&store->memory, n * sizeof(*stack->heads));
	for (size_t i = 0; i < n; i++) {
		memcpy(&head, value + i * STACK_RECORD_SIZE, sizeof(head));
		memcpy(&stack->values[i], value + i * STACK_RECORD_SIZE + sizeof(head),
			sizeof(*stack->values));
		stack->heads[i] = intern_head(store, &head);
	}
}

static bool as_records(const struct stack_store *store, const uint8_t *value, size_t len)
{
	if (len % STACK_RECORD_SIZE)
		return false;
	if (store->shape != INPUT_SHAPE_LOOK)
		return store->shape == INPUT_SHAPE_BUILD_IDS;
	return stack_records_look(value, len);
}

bool stack_store_add(struct stack_store *store, uint32_t id, const uint8_t *value, size_t len)
{
	struct stored_stack stack = {
		.id = id, .len = (uint32_t)len, .order = (uint32_t)store->stacks.len};

	if (!len || len % sizeof(uint64_t) || len > STACK_VALUE_MAX)
		return false;
	if (as_records(store, value, len))
		store_records(store, &stack, value);
	else
		store_words(store, &stack, value);
	vec_push(&store->stacks, stack);
	return true;
}

void stack_store_append(struct stack_store *store, const struct stack_store *other)
{
	struct arena scratch = {};

	for (size_t i = 0; i < other->stacks.len; i++) {
		const struct stored_stack *stack = &other->stacks.data[i];

		(void)stack_store_add(
			store, stack->id, stack_store_bytes(other, stack, &scratch), stack->len);
		arena_deinit(&scratch);
	}
}

static bool words_look(const struct stored_stack *stack)
{
	size_t used = 0, addresses = 0;
	enum address_side leaf = address_side(stack->values[0]);

	for (size_t i = 0; i < stack->depth; i++) {
		used += stack->values[i] != 0;
		addresses += address_side(stack->values[i]) != SIDE_UNKNOWN;
	}
	if (leaf == SIDE_UNKNOWN && !address_is_mark(stack->values[0]))
		return false;
	if (stack->len == sizeof(uint64_t))
		return leaf == SIDE_KERNEL;
	if (stack->len <= SHORT_VALUE)
		return addresses == used &&
		       (leaf == SIDE_KERNEL || stack->values[0] >= SHORT_LEAF_MIN);
	return addresses * 2 >= used;
}

bool stack_store_plausible(const struct stack_store *store)
{
	size_t used = 0, looking = 0, long_enough = 0;

	for (size_t i = 0; i < store->stacks.len; i++) {
		const struct stored_stack *stack = &store->stacks.data[i];

		long_enough += stack->len > sizeof(uint64_t);
		if (!stack->depth)
			continue;
		used++;
		looking += stack->heads || words_look(stack);
	}
	return used ? looking * 4 >= used * 3 : long_enough > 0;
}

/* Most values that are not empty decide; garbage that happens to look like a record is rare. */
static bool mostly_records(const struct stack_store *store)
{
	size_t used = 0, records = 0;

	for (size_t i = 0; i < store->stacks.len; i++) {
		used += store->stacks.data[i].depth > 0;
		records += store->stacks.data[i].depth && store->stacks.data[i].heads;
	}
	return records * 2 > used;
}

/* Brings a stack that looked like the other form into the one of its map. */
static void store_again(struct stack_store *store, struct stored_stack *stack)
{
	struct arena scratch = {};
	uint8_t *value = stack_store_bytes(store, stack, &scratch);

	if (stack->heads)
		store_words(store, stack, value);
	else if (stack->len % STACK_RECORD_SIZE == 0)
		store_records(store, stack, value);
	arena_deinit(&scratch);
}

static enum address_side stored_side(
	const struct stack_store *store, const struct stored_stack *stack)
{
	for (size_t i = 0; i < stack->depth; i++) {
		enum address_side side = address_side_in(&store->halves, stack->values[i]);

		if (stack->heads && store->heads.data[stack->heads[i]].status == STATUS_BUILD_ID)
			return SIDE_USER;
		if (side != SIDE_UNKNOWN)
			return side;
	}
	return SIDE_UNKNOWN;
}

COMPARE(compare_ids, struct stored_stack, order_of(a->id, b->id) ?: order_of(a->order, b->order))

static void sort_by_id(struct stack_store *store)
{
	size_t kept = 0;

	vec_sort(&store->stacks, compare_ids);
	for (size_t i = 0; i < store->stacks.len; i++) {
		const struct stored_stack *stack = &store->stacks.data[i];

		if (kept && store->stacks.data[kept - 1].id == stack->id)
			kept--;
		store->stacks.data[kept++] = *stack;
	}
	store->repeated = store->stacks.len - kept;
	store->stacks.len = kept;
}

void stack_store_seal(struct stack_store *store)
{
	store->build_ids = store->shape == INPUT_SHAPE_LOOK ? mostly_records(store)
							    : store->shape == INPUT_SHAPE_BUILD_IDS;
	sort_by_id(store);
	for (size_t i = 0; i < store->stacks.len; i++) {
		struct stored_stack *stack = &store->stacks.data[i];

		if (!stack->heads == store->build_ids)
			store_again(store, stack);
		stack->side = stored_side(store, stack);
	}
}

const char *stack_store_name(const struct stack_store *store)
{
	return store->name;
}

enum input_role stack_store_role(const struct stack_store *store)
{
	return store->role;
}

const struct address_halves *stack_store_halves(const struct stack_store *store)
{
	return &store->halves;
}

size_t stack_store_count(const struct stack_store *store)
{
	return store->stacks.len;
}

size_t stack_store_repeated(const struct stack_store *store)
{
	return store->repeated;
}

const struct stored_stack *stack_store_at(const struct stack_store *store, size_t i)
{
	return &store->stacks.data[i];
}

/* IDs are distinct, so ID is at most that far after the first one; in a full map it is just there. */
const struct stored_stack *stack_store_find(const struct stack_store *store, uint32_t id)
{
	const struct stored_stack *stacks = store->stacks.data;
	size_t low = 0, high = store->stacks.len;

	if (!high || id < stacks[0].id)
		return NULL;
	if (id - stacks[0].id < high) {
		high = id - stacks[0].id;
		if (stacks[high].id == id)
			return &stacks[high];
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stacks[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < store->stacks.len && stacks[low].id == id ? &stacks[low] : NULL;
}

uint8_t *stack_store_bytes(
	const struct stack_store *store, const struct stored_stack *stored, struct arena *memory)
{
	uint8_t *value = arena_alloc(memory, stored->len), *at = value;

	memset(value, 0, stored->len);
	for (size_t i = 0; i < stored->depth; i++) {
		if (stored->heads) {
			memcpy(at, &store->heads.data[stored->heads[i]],
				sizeof(struct record_head));
			at += sizeof(struct record_head);
		}
		memcpy(at, &stored->values[i], sizeof(uint64_t));
		at += sizeof(uint64_t);
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
	size_t slot = stored->heads ? STACK_RECORD_SIZE : sizeof(uint64_t);
	struct stack stack = {
		.state = stored->depth ? STACK_PRESENT : STACK_ABSENT,
		.id = stored->id,
		.depth = stored->depth,
		.values = stored->values,
		.truncated = stored->depth && stored->depth == stored->len / slot,
		.unmarked = stored->unmarked,
	};

	if (stored->heads) {
		struct stack_origin *origins =
			arena_alloc(memory, stored->depth * sizeof(*origins));

		for (size_t i = 0; i < stored->depth; i++)
			origins[i] = head_origin(&store->heads.data[stored->heads[i]]);
		stack.origins = origins;
	}
	return stack;
}

bool stack_store_equal(const struct stack_store *a_store, const struct stored_stack *a,
	const struct stack_store *b_store, const struct stored_stack *b)
{
	if (a->depth != b->depth || !a->heads != !b->heads ||
		memcmp(a->values, b->values, a->depth * sizeof(*a->values)))
		return false;
	for (size_t i = 0; a->heads && i < a->depth; i++)
		if (memcmp(&a_store->heads.data[a->heads[i]], &b_store->heads.data[b->heads[i]],
			    sizeof(struct record_head)))
			return false;
	return true;
}

static struct stack stack_of_records(struct arena *memory, const uint8_t *value, size_t n)
{
	uint64_t *values = arena_alloc(memory, n * sizeof(*values));
	struct stack_origin *origins = arena_alloc(memory, n * sizeof(*origins));
	struct record_head head;

	n = records_in_use(value, n);
	for (size_t i = 0; i < n; i++, value += STACK_RECORD_SIZE) {
		memcpy(&head, value, sizeof(head));
		memcpy(&values[i], value + sizeof(head), sizeof(*values));
		origins[i] = head_origin(&head);
	}
	return (struct stack){.depth = n, .values = values, .origins = origins};
}

struct stack stack_of_bytes(
	struct arena *memory, const uint8_t *value, size_t len, enum input_record_shape shape)
{
	bool records = shape == INPUT_SHAPE_LOOK ? stack_records_look(value, len)
						 : shape == INPUT_SHAPE_BUILD_IDS;
	size_t n = len / (records ? STACK_RECORD_SIZE : sizeof(uint64_t));
	struct stack stack = {};

	if (records) {
		stack = stack_of_records(memory, value, n);
	} else {
		uint64_t *values = arena_alloc(memory, n * sizeof(*values));

		memcpy(values, value, n * sizeof(*values));
		stack.values = values;
		stack.depth = address_trim(values, n);
	}
	stack.id = -1;
	stack.truncated = n && stack.depth == n;
	stack.state = stack.depth ? STACK_PRESENT : STACK_ABSENT;
	return stack;
}
