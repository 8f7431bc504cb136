/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints an SFrame section of any version, in the format of `readelf --sframe` of binutils. */
#pragma once

#include <stdio.h>

#include "debug/sframe/sframe.h"
#include "object/elf_image.h"

/* IMAGE is the file of SFRAME. If it is relocatable, addresses count from their sections. */
void sframe_print(const struct sframe *sframe, const struct elf_image *image, FILE *out);
