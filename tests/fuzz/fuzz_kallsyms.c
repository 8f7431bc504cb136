// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/kallsyms/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A name is only given within the bounds that come with it, and found again by name. */
static void check_at(const struct kallsyms *kallsyms, uint64_t at, struct text *name)
{
	struct kallsyms_answer answer;
	uint64_t found;

	if (!kallsyms_find(kallsyms, at, name, &answer))
		return;
	if (at < answer.start || at >= answer.end || !name->len ||
		!kallsyms_find_name(kallsyms, name->data, &found))
		abort();
}

static void check(const struct kallsyms *kallsyms)
{
	struct text name = {};

	for (size_t i = 0; i < kallsyms->runs.len && i < 16; i++) {
		const struct kallsyms_run *run = &kallsyms->runs.data[i];
		const struct kallsyms_table *table = kallsyms->tables.data[run->table];
		uint32_t last = run->first + run->n - 1;

		if (run->n > table->n - run->first)
			abort();
		for (int64_t off = -1; off <= 1; off++) {
			check_at(kallsyms, run->start + (uint64_t)off, &name);
			check_at(kallsyms, table->base + table->offsets[last] + (uint64_t)off,
				&name);
		}
	}
	text_deinit(&name);
}

static void reread(const struct kallsyms *old, const uint8_t *data, size_t size)
{
	struct kallsyms fresh = {};
	struct kallsyms_stale stale = {};
	int fd = memfd_create("kallsyms", 0);

	*table_at(&stale.modules, "m", 1, NULL) = 1;
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) ||
		kallsyms_reread(fd, old, &stale, &fresh))
		abort();
	check(&fresh);
	close(fd);
	table_deinit(&stale.modules);
	kallsyms_deinit(&fresh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms kallsyms = {};

	kallsyms_parse((const char *)data, size, &kallsyms);
	check(&kallsyms);
	reread(&kallsyms, data + size / 2, size - size / 2);
	kallsyms_deinit(&kallsyms);
	return 0;
}
