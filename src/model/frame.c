// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/frame.h"

#include <string.h>

#include "util/number.h"
#include "util/text.h"

#define X(name, key, text) {key, text},
static const struct {
	const char *key, *text;
} health_kinds[] = {HEALTH_KINDS(X)}, lost_callers[] = {LOST_CALLERS(X)};
#undef X

const char *health_kind_key(enum health_kind kind)
{
	return health_kinds[kind].key;
}

const char *health_kind_text(enum health_kind kind)
{
	return health_kinds[kind].text;
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

static const char *const kinds[] = {[LOCATION_USER] = "user",
	[LOCATION_KERNEL] = "kernel",
	[LOCATION_BPF] = "bpf",
	[LOCATION_JIT] = "jit",
	[LOCATION_LOST] = "lost"};

static const struct {
	const char *key, *text, *fix;
} statuses[] = {
#define X(name, key, text, fix) [FRAME_##name] = {key, text, fix},
	FRAME_STATUSES(X)
#undef X
};

static const char *const sources[] = {
#define X(name, key) [SOURCE_##name] = key,
	FRAME_SOURCES(X)
#undef X
};

static const struct {
	const char *text, *fix;
} gaps[] = {
#define X(name, text, fix) [GAP_##name] = {text, fix},
	FRAME_GAPS(X)
#undef X
};

const char *location_kind_key(enum location_kind kind)
{
	return kinds[kind];
}

const char *frame_status_key(enum frame_status status)
{
	return statuses[status].key;
}

bool frame_status_parse(const char *key, enum frame_status *ret)
{
	for (int i = 0; i < FRAME_STATUS_COUNT; i++) {
		if (strcmp(statuses[i].key, key) != 0)
			continue;
		*ret = (enum frame_status)i;
		return true;
	}
	return false;
}

const char *frame_status_text(enum frame_status status)
{
	return statuses[status].text;
}

const char *frame_status_fix(enum frame_status status)
{
	return statuses[status].fix;
}

const char *frame_source_key(enum frame_source source)
{
	return sources[source];
}

bool frame_source_parse(const char *key, enum frame_source *ret)
{
	for (int i = 0; i < SOURCE_COUNT; i++) {
		if (strcmp(sources[i], key) != 0)
			continue;
		*ret = (enum frame_source)i;
		return true;
	}
	return false;
}

const char *frame_gap_text(enum frame_gap gap)
{
	return gaps[gap].text;
}

const char *frame_gap_fix(enum frame_gap gap)
{
	return gaps[gap].fix;
}

const char *location_fix(const struct location *location)
{
	if (location->status == FRAME_NAMED)
		return "";
	if (location->fix)
		return location->fix;
	return location->kind == LOCATION_LOST ? stack_state_fix(location->lost)
					       : frame_status_fix(location->status);
}

const char *name_limit_copy(struct arena *arena, const char *name, size_t len)
{
	auto_text struct text text = {};
	size_t kept = NAME_KEPT;

	if (len <= NAME_LIMIT)
		return arena_copy(arena, name, len);
	/* do not split a UTF-8 sequence */
	while (kept > NAME_KEPT - 4 && (name[kept] & 0xc0) == 0x80)
		kept--;
	text_add(&text, name, kept);
	text_printf(
		&text, "...[%zu bytes, #%016llx]", len, (unsigned long long)stable_hash(name, len));
	return arena_copy(arena, text.data, text.len);
}
