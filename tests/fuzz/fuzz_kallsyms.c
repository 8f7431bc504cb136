// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kallsyms/names.h"
#include "kernel/kallsyms/reader.h"
#include "kernel/kallsyms/table.h"
#include "util/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_found(void *context, const char *module, uint64_t address)
{
	text_printf(context, "%s %llx\n", module, (unsigned long long)address);
}

static void add_each_named(const struct kallsyms *kallsyms, const char *name, struct text *ret)
{
	for (size_t i = 0; i < kallsyms->tables.len; i++) {
		const struct kallsyms_table *table = &kallsyms->tables.data[i];

		for (uint32_t at = 0; at < table->n; at++)
			if (!strcmp(kallsyms_table_name(table, at), name))
				add_found(ret, table->module, kallsyms_table_address(table, at));
	}
}

/* The index knows what all symbols, looked at one by one, say. */
static void check_index(struct kallsyms *kallsyms, const char *name)
{
	struct text wanted = {}, got = {};

	add_each_named(kallsyms, name, &wanted);
	kallsyms_each_named(kallsyms, name, add_found, &got);
	if (!wanted.len || wanted.len != got.len || memcmp(wanted.data, got.data, got.len))
		abort();
	text_deinit(&wanted);
	text_deinit(&got);
}

/* A name is only given within the bounds that come with it, and found again by name. */
static void check_at(struct kallsyms *kallsyms, uint64_t at)
{
	struct kallsyms_answer answer;
	uint64_t found;

	if (!kallsyms_find(kallsyms, at, &answer))
		return;
	if (at < answer.start || at >= answer.end || !*answer.name ||
		!kallsyms_find_name(kallsyms, answer.name, &found))
		abort();
	check_index(kallsyms, answer.name);
}

static void check(struct kallsyms *kallsyms)
{
	for (size_t i = 0; i < kallsyms->runs.len && i < 16; i++) {
		const struct kallsyms_run *run = &kallsyms->runs.data[i];
		const struct kallsyms_table *table = &kallsyms->tables.data[run->table];
		uint32_t last = run->first + run->n - 1;

		if (run->n > table->n - run->first)
			abort();
		for (int64_t off = -1; off <= 1; off++) {
			check_at(kallsyms, run->start + (uint64_t)off);
			check_at(
				kallsyms, table->base + table->places[last].offset + (uint64_t)off);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms kallsyms = {};

	kallsyms_parse((const char *)data, size, &kallsyms);
	check(&kallsyms);
	kallsyms_deinit(&kallsyms);
	return 0;
}
