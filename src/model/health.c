// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/health.h"

#include <string.h>

#define X(name, key, text) {key, text},
static const struct {
	const char *key, *text;
} kinds[] = {HEALTH_KINDS(X)}, lost_callers[] = {LOST_CALLERS(X)};
#undef X

const char *health_kind_key(enum health_kind kind)
{
	return kinds[kind].key;
}

const char *health_kind_text(enum health_kind kind)
{
	return kinds[kind].text;
}

const char *lost_caller_key(enum lost_caller lost)
{
	return lost_callers[lost].key;
}

const char *lost_caller_text(enum lost_caller lost)
{
	return lost_callers[lost].text;
}

enum lost_caller lost_caller_parse(const char *key)
{
	unsigned int lost = CALLER_COUNT;

	while (--lost && strcmp(key, lost_callers[lost].key) != 0)
		;
	return (enum lost_caller)lost;
}
