/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options about finding processes and their files. */
#pragma once

#include "options.h"

extern const struct option_row finding_rows[];

/* Points options->symbolize.find at what was collected, and at the caches of this user. */
void finding_finish(struct options *options);

/*
 * Warns of directories that were named and are not there. The rest goes on: a --debug-dir may be in
 * the root of a process, and much is known without the others.
 */
void finding_check(const struct options *options, struct log *log);
