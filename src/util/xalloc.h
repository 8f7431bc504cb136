/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation that ends the program when memory runs out. Every size that comes from input is
 * capped by its reader before it gets here. Results belong to the caller and go to free().
 */
#pragma once

#include <stddef.h>

/* More is asked for by broken files only, bytes: that it cannot be had is an error of the file. */
#define XALLOC_SURE ((size_t)256 << 20)

/* Ends the program: there is no memory. */
void xalloc_failed(void) __attribute__((noreturn));
/* Zero-filled pages for munmap(); NULL if SIZE is above XALLOC_SURE and cannot be had. */
void *xmap(size_t size);
/* After a failed mmap() of SIZE bytes of a file, with its errno: ends the program if memory is short. */
void xmap_check(size_t size);
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
/*
 * At least SIZE bytes that will be filled, on huge pages where the system has some: of memory that is
 * filled once most of the cost are page faults. SIZE becomes what it is in full.
 */
void *xmalloc_huge(size_t *size) __attribute__((malloc, returns_nonnull));
/* The same, zero-filled; on huge pages only if SIZE is worth it. */
void *xcalloc_huge(size_t size) __attribute__((malloc, returns_nonnull));
/* Zero-filled; COUNT * SIZE is checked for overflow. */
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* Room for COUNT elements of SIZE bytes; the product is checked for overflow. */
void *xreallocarray(void *p, size_t count, size_t size) __attribute__((returns_nonnull));
/* Unused here, but libiberty calls it, and its own would bring a second xmalloc() along. */
void *xrealloc(void *p, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
/* At most LEN bytes of S, NUL-terminated. */
char *xstrndup(const char *s, size_t len) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
