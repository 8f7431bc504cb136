/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the build IDs of the running kernel and its modules from the ELF notes in /sys. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/build_id.h"

/* Reads the GNU build ID from the file of notes PATH. Returns false if there is none. */
bool kernel_build_id_read_file(const char *path, struct build_id *ret);
/*
 * Reads the build ID of MODULE, or of the kernel if MODULE is NULL, below SYS_ROOT. Returns false
 * if it is unknown.
 */
bool kernel_build_id_read(const char *sys_root, const char *module, struct build_id *ret);
