/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting by a number, in time that grows with the elements only. */
#pragma once

#include <stddef.h>

/*
 * Sorts N elements of SIZE bytes by the uint64_t that each begins with; equal ones keep their order.
 */
void radix_sort(void *data, size_t n, size_t size);
/* The same by COMPARE, which compares these numbers first. */
void radix_sort_by(void *data, size_t n, size_t size, int (*compare)(const void *a, const void *b));
