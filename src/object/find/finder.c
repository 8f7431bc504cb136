// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/find/finder.h"

const struct finder finders[FINDER_COUNT] = {
#define X(function, word, ...) {.name = word, .find = find_##function, __VA_ARGS__},
	FINDERS(X)
#undef X
};
