/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of version 1, as the recorder writes what it says now. */
#pragma once

#include <stddef.h>

#include "util/text.h"

/* A block ends after EVERY lines. Files must be numbered from 1. */
void pack_recording(const char *text, size_t len, size_t every, struct text *ret);
