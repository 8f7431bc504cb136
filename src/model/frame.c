// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/frame.h"

#include "util/number.h"
#include "util/text.h"

#define X(name, key, text) {key, text, NULL},
const struct words health_kind_words[] = {HEALTH_KINDS(X)}, lost_caller_words[] = {LOST_CALLERS(X)};
#undef X

const struct words location_kind_words[] = {[LOCATION_USER] = {.key = "user"},
	[LOCATION_KERNEL] = {.key = "kernel"},
	[LOCATION_BPF] = {.key = "bpf"},
	[LOCATION_JIT] = {.key = "jit"},
	[LOCATION_LOST] = {.key = "lost"}};

const struct words frame_status_words[] = {
#define X(name, key, text, fix) {key, text, fix},
	FRAME_STATUSES(X)
#undef X
};

const struct words frame_source_words[] = {
#define X(name, key) {key, NULL, NULL},
	FRAME_SOURCES(X)
#undef X
};

const struct words frame_gap_words[] = {
#define X(name, text, fix) {NULL, text, fix},
	FRAME_GAPS(X)
#undef X
};

const char *location_fix(const struct location *location)
{
	if (location->status == FRAME_NAMED)
		return "";
	if (location->fix)
		return location->fix;
	return location->kind == LOCATION_LOST ? stack_state_words[location->lost].fix
					       : frame_status_words[location->status].fix;
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
