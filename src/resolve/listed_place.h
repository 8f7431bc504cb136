/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the places (file and address) of values that are given as a file or function and an offset:
 * in lists, in texts and by the user.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "model/frame.h"
#include "model/stack.h"
#include "object/object_cache.h"
#include "resolve/place.h"
#include "resolve/targets.h"
#include "util/table.h"
#include "util/vec.h"

struct named_start {
	enum frame_status status; /* FRAME_NAMED, or the reason */
	bool doubtful;		  /* the only function with this name has another size */
	uint64_t start;		  /* kernel address, or ELF address */
};

/*
 * Finds the start of functions named in texts, `func+0x1a/0x40`. Among several with one name the
 * size decides, which the kernel prints as the distance to the next symbol. Results are cached.
 */
struct named_starts {
	struct table by_name; /* object, name, size → index in all */
	struct VEC(struct named_start) all;
};

void named_starts_deinit(struct named_starts *starts);
/* Call it when symbols or object numbers change. */
void named_starts_clear(struct named_starts *starts);
/* Searches MODULE, "": the kernel itself. SIZE 0: not given. */
struct named_start named_start_in_kernel(struct named_starts *starts, struct kernel *kernel,
	const char *module, const char *name, uint64_t size);

/*
 * Returns the place of VALUE, whose base FILE gives; never NULL. PID is its process, -1: unknown.
 * EXACT: VALUE is not a return address.
 */
struct place *listed_place(struct places *places, struct targets *targets,
	struct named_starts *starts, int64_t pid, const struct stack_file *file, uint64_t value,
	bool exact);
/* Returns the file of -e for MODULE (NAME.ko), or for "" the kernel's (vmlinux…); NULL: none. */
struct object *listed_kernel_file(struct object_cache *cache, const char *module);

/* The file of -e or -b, for lookups of its own addresses. Owns nothing. */
struct fixed_file {
	struct object *object; /* has an image; NULL: no file was given that can be read */
	struct targets *targets;
};

/* The result of fixed_file_address(). */
enum section_answer {
	SECTION_FOUND,
	SECTION_ABSENT,	   /* no such section */
	SECTION_AMBIGUOUS, /* several code sections of the relocatable file are long enough */
};
/*
 * Converts OFFSET in SECTION of the file to an address for symbolizer_batch(). SECTION NULL: OFFSET
 * is an ELF address; in a relocatable file (a kernel module, a .o) it is an offset in the only code
 * section that is long enough, or with FIRST in the first one.
 */
enum section_answer fixed_file_address(const struct fixed_file *file, const char *section,
	uint64_t offset, bool first, uint64_t *ret);
/* See debug_want(); VALUES are as symbolizer_batch() takes them. */
void fixed_file_want(const struct fixed_file *file, const uint64_t *values, size_t n);
/* Find a variable at VALUE, or with the name NAME. Return false if there is none. */
bool fixed_file_variable(const struct fixed_file *file, uint64_t value, struct frame *ret);
bool fixed_file_find_variable(const struct fixed_file *file, const char *name, uint64_t *ret);
/*
 * Returns the number to print for a value of symbolizer_batch(): the section offset in a
 * relocatable file, else the value itself.
 */
uint64_t fixed_file_shown(const struct fixed_file *file, uint64_t value);
/* Returns true if the file is ELFCLASS64, or there is none. */
bool fixed_file_is_64bit(const struct fixed_file *file);
