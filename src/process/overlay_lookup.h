/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds files of an overlay in its layers, by the rules by which the kernel merges them
 * (Documentation/filesystems/overlayfs.rst). Needed if no mount of the overlay is accessible.
 */
#pragma once

#include "door/mountinfo.h"

/*
 * Opens PATH of the merged tree as an O_PATH descriptor. PATH has components separated by '/',
 * without "." and "..". Looks only below the directories of the layers, follows no symbolic link
 * there, and crosses no mount. Skips layers that no longer exist, such as the upper one of a
 * removed container: such a layer could hide the file, so the caller must verify it. Sets FOUND_RET
 * to the path of the file in its layer, malloc'ed. BELOW N: opens the Nth file hidden by the
 * visible one, which may have been copied up since it was mapped. Returns a descriptor or a
 * negative errno, -ENOENT if the tree has no such file. Reading `trusted.` attributes requires
 * CAP_SYS_ADMIN; without it, hidden and moved directories look like plain ones.
 */
int overlay_open(const struct overlay *overlay, const char *path, size_t below, char **found_ret);
