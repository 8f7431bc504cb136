/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as one HTML file: the page (flamegraph.html, .css and .js, which flamegraph.sh
 * combines into flamegraph.inc) with the call tree as JSON. The page loads nothing. Its
 * Content-Security-Policy allows only its own script and style to run. Text from outside is only in
 * the JSON.
 */
#pragma once

#include "output/format.h"

extern const struct format flamegraph_format;
