/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows the progress of downloads in one line on a terminal's standard error. */
#pragma once

#include "object/fetch/fetcher.h"

/* Rewrites the line; NULL erases it. For fetch_options.progress; CONTEXT is not used. */
void progress_show(void *context, const struct fetch_progress *progress);
