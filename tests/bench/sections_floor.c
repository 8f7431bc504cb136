/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The floor under every reader of debug info: reads each byte of the sections that functions,
 * inlines and lines need once, inflating those that are compressed, and decodes nothing.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "debug/files/sections.h"

static uint64_t slice_sum(struct slice slice)
{
	uint64_t sum = 0, word;

	for (size_t at = 0; at + sizeof(word) <= slice.len; at += sizeof(word)) {
		memcpy(&word, slice.data + at, sizeof(word));
		sum += word;
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct elf_image *image = NULL;
	uint64_t sum = 0, bytes = 0;
	FILE *file = argc == 2 ? fopen(argv[1], "re") : NULL;

	if (!file || elf_image_open(dup(fileno(file)), argv[1], &image)) {
		fprintf(stderr, "usage: sections_floor ELF_FILE <ADDRESSES\n");
		return 64;
	}
	struct sections *sections = sections_create(image, SECTIONS_INFO);
	for (int id = 0; sections && id < SECTION_COUNT; id++) {
		struct slice slice = sections_get(sections, (enum section_id)id);

		bytes += slice.len;
		sum += slice_sum(slice);
	}
	printf("%llu bytes, sum %llx\n", (unsigned long long)bytes, (unsigned long long)sum);
	sections_destroy(sections);
	elf_image_destroy(image);
	fclose(file);
	return 0;
}
