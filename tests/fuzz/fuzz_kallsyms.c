// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kallsyms/kallsyms.h"
#include "util/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_found(struct text *ret, const char *module, uint64_t address)
{
	text_printf(ret, "%s %llx\n", module, (unsigned long long)address);
}

static void add_each_named(const struct kallsyms *kallsyms, const char *name, struct text *ret)
{
	for (size_t i = 0; i < kallsyms->symbols.len; i++) {
		const struct kallsyms_symbol *symbol = &kallsyms->symbols.data[i];

		if (!strcmp(kallsyms->text + symbol->name, name))
			add_found(ret, kallsyms->text + symbol->module, symbol->address);
	}
}

/* The index knows what all symbols, looked at one by one, say. */
static void check_index(struct kallsyms *kallsyms, const char *name)
{
	struct text wanted = {}, got = {};
	const struct kallsyms_symbol *symbol;

	add_each_named(kallsyms, name, &wanted);
	for (size_t at = 0; (symbol = kallsyms_next_named(kallsyms, name, &at));)
		add_found(&got, kallsyms->text + symbol->module, symbol->address);
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
	for (size_t i = 0; i < kallsyms->symbols.len && i < 32; i++) {
		const struct kallsyms_symbol *symbol = &kallsyms->symbols.data[i];

		if (i && symbol[-1].address > symbol->address)
			abort();
		for (int64_t off = -1; off <= 1; off++)
			check_at(kallsyms, symbol->address + (uint64_t)off);
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
