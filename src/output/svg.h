/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as a picture, for tickets: SVG 1.1 without scripts, styles or links. Frames
 * narrower than a pixel are left out, and a line in the picture says how much weight they have.
 */
#pragma once

#include "output/format.h"

extern const struct format svg_format;
