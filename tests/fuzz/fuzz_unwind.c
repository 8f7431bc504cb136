// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A snapshot that is unwound by hostile rules. The first byte is the machine, then come what lies at the
 * addresses of 16 bytes each (flags and a rule), then the registers, and the rest is the stack.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RULES = 16 };

struct input {
	const uint8_t *at, *end;
};

struct code {
	uint16_t machine;
	uint8_t flags[RULES];
	struct unwind_rule rules[RULES];
	struct compiled_rule rule; /* that was found last */
	struct unwind_code found;
};

static void take_bytes(struct input *input, void *to, size_t n)
{
	size_t left = (size_t)(input->end - input->at);

	n = n < left ? n : left;
	memcpy(to, input->at, n);
	input->at += n;
}

/* What debug_unwind_rule() promises of rules holds for these. */
static struct unwind_place read_place(struct input *input)
{
	uint8_t bytes[4] = {};

	take_bytes(input, bytes, sizeof(bytes));
	return (struct unwind_place){
		.kind = bytes[0] % (UNWIND_VALUE + 2),
		.base = bytes[1] & 128 ? UNWIND_CFA : bytes[1] % UNWIND_REGISTERS,
		.offset = (int16_t)(bytes[2] | bytes[3] << 8),
	};
}

static void read_rule(struct input *input, struct unwind_rule *rule)
{
	uint8_t fp = 6;

	rule->source = UNWIND_SFRAME;
	rule->cfa = read_place(input);
	rule->cfa.kind = UNWIND_VALUE;
	if (rule->cfa.base == UNWIND_CFA)
		rule->cfa.base = 7;
	rule->ra = read_place(input);
	rule->registers[fp] = read_place(input);
	rule->registers[3] = read_place(input);
}

static const struct unwind_code *find(void *context, uint64_t pc, bool exact)
{
	struct code *code = context;
	size_t i = (pc - !exact) / 16 % RULES;
	uint8_t flags = code->flags[i];

	compiled_rule_init(&code->rule, &code->rules[i]);
	code->found = (struct unwind_code){.code = !(flags & 1),
		.by_fp = flags & 2,
		.trampoline = (flags & 12) == 12,
		.epilogue = (enum unwind_epilogue)((flags >> 4) % 3),
		.machine = flags & 32 ? code->machine : 0,
		.rule = flags & 64 ? NULL : &code->rule};
	return &code->found;
}

static bool is_called(void *context, uint64_t pc)
{
	(void)context;
	return pc & 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t values[SNAPSHOT_DEPTH_MAX];
	static struct unwound_frame frames[SNAPSHOT_DEPTH_MAX];
	struct input input = {data, data + size};
	struct stack_snapshot snapshot = {};
	struct code code = {};
	const struct unwind_lookup lookup = {&code, find, is_called};
	struct unwound unwound;
	uint8_t what = 0;

	take_bytes(&input, &what, 1);
	snapshot.machine = what & 1 ? SNAPSHOT_AARCH64 : SNAPSHOT_AMD64;
	code.machine = what & 1 ? EM_AARCH64 : EM_X86_64;
	for (size_t i = 0; i < RULES; i++) {
		take_bytes(&input, &code.flags[i], 1);
		read_rule(&input, &code.rules[i]);
		code.rules[i].machine = code.machine;
		code.rules[i].signal_frame = (code.flags[i] & 12) == 4;
	}
	take_bytes(&input, &snapshot.known, sizeof(snapshot.known));
	take_bytes(&input, snapshot.registers, sizeof(snapshot.registers));
	snapshot.len = (size_t)(input.end - input.at);
	uint8_t *stack = malloc(
		snapshot.len ? snapshot.len : 1); /* of its own, with ends that are watched */
	memcpy(stack, input.at, snapshot.len);
	snapshot.stack = stack;
	size_t n = unwind_walk(&snapshot, &lookup, values, frames, &unwound);
	free(stack);
	if (!n || n > SNAPSHOT_DEPTH_MAX || unwound.end >= UNWOUND_END_COUNT)
		abort();
	return 0;
}
