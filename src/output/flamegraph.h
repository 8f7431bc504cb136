/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as one HTML file: the page (flamegraph.html, .css, .js, which flamegraph.sh made
 * into flamegraph.inc), and the call tree in it as JSON. The page loads nothing, its
 * Content-Security-Policy lets nothing but its own script and style run, and text from outside is
 * in the JSON only.
 */
#pragma once

#include "output/format.h"

extern const struct format flamegraph_format;
