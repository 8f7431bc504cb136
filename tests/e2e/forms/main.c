// SPDX-License-Identifier: GPL-2.0-or-later
/* One of two C units for debug_forms.test. */
#include <stdlib.h>

#include "shared.h"

volatile int sink;

/* The other unit has a function of this name, too. */
static __attribute__((noinline)) int same_name(int n)
{
	sink = n;
	return shared_outer(n) + 1;
}

__attribute__((noinline)) int cold_work(int n)
{
	for (int i = 0; i < n; i++) {
		if (__builtin_expect(sink == 12345, 0)) {
			sink = shared_inner(i);
			abort();
		}
		sink += i;
	}
	return sink;
}

int main(int argc, char **argv)
{
	(void)argv;
	return same_name(argc) + far_work(argc) + cold_work(argc) == 0;
}
