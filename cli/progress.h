/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress of downloads as one line on a terminal's standard error. */
#pragma once

#include "object/fetch/fetcher.h"

/*
 * Writes the line anew, NULL: erases it. As fetch_options.progress wants it; CONTEXT is not used.
 */
void progress_show(void *context, const struct fetch_progress *progress);
