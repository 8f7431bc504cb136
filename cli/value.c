// SPDX-License-Identifier: GPL-2.0-or-later
#include "value.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"

int value_choice(struct argp_state *state, const char *option, const struct choice *choices,
	const char *word)
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

uint64_t value_number(struct argp_state *state, const char *option, const char *what,
	const char *arg, uint64_t min, uint64_t max)
{
	uint64_t number = 0;

	if (!scan_whole_number(arg, &number) || arg[0] == '-' || number < min || number > max)
		argp_error(state, "%s: '%s' is not %s (%" PRIu64 " to %" PRIu64 ")", option, arg,
			what, min, max);
	return number;
}

struct error *value_directory(const char *option, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return error_errno(errno, "%s %s", option, path);
	return S_ISDIR(st.st_mode) ? NULL : error_errno(ENOTDIR, "%s %s", option, path);
}
