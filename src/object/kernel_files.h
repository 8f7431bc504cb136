/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a kernel and its modules, as ELF: where distributions keep them, verified by build
 * ID, those with debug info preferred.
 *
 *     D/lib/modules/R/build/vmlinux  D/boot/vmlinux-R  D/lib/modules/R/vmlinux
 *     D/usr/lib/modules/R/vmlinux  D/boot/vmlinux-R.debug  D/lib/modules/R/vmlinux.debug
 *     D/vmlinux-R    with D a debug directory, then /
 *     D/.build-id/xx/rest.debug
 *     NAME.ko, .ko.debug, .ko.xz, .ko.zst, .ko.gz anywhere below D/lib/modules/R, /lib/modules/R
 *
 * Then, by build ID, the cache of debuginfod's clients and the servers that the user named.
 *
 * R is the release of the kernel that runs, then all others that are there: the build ID decides.
 */
#pragma once

#include <stddef.h>

#include "model/build_id.h"
#include "object/object_cache.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

struct kernel_module_file {
	const char *path;
	size_t next; /* index + 1 of another file of that name, 0: none */
};

/* Zero-filled but for what is given is empty. */
struct kernel_files {
	struct object_cache *objects; /* given */
	const char *vmlinux;	      /* given: --vmlinux FILE; NULL: none */
	bool listed;
	struct VEC(const char *) releases;
	size_t own_release;		/* 1: the first release is the running kernel's */
	struct VEC(const char *) roots; /* directories with modules, NULL when scanned */
	struct table by_name;		/* "nf_tables" → index + 1 of its first file */
	struct VEC(struct kernel_module_file) files;
	struct arena strings;
	struct fetch *failed; /* the last download, if it brought nothing; else NULL */
};

void kernel_files_deinit(struct kernel_files *files);
/*
 * The object [kernel] for the kernel with build ID (len 0: unknown, then only what the user names
 * will do). NULL: no file is it, and DETAIL_RET tells of one that should have been; NULL: nothing.
 */
struct object *kernel_files_vmlinux(
	struct kernel_files *files, const struct build_id *id, const char **detail_ret);
/* The object [NAME] for a module. NULL: no file has its build ID, or that is not known. */
struct object *kernel_files_module(
	struct kernel_files *files, const char *name, const struct build_id *id);
