// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The workload of tests/demo.sh: a small shop that reads, sorts and sums orders, again and again,
 * for three seconds. It waits for a byte on stdin before and writes one to stdout after.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N_ORDERS 4096
#define LINE_LEN 24

#define noinline __attribute__((noinline))
/* No tail call before this; and gcc sets up no frame where nothing uses it, whatever the options. */
#define keep_frame() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))

struct order {
	uint32_t customer;
	uint64_t cents;
};

static char lines[N_ORDERS][LINE_LEN];
static struct order orders[N_ORDERS];
static volatile uint64_t total;

static inline uint64_t parse_number(const char **at)
{
	uint64_t n = 0;

	while (**at >= '0' && **at <= '9')
		n = n * 10 + (uint64_t)(*(*at)++ - '0');
	return n;
}

static inline void skip_blanks(const char **at)
{
	while (**at == ' ')
		(*at)++;
}

static noinline void parse_order(const char *line, struct order *ret)
{
	ret->customer = (uint32_t)parse_number(&line);
	skip_blanks(&line);
	ret->cents = parse_number(&line);
	keep_frame();
}

static noinline void read_orders(void)
{
	for (size_t i = 0; i < N_ORDERS; i++)
		parse_order(lines[i], &orders[i]);
	keep_frame();
}

static inline int order_before(const struct order *a, const struct order *b)
{
	return a->customer != b->customer ? a->customer < b->customer : a->cents < b->cents;
}

static inline void swap_orders(struct order *a, struct order *b)
{
	struct order keep = *a;

	*a = *b;
	*b = keep;
}

static noinline void sift_down(size_t root, size_t n)
{
	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && order_before(&orders[child], &orders[child + 1]))
			child++;
		if (!order_before(&orders[root], &orders[child]))
			break;
		swap_orders(&orders[root], &orders[child]);
	}
	keep_frame();
}

static noinline void sort_orders(void)
{
	for (size_t i = N_ORDERS / 2; i-- > 0;)
		sift_down(i, N_ORDERS);
	for (size_t n = N_ORDERS; n-- > 1;) {
		swap_orders(&orders[0], &orders[n]);
		sift_down(0, n);
	}
	keep_frame();
}

static noinline void sum_orders(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < N_ORDERS; i++)
		sum = sum * 31 + orders[i].cents % 9973;
	total = sum;
	keep_frame();
}

static noinline void run_day(void)
{
	read_orders();
	sort_orders();
	for (int i = 0; i < 8; i++)
		sum_orders();
	keep_frame();
}

static void write_number(char *at, uint64_t n)
{
	for (size_t i = 8; i-- > 0; n /= 10)
		at[i] = (char)('0' + n % 10);
}

static void fill_lines(void)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < N_ORDERS; i++) {
		memset(lines[i], ' ', LINE_LEN - 1);
		seed = seed * 1664525 + 1013904223;
		write_number(lines[i], seed >> 20);
		seed = seed * 1664525 + 1013904223;
		write_number(lines[i] + 12, seed >> 8);
	}
}

int main(void)
{
	time_t end;
	char byte;

	fill_lines();
	if (read(STDIN_FILENO, &byte, 1) != 1)
		return EXIT_FAILURE;
	end = time(NULL) + 3;
	while (time(NULL) < end)
		run_day();
	if (write(STDOUT_FILENO, &byte, 1) != 1)
		return EXIT_FAILURE;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return EXIT_SUCCESS;
}
