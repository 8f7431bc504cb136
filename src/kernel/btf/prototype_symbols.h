/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kallsyms says of the functions that BTF names: how many there are, and where. */
#pragma once

#include "kernel/btf/prototypes.h"

/* Fills in SET's symbols and slide, unless they are of the kernel's present symbols. */
void prototype_symbols_count(struct prototype_set *set, struct kernel *kernel);
/* The length of the name in SYMBOL that stands in the source: without .isra.0, .cold, ... */
size_t prototype_name_length(const char *symbol);
