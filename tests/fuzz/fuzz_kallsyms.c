// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A name is only given within the bounds that come with it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms kallsyms = {};

	kallsyms_parse((const char *)data, size, &kallsyms);
	for (size_t i = 0; i < kallsyms.symbols.len; i++) {
		uint64_t address = kallsyms.symbols.data[i].address;

		for (uint64_t at = address - 1; at != address + 2; at++) {
			struct kallsyms_answer answer;

			if (kallsyms_find(&kallsyms, at, &answer) &&
				(at < answer.start || at >= answer.end || !*answer.name))
				abort();
		}
	}
	kallsyms_deinit(&kallsyms);
	return 0;
}
