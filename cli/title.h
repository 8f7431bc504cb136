/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What graphs say of their origin. */
#pragma once

#include "output/output.h"

/* The command line, the host name and the time. Owns the strings. */
struct title {
	char *command, *host, *date;
};

void title_init(struct title *title, int argc, char **argv);
void title_deinit(struct title *title);
struct output_title title_text(const struct title *title);
