/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of the program. Each returns its exit status. */
#pragma once

#include "options.h"

/* Resolves the stacks of dumps. */
int command_dumps(struct options *options);
/* Resolves addresses from the arguments, or from standard input. */
int command_addresses(struct options *options);
/* Lists the maps of the running kernel that can be read. */
int command_list_maps(struct options *options);
/* Copies text to standard output and names the frames of stacks in it. */
int command_filter(struct options *options);
/* Acts as binutils addr2line, with its options and output. */
int command_addr2line(int argc, char **argv);
/*
 * Returns true if the subcommand is `record`. Options that it shares may precede the word, which
 * then becomes ARGV[1].
 */
bool command_is_record(int argc, char **argv);
/* Records processes. ARGV begins with "record". FILES: soft limit of open files for COMMAND. */
int command_record(int argc, char **argv, uint64_t files);
/* Prints what objects offer for resolving and unwinding. ARGV begins with "inspect". */
int command_inspect(int argc, char **argv);
/* Compares two dumps. ARGV begins with "diff". */
int command_diff(int argc, char **argv);
