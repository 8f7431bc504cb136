/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of object file formats and of mangling styles in binutils. */
#pragma once

#include <stdbool.h>

/* Returns true for "elf64-x86-64", "default", or the triplet of an ELF machine. */
bool bfd_names_has_target(const char *name);
/* Returns true for the styles of c++filt(1): "gnu-v3", "rust", "auto", … */
bool bfd_names_has_style(const char *name);
