/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of mapped files that `stack2line record --keep-files` made (process/recording/kept_dir.h). A recording says of
 * which process and which of its mappings each is: what is in it is the word of who wrote the file, which
 * names the frames of no other process.
 */
#pragma once

#include <stdint.h>

/* The kernel's link to what was mapped at [START, END) was opened between SINCE and TIME. */
struct recorded_copy {
	uint64_t since, time;	     /* ns */
	uint64_t start, end, offset; /* process addresses, bytes of START into the file */
	uint64_t size;		     /* bytes of the file */
	uint32_t pid;
	const char *name; /* in the directory */
};
