/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a machine splits addresses between processes and the kernel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Zero-filled: a 64-bit machine whose kernel starts at 0xff00000000000000. */
struct address_halves {
	uint64_t kernel_start; /* first kernel address; 0: as above */
	bool separate;	       /* overlapping address spaces (s390x): a number can be either's */
};
