// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time and memory per symbol of reading a kallsyms file (default: /proc/kallsyms), against a naive
 * reader: every line into an array of {u64, char *, char *}, sorted by address, each name a string
 * of its own. Its memory is counted as the array and the bytes of the strings with their NULs,
 * without what malloc() adds; modules' names are shared. Ours is all that is kept for lookups.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel/kallsyms/reader.h"

struct naive {
	uint64_t address;
	char *name, *module;
};

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int compare(const void *a_ptr, const void *b_ptr)
{
	const struct naive *a = a_ptr, *b = b_ptr;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* The number of symbols; BYTES: what they take. */
static size_t read_naively(const char *path, size_t *bytes)
{
	struct VEC(struct naive) all = {};
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;

	*bytes = 0;
	while (file && getline(&line, &cap, file) > 0) {
		char name[4096], module[256] = "", type;
		struct naive symbol = {};

		if (sscanf(line, "%" SCNx64 " %c %4095s %255s", &symbol.address, &type, name,
			    module) < 3)
			continue;
		bool same = all.len && !strcmp(all.data[all.len - 1].module, module);
		symbol.name = xstrdup(name);
		symbol.module = same ? all.data[all.len - 1].module : xstrdup(module);
		*bytes += sizeof(symbol) + strlen(name) + 1 + (same ? 0 : strlen(module) + 1);
		vec_push(&all, symbol);
	}
	vec_sort(&all, compare);
	free(line);
	if (file)
		fclose(file);
	return all.len; /* the memory goes with the program */
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "/proc/kallsyms";
	struct kallsyms kallsyms = {};
	size_t naive_bytes, found = 0;
	double start = seconds();
	size_t n = read_naively(path, &naive_bytes);
	double naive = seconds() - start;

	start = seconds();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!n || fd < 0 || kallsyms_read(fd, &kallsyms) || kallsyms.status != KALLSYMS_READ) {
		fprintf(stderr, "%s: no symbols\n", path);
		return 1;
	}
	close(fd);
	double ours = seconds() - start;
	size_t size = kallsyms_size(&kallsyms);
	printf("%s: %zu symbols\n", path, n);
	printf("naive: %6.1f bytes and %6.0f ns a symbol\n", (double)naive_bytes / (double)n,
		naive * 1e9 / (double)n);
	printf("ours:  %6.1f bytes and %6.0f ns a symbol: %.0f %% of the memory\n",
		(double)size / (double)n, ours * 1e9 / (double)n,
		100.0 * (double)size / (double)naive_bytes);
	struct text name = {};
	struct kallsyms_answer answer;
	start = seconds();
	for (uint64_t i = 0; i < 1000000; i++)
		found += kallsyms_find(
			&kallsyms, kallsyms.floor + i * 2654435761U % (16 << 20), &name, &answer);
	printf("lookup: %.0f ns, %zu of 1000000 found\n", (seconds() - start) * 1e3, found);
	text_deinit(&name);
	kallsyms_deinit(&kallsyms);
	return size * 10 > naive_bytes * 4; /* the promise: at most 40 % */
}
