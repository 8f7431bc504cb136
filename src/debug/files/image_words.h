/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of an ELF file as it is after loading at its own addresses: the bytes of its segments,
 * and pointers set by relative relocations. Needs no section headers. Supports only little-endian
 * files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/files/sections.h"
#include "object/elf_image.h"

/* A pointer set by a relocation. */
struct image_word {
	uint64_t address, value;
};

struct image_words {
	const struct elf_image *image;
	unsigned size;		 /* size of a pointer, in bytes: 4 or 8 */
	struct image_word *data; /* sorted by address */
	size_t len, cap;
};

/* Reads the relative relocations of IMAGE, which must outlive WORDS. */
void image_words_init(struct image_words *words, const struct elf_image *image);
void image_words_deinit(struct image_words *words);
/* Returns the bytes in the file from ADDRESS to the end of its segment; empty if there are none. */
struct slice image_bytes(const struct elf_image *image, uint64_t address);
/* Returns the bytes in the file of a PT_LOAD segment; empty if they are out of bounds. */
struct slice image_segment(const struct elf_image *image, const GElf_Phdr *load);
/* Returns the bytes in the file of a section; empty if it has none or they are out of bounds. */
struct slice image_section(const struct elf_image *image, const GElf_Shdr *shdr);
/* Reads the pointer at ADDRESS. Returns false if there are no bytes in the file. */
bool image_word_at(const struct image_words *words, uint64_t address, uint64_t *ret);
