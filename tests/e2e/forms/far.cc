// SPDX-License-Identifier: GPL-2.0-or-later
// The other of two C++ units for debug_forms.test.
#include "shared.hh"

namespace outer {
namespace inner {

static __attribute__((noinline)) int same_name(int n)
{
	box<int> box{n};

	return box.twice(n);
}

struct counter {
	int sum = 0;

	__attribute__((always_inline)) void add(int n)
	{
		sum += same_name(n);
	}
};

int far_work(const std::vector<int> &all)
{
	counter counter;

	for (int n : all)
		counter.add(n);
	return counter.sum;
}

} // namespace inner
} // namespace outer
