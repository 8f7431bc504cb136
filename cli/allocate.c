// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replaces malloc() in the program and its libraries, to report when memory runs out. Otherwise
 * argp(3) would exit silently, and libelf, libdw, liblzma and libbpf would return as if the file
 * were empty. glibc allows this and keeps its own functions under other names ("Replacing malloc"
 * in its manual).
 */
#include <stdint.h>
#include <stdlib.h>

#include "config.h"
#include "util/xalloc.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#if defined(HAVE___LIBC_MALLOC) && !defined(__SANITIZE_ADDRESS__) && !defined(SANITIZED)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);

static void *check(void *p, size_t size)
{
	if (!p && size && size <= XALLOC_SURE)
		xalloc_failed();
	return p;
}

void *malloc(size_t size)
{
	return check(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(count, size, &all))
		all = SIZE_MAX;
	return check(__libc_calloc(count, size), all);
}

void *realloc(void *p, size_t size)
{
	return check(__libc_realloc(p, size), size);
}
#endif
