// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/mark.h"

#include <string.h>

#include "util/cleanup.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

size_t mark_offset(const char *name)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *mark = strrchr(name, '#');

	if (!mark || strspn(mark + 1, digits) != MARK_LEN - 1 ||
		(mark[MARK_LEN] && mark[MARK_LEN] != '.'))
		return 0;
	return (size_t)(mark - name);
}

static const char *without_mark(const struct marked_name *name, struct arena *memory)
{
	auto_text struct text text = {};

	if (!name->mark)
		return *name->name;
	text_printf(
		&text, "%.*s%s", (int)name->mark, *name->name, *name->name + name->mark + MARK_LEN);
	return arena_string(memory, text.data);
}

void marks_drop(struct marked_name *names, size_t n, struct arena *memory)
{
	scope_guard(table_deinit) struct table found = {};

	for (size_t i = 0; i < n; i++) {
		const char *bare = without_mark(&names[i], memory);

		(*table_at(&found, bare, strlen(bare), NULL))++;
	}
	for (size_t i = 0; i < n; i++) {
		const char *bare = without_mark(&names[i], memory);

		if (*table_find(&found, bare, strlen(bare)) == 1)
			*names[i].name = bare;
	}
}
