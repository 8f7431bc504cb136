/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads files that hold BTF: raw, as in /sys/kernel/btf, or ELF files with a section .BTF. */
#pragma once

#include "kernel/btf/prototypes.h"
#include "util/error.h"

/*
 * Reads the BTF of the file PATH without validating it. From an ELF file, which may be a compressed
 * module, it takes the section .BTF. Returns an error if there is no BTF or it cannot be read. RET
 * must be zero-filled, and is the caller's to free on failure too.
 */
struct error *btf_file_read(const char *path, struct s2l_btf_file *ret) must_check;
