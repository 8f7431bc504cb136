// SPDX-License-Identifier: GPL-2.0-or-later
// One of two C++ units for debug_forms.test.
#include "shared.hh"

#include <cstdlib>

volatile int sink;

namespace {

// The other unit has a function of this name, too.
__attribute__((noinline)) int same_name(int n)
{
	outer::inner::box<long> box{n};

	return static_cast<int>(box.twice(n));
}

} // namespace

__attribute__((noinline)) int cold_work(int n)
{
	auto add = [&](int i) __attribute__((noinline)) { return sink += i + n; };

	for (int i = 0; i < n; i++) {
		if (__builtin_expect(sink == 12345, 0)) {
			sink = same_name(i);
			std::abort();
		}
		add(i);
	}
	return sink;
}

int main(int argc, char **)
{
	std::vector<int> all(static_cast<size_t>(argc), 3);

	return same_name(argc) + cold_work(argc) + outer::inner::far_work(all) == 0;
}
