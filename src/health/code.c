// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/code.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

/* Limits: code read per function and per object, in bytes; exits per function */
enum { FUNCTION_BYTES_MAX = 1 << 20, BYTES_MAX = 1 << 28, EXITS_MAX = 1 << 14 };
/* What is known of uses of FP is forgotten if it has more bytes. */
enum { FP_MEMORY_MAX = 64 << 20 };

static void code_function_destroy(struct code_function *function)
{
	vec_deinit(&function->exits);
	free(function);
}

void code_deinit(struct object_code *code)
{
	vec_destroy(&code->functions, code_function_destroy);
	table_deinit(&code->by_start);
	table_deinit(&code->fp_uses);
	arena_deinit(&code->fp_memory);
}

enum unwind_fp_walk code_walk(const struct object_code *code, uint64_t address)
{
	struct unwind_rule rule;

	return debug_unwind_rule(code->debug, address, UNWIND_ANY, &rule, NULL)
		       ? unwind_fp_walk(&rule)
		       : UNWIND_FP_UNKNOWN;
}

/*
 * Reads up to LEN bytes at ADDRESS that can be decoded. Returns their number, which is less near
 * the end of code.
 */
static size_t read_code(
	const struct object_code *code, uint64_t address, uint8_t *bytes, size_t len)
{
	if (!code->arch->flow)
		return 0;
	while (len && !elf_image_bytes(code->image, address, bytes, len))
		len--;
	return len;
}

size_t code_flow_at(const struct object_code *code, uint64_t address, struct flow *ret)
{
	uint8_t bytes[FLOW_CODE_MAX];
	size_t len = read_code(code, address, bytes, sizeof(bytes));

	*ret = (struct flow){};
	return len ? code->arch->flow(bytes, len, address, ret) : 0;
}

/* ---- frame pointers ------------------------------------------------------------------------- */

/* Reads the code at START up to where FP is set on all paths. */
static struct fp_uses *read_fp_uses(struct object_code *code, uint64_t start)
{
	uint8_t bytes[FP_CODE_MAX];
	const size_t size = read_code(code, start, bytes, sizeof(bytes));
	struct fp_uses *uses = arena_alloc(&code->fp_memory, sizeof(*uses));
	bool pushed = false, plain = true, *kept = uses->kept;
	size_t at = 0, len, last = 0; /* LAST: last target in BYTES of a jump that keeps FP */
	struct flow flow;

	*uses = (struct fp_uses){.after_end = UINT64_MAX, .kept = {true}};
	for (; at < size && !uses->after; at += len) {
		if (!kept[at] && last <= at) {
			uses->after = FP_DATA;
			break;
		}
		len = code->arch->flow(bytes + at, size - at, start + at, &flow);
		if (!len || !flow.fp)
			break;
		pushed |= flow.fp == FLOW_FP_PUSHED;
		/* A register pushed along with FP is where the walk expects the return address. */
		plain &= flow.kind != FLOW_JUMP && flow.fp != FLOW_FP_BURIED;
		if (pushed && plain && flow.fp == FLOW_FP_FRAMED)
			uses->after = FP_FRAME;
		if (!kept[at])
			continue;
		memset(kept + at, true, len);
		if (flow.fp == FLOW_FP_SET || flow.fp == FLOW_FP_FRAMED)
			continue;
		kept[at + len] |= !flow.ends;
		if (flow.kind != FLOW_JUMP || flow.indirect || flow.target <= start + at)
			continue;
		if (flow.target >= start + size) {
			uses->after_end =
				flow.target < uses->after_end ? flow.target : uses->after_end;
		} else {
			size_t target = (size_t)(flow.target - start);

			kept[target] = true;
			last = target > last ? target : last;
		}
	}
	uses->end = start + at;
	return uses;
}

enum fp_use code_fp_use(struct object_code *code, uint64_t start, uint64_t address)
{
	bool added;

	if (address < start)
		return FP_UNKNOWN;
	if (code->fp_memory.bytes > FP_MEMORY_MAX) {
		table_deinit(&code->fp_uses);
		arena_deinit(&code->fp_memory);
	}
	uint64_t *value = table_at(&code->fp_uses, &start, sizeof(start), &added);
	if (added)
		*value = (uintptr_t)read_fp_uses(code, start);
	struct fp_uses *uses = (struct fp_uses *)(uintptr_t)*value;
	if (address < uses->end)
		return uses->kept[address - start] ? FP_KEPT : FP_DATA;
	return address < uses->after_end ? uses->after : FP_UNKNOWN;
}

/* ---- functions ------------------------------------------------------------------------------ */

/*
 * Adds the call, or the jump out of the function, at ADDRESS. NEXT is the address after it. Returns
 * false if it is unknown whether the function has its frame there, or if there are too many exits.
 */
static bool add_exit(struct code_function *function, const struct object_code *code,
	uint64_t address, uint64_t next, const struct flow *flow)
{
	bool within =
		!flow->indirect && flow->target >= function->start && flow->target < function->end;

	if (flow->kind == FLOW_NEXT || flow->kind == FLOW_RETURN ||
		(flow->kind == FLOW_JUMP && within))
		return true;
	enum unwind_fp_walk walk = code_walk(code, address);
	const struct code_exit exit = {.next = next,
		.target = flow->target,
		.call = flow->kind == FLOW_CALL,
		.indirect = flow->indirect,
		.framed = walk == UNWIND_FP_RIGHT};
	vec_push(&function->exits, exit);
	return (walk == UNWIND_FP_RIGHT || walk == UNWIND_FP_LOST) &&
	       function->exits.len <= EXITS_MAX;
}

static bool read_exits(struct code_function *function, const struct object_code *code)
{
	size_t size = (size_t)(function->end - function->start), length;
	auto_free uint8_t *bytes = xmalloc(size);
	uint64_t address = function->start;
	struct flow flow = {};

	if (!code->arch->flow || !elf_image_bytes(code->image, address, bytes, size))
		return false;
	for (size_t at = 0; at < size; at += length) {
		address = function->start + at;
		length = code->arch->flow(bytes + at, size - at, address, &flow);
		if (!length || !add_exit(function, code, address, address + length, &flow))
			return false;
	}
	/* falls through into the next function, unless a call that does not return is last */
	const struct flow on = {.kind = FLOW_JUMP, .target = function->end};
	return flow.ends || flow.kind == FLOW_CALL ||
	       add_exit(function, code, address, function->end, &on);
}

const struct code_function *code_function_at(struct object_code *code, uint64_t address)
{
	uint64_t start, end;

	if (!debug_unwind_function(code->debug, address, &start, &end))
		return NULL;
	struct code_function **slot =
		vec_keyed(&code->functions, &code->by_start, &start, sizeof(start));
	if (*slot)
		return *slot;
	uint64_t size = end - start;
	struct code_function *function = *slot = xnew(function);
	*function = (struct code_function){.start = start, .end = end};
	if (size <= FUNCTION_BYTES_MAX && code->bytes + size <= BYTES_MAX) {
		code->bytes += size;
		function->known = read_exits(function, code);
	}
	return function;
}
