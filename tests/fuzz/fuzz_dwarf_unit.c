// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole DWARF reader. Input: the sections in the order of DEBUG_SECTIONS, each 2 bytes of length
 * and so many bytes; the last one may be cut. Seeds are programs linked at 0x1000.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies of their own, so that a read beyond a section's end is seen. */
static size_t read_slices(const uint8_t *data, size_t size, struct slice slices[SECTION_COUNT])
{
	size_t n = 0;

	for (; n < SECTION_COUNT && size >= 2; n++) {
		size_t len = data[0] | (size_t)data[1] << 8;

		data += 2;
		size -= 2;
		len = len < size ? len : size;
		uint8_t *copy = malloc(len ? len : 1);
		if (!copy)
			break;
		memcpy(copy, data, len);
		slices[n] = (struct slice){copy, len, false};
		data += len;
		size -= len;
	}
	return n;
}

static void check_string(const char *s)
{
	if (s && strlen(s) == SIZE_MAX)
		abort();
}

static void check_prototype(
	struct dwarf_reader *reader, uint64_t address, size_t i, const struct frame *frame)
{
	struct text text = {};

	if (frame->function && dwarf_reader_prototype(reader, address, i, frame->function, &text) &&
		(!text.len || text.len > 1 << 17))
		abort();
	text_deinit(&text);
}

static void found_call(void *end, uint64_t address)
{
	*(uint64_t *)end = address;
}

/* The second search is among what the first one read. */
static void search(struct dwarf_reader *reader, struct arena *arena)
{
	static const char *const words[] = {"f", "inner"};
	struct frame_names names = {.demangle = true, .strings = arena};
	uint64_t last = 0;

	for (size_t i = 0; i < 2; i++)
		dwarf_reader_find_inlined(
			reader, &(struct inlined_search){words[i], &names, found_call, &last});
	frame_names_deinit(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct debug_options options = {.root = "", .inlines = true, .lines = true};
	struct slice slices[SECTION_COUNT] = {};
	struct arena arena = {};
	size_t n = read_slices(data, size, slices);
	struct dwarf_reader *reader =
		dwarf_reader_create_from(sections_from_slices(slices), &options, &arena);

	for (uint64_t address = 0x1000; address < 0x1200; address += 5) {
		struct reader_answer answer;

		dwarf_reader_find(reader, address, &arena, &answer);
		for (size_t i = 0; i < answer.n_frames; i++) {
			check_string(answer.frames[i].function);
			check_string(answer.frames[i].linkage);
			check_string(answer.frames[i].file);
			check_prototype(reader, address, i, &answer.frames[i]);
		}
	}
	search(reader, &arena);
	dwarf_reader_destroy(reader);
	arena_deinit(&arena);
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)slices[i].data);
	return 0;
}
