/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the SFrame section of an ELF file is. */
#pragma once

#include <stdint.h>

#include "debug/sframe/sframe.h"
#include "object/elf_image.h"

struct sframe_section {
	const char *missing; /* why there is none to read (a constant string); NULL: there is */
	struct sframe sframe;
	uint8_t *relocated; /* of a relocatable file: the copy that it is read from; owned */
};

/*
 * Opens the section of IMAGE, which must outlive it: by PT_GNU_SFRAME, else by its type, else by
 * its name. An empty one is none.
 */
void sframe_section_open(const struct elf_image *image, struct sframe_section *ret);
void sframe_section_deinit(struct sframe_section *section);
