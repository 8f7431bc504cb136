// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as a demangled name and as a symbol: what is short stays in bounds, and what is called so is found. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debug/names/name_path.h"
#include "debug/names/short_name.h"
#include "debug/names/shown_names.h"
#include "debug/symbols/demangle.h"
#include "util/text.h"
#include "util/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* With the line and without it again. */
static void check_lambda(const char *name)
{
	struct text lined = {}, bare = {};

	(void)short_name_add_unlined(&bare, name);
	text_clear(&bare);
	if (short_name_add_lambda(&lined, name, 27) &&
		(!short_name_add_unlined(&bare, lined.data) || strcmp(bare.data, name) != 0))
		abort();
	text_deinit(&lined);
	text_deinit(&bare);
}

static void check_forms(const char *name)
{
	struct text text = {};
	bool dropped;

	/* Nothing becomes longer. */
	for (int form = SHORT_NAME_PLAIN; form <= SHORT_NAME_RUST; form++) {
		text_clear(&text);
		if (short_name_add(&text, name, (enum short_name_form)form, &dropped) &&
			text.len > strlen(name))
			abort();
	}
	if (strlen(short_name_go(name)) > strlen(name))
		abort();
	text_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = xstrndup((const char *)data, size);
	struct shown_names *names = shown_names_create(NULL, NULL, NAMES_SHORT);
	char *demangled = demangle(name);
	const char *shown = shown_name(names, name, demangled);

	check_forms(name);
	check_lambda(name);
	(void)name_path((const char *)data, size);
	if (shown && !shown_name_is(name, shown))
		abort();
	shown_names_destroy(names);
	free(demangled);
	free(name);
	return 0;
}
