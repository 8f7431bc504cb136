/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of --help is that of the option tables. argp sorts the options of a group by name, so each
 * entry is a group of its own: sections in the order below, entries by their line in the source.
 */
#pragma once

#include <argp.h>

enum help_section {
	HELP_DUMPS = 1,
	HELP_LIVE,
	HELP_RESOLVE,
	HELP_FILES,
	HELP_DEBUGINFOD,
	HELP_SYSTEM,
	HELP_PRINT,
	HELP_OTHER,
};

/* The group of an entry; a table stands within the first 1000 lines of its file. */
#define HELP_AT(section) ((section)*1000 + __LINE__)
/* An entry that is a heading; a newline in TITLE makes the empty line before it. */
#define HELP_HEADING(section, title)                                                               \
	{                                                                                          \
		title, 0, NULL, OPTION_DOC | OPTION_NO_USAGE, NULL, HELP_AT(section)               \
	}
