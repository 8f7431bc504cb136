// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as /proc/modules and as the sections of modules: addresses are answered within bounds. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel/modules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct modules *modules, uint64_t address)
{
	const struct module *module = modules_at(modules, address);
	const struct module_section *section = module ? module_section_at(module, address) : NULL;

	if (module && (address < module->start || address >= module->end ||
			      modules_named(modules, module->name) != module))
		abort();
	if (section && section->address > address)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct modules modules = {.tried = true};

	modules_parse(&modules, (const char *)data, size);
	for (size_t i = 0; i < modules.all.len && i < 8; i++)
		modules_parse_sections(&modules, modules.all.data[i], (const char *)data, size);
	for (size_t i = 0; i < modules.all.len; i++)
		for (int64_t off = -1; off <= 1; off++) {
			check(&modules, modules.all.data[i]->start + (uint64_t)off);
			check(&modules, modules.all.data[i]->end + (uint64_t)off);
		}
	modules_deinit(&modules);
	return 0;
}
