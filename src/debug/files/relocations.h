/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of an ELF file as they are after loading at its own addresses or, for a relocatable
 * file (a kernel module, a .o), after linking.
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

/*
 * The pointers that relative relocations set. Needs no section headers. Supports only little-endian
 * files.
 */
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

/*
 * Applies all relocations (SHT_RELA and SHT_REL) of section INDEX of a relocatable file to BYTES,
 * an inflated private copy of its LEN bytes, as a linker would: references to code become ELF
 * addresses (see object/elf_image.h for what these are in such files). Returns false if one of them
 * cannot be applied, for example because its type is not in arch/arch.h; BYTES must not be used
 * then.
 */
bool relocate_section(
	const struct elf_image *image, size_t index, uint8_t *bytes, size_t len) must_check;
/* Returns a relocated copy of section INDEX, malloc'ed. Returns NULL likewise. */
uint8_t *relocate_copy(const struct elf_image *image, size_t index, const void *bytes, size_t len);
