/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the file of code that a program copied over its own mapping, into huge pages, and that
 * therefore looks anonymous.
 */
#pragma once

#include "process/maps.h"

/*
 * Returns the file mapping below ANONYMOUS, an element of MAPS, if it once covered ANONYMOUS, or
 * NULL. The nearest file mappings on both sides must be of the same file, without gaps between
 * them, and their offsets must differ as their addresses do. The bytes may differ from the file's.
 */
const struct mapping *remapped_file(const struct maps *maps, const struct mapping *anonymous);
