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
	argp_error(state, "%s: '%s' is not one of: %s", option, word, list);
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

struct value_unit {
	char letter; /* '\0' ends a table */
	uint64_t factor;
};

/* ARG in units of factor 1. False: not a number, no such unit, or too large. */
static bool read_scaled(const char *arg, const struct value_unit *units, uint64_t *ret)
{
	struct scan s = scan_of(arg);
	uint64_t factor = 1;

	if (!scan_decimal(&s, ret))
		return false;
	for (; scan_left(&s) == 1 && units->letter; units++)
		if (units->letter == *s.at) {
			factor = units->factor;
			s.at++;
		}
	return !scan_left(&s) && !__builtin_mul_overflow(*ret, factor, ret);
}

uint64_t value_size(struct argp_state *state, const char *option, const char *arg, uint64_t min)
{
	static const struct value_unit units[] = {
		{'K', 1ULL << 10}, {'M', 1ULL << 20}, {'G', 1ULL << 30}, {'T', 1ULL << 40}, {}};
	uint64_t size = 0;

	if (!read_scaled(arg, units, &size) || size < min)
		argp_error(state,
			"%s: '%s' is not a size of at least %" PRIu64 " bytes, such as 500M or 2G",
			option, arg, min);
	return size;
}

uint64_t value_time(struct argp_state *state, const char *option, const char *arg, uint64_t min)
{
	static const struct value_unit units[] = {
		{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {}};
	uint64_t time = 0;

	if (!read_scaled(arg, units, &time) || time < min || time > UINT32_MAX)
		argp_error(state,
			"%s: '%s' is not a time of at least %" PRIu64
			" seconds, such as 90s, 30m, 12h or 7d",
			option, arg, min);
	return time;
}

void value_refuse(struct argp_state *state, bool wrong, const char *message)
{
	if (wrong)
		argp_error(state, "%s", message);
}

struct error *value_directory(const char *option, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return error_errno(errno, "%s %s", option, path);
	return S_ISDIR(st.st_mode) ? NULL : error_errno(ENOTDIR, "%s %s", option, path);
}
