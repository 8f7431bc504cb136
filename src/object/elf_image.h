/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file that was opened and found sane: program headers, build ID, and its libelf handle.
 * Backed by a file, or by memory (the vdso).
 */
#ifndef OBJECT_ELF_IMAGE_H
#define OBJECT_ELF_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "model/build_id.h"
#include "util/error.h"

struct elf_image {
	Elf *elf;
	int fd;       /* -1: memory */
	void *memory; /* owned, NULL: a file */
	char *path;   /* for messages and for debuglink's directory; owned */
	GElf_Ehdr ehdr;
	GElf_Phdr *loads; /* PT_LOAD headers in file order, owned */
	size_t n_loads;
	struct build_id build_id; /* len 0: has none */
	struct stat stat;         /* zero for memory */
};

/*
 * Takes FD (also on failure) open for reading on a regular file; PATH is only a name. The error is
 * for what is not a readable ELF file.
 */
struct error *elf_image_open(int fd, const char *path, struct elf_image **ret) must_check;
/* Takes MEMORY (malloc'ed, SIZE bytes, also on failure). */
struct error *elf_image_from_memory(
	void *memory, size_t size, const char *name, struct elf_image **ret) must_check;
void elf_image_destroy(struct elf_image *image);
void elf_image_cleanup(struct elf_image **image);

/*
 * From an offset in the file to the virtual address by the PT_LOAD that holds it: p_offset <=
 * OFFSET < p_offset + p_filesz (an executable segment wins where two hold it). False: none does.
 */
bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *ret);
/* The other way. */
bool elf_image_offset(const struct elf_image *image, uint64_t address, uint64_t *ret);
/* LEN bytes at a virtual address, from the file's segments. False: not all of them are there. */
bool elf_image_bytes(
	const struct elf_image *image, uint64_t address, void *buffer, size_t len);
/* LEN bytes at an offset in the file. False: it is shorter. */
bool elf_image_raw(const struct elf_image *image, uint64_t offset, void *buffer, size_t len);

/* The address (sh_addr) of the section NAME. False: there is none. */
bool elf_image_section(const struct elf_image *image, const char *name, uint64_t *ret);

#endif
