// SPDX-License-Identifier: GPL-2.0-or-later
#include "choice.h"

#include <string.h>

#include "util/cleanup.h"
#include "util/text.h"

int choice_parse(
	struct argp_state *state, const char *option, const struct choice *choices, const char *word)
{
	struct text words = {};

	for (const struct choice *choice = choices; choice->word; choice++) {
		if (!strcmp(choice->word, word)) {
			text_deinit(&words);
			return choice->value;
		}
		text_printf(&words, "%s%s", words.len ? ", " : "", choice->word);
	}
	auto_free char *list = text_take(&words);
	argp_error(state, "%s: '%s' is none of %s", option, word, list);
	return 0;
}
