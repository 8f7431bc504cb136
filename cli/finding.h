/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for finding processes and their files. */
#pragma once

#include "options.h"

extern const struct option_row finding_rows[];

/* Points options->symbolize.find to the collected values and to this user's caches. */
void finding_finish(struct options *options);

/*
 * Warns of directories in options that do not exist. The run continues: a --debug-dir may exist in
 * the root of a process, and much works without the others.
 */
void finding_check(const struct options *options, struct log *log);
