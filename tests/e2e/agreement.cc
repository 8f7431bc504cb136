// SPDX-License-Identifier: GPL-2.0-or-later
// With -DSHORT, an eighth of the code, which compiles in a quarter of the time.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#ifndef SHORT
#include <regex>
#endif
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace shapes {
namespace {
struct point {
	double x, y;
	bool operator<(const point &o) const { return x < o.x || (x == o.x && y < o.y); }
};
static inline double square(double v) { return v * v; }
} // namespace
template <typename T, int N> struct grid {
	std::vector<T> cells;
	grid() : cells(N * N) {}
	T &at(int i, int j) { return cells.at(static_cast<size_t>(i * N + j)); }
	template <typename F> void each(F f) { for (auto &c : cells) f(c); }
};
class base {
public:
	virtual ~base() = default;
	virtual double area() const = 0;
};
class circle : public base {
	double r;
public:
	explicit circle(double radius) : r(radius) {}
	double area() const override { return 3.14159 * square(r); }
};
double total(const std::vector<std::unique_ptr<base>> &all)
{
	double sum = 0;
	for (auto &s : all)
		sum += s->area();
	return sum;
}
} // namespace shapes

static std::map<std::string, int> count_words(const std::string &text)
{
	std::map<std::string, int> counts;
	std::istringstream in(text);
	for (std::string w; in >> w;)
		counts[w]++;
	return counts;
}

extern "C" int plain_c_entry(int n)
{
	shapes::grid<int, 16> g;
	int k = n;
	g.each([&](int &c) { c = k++ % 7; });
	std::sort(g.cells.begin(), g.cells.end(), [](int a, int b) { return a > b; });
	return g.at(n & 15, 3);
}

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<shapes::base>> all;
	for (int i = 0; i < argc + 10; i++)
		all.push_back(std::make_unique<shapes::circle>(i));
	std::string text = "a b a c";
	for (int i = 1; i < argc; i++)
		text += argv[i];
	auto counts = count_words(text);
#ifndef SHORT
	std::regex word("([a-z]+)([0-9]*)");
#endif
	std::unordered_map<std::string, std::function<int(int)>> table;
	for (auto &[w, n] : counts) {
#ifdef SHORT
		table[w] = [n = n](int v) { return v + n; };
#else
		std::smatch m;
		if (std::regex_match(w, m, word))
			table[m[1]] = [n = n](int v) { return v + n; };
#endif
	}
	int sum = plain_c_entry(argc);
	for (auto &e : table)
		sum += e.second(argc);
	std::printf("%f %d\n", shapes::total(all), sum);
	return 0;
}
