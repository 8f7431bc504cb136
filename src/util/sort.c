// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

enum { DIGITS = 8, VALUES = 256 };
/* below this, sorting by comparison is faster */
enum { MANY = 256 };

static uint64_t key_at(const char *data, size_t i, size_t size)
{
	uint64_t key;

	memcpy(&key, data + i * size, sizeof(key));
	return key;
}

/*
 * Moves all elements from FROM to TO in the order of one digit. STARTS has the number of elements
 * by value; it is overwritten.
 */
static void move_by_digit(
	const char *from, char *to, size_t n, size_t size, unsigned digit, size_t starts[VALUES])
{
	for (size_t value = 0, start = 0; value < VALUES; value++) {
		size_t count = starts[value];

		starts[value] = start;
		start += count;
	}
	for (size_t i = 0; i < n; i++) {
		size_t *place = &starts[key_at(from, i, size) >> 8 * digit & 0xff];

		memcpy(to + (*place)++ * size, from + i * size, size);
	}
}

void radix_sort(void *data, size_t n, size_t size)
{
	size_t counts[DIGITS][VALUES], sorted = 1;
	char *from = data;

	while (sorted < n && key_at(data, sorted - 1, size) <= key_at(data, sorted, size))
		sorted++;
	if (sorted >= n)
		return;
	auto_free char *other = xmalloc(n * size);
	char *to = other;
	memset(counts, 0, sizeof(counts));
	for (size_t i = 0; i < n; i++) {
		uint64_t key = key_at(data, i, size);

		for (unsigned digit = 0; digit < DIGITS; digit++)
			counts[digit][key >> 8 * digit & 0xff]++;
	}
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		char *moved = to;

		if (counts[digit][key_at(data, 0, size) >> 8 * digit & 0xff] == n)
			continue;
		move_by_digit(from, to, n, size, digit, counts[digit]);
		to = from;
		from = moved;
	}
	if (from != data)
		memcpy(data, from, n * size);
}

void radix_sort_by(void *data, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
	if (n < MANY) {
		if (n > 1)
			qsort(data, n, size, compare);
		return;
	}
	radix_sort(data, n, size);
	for (size_t i = 0, end; i < n; i = end) {
		uint64_t key = key_at(data, i, size);

		for (end = i + 1; end < n && key_at(data, end, size) == key;)
			end++;
		if (end - i > 1)
			qsort((char *)data + i * size, end - i, size, compare);
	}
}
