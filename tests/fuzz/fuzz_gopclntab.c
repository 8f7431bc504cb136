// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as the table of a Go program, with what it points at behind it. */
#include <stdlib.h>

#include "../unit/go_table.h"
#include "debug/go/gopclntab.h"

enum { SIZE_MAX_HERE = 3500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct debug_options options = {.inlines = true, .lines = true};
	struct elf_image *image = NULL;
	struct arena arena = {};
	struct reader_answer answer;
	size_t file_size;

	if (size > SIZE_MAX_HERE)
		return 0;
	void *file = go_file_make(data, size, &file_size);
	error_destroy(elf_image_from_memory(file, file_size, "go", &image));
	if (!image)
		return 0;
	struct gopclntab *table = gopclntab_create(image, &options);
	for (uint64_t at = 0; table && at < 0x40; at += 8)
		if (gopclntab_find(table, GO_TEXT + at, &arena, &answer) && !answer.n_frames)
			abort();
	gopclntab_destroy(table);
	arena_deinit(&arena);
	elf_image_destroy(image);
	return 0;
}
