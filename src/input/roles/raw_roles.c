// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_roles.h"

#include <stdarg.h>

const struct raw_roles raw_no_roles = {
	RAW_NONE, RAW_NONE, RAW_NONE, RAW_NONE, RAW_NONE, RAW_NONE, false};

void raw_layout_add(struct text *text, const char *format, ...)
{
	va_list args;

	if (text->len)
		text_add_string(text, "; ");
	va_start(args, format);
	text_vprintf(text, format, args);
	va_end(args);
}

static const char *number_field(const struct raw_roles *roles, size_t column)
{
	return column == roles->user	 ? "s32 user"
	       : column == roles->kernel ? "s32 kernel"
	       : column == roles->stack	 ? "s32 stack_id"
	       : column == roles->pid	 ? "u32 pid"
	       : column == roles->tid	 ? roles->either ? "u32 pid_or_tid" : "u32 tid"
					 : NULL;
}

bool raw_roles_is_stack(const struct raw_roles *roles, size_t column)
{
	return column == roles->user || column == roles->kernel || column == roles->stack;
}

size_t raw_roles_user(const struct raw_roles *roles)
{
	return roles->user != RAW_NONE ? roles->user : roles->stack;
}

char *raw_roles_layout(const struct raw_roles *roles, const struct raw_columns *columns)
{
	struct text text = {};
	const uint8_t *bytes;
	size_t len, n = columns->all.len - columns->all.len % RAW_WORD;

	for (size_t at = 0; at < columns->all.len; at++) {
		const struct raw_column *column = &columns->all.data[at];
		const char *field = number_field(roles, at);

		if (column->text && at == roles->comm)
			raw_layout_add(&text, "char comm[%zu]", column->text);
		else if (column->text)
			raw_layout_add(&text, "char text%zu[%zu]", at / RAW_WORD, column->text);
		else if (field)
			raw_layout_add(&text, "%s", field);
		else if (column->number && !columns->packed)
			raw_layout_add(&text, "u32 unused%zu", at / RAW_WORD);
		else
			continue;
		if (columns->packed)
			text_printf(&text, "@%zu", at);
	}
	raw_columns_bytes(columns, 0, &bytes, &len);
	if (columns->packed)
		raw_layout_add(&text, "u8 rest[]");
	else if (len > n)
		raw_layout_add(&text, "u8 rest[%zu]", len - n);
	return text_take(&text);
}
