// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/stack.h"

#include <stdbool.h>
#include <strings.h>

#include "util/vec.h"

static const struct {
	const char *key, *text, *fix;
} states[] = {
#define X(name, key, text, fix) [STACK_##name] = {key, text, fix},
	STACK_STATES(X)
#undef X
};

const char *stack_state_key(enum stack_state state)
{
	return states[state].key;
}

const char *stack_state_text(enum stack_state state)
{
	return states[state].text;
}

const char *stack_state_fix(enum stack_state state)
{
	return states[state].fix;
}

const char *unwound_by_key(enum unwound_by by)
{
	static const char *const keys[] = {
#define X(name, key) key,
		UNWOUND_BY(X)
#undef X
	};

	return keys[by];
}

const char *unwound_end_key(enum unwound_end end)
{
	static const char *const keys[] = {
#define X(name, key, text) key,
		UNWOUND_ENDS(X)
#undef X
	};

	return keys[end];
}

const char *unwound_end_text(enum unwound_end end)
{
	static const char *const texts[] = {
#define X(name, key, text) text,
		UNWOUND_ENDS(X)
#undef X
	};

	return texts[end];
}

const char *weight_unit_text(enum weight_unit unit)
{
	static const char *const texts[] = {
#define X(name, text) text,
		WEIGHT_UNITS(X)
#undef X
	};

	return texts[unit];
}

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
