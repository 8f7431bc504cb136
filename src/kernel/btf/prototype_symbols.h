/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the functions in BTF with kallsyms: how many symbols each has, and where. */
#pragma once

#include "kernel/btf/prototypes.h"

/* Updates SET's symbols and slide, unless they are up to date with the kernel's symbols. */
void prototype_symbols_count(struct prototype_set *set, struct kernel *kernel);
/* Returns the length of the source name in SYMBOL, without suffixes such as .isra.0 and .cold. */
size_t prototype_name_length(const char *symbol);
