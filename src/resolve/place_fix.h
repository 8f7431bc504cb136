/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What would help where the address of a process has no name. */
#pragma once

#include "model/frame.h"
#include "process/space.h"

/* Where STATUS alone does not tell it best; NULL: it does. MAPPING: NULL where there is none. */
const char *place_fix(
	const struct space *space, const struct mapping *mapping, enum frame_status status);
