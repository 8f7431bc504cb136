// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program's DWARF with what it refers to: a .dwo file or package, and dwz's file. Input: three
 * times all sections in the order of DEBUG_SECTIONS, each 2 bytes of length and so many bytes; the
 * last one may be cut. Seeds are programs linked at 0x1000.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
	void *copies[3 * SECTION_COUNT];
	size_t n;
};

/* Copies of their own, so that a read beyond a section's end is seen. */
static struct sections *read_sections(struct input *input)
{
	struct slice slices[SECTION_COUNT] = {};

	for (size_t i = 0; i < SECTION_FRAME && input->size >= 2; i++) {
		size_t len = input->data[0] | (size_t)input->data[1] << 8;

		input->data += 2;
		input->size -= 2;
		len = len < input->size ? len : input->size;
		uint8_t *copy = malloc(len ? len : 1);
		if (!copy)
			break;
		memcpy(copy, input->data, len);
		input->copies[input->n++] = copy;
		slices[i] = (struct slice){copy, len, false};
		input->data += len;
		input->size -= len;
	}
	return sections_from_slices(slices);
}

static void check_string(const char *s)
{
	if (s && strlen(s) == SIZE_MAX)
		abort();
}

static void ask(struct dwarf_reader *reader, uint64_t address, struct arena *arena)
{
	struct reader_answer answer;

	dwarf_reader_find(reader, address, arena, &answer);
	check_string(answer.detail);
	for (size_t i = 0; i < answer.n_frames; i++) {
		check_string(answer.frames[i].function);
		check_string(answer.frames[i].linkage);
		check_string(answer.frames[i].file);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct debug_options options = {.root = "", .inlines = true, .lines = true};
	struct input input = {.data = data, .size = size};
	struct arena arena = {};
	struct dwarf_reader *reader =
		dwarf_reader_create_from(read_sections(&input), &options, &arena);

	dwarf_reader_add_split(reader, read_sections(&input));
	dwarf_reader_add_alt(reader, read_sections(&input));
	for (uint64_t address = 0x1000; address < 0x1200; address += 5)
		ask(reader, address, &arena);
	dwarf_reader_destroy(reader);
	arena_deinit(&arena);
	for (size_t i = 0; i < input.n; i++)
		free(input.copies[i]);
	return 0;
}
