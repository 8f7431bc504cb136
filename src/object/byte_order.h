/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads numbers from files of either byte order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns the number in the SIZE bytes at P. SIZE is at most 8. */
static inline uint64_t byte_order_read(const uint8_t *p, unsigned size, bool big_endian)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)p[big_endian ? size - 1 - i : i] << 8 * i;
	return value;
}
