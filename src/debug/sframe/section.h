/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SFrame section of an ELF file: opened, as unwind rules, and as text. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "debug/sframe/sframe.h"
#include "debug/unwind/rule.h"
#include "object/elf_image.h"

/* Finds and opens the SFrame section of an ELF file. */
/* Converts SFrame rows to unwind rules. */

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

/*
 * Finds the rule at ADDRESS. MACHINE is e_machine. Returns NULL on success, else the reason (a
 * constant).
 */
const char *sframe_rule(
	const struct sframe *sframe, uint16_t machine, uint64_t address, struct unwind_rule *ret);

/*
 * Prints a section of any version, in the format of `readelf --sframe` of binutils. IMAGE is the
 * file of SFRAME. If it is relocatable, addresses count from their
 * sections.
 */
void sframe_print(const struct sframe *sframe, const struct elf_image *image, FILE *out);
