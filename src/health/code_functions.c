// SPDX-License-Identifier: GPL-2.0-or-later
#include "health/code_functions.h"

#include <stdlib.h>

#include "arch/arch.h"
#include "health/caller.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

/* Limits: code read per function and per object, in bytes; exits per function */
enum { FUNCTION_BYTES_MAX = 1 << 20, BYTES_MAX = 1 << 28, EXITS_MAX = 1 << 14 };

static void code_function_destroy(struct code_function *function)
{
	vec_deinit(&function->exits);
	free(function);
}

void code_functions_deinit(struct code_functions *functions)
{
	vec_destroy(&functions->all, code_function_destroy);
	table_deinit(&functions->by_start);
}

/*
 * Adds the call, or the jump out of the function, at ADDRESS. NEXT is the address after it. Returns
 * false if it is unknown whether the function has its frame there, or if there are too many exits.
 */
static bool add_exit(struct code_function *function, struct debug *debug, uint64_t address,
	uint64_t next, const struct flow *flow)
{
	bool within =
		!flow->indirect && flow->target >= function->start && flow->target < function->end;

	if (flow->kind == FLOW_NEXT || (flow->kind == FLOW_JUMP && within))
		return true;
	enum unwind_fp_walk walk = health_walk(debug, address);
	const struct code_exit exit = {.next = next,
		.target = flow->target,
		.call = flow->kind == FLOW_CALL,
		.indirect = flow->indirect,
		.framed = walk == UNWIND_FP_RIGHT};
	vec_push(&function->exits, exit);
	return (walk == UNWIND_FP_RIGHT || walk == UNWIND_FP_LOST) &&
	       function->exits.len <= EXITS_MAX;
}

static bool read_exits(
	struct code_function *function, struct debug *debug, const struct elf_image *image)
{
	code_flow *flow_of = arch_of(image->ehdr.e_machine)->flow;
	size_t size = (size_t)(function->end - function->start), length;
	auto_free uint8_t *code = xmalloc(size);
	uint64_t address = function->start;
	struct flow flow = {};

	if (!flow_of || !elf_image_bytes(image, address, code, size))
		return false;
	for (size_t at = 0; at < size; at += length) {
		address = function->start + at;
		length = flow_of(code + at, size - at, address, &flow);
		if (!length || !add_exit(function, debug, address, address + length, &flow))
			return false;
	}
	/* falls through into the next function, unless a call that does not return is last */
	const struct flow on = {.kind = FLOW_JUMP, .target = function->end};
	return flow.ends || flow.kind == FLOW_CALL ||
	       add_exit(function, debug, address, function->end, &on);
}

const struct code_function *code_functions_at(struct code_functions *functions, struct debug *debug,
	const struct elf_image *image, uint64_t address)
{
	uint64_t start, end;
	bool added;

	if (!debug_unwind_function(debug, address, &start, &end))
		return NULL;
	uint64_t *index = table_at(&functions->by_start, &start, sizeof(start), &added);
	if (!added)
		return functions->all.data[*index];
	uint64_t size = end - start;
	bool wanted = size <= FUNCTION_BYTES_MAX && functions->bytes + size <= BYTES_MAX;
	struct code_function *function = xnew(function);
	*function = (struct code_function){.start = start, .end = end};
	*index = functions->all.len;
	vec_push(&functions->all, function);
	if (wanted) {
		functions->bytes += size;
		function->known = read_exits(function, debug, image);
	}
	return function;
}
