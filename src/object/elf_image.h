/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file that was opened and checked, with its program headers, build ID and libelf handle. It
 * is backed by a file or by memory (the vdso, an unpacked kernel module).
 *
 * The sections of a relocatable file (ET_REL: a kernel module, a .o) all start at address 0. Each
 * loaded section (SHF_ALLOC) gets a base of its own, in order from 64 KiB on, and a PT_LOAD header
 * as in a linked file. ELF addresses of such a file are `base + offset in the section`, so they are
 * unique, as in any other file. They are never printed. Files with the same loaded sections, such
 * as a module and its debug file, have the same bases.
 */
#pragma once

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "model/build_id.h"
#include "util/error.h"
#include "util/fault_guard.h"
#include "door/writers.h"

struct elf_image {
	Elf *elf;
	void *memory; /* owned; NULL: backed by a file */
	char *path;   /* for messages and the directory of debug links; owned */
	char *real;   /* PATH with links resolved, at the time of opening; owned; NULL: unknown */
	GElf_Ehdr ehdr;
	GElf_Phdr *loads; /* PT_LOAD headers in file order, owned; for ET_REL see above */
	size_t n_loads;
	GElf_Phdr eh_frame_hdr; /* the first PT_GNU_EH_FRAME header; p_type 0: none */
	/* ET_REL: base of each section, by index; 0: not loaded. Owned; NULL for other files. */
	uint64_t *bases;
	size_t n_bases;
	/*
	 * the first NT_GNU_BUILD_ID note in the first 64 KiB of the first 64 note segments and
	 * sections; len 0: none
	 */
	struct build_id build_id;
	struct stat stat;	/* zeros for memory */
	struct writers writers; /* of the file, or of the memory's content */
	uint64_t fs_type;	/* file system magic (statfs(2)); 0: memory, or unknown */
	/* for a file: its field `cut` is set if it was truncated while open */
	struct fault_guard guard;
	/* the content is pages of the file, which can be dropped from memory and read again */
	bool pages;
	bool used; /* mark for the cache */
};

/*
 * Opens FD, a regular file open for reading, and takes ownership of it, on failure too. PATH is
 * only a name. Returns an error if it is not a readable ELF file.
 */
struct error *elf_image_open(int fd, const char *path, struct elf_image **ret) must_check;
/* Opens the SIZE bytes of MEMORY, malloc'ed, and takes ownership of them, on failure too. */
struct error *elf_image_from_memory(
	void *memory, size_t size, const char *name, struct elf_image **ret) must_check;
void elf_image_destroy(struct elf_image *image);
CLEANUP_OF(elf_image)
/*
 * Returns true if the file was written to since it was opened: what was read of it may be of both.
 */
bool elf_image_is_overwritten(const struct elf_image *image);
/* Drops the file's mapped pages from memory. The next access reads them again. */
void elf_image_release(const struct elf_image *image);

/*
 * Translates an offset in the file to a virtual address by the PT_LOAD with p_offset <= OFFSET <
 * p_offset + p_filesz; if two match, an executable one wins. Returns false if none does.
 */
bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *ret);
/* Translates a virtual address to an offset in the file. Returns false if no PT_LOAD covers it. */
bool elf_image_offset(const struct elf_image *image, uint64_t address, uint64_t *ret);
/* Reads LEN bytes of the file at a virtual address. Returns false if some of them are missing. */
bool elf_image_bytes(const struct elf_image *image, uint64_t address, void *buffer, size_t len);
/* Returns the LEN bytes at an offset in the file, or NULL if the file is too short. */
const uint8_t *elf_image_raw(const struct elf_image *image, uint64_t offset, uint64_t len);

/* Finds the ELF address of the section NAME. Returns false if there is none. */
bool elf_image_section(const struct elf_image *image, const char *name, uint64_t *ret);
/* Returns true if the file has the line table of the Go runtime (.gopclntab). */
bool elf_image_is_go(const struct elf_image *image);
/* Returns true if the file has DWARF of its own: a .debug_info section with content. */
bool elf_image_has_dwarf(const struct elf_image *image);
/* Returns the base of addresses in section INDEX (sh_addr, st_value): 0 unless ET_REL. */
uint64_t elf_image_base(const struct elf_image *image, size_t index);
static inline bool elf_image_is_relocatable(const struct elf_image *image)
{
	return image->ehdr.e_type == ET_REL;
}
static inline bool elf_image_is_big(const struct elf_image *image)
{
	return image->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
}
/* Returns the size of an address in bytes, 4 or 8. */
static inline unsigned elf_image_word(const struct elf_image *image)
{
	return image->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
}
/* Returns true if the file is loaded at its ELF addresses (ET_EXEC). */
static inline bool elf_image_is_fixed(const struct elf_image *image)
{
	return image->ehdr.e_type == ET_EXEC;
}
/*
 * Returns true for a program, which begins at its entry point (ET_EXEC or DF_1_PIE). Libraries and
 * the vdso may have an entry point too, but it is called.
 */
bool elf_image_is_program(const struct elf_image *image);
/* Returns the offset of ADDRESS in its section for a relocatable file, else ADDRESS. */
uint64_t elf_image_section_offset(const struct elf_image *image, uint64_t address);
/* Returns true if ADDRESS is in an executable segment, or section of a relocatable file. */
bool elf_image_is_code(const struct elf_image *image, uint64_t address);
/*
 * Returns true if a loaded section with all of FLAGS (SHF_*) covers ADDRESS, or if the file has no
 * sections.
 */
bool elf_image_is_in_section(const struct elf_image *image, uint64_t address, uint64_t flags);
/* Returns true if a segment covers ADDRESS, or if the file has none, so that this is unknown. */
bool elf_image_has_address(const struct elf_image *image, uint64_t address);
/*
 * Returns false if an address does not mean the same in both files: relocatable files with
 * different loaded sections, or files with .text at different addresses, as when only one was
 * prelinked.
 */
bool elf_image_same_layout(const struct elf_image *a, const struct elf_image *b);
/*
 * Finds the ELF address of OFFSET in a code section of a relocatable file. If several sections are
 * long enough, it takes the first with FIRST, and returns false without. Returns false if none is.
 */
bool elf_image_code_offset(
	const struct elf_image *image, uint64_t offset, bool first, uint64_t *ret);

/*
 * Checks a file before libelf reads it. libelf allocates memory for each section header that the
 * file claims, and searches string tables backwards from their ends. A file of 20 KB on disk can
 * claim terabytes in its holes.
 */

/*
 * Returns why the regular file FD with status ST must not be passed to libelf, a constant string,
 * or NULL if it may be. It may still not be an ELF file.
 */
const char *elf_check(int fd, const struct stat *st);
