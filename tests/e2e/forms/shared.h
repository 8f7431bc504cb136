/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What both C units of debug_forms.test inline. */
extern volatile int sink;

int far_work(int n);
int cold_work(int n);

static inline __attribute__((always_inline)) int shared_inner(int n)
{
	sink += n;
	return sink * 3;
}

static inline __attribute__((always_inline)) int shared_outer(int n)
{
	int sum = shared_inner(n);

	sum += shared_inner(sum + 1);
	return sum;
}
