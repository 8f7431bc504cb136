/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of an ELF file as it is once loaded at its own addresses: bytes of its segments, and
 * pointers that relative relocations fill. Needs no section headers. Little-endian files only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/files/sections.h"
#include "object/elf_image.h"

/* A pointer that a relocation fills. */
struct image_word {
	uint64_t address, value;
};

struct image_words {
	const struct elf_image *image;
	unsigned size;		 /* of a pointer: 4 or 8 */
	struct image_word *data; /* sorted by address */
	size_t len, cap;
};

/* IMAGE must outlive RET. */
void image_words_init(struct image_words *words, const struct elf_image *image);
void image_words_deinit(struct image_words *words);
/* The bytes from ADDRESS to the end of its segment in the file; empty if there are none. */
struct slice image_bytes(const struct elf_image *image, uint64_t address);
/* The bytes of a PT_LOAD segment in the file, empty if they are not there. */
struct slice image_segment(const struct elf_image *image, const GElf_Phdr *load);
/* The bytes of a section in the file, empty if they are not there. */
struct slice image_section(const struct elf_image *image, const GElf_Shdr *shdr);
/* The pointer at ADDRESS. False: no bytes there. */
bool image_word_at(const struct image_words *words, uint64_t address, uint64_t *ret);
