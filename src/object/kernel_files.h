/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the ELF files of a kernel and its modules where distributions keep them, verifies them by
 * build ID, and prefers those with debug info.
 *
 *     D/lib/modules/R/build/vmlinux  D/boot/vmlinux-R  D/lib/modules/R/vmlinux
 *     D/usr/lib/modules/R/vmlinux  D/boot/vmlinux-R.debug  D/lib/modules/R/vmlinux.debug
 *     D/vmlinux-R    with D a debug directory, then /
 *     D/.build-id/xx/rest.debug
 *     NAME.ko, .ko.debug, .ko.xz, .ko.zst, .ko.gz anywhere below D/lib/modules/R and
 *     D/usr/lib/modules/R
 *
 * Then it looks up the build ID in the cache of debuginfod's clients and on the servers that the
 * user named.
 *
 * R is the release of the running kernel, then all others found on disk: the build ID decides.
 */
#pragma once

#include <stddef.h>

#include "kernel/btf/prototypes.h"
#include "model/build_id.h"
#include "object/object_cache.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/table.h"
#include "util/vec.h"

struct kernel_module_file {
	const char *path;
	size_t next; /* index + 1 of the next file with that name; 0: none */
};

/* A struct that is zero-filled except for the inputs is empty. */
struct kernel_files {
	struct object_cache *objects; /* input */
	const char *vmlinux;	      /* input: --vmlinux FILE; NULL: none */
	bool listed;
	struct VEC(const char *) releases;
	size_t own_release; /* 1 if the first release is that of the running kernel, else 0 */
	struct VEC(const char *) roots; /* directories with modules */
	size_t scanned;			/* how many of them were read */
	struct table by_name;		/* "nf_tables" → index + 1 of the first entry in files */
	struct VEC(struct kernel_module_file) files;
	struct arena strings;
	struct fetch *failed; /* the last download that got no file; NULL: none */
};

void kernel_files_deinit(struct kernel_files *files);
/*
 * Returns the object [kernel] for the kernel with build ID ID, or NULL if no file matches. If its
 * length is 0, the ID is unknown and only --vmlinux is used. DETAIL_RET receives why an expected
 * file was not used, or NULL.
 */
struct object *kernel_files_vmlinux(
	struct kernel_files *files, const struct build_id *id, const char **detail_ret);
/* Returns the object [NAME] for the module NAME, or NULL if ID is empty or no file has it. */
struct object *kernel_files_module(
	struct kernel_files *files, const char *name, const struct build_id *id);

/* Reads files that hold BTF: raw, as in /sys/kernel/btf, or ELF files with a section .BTF. */

/*
 * Reads the BTF of the file PATH without validating it. From an ELF file, which may be a compressed
 * module, it takes the section .BTF. Returns an error if there is no BTF or it cannot be read. RET
 * must be zero-filled, and is the caller's to free on failure too.
 */
struct error *btf_file_read(const char *path, struct s2l_btf_file *ret) must_check;
