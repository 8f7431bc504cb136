// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind_tool FILE...: at each byte of each function of their SFrame sections, the unwind rule by SFrame and by
 * CFI. Prints where they differ, or where one of them has none, and how many bytes agree.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "debug/debug.h"
#include "debug/unwind/unwind_rule.h"
#include "debug/unwind/tables.h"
#include "util/cleanup.h"
#include "util/text.h"

static void print_rule(const char *name, const struct unwind_rule *rule)
{
	struct text text = {};

	unwind_rule_format(rule, &text);
	printf(" %s %s", name, text.data);
	text_deinit(&text);
}

/* True: they agree at ADDRESS. */
static bool compare(struct debug *debug, uint64_t address)
{
	struct unwind_rule sframe, cfi;
	const char *reason = NULL, *other = NULL;
	bool first = debug_unwind_rule(debug, address, UNWIND_SFRAME, &sframe, &reason);
	bool second = debug_unwind_rule(debug, address, UNWIND_CFI, &cfi, &other);

	if (first && second && unwind_rules_agree(&sframe, &cfi, address))
		return true;
	printf("0x%" PRIx64 ":", address);
	if (first)
		print_rule("SFrame", &sframe);
	if (second)
		print_rule("CFI", &cfi);
	printf("%s%s\n", reason ? reason : "", other ? other : "");
	return false;
}

static void compare_file(const char *path)
{
	static const struct debug_options options = {.root = ""};
	scope_guard(elf_image_cleanup) struct elf_image *image = NULL;
	auto_error struct error *error = elf_image_open(open(path, O_RDONLY), path, &image);
	struct sframe_function function;
	size_t agree = 0;

	if (error) {
		printf("%s\n", error_message(error));
		return;
	}
	struct unwind_tables tables = {.image = image};
	const struct sframe_section *section = unwind_tables_sframe(&tables);
	const struct sframe *sframe = &section->sframe;
	struct debug *debug = debug_create(image, &options);
	for (uint32_t i = 0; !section->missing && i < sframe->n_functions; i++)
		for (uint64_t at = 0; sframe_function(sframe, i, &function) && at < function.size;
			at++)
			agree += compare(debug, function.start + at);
	if (!section->missing)
		printf("%u functions, %zu bytes agree\n", sframe->n_functions, agree);
	else
		printf("%s\n", section->missing);
	debug_destroy(debug);
	unwind_tables_deinit(&tables);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		compare_file(argv[i]);
	return 0;
}
