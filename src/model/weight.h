/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saturating sums of weights. */
#pragma once

#include <stdint.h>

/* Adds WEIGHT to SUM, which stays at UINT64_MAX. */
static inline void weight_add(uint64_t *sum, uint64_t weight)
{
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
}
