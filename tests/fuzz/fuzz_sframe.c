// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as an SFrame section: all functions and rows, and the rule at each end of a function. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debug/sframe/sframe.h"
#include "debug/unwind/unwind_rule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDRESS = 0x100000, FUNCTIONS_MAX = 256, ROWS_MAX = 256 };

static void check_rule(const struct sframe *sframe, uint64_t address)
{
	static const uint16_t machines[] = {
		[SFRAME_AARCH64_BE] = EM_AARCH64,
		[SFRAME_AARCH64_LE] = EM_AARCH64,
		[SFRAME_AMD64] = EM_X86_64,
		[SFRAME_S390X] = EM_S390,
	};
	struct unwind_rule rule;

	if (sframe_rule(sframe, machines[sframe->abi], address, &rule))
		return;
	if (address < rule.start || address >= rule.end)
		abort();
	if (unwind_fp_walk(&rule) != UNWIND_FP_OUTERMOST && rule.cfa.kind != UNWIND_VALUE &&
		rule.cfa.kind != UNWIND_MEMORY)
		abort();
	if (!unwind_rules_agree(&rule, &rule, address))
		abort();
}

static void check_function(const struct sframe *sframe, uint32_t i)
{
	struct sframe_function function;
	struct sframe_row row;

	if (!sframe_function(sframe, i, &function))
		return;
	struct sframe_rows rows = sframe_rows(sframe, &function);
	for (unsigned n = 0; n < ROWS_MAX && sframe_rows_next(&rows, &row); n++)
		;
	check_rule(sframe, function.start);
	check_rule(sframe, function.start + function.size / 2);
	check_rule(sframe, function.start + function.size - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sframe sframe;
	/* Of its own, so that a read beyond its end is seen. */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (!sframe_open(copy, size, ADDRESS, &sframe))
		for (uint32_t i = 0; i < sframe.n_functions && i < FUNCTIONS_MAX; i++)
			check_function(&sframe, i);
	free(copy);
	return 0;
}
