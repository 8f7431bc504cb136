/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs of the program; each returns its exit status. */
#pragma once

#include "options.h"

/* Resolves the stacks of dumps. */
int command_dumps(struct options *options);
/* Resolves addresses given as arguments, or as lines of standard input. */
int command_addresses(struct options *options);
/* Says which maps of the running kernel can be read. */
int command_list_maps(struct options *options);
/* Passes standard input on, with names for the frames of stacks in it. */
int command_filter(struct options *options);
/* Is binutils addr2line: its options, its output. */
int command_addr2line(int argc, char **argv);
/*
 * Whether the arguments are those of `record`: options that it shares may stand before the word,
 * which becomes the first of ARGV then.
 */
bool command_is_record(int argc, char **argv);
/*
 * Records processes: ARGV begins with the word record. FILES: the limit of open files for COMMAND.
 */
int command_record(int argc, char **argv, uint64_t files);
/* Says what objects offer: ARGV begins with the word inspect. */
int command_inspect(int argc, char **argv);
/* Compares two dumps: ARGV begins with the word diff. */
int command_diff(int argc, char **argv);
