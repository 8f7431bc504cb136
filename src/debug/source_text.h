/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of source files, for the lines around a frame's (--source). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "object/elf_image.h"
#include "object/fetch/fetcher.h"
#include "object/find/options.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

struct source_file;

/* Zero-filled but for the first group is empty. Files are read once and kept. */
struct source_texts {
	unsigned context;	       /* lines shown before and after the one */
	const struct path_rule *rules; /* --substitute-path */
	size_t n_rules;
	struct fetcher *fetcher; /* NULL: downloads are off */

	struct table by_path; /* owner, root and path → index in files */
	struct VEC(struct source_file *) files;
	uint64_t bytes; /* of all files */
	struct arena arena;
};

void source_texts_deinit(struct source_texts *texts);
/*
 * The file PATH that IMAGE says it was compiled from: in ROOT (the target's, "": ours) with the
 * rights of the image's owner, or where a rule puts it; if it is nowhere it begins to be fetched.
 * Never NULL.
 */
struct source_file *source_text_open(struct source_texts *texts, const char *root, const char *path,
	const struct elf_image *image);
/*
 * The lines around LINE of FILE, waiting for it if need be; lives as long as TEXTS. NULL: nothing
 * to show.
 */
const struct source_excerpt *source_text_excerpt(
	struct source_texts *texts, struct source_file *file, uint32_t line);
