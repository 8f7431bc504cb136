/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Radix sort by a 64-bit key, in linear time. */
#pragma once

#include <stddef.h>

/* Sorts N elements of SIZE bytes by the uint64_t at their start. The sort is stable. */
void radix_sort(void *data, size_t n, size_t size);
/* Sorts like radix_sort(), but orders ties by COMPARE, which must compare these keys first. */
void radix_sort_by(void *data, size_t n, size_t size, int (*compare)(const void *a, const void *b));
