// SPDX-License-Identifier: GPL-2.0-or-later
// What both C++ units of debug_forms.test inline.
#include <vector>

extern volatile int sink;

namespace outer {
namespace inner {

template <typename T> struct box {
	T value;

	__attribute__((noinline)) T work(T n)
	{
		value += n;
		sink = static_cast<int>(value);
		return value * static_cast<T>(sink);
	}

	__attribute__((always_inline)) T twice(T n)
	{
		sink += static_cast<int>(n);
		return work(n) + value;
	}
};

int far_work(const std::vector<int> &all);

} // namespace inner
} // namespace outer
