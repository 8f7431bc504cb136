/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that hold BTF: raw, as below /sys/kernel/btf, or ELF files with a section for it. */
#pragma once

#include "kernel/btf/prototypes.h"
#include "util/error.h"

/*
 * Reads the BTF of PATH: its bytes are not looked at, but if it is an ELF file (a module may be
 * packed) they are those of .BTF. The error says why there are none. RET must be zero-filled; it is
 * the caller's to free also on failure.
 */
struct error *btf_file_read(const char *path, struct s2l_btf_file *ret) must_check;
