/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections made by hand. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "debug/files/sections.h"
#include "util/text.h"

static inline void add_number(struct text *bytes, uint64_t number, size_t size)
{
	text_add(bytes, (const char *)&number, size);
}

/* Each argument is a byte. */
#define add_bytes(bytes, ...)                                                                      \
	do {                                                                                       \
		const uint8_t all_[] = {__VA_ARGS__};                                              \
		text_add((bytes), (const char *)all_, sizeof(all_));                               \
	} while (0)

/* Overwrites the 4 bytes at AT with the number of bytes after them. */
static inline void set_length(struct text *bytes, size_t at)
{
	uint32_t len = (uint32_t)(bytes->len - at - 4);

	memcpy(bytes->data + at, &len, sizeof(len));
}

static inline struct slice slice_of(const struct text *bytes)
{
	return (struct slice){(const uint8_t *)bytes->data, bytes->len, false};
}
