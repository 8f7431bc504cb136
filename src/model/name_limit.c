// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/name_limit.h"

#include "util/bloom.h"
#include "util/text.h"

/* Returns how many bytes to keep without splitting a UTF-8 sequence. */
static size_t kept_len(const char *name)
{
	size_t len = NAME_KEPT;

	while (len > NAME_KEPT - 4 && (name[len] & 0xc0) == 0x80)
		len--;
	return len;
}

const char *name_limit_copy(struct arena *arena, const char *name, size_t len)
{
	auto_text struct text text = {};

	if (len <= NAME_LIMIT)
		return arena_copy(arena, name, len);
	text_add(&text, name, kept_len(name));
	text_printf(
		&text, "...[%zu bytes, #%016llx]", len, (unsigned long long)bloom_hash(name, len));
	return arena_copy(arena, text.data, text.len);
}
