/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An SFrame section as `readelf --sframe` of binutils prints it, of any version. */
#pragma once

#include <stdio.h>

#include "debug/sframe/sframe.h"
#include "object/elf_image.h"

/* IMAGE is the file of SFRAME: in a relocatable one addresses count from their sections. */
void sframe_print(const struct sframe *sframe, const struct elf_image *image, FILE *out);
