// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as mountinfo, and what it says of overlays taken apart. */
#include <stdlib.h>

#include "door/mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_apart(const char *options)
{
	struct overlay overlay = {};

	overlay_parse(options, &overlay);
	if (overlay.n_data > overlay.layers.len)
		abort();
	overlay_deinit(&overlay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mountinfo mounts = {};

	mountinfo_parse((const char *)data, size, &mounts);
	for (size_t i = 0; i < mounts.mounts.len; i++) {
		const struct mount *mount = &mounts.mounts.data[i];

		if (*mount->root != '/' || *mount->point != '/')
			abort();
		(void)mountinfo_below(mount->root, mount->point);
		take_apart(mount->options);
	}
	mountinfo_deinit(&mounts);
	return 0;
}
