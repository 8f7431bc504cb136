/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings as text, a record a line. */
#pragma once

#include <stdio.h>

#include "util/error.h"

/*
 * Prints the recording PATH to OUT. The error is for what is not a recording, one that is cut or
 * damaged (what stood before is printed), and a failed write.
 */
struct error *recording_print(const char *path, FILE *out) must_check;
