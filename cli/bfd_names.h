/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What binutils calls formats of object files and ways of mangling names. */
#pragma once

#include <stdbool.h>

/* "elf64-x86-64", "default", or the triplet of a machine with ELF files ("aarch64-linux-gnu"). */
bool bfd_names_has_target(const char *name);
/* "gnu-v3", "rust", "auto", …: the styles of c++filt(1). */
bool bfd_names_has_style(const char *name);
