// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/snapshot_fields.h"

#include <stdlib.h>
#include <string.h>

/* What a field is, if it is no register. */
enum { IS_STACK = SNAPSHOT_REGISTERS, IS_LENGTH, IS_NOTHING };

static const struct {
	const char *name;
	uint8_t amd64, aarch64; /* IS_NOTHING: none of that machine */
} names[] = {
	{"ip", AMD64_RIP, AARCH64_PC},
	{"pc", AMD64_RIP, AARCH64_PC},
	{"rip", AMD64_RIP, IS_NOTHING},
	{"sp", AMD64_RSP, AARCH64_SP},
	{"rsp", AMD64_RSP, IS_NOTHING},
	{"fp", AMD64_RBP, AARCH64_FP},
	{"bp", AMD64_RBP, AARCH64_FP},
	{"rbp", AMD64_RBP, IS_NOTHING},
	{"lr", IS_NOTHING, AARCH64_LR},
	{"ax", 0, IS_NOTHING},
	{"dx", 1, IS_NOTHING},
	{"cx", 2, IS_NOTHING},
	{"bx", 3, IS_NOTHING},
	{"si", 4, IS_NOTHING},
	{"di", 5, IS_NOTHING},
	{"rax", 0, IS_NOTHING},
	{"rdx", 1, IS_NOTHING},
	{"rcx", 2, IS_NOTHING},
	{"rbx", 3, IS_NOTHING},
	{"rsi", 4, IS_NOTHING},
	{"rdi", 5, IS_NOTHING},
	{"stack", IS_STACK, IS_STACK},
	{"ustack", IS_STACK, IS_STACK},
	{"user_stack", IS_STACK, IS_STACK},
	{"len", IS_LENGTH, IS_LENGTH},
	{"stack_len", IS_LENGTH, IS_LENGTH},
	{"stack_size", IS_LENGTH, IS_LENGTH},
	{"ustack_len", IS_LENGTH, IS_LENGTH},
	{"ustack_size", IS_LENGTH, IS_LENGTH},
};

/* The N of "r8" or "x12", from MIN to MAX; -1: it is none. */
static int numbered(const char *name, char letter, long min, long max)
{
	char *end;

	if (name[0] != letter || name[1] < '0' || name[1] > '9')
		return -1;
	long n = strtol(name + 1, &end, 10);

	return *end || n < min || n > max ? -1 : (int)n;
}

static uint8_t meaning(const struct layout_field *field, enum snapshot_machine machine)
{
	const char *dot = strrchr(field->name, '.'), *name = dot ? dot + 1 : field->name;
	bool bytes = field->kind == FIELD_BYTES && field->width == 1;
	bool number = field->kind == FIELD_NUMBER && !field->is_sum;
	bool arm = machine == SNAPSHOT_AARCH64;
	int n = arm ? numbered(name, 'x', 0, 30) : numbered(name, 'r', 8, 15);

	if (n >= 0)
		return number ? (uint8_t)n : IS_NOTHING;
	for (size_t i = 0; i < array_len(names); i++) {
		uint8_t is = arm ? names[i].aarch64 : names[i].amd64;

		if (!strcmp(names[i].name, name))
			return (is == IS_STACK ? bytes : number) ? is : IS_NOTHING;
	}
	return IS_NOTHING;
}

/* Bits by meaning(): what LAYOUT has for a machine. */
static uint64_t found(const struct layout *layout, enum snapshot_machine machine)
{
	uint64_t all = 0;

	for (size_t i = 0; i < layout->fields.len; i++)
		all |= 1ULL << meaning(&layout->fields.data[i], machine);
	return all;
}

static bool is_complete(uint64_t all, int pc, int sp)
{
	uint64_t needed = 1ULL << pc | 1ULL << sp | 1ULL << IS_STACK;

	return (all & needed) == needed;
}

/* Stable: what is no part of the snapshot comes first, as it stands. Of two of one name one is. */
static void move_behind(struct layout *layout, struct snapshot_fields *fields)
{
	struct layout_field parts[SNAPSHOT_FIELDS_MAX];
	size_t n = layout->fields.len, n_parts = 0, others = 0;
	uint64_t seen = 1ULL << IS_NOTHING;

	for (size_t i = 0; i < n; i++) {
		struct layout_field *field = &layout->fields.data[i];
		uint8_t is = meaning(field, fields->machine);

		if (seen & 1ULL << is) {
			layout->fields.data[others++] = *field;
		} else {
			fields->is[n_parts] = is;
			parts[n_parts++] = *field;
		}
		seen |= 1ULL << is;
	}
	memcpy(layout->fields.data + others, parts, n_parts * sizeof(*parts));
	fields->first = others;
	fields->n = n_parts;
}

struct error *snapshot_fields_find(struct layout *layout, struct snapshot_fields *ret)
{
	uint64_t amd64 = found(layout, SNAPSHOT_AMD64), arm = found(layout, SNAPSHOT_AARCH64);
	const uint64_t registers = (1ULL << IS_STACK) - 1;
	const uint64_t shared = 1ULL << AMD64_RIP | 1ULL << AMD64_RSP | 1ULL << AMD64_RBP;
	const uint64_t arm_shared = 1ULL << AARCH64_PC | 1ULL << AARCH64_SP | 1ULL << AARCH64_FP;
	struct snapshot_fields fields = {.any = true};

	if (arm & registers & ~arm_shared)
		fields.machine = SNAPSHOT_AARCH64;
	if (!is_complete(arm, AARCH64_PC, AARCH64_SP) && !is_complete(amd64, AMD64_RIP, AMD64_RSP))
		return NULL;
	if (fields.machine == SNAPSHOT_AARCH64 && (amd64 & registers & ~shared))
		return error_create(ERROR_USAGE,
			"--event-layout: registers of x86-64 and of AArch64 in one event");
	move_behind(layout, &fields);
	*ret = fields;
	return NULL;
}

const char *snapshot_field_role(const struct snapshot_fields *fields, size_t i)
{
	return fields->is[i] == IS_STACK    ? "stack"
	       : fields->is[i] == IS_LENGTH ? "length"
					    : "register";
}

static const uint8_t *copy_stack(
	const struct field *stack, const struct field *length, struct arena *memory, size_t *ret)
{
	size_t len = stack->len < SNAPSHOT_BYTES_MAX ? stack->len : SNAPSHOT_BYTES_MAX;
	int64_t used = length ? (int64_t)length->number : (int64_t)len;

	if (length && length->width == 4)
		used = (int32_t)(uint32_t)length->number; /* an error of bpf_probe_read_user() */
	*ret = used < 0 ? 0 : (uint64_t)used < len ? (size_t)used : len;
	return (const uint8_t *)arena_copy(memory, stack->bytes, *ret);
}

const struct stack_snapshot *snapshot_fields_read(
	const struct snapshot_fields *fields, const struct field *all, struct arena *memory)
{
	struct stack_snapshot *snapshot = arena_alloc(memory, sizeof(*snapshot));
	const struct field *stack = NULL, *length = NULL;
	int pc = fields->machine == SNAPSHOT_AARCH64 ? AARCH64_PC : AMD64_RIP;

	*snapshot = (struct stack_snapshot){.machine = fields->machine};
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *field = &all[fields->first + i];

		if (fields->is[i] == IS_STACK) {
			stack = field;
		} else if (fields->is[i] == IS_LENGTH) {
			length = field;
		} else {
			snapshot->known |= 1ULL << fields->is[i];
			snapshot->registers[fields->is[i]] = field->number;
		}
	}
	if (!snapshot->registers[pc])
		return NULL;
	snapshot->stack = copy_stack(stack, length, memory, &snapshot->len);
	return snapshot;
}
