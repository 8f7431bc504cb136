/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For comparison functions of qsort(). */
#pragma once

/* Below, equal to or above 0 as A is to B. Several keys, the first one first, are joined by ?: */
#define order_of(a, b) (((a) > (b)) - ((a) < (b)))

/*
 * A comparison function NAME of elements of TYPE, to which A and B point in the expression that follows:
 * COMPARE(compare_ranges, struct range, order_of(a->start, b->start))
 */
#define COMPARE(name, type, ...)                                                                   \
	static int name(const void *a_, const void *b_)                                            \
	{                                                                                          \
		const __typeof__(type) *a = a_, *b = b_;                                           \
                                                                                                   \
		return __VA_ARGS__;                                                                \
	}
