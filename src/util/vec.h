/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing array: `struct VEC(struct mapping) all = {};`. vec_deinit() frees
 * the array, but not what its elements own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

#define VEC(type)                                                                                  \
	{                                                                                          \
		type *data;                                                                        \
		size_t len, cap;                                                                   \
	}

struct string_vec VEC(const char *);

/* Makes room for N more elements without adding them. */
#define vec_reserve(v, n)                                                                          \
	do {                                                                                       \
		size_t want_ = (v)->len + (n);                                                     \
		if (want_ > (v)->cap) {                                                            \
			size_t cap_ = (v)->cap + (v)->cap / 2 + 8;                                 \
			(v)->cap = cap_ > want_ ? cap_ : want_;                                    \
			(v)->data = xreallocarray((v)->data, (v)->cap, sizeof(*(v)->data));        \
		}                                                                                  \
	} while (0)

#define vec_push(v, ...)                                                                           \
	do {                                                                                       \
		vec_reserve(v, 1);                                                                 \
		(v)->data[(v)->len++] = (__VA_ARGS__);                                             \
	} while (0)

/* Appends N elements copied from P. */
#define vec_append(v, p, n)                                                                        \
	do {                                                                                       \
		size_t n_ = (n);                                                                   \
		vec_reserve(v, n_);                                                                \
		if (n_)                                                                            \
			memcpy((v)->data + (v)->len, (p), n_ * sizeof(*(v)->data));                \
		(v)->len += n_;                                                                    \
	} while (0)

/* Removes the first N elements. */
#define vec_drop(v, n)                                                                             \
	do {                                                                                       \
		size_t n_ = (n);                                                                   \
		(v)->len -= n_;                                                                    \
		if (n_)                                                                            \
			memmove((v)->data, (v)->data + n_, (v)->len * sizeof(*(v)->data));         \
	} while (0)

/* Adds a zero-filled element and yields its address, which is valid until the array grows. */
#define vec_add(v)                                                                                 \
	({                                                                                         \
		vec_reserve(v, 1);                                                                 \
		memset(&(v)->data[(v)->len], 0, sizeof(*(v)->data));                               \
		&(v)->data[(v)->len++];                                                            \
	})

/*
 * Loop over the N elements at ARRAY, or over those of the array V. ITEM is the address of an
 * element. The array must not grow in the loop.
 */
#define array_each(item, array, n)                                                                 \
	for (typeof(*(array)) *item = (array), *item##_end = (n) ? item + (n) : item;              \
		item != item##_end; item++)
#define vec_each(item, v) array_each(item, (v)->data, (v)->len)
/* Likewise, with ITEM as a copy of the element, as for an array of pointers. */
#define vec_each_value(item, v)                                                                    \
	for (typeof(*(v)->data) *item##_at = (v)->data,                                            \
				*item##_end = (v)->len ? item##_at + (v)->len : item##_at, item;   \
		item##_at != item##_end && (item = *item##_at, 1); item##_at++)

#define vec_deinit(v)                                                                              \
	do {                                                                                       \
		free((v)->data);                                                                   \
		(v)->data = NULL;                                                                  \
		(v)->len = (v)->cap = 0;                                                           \
	} while (0)

/* Calls DESTROY with each element, then frees the array. */
#define vec_destroy(v, destroy)                                                                    \
	do {                                                                                       \
		for (size_t i_ = 0; i_ < (v)->len; i_++)                                           \
			destroy((v)->data[i_]);                                                    \
		vec_deinit(v);                                                                     \
	} while (0)

/* Calls DEINIT with the address of each element, then frees the array. */
#define vec_deinit_each(v, deinit)                                                                 \
	do {                                                                                       \
		for (size_t i_ = 0; i_ < (v)->len; i_++)                                           \
			deinit(&(v)->data[i_]);                                                    \
		vec_deinit(v);                                                                     \
	} while (0)

/* Frees MEMBER of each element, but not the array. */
#define vec_free_each(v, member)                                                                   \
	do {                                                                                       \
		for (size_t i_ = 0; i_ < (v)->len; i_++)                                           \
			free((v)->data[i_].member);                                                \
	} while (0)

/* Yields the address of the last element; V must not be empty. */
#define vec_last(v) (&(v)->data[(v)->len - 1])

/* Sorts with a qsort() comparison function, unless the array is already sorted. */
#define vec_sort(v, compare)                                                                       \
	do {                                                                                       \
		size_t sorted_ = 1;                                                                \
		while (sorted_ < (v)->len &&                                                       \
			compare(&(v)->data[sorted_ - 1], &(v)->data[sorted_]) <= 0)                \
			sorted_++;                                                                 \
		if (sorted_ < (v)->len)                                                            \
			qsort((v)->data, (v)->len, sizeof(*(v)->data), compare);                   \
	} while (0)

/*
 * Binary search: yields the first index in [LOW, HIGH) for which the condition is false, or HIGH if
 * there is none. I is a name for the index, for use in the condition. The condition must be true
 * before that index and false from there on.
 */
#define partition_point(i, low, high, ...)                                                         \
	({                                                                                         \
		size_t low_ = (low), high_ = (high);                                               \
		while (low_ < high_) {                                                             \
			size_t i = low_ + (high_ - low_) / 2;                                      \
			if (__VA_ARGS__)                                                           \
				low_ = i + 1;                                                      \
			else                                                                       \
				high_ = i;                                                         \
		}                                                                                  \
		low_;                                                                              \
	})

/*
 * Yields the only index below N for which the condition is true, or SIZE_MAX if there is none or if
 * there are several. I is a name for the index, for use in the condition.
 */
#define only_index(i, n, ...)                                                                      \
	({                                                                                         \
		size_t only_ = SIZE_MAX, met_ = 0;                                                 \
		for (size_t i = 0; i < (n); i++)                                                   \
			if ((__VA_ARGS__) && !met_++)                                              \
				only_ = i;                                                         \
		met_ == 1 ? only_ : SIZE_MAX;                                                      \
	})

/* Yields the number of elements of ARRAY, which must not be a pointer. */
#define array_len(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Yields how many elements of ARRAY[0, N) meet a condition that begins with a member, as in
 * sorted_count(ranges, n, .start <= address). In the sorted ARRAY they must precede all others.
 */
#define sorted_count(array, n, ...) partition_point(at_, 0, n, (array)[at_] __VA_ARGS__)
