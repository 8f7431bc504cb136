// SPDX-License-Identifier: GPL-2.0-or-later
/* The other of two C units for debug_forms.test. */
#include "shared.h"

struct pair {
	int first, second;
};

static __attribute__((noinline)) int same_name(int n)
{
	struct pair pair = {n, sink};

	return shared_outer(pair.first) - pair.second;
}

int far_work(int n)
{
	int sum = same_name(n) + same_name(n + 1);

	for (int i = 0; i < n; i++)
		sum += shared_outer(i);
	return sum;
}
