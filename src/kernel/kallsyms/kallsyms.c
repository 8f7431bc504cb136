// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/kallsyms.h"

#include <string.h>

#include "kernel/kallsyms/table.h"
#include "util/bloom.h"
#include "util/order.h"

enum {
	LAST_SYMBOL_REACH = 4096, /* a module's last function has no end */
	FUNCTION_MAX = 1 << 16,	  /* larger ones are gaps: the largest of Linux 6.18 has 20 KB */
	RUNS_AROUND = 64,	  /* parts of other modules that lie within one */
};

void kallsyms_deinit(struct kallsyms *kallsyms)
{
	free(kallsyms->text);
	free(kallsyms->places);
	vec_deinit(&kallsyms->tables);
	vec_deinit(&kallsyms->runs);
	vec_deinit(&kallsyms->names);
}

/* ---- which table has an address ------------------------------------------------------------- */

struct spot {
	uint64_t address;
	uint32_t table, index;
};

COMPARE(compare_tables, struct kallsyms_table,
	order_of(a->base, b->base) ?: strcmp(a->module, b->module))

COMPARE(compare_spots, struct spot,
	order_of(a->address, b->address)
		?: order_of(a->table, b->table)
		?: order_of(a->index, b->index))

static uint64_t last_address(const struct kallsyms_table *table)
{
	return kallsyms_table_address(table, table->n - 1);
}

/* The tables [FIRST, END) reach into each other: their symbols are brought in order. */
static void add_mixed_runs(struct kallsyms *kallsyms, size_t first, size_t end)
{
	struct VEC(struct spot) spots = {};

	for (size_t t = first; t < end; t++)
		for (uint32_t i = 0; i < kallsyms->tables.data[t].n; i++)
			vec_push(&spots,
				(struct spot){kallsyms_table_address(&kallsyms->tables.data[t], i),
					(uint32_t)t, i});
	vec_sort(&spots, compare_spots);
	for (size_t i = 0; i < spots.len; i++) {
		const struct spot *spot = &spots.data[i];

		if (i && spot->table == spot[-1].table)
			vec_last(&kallsyms->runs)->n++;
		else
			vec_push(&kallsyms->runs,
				(struct kallsyms_run){spot->address, spot->table, spot->index, 1});
	}
	vec_deinit(&spots);
}

static void note_floor(struct kallsyms *kallsyms)
{
	kallsyms->floor = UINT64_MAX;
	for (size_t i = 0; i < kallsyms->tables.len; i++) {
		const struct kallsyms_table *table = &kallsyms->tables.data[i];
		uint32_t code = 0;

		while (code < table->n && !table->places[code].name)
			code++;
		if (code < table->n && kallsyms_table_address(table, code) < kallsyms->floor)
			kallsyms->floor = kallsyms_table_address(table, code);
	}
}

void kallsyms_index(struct kallsyms *kallsyms)
{
	kallsyms->runs.len = 0;
	note_floor(kallsyms);
	vec_sort(&kallsyms->tables, compare_tables);
	for (size_t i = 0, end; i < kallsyms->tables.len; i = end) {
		const struct kallsyms_table *tables = kallsyms->tables.data;
		uint64_t last = last_address(&tables[i]);

		for (end = i + 1; end < kallsyms->tables.len && tables[end].base <= last; end++)
			if (last_address(&tables[end]) > last)
				last = last_address(&tables[end]);
		if (end > i + 1)
			add_mixed_runs(kallsyms, i, end);
		else
			vec_push(&kallsyms->runs,
				(struct kallsyms_run){tables[i].base, (uint32_t)i, 0, tables[i].n});
	}
}

/* The run that begins last at or below ADDRESS, NULL: all are above. */
static const struct kallsyms_run *run_below(const struct kallsyms *kallsyms, uint64_t address)
{
	size_t n = sorted_count(kallsyms->runs.data, kallsyms->runs.len, .start <= address);

	return n ? &kallsyms->runs.data[n - 1] : NULL;
}

/* ---- lookups -------------------------------------------------------------------------------- */

/*
 * Kallsyms has no sizes. The next symbol ends a function, whoever's it is; where the next of the
 * same module is too far away to be the end, where that is is unknown.
 */
static uint64_t symbol_end(const struct kallsyms_table *table, uint32_t next, uint64_t start)
{
	if (next < table->n && kallsyms_table_address(table, next) - start <= FUNCTION_MAX)
		return kallsyms_table_address(table, next);
	return start > UINT64_MAX - LAST_SYMBOL_REACH ? UINT64_MAX : start + LAST_SYMBOL_REACH;
}

/* The symbol before NEXT in a table, if it holds ADDRESS. What is not its own begins at LIMIT. */
static bool answer(const struct kallsyms *kallsyms, uint32_t number, uint32_t next, uint64_t limit,
	uint64_t address, struct kallsyms_answer *ret)
{
	const struct kallsyms_table *table = &kallsyms->tables.data[number];
	const struct kallsyms_place *places = table->places;
	uint32_t first;

	for (first = next - 1; first && places[first - 1].offset == places[first].offset;)
		first--;
	uint64_t start = kallsyms_table_address(table, first);
	uint64_t end = symbol_end(table, next, start);
	if (end > limit)
		end = limit;
	if (address >= end || !places[first].name)
		return false;
	*ret = (struct kallsyms_answer){
		.name = kallsyms_table_name(table, first),
		.module = *table->module ? table->module : NULL,
		.start = start,
		.end = end,
	};
	return true;
}

bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, struct kallsyms_answer *ret)
{
	const struct kallsyms_run *run = run_below(kallsyms, address);
	uint64_t limit = UINT64_MAX;

	if (!run)
		return false;
	uint32_t next = kallsyms_table_below(&kallsyms->tables.data[run->table], address);
	if (next >= run->first + run->n) {
		next = run->first + run->n;
		if (run + 1 < kallsyms->runs.data + kallsyms->runs.len)
			limit = run[1].start;
	}
	return answer(kallsyms, run->table, next, limit, address, ret);
}

bool kallsyms_find_in(const struct kallsyms *kallsyms, const char *module, uint64_t address,
	struct kallsyms_answer *ret)
{
	const struct kallsyms_run *run = run_below(kallsyms, address);

	for (int i = 0; run && run >= kallsyms->runs.data && i < RUNS_AROUND; i++, run--) {
		const struct kallsyms_table *table = &kallsyms->tables.data[run->table];

		if (!strcmp(table->module, module))
			return answer(kallsyms, run->table, kallsyms_table_below(table, address),
				UINT64_MAX, address, ret);
	}
	return false;
}

void kallsyms_each_mangled(const struct kallsyms *kallsyms,
	void (*found)(void *context, const char *name, const char *module, uint64_t address),
	void *context)
{
	for (size_t i = 0; i < kallsyms->tables.len; i++) {
		const struct kallsyms_table *table = &kallsyms->tables.data[i];

		for (uint32_t at = 0; at < table->n; at++) {
			const char *name = kallsyms_table_name(table, at);

			if (name[0] == '_' && (name[1] == 'R' || name[1] == 'Z'))
				found(context, name, table->module,
					kallsyms_table_address(table, at));
		}
	}
}

uint64_t kallsyms_digest(const struct kallsyms *kallsyms)
{
	uint64_t digest = bloom_hash(kallsyms->text, kallsyms->text_len);

	for (size_t i = 0; i < kallsyms->tables.len; i++) {
		const struct kallsyms_table *table = &kallsyms->tables.data[i];
		const uint64_t part[] = {digest, table->base,
			(uint64_t)(table->module - table->text),
			bloom_hash(table->places, table->n * sizeof(*table->places))};

		digest = bloom_hash(part, sizeof(part));
	}
	return digest;
}
