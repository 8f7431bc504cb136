/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that a program copied over its own mapping, into huge pages: it looks anonymous. */
#pragma once

#include "process/maps.h"

/*
 * The file mapping below ANONYMOUS (one of MAPS) that reached over it once: the nearest file
 * mappings on both sides are of one file, no gap between them, and their offsets differ as their
 * addresses do. NULL: it never was a file's. That the bytes are still the file's is not known yet.
 */
const struct mapping *remapped_file(const struct maps *maps, const struct mapping *anonymous);
