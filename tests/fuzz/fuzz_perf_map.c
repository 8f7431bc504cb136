// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a perf map: what comes out is ordered and within bounds. */
#include "../unit/jit_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_map map = {};

	(void)perf_map_parse((const char *)data, size, &map);
	jit_check(&map);
	return 0;
}
