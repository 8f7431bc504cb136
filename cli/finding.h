/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options about finding processes and their files, as a child of the command line's parser. */
#pragma once

#include <argp.h>

#include "options.h"
#include "value.h"

/* Ends with a NULL option. */
extern const struct choices finding_choices[];

/* Its input is a struct options. */
extern const struct argp finding_argp;

/* Points options->symbolize.find at what was collected, and at the caches of this user. */
void finding_finish(struct options *options);

/*
 * Warns of directories that were named and are not there. The rest goes on: a --debug-dir may be in
 * the root of a process, and much is known without the others.
 */
void finding_check(const struct options *options, struct log *log);
