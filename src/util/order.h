/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparison functions for qsort(). */
#pragma once

/*
 * Compares A and B like a qsort() function. Join several keys with ?:, the most significant first.
 */
#define order_of(a, b) (((a) > (b)) - ((a) < (b)))

/*
 * Defines a comparison function NAME for elements of TYPE. The expression refers to the elements as
 * A and B: COMPARE(compare_ranges, struct range, order_of(a->start, b->start))
 */
#define COMPARE(name, type, ...)                                                                   \
	static int name(const void *a_, const void *b_)                                            \
	{                                                                                          \
		const __typeof__(type) *a = a_, *b = b_;                                           \
                                                                                                   \
		return __VA_ARGS__;                                                                \
	}
