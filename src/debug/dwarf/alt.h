/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwz's file, to which dwz moves the parts that several programs have in common. The programs give
 * its name and ID in .gnu_debugaltlink or .debug_sup (DWARF 5, section 7.3.6).
 */
#pragma once

#include <stdbool.h>

#include "debug/dwarf/dwarf.h"
#include "debug/files/companions.h"
#include "model/build_id.h"
#include "util/arena.h"

struct alt_link {
	const char *name;   /* lives as long as the sections */
	struct build_id id; /* build ID or, from .debug_sup, checksum */
};

/* Returns false if SECTIONS do not refer to dwz's file. */
bool alt_link_read(struct sections *sections, struct alt_link *ret);

/* Zero-filled if there is none. */
struct alt {
	struct elf_image *image;
	struct dwarf *dwarf; /* NULL if not found; DETAIL is then the reason */
	const char *detail;
	struct fetch *fetch; /* failed download, NULL if none failed */
};

void alt_deinit(struct alt *alt);
/* Opens the file of LINK. Messages are allocated in ARENA. */
struct alt alt_open(
	const struct companions *companions, const struct alt_link *link, struct arena *arena);
