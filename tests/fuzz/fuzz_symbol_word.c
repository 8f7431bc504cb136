// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as a function's name with a qualifier. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "resolve/lookup.h"
#include "util/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *word = xstrndup((const char *)data, size);

	for (int qualified = 0; qualified < 2; qualified++) {
		struct symbol_word parsed;

		if (!symbol_word_parse(word, qualified, &parsed))
			continue;
		if (!*parsed.name || !parsed.text)
			abort();
		symbol_word_deinit(&parsed);
	}
	free(word);
	return 0;
}
