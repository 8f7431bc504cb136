/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocators that end the program when memory runs out. The readers limit every size that comes
 * from input before they allocate. Results belong to the caller, to be freed with free().
 */
#pragma once

#include <stddef.h>

/*
 * Only broken files ask for more bytes than this, so that failing to get them is an error of the
 * file.
 */
#define XALLOC_SURE ((size_t)256 << 20)

/* Reports that memory ran out and ends the program with status 2. */
void xalloc_failed(void) __attribute__((noreturn));
/*
 * Returns zero-filled pages, to be freed with munmap(). Returns NULL if SIZE is above XALLOC_SURE
 * and cannot be allocated.
 */
void *xmap(size_t size);
/*
 * Call after a failed mmap() of SIZE bytes of a file: ends the program if errno is ENOMEM and SIZE
 * is at most XALLOC_SURE.
 */
void xmap_check(size_t size);
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
/*
 * Allocates at least SIZE bytes, on huge pages if the system has them: page faults are most of the
 * cost of memory that is filled once. Sets SIZE to the bytes allocated.
 */
void *xmalloc_huge(size_t *size) __attribute__((malloc, returns_nonnull));
/* Allocates SIZE zero-filled bytes, on huge pages if SIZE is large enough. */
void *xcalloc_huge(size_t size) __attribute__((malloc, returns_nonnull));
/* Returns zero-filled memory. Checks COUNT * SIZE for overflow. */
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* Yields zero-filled memory for what POINTER, which may be uninitialized, points to. */
#define xnew(pointer) xcalloc(1, sizeof(*(pointer)))
/* Resizes P to COUNT elements of SIZE bytes. Checks the product for overflow. */
void *xreallocarray(void *p, size_t count, size_t size) __attribute__((returns_nonnull));
/*
 * Called by libiberty only. Without it the linker would take libiberty's object file, which also
 * defines xmalloc().
 */
void *xrealloc(void *p, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
/* Copies at most LEN bytes of S, and NUL-terminates the copy. */
char *xstrndup(const char *s, size_t len) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
