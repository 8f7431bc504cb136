/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which numbers are addresses of processes, and which the kernel's: machines differ in that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Zero-filled: a 64-bit machine whose kernel has the addresses from 0xff00000000000000 on. */
struct address_halves {
	uint64_t kernel_start; /* the kernel has the addresses from here on; 0: as above */
	bool separate;	       /* each has an address space of its own (s390x): no number tells */
};
