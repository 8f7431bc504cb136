// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/dwarf.h"

#include <stdlib.h>

#include "debug/dwarf/unit_index.h"
#include "util/xalloc.h"

struct dwarf *dwarf_create(struct sections *sections)
{
	struct dwarf *dwarf = xcalloc(1, sizeof(*dwarf));
	uint64_t ranges =
		sections_size(sections, SECTION_RANGES) + sections_size(sections, SECTION_RNGLISTS);

	dwarf->sections = sections;
	dwarf->units = xcalloc(1, sizeof(*dwarf->units));
	dwarf->units->dwarf = dwarf;
	dwarf->range_budget = (1 << 20) + 4 * ranges;
	dwarf->line_budget = (1 << 20) + 2 * sections_size(sections, SECTION_LINE);
	return dwarf;
}

void dwarf_destroy(struct dwarf *dwarf)
{
	if (!dwarf)
		return;
	unit_index_deinit(dwarf->units);
	free(dwarf->units);
	abbrev_cache_deinit(&dwarf->abbrevs);
	table_deinit(&dwarf->strings);
	sections_destroy(dwarf->sections);
	free(dwarf);
}
