// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/stack.h"

#include <strings.h>

#include "util/vec.h"

const struct words stack_state_words[] = {
#define X(name, key, text, fix) {key, text, fix},
	STACK_STATES(X)
#undef X
};

const struct words unwound_by_words[] = {
#define X(name, key) {key, NULL, NULL},
	UNWOUND_BY(X)
#undef X
};

const struct words unwound_end_words[] = {
#define X(name, key, text) {key, text, NULL},
	UNWOUND_ENDS(X)
#undef X
};

const struct words weight_unit_words[] = {
#define X(name, text) {NULL, text, NULL},
	WEIGHT_UNITS(X)
#undef X
};

enum weight_unit weight_unit_of(const char *name)
{
	static const struct {
		const char *word;
		enum weight_unit unit;
	} words[] = {{"count", WEIGHT_SAMPLES}, {"counts", WEIGHT_SAMPLES}, {"cnt", WEIGHT_SAMPLES},
		{"samples", WEIGHT_SAMPLES}, {"hits", WEIGHT_SAMPLES}, {"calls", WEIGHT_SAMPLES},
		{"events", WEIGHT_SAMPLES}, {"bytes", WEIGHT_BYTES}, {"size", WEIGHT_BYTES},
		{"ns", WEIGHT_NANOSECONDS}, {"us", WEIGHT_MICROSECONDS}};
	const char *last = name ?: "";

	/* the last word, as in nr_samples and value.samples */
	for (const char *at = last; *at; at++)
		if (*at == '_' || *at == '.')
			last = at + 1;
	array_each(word, words, array_len(words))
		if (!strcasecmp(last, word->word))
			return word->unit;
	return WEIGHT_UNKNOWN;
}
