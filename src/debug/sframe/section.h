/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and opens the SFrame section of an ELF file. */
#pragma once

#include <stdint.h>

#include "debug/sframe/sframe.h"
#include "object/elf_image.h"

struct sframe_section {
	/* why there is no readable section (a constant string), NULL if there is one */
	const char *missing;
	struct sframe sframe;
	/* relocated copy that SFRAME points to, if the file is relocatable; owned */
	uint8_t *relocated;
};

/*
 * Opens the SFrame section of IMAGE, which must outlive RET. Looks for PT_GNU_SFRAME, then for the
 * section type, then for the name. An empty section counts as missing.
 */
void sframe_section_open(const struct elf_image *image, struct sframe_section *ret);
void sframe_section_deinit(struct sframe_section *section);
