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
