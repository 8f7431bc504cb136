/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An arena allocator: memory that is freed all at once. Addresses stay valid
 * until arena_clear() or arena_deinit().
 */
#pragma once

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	char *at, *end;
	size_t bytes; /* allocated since the last arena_deinit() */
};

void arena_deinit(struct arena *arena);
/* Invalidates all allocations, but keeps the newest chunk for reuse. */
void arena_clear(struct arena *arena);
/* Returns SIZE uninitialized bytes, aligned to 8. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((returns_nonnull));
/* Returns a NUL-terminated copy of LEN bytes. */
char *arena_copy(struct arena *arena, const void *p, size_t len) __attribute__((returns_nonnull));
/* Returns a copy of S. NULL for NULL. */
char *arena_string(struct arena *arena, const char *s);
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));
/* Returns a copy of the SIZE bytes at P, aligned to 8. */
void *arena_clone(struct arena *arena, const void *p, size_t size) __attribute__((returns_nonnull));
