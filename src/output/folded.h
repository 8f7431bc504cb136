/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: `comm;root;caller;leaf 12`, equal stacks merged, in byte order, printed at the
 * end. The user frames come before the kernel ones. Names are made safe by output/folded_name.h.
 */
#pragma once

#include "output/format.h"

extern const struct format folded_format;
