/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files: their paths, in the form in which they are printed, and the lines around a frame
 * (--source).
 */
#pragma once

#include <stdint.h>

#include "model/frame.h"
#include "object/elf_image.h"
#include "object/fetch/fetcher.h"
#include "object/find/find_options.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

struct source_file;

/* Cache of source files. The caller sets the first group; the rest starts zero-filled. */
struct source_texts {
	unsigned context;	 /* lines shown before and after the frame's line */
	struct path_rules rules; /* --substitute-path; not owned */
	struct fetcher *fetcher; /* NULL if downloads are off */

	struct table by_path; /* owner, root and path → index in FILES */
	struct VEC(struct source_file *) files;
	uint64_t bytes; /* size of all files */
	struct arena arena;
};

void source_texts_deinit(struct source_texts *texts);
/*
 * Opens the source file PATH of IMAGE in ROOT (the target's root, "" for ours), with the rights of
 * the image's owner, or where a --substitute-path rule maps it. Starts a download if the file is
 * not found. Never returns NULL.
 */
struct source_file *source_text_open(struct source_texts *texts, const char *root, const char *path,
	const struct elf_image *image);
/*
 * Returns the lines around LINE of FILE, NULL if there is nothing to show. Waits for the download.
 * The result lives as long as TEXTS.
 */
const struct source_excerpt *source_text_excerpt(
	struct source_texts *texts, struct source_file *file, uint32_t line);

/*
 * Returns PATH, made absolute if possible. PATH is absolute or relative to the compilation
 * directory COMP_DIR (NULL if unknown). A path that begins with COMP_DIR is returned unchanged: in
 * DWARF 5 files in the compilation directory include it, even if it is relative itself ("./stdlib"
 * in Debian's glibc). The result is in ARENA, or is PATH if that is longer than 16 KiB.
 */
const char *source_path(struct arena *arena, const char *comp_dir, const char *path);
/*
 * Returns PATH in the directory DIR, allocated in ARENA. DIR must not be empty. Returns PATH itself
 * if the result would be too long.
 */
const char *source_path_join(struct arena *arena, const char *dir, const char *path);
/*
 * Returns the part of PATH after the directory COMP_DIR (NULL if unknown), or PATH if it is not in
 * COMP_DIR.
 */
const char *source_path_relative(const char *comp_dir, const char *path);
