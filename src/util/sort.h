/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparison functions for qsort(), and a radix sort by a 64-bit key, in linear time. */
#pragma once

#include <stddef.h>

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

/* Sorts N elements of SIZE bytes by the uint64_t at their start. The sort is stable. */
void radix_sort(void *data, size_t n, size_t size);
/* Sorts like radix_sort(), but orders ties by COMPARE, which must compare these keys first. */
void radix_sort_by(void *data, size_t n, size_t size, int (*compare)(const void *a, const void *b));
