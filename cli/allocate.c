// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The allocator of the whole program, its libraries included. argp(3) ends in silence when there is
 * no memory, and libelf, libdw, liblzma and libbpf return what looks as if the file held nothing:
 * here it is what it is. glibc lets a program put functions in the place of its own, and keeps
 * those under other names ("Replacing malloc" in its manual).
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
