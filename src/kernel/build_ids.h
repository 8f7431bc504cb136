/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build IDs of the running kernel and its modules, from the notes that /sys shows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/build_id.h"

/* The GNU build ID among the ELF notes of native byte order in BYTES. False: none. */
bool kernel_build_id_parse(const char *bytes, size_t len, struct build_id *ret);
/* The same of a file of notes. */
bool kernel_build_id_read_file(const char *path, struct build_id *ret);
/* That of the kernel (MODULE is NULL) or of a module, below SYS_ROOT. */
bool kernel_build_id_read(const char *sys_root, const char *module, struct build_id *ret);
