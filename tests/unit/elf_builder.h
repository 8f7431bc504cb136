/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small ELF files for tests: ELF64, x86-64 unless told, up to two program headers. */
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "object/elf_image.h"

enum { BUILDER_SECTIONS = 16, BUILDER_SIZE = 4096 };

/* A zero-filled one is a file without sections. */
struct elf_builder {
	Elf64_Shdr sections[BUILDER_SECTIONS]; /* [0] is the null section */
	size_t n_sections;
	char names[256];
	size_t names_len;
	uint8_t data[BUILDER_SIZE];
	size_t data_len;
	Elf64_Phdr loads[2]; /* p_type 0: not there */
	Elf64_Half machine;  /* 0: EM_X86_64 */
};

/* Adds a section with a copy of SIZE bytes; returns its index. */
size_t builder_section(struct elf_builder *builder, const char *name, uint32_t type, uint64_t flags,
	uint64_t address, const void *data, size_t size);
/* Adds a build ID note of LEN bytes, all VALUE. */
void builder_build_id(struct elf_builder *builder, uint8_t value, size_t len);
/* Adds a .gnu_debuglink. */
void builder_debuglink(struct elf_builder *builder, const char *name, uint32_t crc);
/* The finished file, malloc'ed. */
void *builder_finish(struct elf_builder *builder, size_t *size_ret);
/* The finished file, as if it were at PATH, for elf_image_destroy(); NULL: it is refused. */
struct elf_image *builder_image(struct elf_builder *builder, const char *path);
