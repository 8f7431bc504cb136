// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prototypes_tool FILE: compares the prototype that BTF in FILE has of each function with what DWARF
 * in FILE has at its symbol, prints where they differ and a summary line "N functions, D differ, U
 * unknown". For tests only.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug.h"
#include "kernel/btf/btf.h"
#include "kernel/btf/prototypes.h"
#include "object/kernel_files.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

struct counts {
	size_t all, differ, unknown;
};

/* Multiplies the dimensions of arrays, as pahole before 1.31 does: "[2][3]" becomes "[6]". */
static void multiply_dimensions(char *text)
{
	char *at = text;

	while ((at = strstr(at, "]["))) {
		char *first = memrchr(text, '[', (size_t)(at - text)), *end = strchr(at + 2, ']');
		auto_free char *rest = xstrdup(end);

		sprintf(first, "[%lu%s", strtoul(first + 1, NULL, 10) * strtoul(at + 2, NULL, 10),
			rest);
		at = first;
	}
}

static void compare(struct debug *debug, const struct btf *btf, uint32_t id, struct counts *counts)
{
	scope_guard(arena_deinit) struct arena frames = {};
	scope_guard(text_deinit) struct text by_btf = {};
	struct debug_answer answer;
	struct s2l_btf_node type;
	uint64_t address;
	size_t first;

	if (!btf_type_at(btf, id, &type) || !btf_print_function(btf, id, &by_btf))
		return;
	multiply_dimensions(by_btf.data);
	const char *name = btf_string(type.of, type.name);
	if (btf_functions_named(btf, name, &first) != 1 ||
		!debug_only_symbol(debug, name, &address))
		return;
	debug_resolve(debug, &address, 1, &frames, &answer);
	auto_free char *by_dwarf = debug_prototype(debug, address, answer.n_frames - 1, name);
	counts->all++;
	counts->unknown += !by_dwarf;
	if (by_dwarf && !strcmp(by_dwarf, by_btf.data))
		return;
	counts->differ += by_dwarf != NULL;
	printf("BTF:   %s\nDWARF: %s\n", by_btf.data, by_dwarf ? by_dwarf : "-");
}

static bool compare_all(struct elf_image *image, struct s2l_btf_file *file)
{
	const struct debug_options options = {.inlines = true};
	struct counts counts = {};
	struct btf btf = {};
	size_t len = file->bytes.len;
	struct error *error = btf_init(text_take(&file->bytes), len, NULL, &btf);

	if (error) {
		error_destroy(error);
		return false;
	}
	struct debug *debug = debug_create(image, &options);
	for (size_t i = 0; i < btf.functions.len; i++)
		compare(debug, &btf, btf.functions.data[i], &counts);
	printf("%zu functions, %zu differ, %zu unknown\n", counts.all, counts.differ,
		counts.unknown);
	debug_destroy(debug);
	btf_deinit(&btf);
	return true;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct elf_image *image = NULL;
	struct s2l_btf_file file = {};
	struct error *error;

	if (fd < 0)
		return 2;
	error = elf_image_open(fd, argv[1], &image);
	if (!error)
		error = btf_file_read(argv[1], &file);
	bool good = !error && compare_all(image, &file);
	error_destroy(error);
	elf_image_destroy(image);
	text_deinit(&file.bytes);
	return good ? 0 : 2;
}
