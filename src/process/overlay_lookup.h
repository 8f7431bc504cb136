/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of an overlay found in its layers, by the rules the kernel merges them with
 * (Documentation/filesystems/overlayfs.rst): for when no mount of it can be reached.
 */
#pragma once

#include "door/overlay.h"

/*
 * Opens what the merged tree has at PATH (components with '/' between, no "." and no "..") as an
 * O_PATH descriptor. It looks only below the layers' directories, follows no symbolic link there
 * and crosses no mount. Layers that are gone, as a removed container's upper one, are left out: as each
 * could hide the file, what is found must be verified. FOUND_RET gets the path of the layer's file,
 * malloc'ed. With BELOW N it is the Nth file that this one hides, which may
 * have been copied up since it was mapped. Negative errno: -ENOENT when the tree has no such file.
 * Attributes of `trusted.` need CAP_SYS_ADMIN; without it, hidden and moved directories look plain.
 */
int overlay_open(const struct overlay *overlay, const char *path, size_t below, char **found_ret);
