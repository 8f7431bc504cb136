/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options about finding processes and their files, as a child of the command line's parser. */
#ifndef CLI_FINDING_H
#define CLI_FINDING_H

#include <argp.h>

#include "options.h"

/* Its input is a struct options. */
extern const struct argp finding_argp;

/* Points options->symbolize.find at what was collected, and at the caches of this user. */
void finding_finish(struct options *options);

/*
 * Fails when a directory that was named is not there. A --debug-dir is only warned of: it may be in
 * the root of a process.
 */
struct error *finding_check(const struct options *options, struct log *log) must_check;

#endif
