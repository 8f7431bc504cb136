// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/code.h"

#include <stdlib.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

/* Limits: code read per function and per object, in bytes; exits per function */
enum { FUNCTION_BYTES_MAX = 1 << 20, BYTES_MAX = 1 << 28, EXITS_MAX = 1 << 14 };
/* Sweeps that find fewer ranges forget them: merging would take longer. */
enum { FOUND_MIN = 512, KNOWN_MAX = 1 << 19 };

static void code_function_destroy(struct code_function *function)
{
	vec_deinit(&function->exits);
	free(function);
}

void code_deinit(struct object_code *code)
{
	vec_deinit(&code->walks.known);
	vec_deinit(&code->walks.added);
	vec_destroy(&code->functions, code_function_destroy);
	table_deinit(&code->by_start);
}

/* ---- walks ---------------------------------------------------------------------------------- */

enum unwind_fp_walk code_walk(const struct object_code *code, uint64_t address)
{
	struct unwind_rule rule;

	return debug_unwind_rule(code->debug, address, UNWIND_ANY, &rule, NULL)
		       ? unwind_fp_walk(&rule)
		       : UNWIND_FP_UNKNOWN;
}

static struct walk_range *if_holds(struct walk_range *range, uint64_t address)
{
	return address >= range->start && address < range->end ? range : NULL;
}

struct walk_range *walks_find(struct walks *walks, uint64_t address)
{
	struct walk_range *found =
		walks->added.len ? if_holds(vec_last(&walks->added), address) : NULL;
	size_t left = walks->known.len - walks->at;

	if (found || !left)
		return found;
	walks->at += sorted_count(walks->known.data + walks->at, left, .end <= address);
	return walks->at < walks->known.len ? if_holds(&walks->known.data[walks->at], address)
					    : NULL;
}

struct walk_range *walks_add(struct walks *walks, struct walk_range range)
{
	vec_push(&walks->added, range);
	return vec_last(&walks->added);
}

void walks_end(struct walks *walks)
{
	size_t old = walks->known.len, new = walks->added.len;

	walks->at = walks->added.len = 0;
	if (new < FOUND_MIN || old + new > KNOWN_MAX)
		return;
	vec_reserve(&walks->known, new);
	walks->known.len = old + new;
	/* Merge from the end, so that no range is overwritten before it is moved. */
	for (size_t to = old + new; new;) {
		struct walk_range *known = walks->known.data, *added = walks->added.data;

		known[--to] = old && known[old - 1].start > added[new - 1].start ? known[--old]
										 : added[--new];
	}
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

	if (flow->kind == FLOW_NEXT || (flow->kind == FLOW_JUMP && within))
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
	bool added;

	if (!debug_unwind_function(code->debug, address, &start, &end))
		return NULL;
	uint64_t *index = table_at(&code->by_start, &start, sizeof(start), &added);
	if (!added)
		return code->functions.data[*index];
	uint64_t size = end - start;
	bool wanted = size <= FUNCTION_BYTES_MAX && code->bytes + size <= BYTES_MAX;
	struct code_function *function = xnew(function);
	*function = (struct code_function){.start = start, .end = end};
	*index = code->functions.len;
	vec_push(&code->functions, function);
	if (wanted) {
		code->bytes += size;
		function->known = read_exits(function, code);
	}
	return function;
}
