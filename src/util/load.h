/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read numbers in native byte order, at any address. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint32_t load_u32(const void *p)
{
	uint32_t number;

	memcpy(&number, p, sizeof(number));
	return number;
}

static inline uint64_t load_u64(const void *p)
{
	uint64_t number;

	memcpy(&number, p, sizeof(number));
	return number;
}
