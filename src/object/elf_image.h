/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file that was opened and found sane: program headers, build ID, and its libelf handle.
 * Backed by a file, or by memory (the vdso, an unpacked kernel module).
 *
 * The sections of a relocatable file (ET_REL: a kernel module, a .o) all begin at 0. Each section
 * that is loaded (SHF_ALLOC) gets a base of its own, one after the other from 64 KiB on, and a
 * PT_LOAD header as a linked file would have: ELF addresses of such a file are `base + offset in
 * the section`, and mean one place as in any other file. They are never shown to anybody. Files
 * whose loaded sections are alike (a module and its debug file) have the same bases.
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
	int fd;	      /* -1: memory, or a file that is mapped, which there can be thousands of */
	void *memory; /* owned, NULL: a file */
	char *path;   /* for messages and for debuglink's directory; owned */
	char *real;   /* of a file: where links led when it was opened; owned, NULL: unknown */
	GElf_Ehdr ehdr;
	GElf_Phdr *loads; /* PT_LOAD headers in file order, owned; ET_REL: see above */
	size_t n_loads;
	GElf_Phdr eh_frame_hdr; /* the first PT_GNU_EH_FRAME; p_type 0: there is none */
	uint64_t *bases; /* ET_REL: of the sections, by index; 0: not loaded. Else NULL. Owned */
	size_t n_bases;
	struct build_id build_id; /* len 0: has none */
	struct stat stat;	  /* of memory zeros */
	struct writers writers;	  /* of the file; of memory who could write that */
	uint64_t fs_type; /* statfs(2): of the file system that it is in; 0: memory, or unknown */
	struct fault_guard guard; /* of a file: cut if that was cut short after it was opened */
	bool pages; /* its bytes are pages of the file, which may leave memory and come back */
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
/* Lets go of the memory that its bytes take as pages of the file, until they are read again. */
void elf_image_release(const struct elf_image *image);

/*
 * From an offset in the file to the virtual address by the PT_LOAD that holds it: p_offset <=
 * OFFSET < p_offset + p_filesz (an executable segment wins where two hold it). False: none does.
 */
bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *ret);
/* The other way. */
bool elf_image_offset(const struct elf_image *image, uint64_t address, uint64_t *ret);
/* LEN bytes at a virtual address, from the file's segments. False: not all of them are there. */
bool elf_image_bytes(const struct elf_image *image, uint64_t address, void *buffer, size_t len);
/* LEN bytes at an offset in the file. False: it is shorter. */
bool elf_image_raw(const struct elf_image *image, uint64_t offset, void *buffer, size_t len);

/* The ELF address of the section NAME. False: there is none. */
bool elf_image_section(const struct elf_image *image, const char *name, uint64_t *ret);
/* Returns true if Go linked it, with the table of its runtime. */
bool elf_image_is_go(const struct elf_image *image);
/* What the addresses in section INDEX (sh_addr, st_value) count from: 0 unless ET_REL. */
uint64_t elf_image_base(const struct elf_image *image, size_t index);
bool elf_image_is_relocatable(const struct elf_image *image);
/* Returns the bytes of an address, 4 or 8. */
static inline unsigned elf_image_word(const struct elf_image *image)
{
	return image->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
}
/* Its addresses are those that it is loaded at (ET_EXEC). */
bool elf_image_is_fixed(const struct elf_image *image);
/*
 * A program begins at its entry point (ET_EXEC, DF_1_PIE); libraries and the vdso may have one that
 * is called.
 */
bool elf_image_is_program(const struct elf_image *image);
/* How far ADDRESS is from the start of its section in a relocatable file; else ADDRESS itself. */
uint64_t elf_image_section_offset(const struct elf_image *image, uint64_t address);
/* A code section of a relocatable file, or code segment of another. */
bool elf_image_is_code(const struct elf_image *image, uint64_t address);
/* True if a loaded section with all of FLAGS (SHF_*) holds ADDRESS, or the file has no sections. */
bool elf_image_is_in_section(const struct elf_image *image, uint64_t address, uint64_t flags);
/* In a segment of the file, or it has none (then that is unknown). */
bool elf_image_has_address(const struct elf_image *image, uint64_t address);
/*
 * False for relocatable files whose loaded sections differ, and for files whose .text lies at other
 * addresses, as when only one of them was prelinked: an address is not one place in both.
 */
bool elf_image_same_layout(const struct elf_image *a, const struct elf_image *b);
/*
 * The ELF address of OFFSET in a code section of a relocatable file. With several that are long
 * enough it is the FIRST one's, or with FIRST false none. False: none.
 */
bool elf_image_code_offset(
	const struct elf_image *image, uint64_t offset, bool first, uint64_t *ret);
