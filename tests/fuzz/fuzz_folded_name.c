// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes become a frame that a folded line keeps whole. */
#include <stdlib.h>

#include "../unit/output_check.h"
#include "util/folded_name.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	scope_guard(text_deinit) struct text name = {};
	scope_guard(text_deinit) struct text again = {};

	text_add_string(&name, "before;");
	size_t start = name.len;
	folded_name_add_part(&name, (const char *)data, size);
	folded_name_end(&name, start);
	const char *s = name.data + start;
	size_t len = name.len - start;
	require(len > 0 && s[0] != ' ' && s[len - 1] != ' ');
	require(!memchr(s, ';', len) && !folded_cut_number(name.data, name.len));
	for (size_t i = 0, n; i < len; i += n) {
		n = text_utf8_length(s + i, len - i);
		require(n > 0 && (unsigned char)s[i] >= 0x20 && s[i] != 0x7f);
	}
	folded_name_add_part(&again, s, len); /* a safe name is its own safe name */
	folded_name_end(&again, 0);
	require(again.len == len && !memcmp(again.data, s, len));
	text_add_string(&name, " 42");
	require(folded_cut_number(name.data, name.len) == start + len);
	return 0;
}
