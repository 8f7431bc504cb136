// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/stack.h"

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
