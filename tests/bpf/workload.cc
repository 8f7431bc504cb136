// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C++ program with known stacks: namespaces, templates, members, lambdas, inlines. The
 * protocol and the CHAIN comments are those of workload.c.
 */
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

#include "machine.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define KEEP_FRAME() __asm__ volatile("")
/* As an asm operand: gcc sets up no frame where nothing uses it, whatever the options say. */
#define FRAME_USED "r"(__builtin_frame_address(0))

#define SPIN_CLOCKS CLOCKS_PER_SEC

static volatile int sink;

extern "C" NOINLINE void probe_point()
{
	__asm__ volatile(CALL_GETPPID :: FRAME_USED : CALL_CHANGES); /* AT probe */
}

namespace geometry
{

struct meters {
	int value;
};

template <typename T> class box
{
public:
	explicit box(T size) : size_(size) {}

	ALWAYS_INLINE void scale(int factor)
	{
		sink = factor;
		grow(factor); /* AT scale */
		sink = factor + 1;
	}

	NOINLINE void grow(int by)
	{
		sink = by + static_cast<int>(sizeof(size_));
		probe_point(); /* AT grow */
		KEEP_FRAME();
	}

private:
	T size_;
};

namespace detail
{
/*
 * CHAIN probe 6
 *   main @main_run
 *   run_chains() @run_member
 *   geometry::detail::stretch(geometry::box<geometry::meters>&, int) @stretch
 *   geometry::box<geometry::meters>::scale(int) @scale inlined
 *   geometry::box<geometry::meters>::grow(int) @grow
 *   probe_point @probe
 */
NOINLINE void stretch(box<meters> &b, int factor)
{
	b.scale(factor); /* AT stretch */
	KEEP_FRAME();
}
} // namespace detail

/*
 * An inline function, so that the lambda's name is the same with every compiler.
 *
 * CHAIN probe 9
 *   main @main_run
 *   run_chains() @run_lambda
 *   geometry::chain_lambda(int) @chain_lambda
 *   geometry::chain_lambda(int)::{lambda(int)#1}::operator()(int) const @lambda inlined
 *   geometry::box<long>::grow(int) @grow
 *   probe_point @probe
 */
inline NOINLINE void chain_lambda(int n)
{
	box<long> b(n);
	auto each = [&b](int by) __attribute__((always_inline)) {
		sink = by;
		b.grow(by); /* AT lambda */
		sink = by + 1;
	};
	each(n); /* AT chain_lambda */
	KEEP_FRAME();
}
} // namespace geometry

namespace
{
struct counter {
	int calls;

	NOINLINE void operator()(int n)
	{
		calls += n;
		probe_point(); /* AT functor */
		KEEP_FRAME();
	}
};

/*
 * CHAIN probe 4
 *   main @main_run
 *   run_chains() @run_template
 *   void (anonymous namespace)::apply<(anonymous namespace)::counter>((anonymous namespace)::counter&, int) @apply
 *   (anonymous namespace)::counter::operator()(int) @functor
 *   probe_point @probe
 */
template <typename F> NOINLINE void apply(F &f, int n)
{
	f(n); /* AT apply */
	KEEP_FRAME();
}
} // namespace

static NOINLINE void run_chains()
{
	geometry::box<geometry::meters> b(geometry::meters{1});
	counter c{0};

	for (int i = 0; i < 6; i++)
		geometry::detail::stretch(b, i); /* AT run_member */
	for (int i = 0; i < 4; i++)
		apply(c, i); /* AT run_template */
	for (int i = 0; i < 9; i++)
		geometry::chain_lambda(i); /* AT run_lambda */
	KEEP_FRAME();
}

static NOINLINE void spin_leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) __asm__ volatile("" : "+r"(i) : FRAME_USED); /* AT spin_leaf */
}

namespace work
{
ALWAYS_INLINE void spin_inline()
{
	spin_leaf(20000000u + (unsigned)sink); /* AT spin_inline */
	sink = 0;
}
} // namespace work

/*
 * CHAIN spin 1
 *   main @main_spin
 *   run_spin() @run_spin
 *   work::spin_inline() @spin_inline inlined
 *   spin_leaf(unsigned long) @spin_leaf
 */
static NOINLINE void run_spin()
{
	do
		work::spin_inline(); /* AT run_spin */
	while (clock() < SPIN_CLOCKS);
}

int main(int argc, char **argv)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) != 1)
		return EXIT_FAILURE;
	if (argc > 1 && std::strcmp(argv[1], "spin") == 0)
		run_spin(); /* AT main_spin */
	else
		run_chains(); /* AT main_run */
	if (write(STDOUT_FILENO, &byte, 1) != 1)
		return EXIT_FAILURE;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return EXIT_SUCCESS;
}
