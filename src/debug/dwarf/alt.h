/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwz's file: what several programs have in common, moved to one. The programs name it and its ID
 * in .gnu_debugaltlink, or in .debug_sup (DWARF 5, section 7.3.6).
 */
#pragma once

#include <stdbool.h>

#include "debug/dwarf/dwarf.h"
#include "debug/files/companions.h"
#include "model/build_id.h"
#include "util/arena.h"

struct alt_link {
	const char *name;   /* as long as the sections */
	struct build_id id; /* a build ID or, with .debug_sup, a checksum */
};

/* False: SECTIONS need no other file. */
bool alt_link_read(struct sections *sections, struct alt_link *ret);

/* Zero-filled is none. */
struct alt {
	struct elf_image *image;
	struct dwarf *dwarf; /* NULL: not found, and DETAIL says so */
	const char *detail;
	struct fetch *fetch; /* which brought nothing; NULL: there was none, or it did */
};

void alt_deinit(struct alt *alt);
/* Opens what LINK names; text is made in ARENA. */
struct alt alt_open(
	const struct companions *companions, const struct alt_link *link, struct arena *arena);
