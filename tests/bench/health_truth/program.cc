// SPDX-License-Identifier: GPL-2.0-or-later
// C++ whose stacks the tracer takes: virtual calls, exceptions, templates, the standard library, a thread.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile long sink;

struct shape {
	virtual ~shape() = default;
	virtual long area(long n) const = 0;
};

struct square : shape {
	NOINLINE long area(long n) const override { return n * n; }
};

struct sum_of : shape {
	std::vector<std::unique_ptr<shape>> parts;
	NOINLINE long area(long n) const override
	{
		long sum = 0;

		for (const auto &part : parts)
			sum += part->area(n);
		return sum;
	}
};

NOINLINE static long fails(long n)
{
	if (n % 3 == 0)
		throw std::runtime_error("fails");
	return n;
}

NOINLINE static long passes(long n)
{
	std::string held = "held" + std::to_string(n);

	return fails(n) + static_cast<long>(held.size());
}

NOINLINE static long catches(long n)
{
	try {
		return passes(n);
	} catch (const std::exception &error) {
		return error.what()[0];
	}
}

NOINLINE static void containers(int n)
{
	std::map<std::string, int> map;
	std::vector<int> numbers;

	for (int i = 0; i < 6; i++) {
		map["key" + std::to_string(i * n % 11)] = i;
		numbers.push_back(i * 31 % (n + 5));
	}
	std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
	for (const auto &[key, value] : map)
		sink = sink + value + static_cast<long>(key.size());
}

NOINLINE static void streams(int n)
{
	std::ostringstream out;

	out << "n " << n << ' ' << n / 3.0 << '\n';
	sink = sink + static_cast<long>(out.str().size());
}

NOINLINE static long apply(const std::function<long(long)> &function, long n)
{
	return function(n) + 1;
}

static void work(int n)
{
	sum_of all;

	all.parts.push_back(std::make_unique<square>());
	all.parts.push_back(std::make_unique<square>());
	sink = sink + all.area(n) + catches(n) + apply([](long m) { return catches(m + 1); }, n);
	containers(n);
	streams(n);
}

int main()
{
	for (int i = 1; i < 3; i++)
		work(i);
	std::thread(work, 6).join();
	return sink == 0;
}
