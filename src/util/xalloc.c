// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/xalloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_MIN = 1 << 19 }; /* bytes; smaller blocks are not worth a huge page */
/* the size on most machines; if it is another one, huge pages are used less */
#define HUGE_PAGE ((size_t)2 << 20)

/* Calls write(2) directly, because stdio may allocate memory or hold a lock. */
void xalloc_failed(void)
{
	static const char message[] = "stack2line: out of memory\n";

	(void)!write(STDERR_FILENO, message, sizeof(message) - 1);
	_Exit(2);
}

static void *checked(void *p)
{
	if (!p)
		xalloc_failed();
	return p;
}

void xmap_check(size_t size)
{
	if (errno == ENOMEM && size <= XALLOC_SURE)
		xalloc_failed();
}

void *xmap(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED)
		return p;
	xmap_check(size);
	return NULL;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ?: 1));
}

void *xmalloc_huge(size_t *size)
{
	size_t whole = (*size + HUGE_PAGE - 1) & -HUGE_PAGE;
	void *p = checked(aligned_alloc(HUGE_PAGE, whole));

	(void)madvise(p, whole, MADV_HUGEPAGE);
	*size = whole;
	return p;
}

void *xcalloc_huge(size_t size)
{
	size_t whole = size;

	return size < HUGE_MIN ? xcalloc(1, size) : memset(xmalloc_huge(&whole), 0, size);
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ?: 1, size ?: 1));
}

void *xreallocarray(void *p, size_t count, size_t size)
{
	return checked(reallocarray(p, count ?: 1, size ?: 1));
}

void *xrealloc(void *p, size_t size)
{
	return checked(realloc(p, size ?: 1));
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xstrndup(const char *s, size_t len)
{
	return checked(strndup(s, len));
}

char *xasprintf(const char *format, ...)
{
	char *s = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&s, format, args) < 0)
		s = NULL;
	va_end(args);
	return checked(s);
}
