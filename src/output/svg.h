/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as a picture, for tickets: SVG 1.1 without script, style or links. Frames that
 * would be narrower than a pixel are left out, and a line in the picture says what they weigh.
 */
#pragma once

#include "output/format.h"

extern const struct format svg_format;
