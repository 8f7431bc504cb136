// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

enum { CHUNK_MIN = 1024, CHUNK_MAX = 4 << 20, HUGE_MIN = 1 << 18 };

struct arena_chunk {
	struct arena_chunk *next;
	char *end;
	alignas(8) char data[];
};

void arena_deinit(struct arena *arena)
{
	for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*arena = (struct arena){};
}

void arena_clear(struct arena *arena)
{
	struct arena_chunk *newest = arena->chunks;
	size_t bytes = arena->bytes;

	if (!newest)
		return;
	arena->chunks = newest->next;
	arena_deinit(arena);
	newest->next = NULL;
	*arena = (struct arena){newest, newest->data, newest->end, bytes};
}

/* Chunk sizes grow with the bytes in use, so that small arenas stay small. */
static void arena_grow(struct arena *arena, size_t size)
{
	size_t room = arena->bytes < CHUNK_MIN ? CHUNK_MIN : arena->bytes;

	if (room > CHUNK_MAX)
		room = CHUNK_MAX;
	if (room < size)
		room = size;
	size_t total = sizeof(struct arena_chunk) + room;
	struct arena_chunk *chunk = room > HUGE_MIN ? xmalloc_huge(&total) : xmalloc(total);
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	arena->at = chunk->data;
	arena->end = chunk->end = (char *)chunk + total;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size = (size + 7) & ~(size_t)7;
	if (!arena->at || (size_t)(arena->end - arena->at) < size)
		arena_grow(arena, size);
	void *p = arena->at;
	arena->at += size;
	arena->bytes += size;
	return p;
}

char *arena_copy(struct arena *arena, const void *p, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (len)
		memcpy(copy, p, len);
	copy[len] = '\0';
	return copy;
}

char *arena_string(struct arena *arena, const char *s)
{
	return s ? arena_copy(arena, s, strlen(s)) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	char brief[64] = "";
	va_list args;

	va_start(args, format);
	int len = vsnprintf(brief, sizeof(brief), format, args);
	va_end(args);
	size_t size = len < 0 ? 1 : (size_t)len + 1;
	char *text = arena_alloc(arena, size);
	if (size <= sizeof(brief))
		return memcpy(text, brief, size);
	va_start(args, format);
	(void)vsnprintf(text, size, format, args);
	va_end(args);
	return text;
}

void *arena_clone(struct arena *arena, const void *p, size_t size)
{
	return memcpy(arena_alloc(arena, size), p, size);
}
