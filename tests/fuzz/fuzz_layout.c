// SPDX-License-Identifier: GPL-2.0-or-later
/* A layout up to the first newline, then bytes that it decodes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input/roles/layout.h"
#include "input/roles/roles.h"
#include "util/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t text_len = newline ? (size_t)(newline - data) : size;
	char *text = xstrndup((const char *)data, text_len);
	struct role_overrides overrides = {};
	struct layout layout = {};
	struct error *err = layout_given(
		text, "--key-layout", "key.", "weight=ips,user=ids[1],kernel=a[0]", &layout);

	error_destroy(role_overrides_parse(text, &overrides));
	if (!err) {
		struct field *fields = xcalloc(layout.fields.len, sizeof(*fields));
		struct row row = {fields, layout.fields.len};
		struct roles roles;

		if (newline && layout_decode(&layout, newline + 1, size - text_len - 1, fields))
			roles_find(&row, &overrides, &roles);
		free(fields);
		layout_deinit(&layout);
	}
	error_destroy(err);
	role_overrides_deinit(&overrides);
	free(text);
	return 0;
}
