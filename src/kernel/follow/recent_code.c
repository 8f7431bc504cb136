// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/recent_code.h"

#include <string.h>

void recent_code_deinit(struct recent_code *recent)
{
	table_deinit(&recent->modules);
	*recent = (struct recent_code){};
}

void recent_code_add(struct recent_code *recent, struct kernel_changes *changes)
{
	if (changes->programs_lost)
		recent->programs_lost = changes->seq;
	if (changes->modules_lost)
		recent->modules_lost = changes->seq;
	for (size_t i = 0; i < changes->modules.cap; i++) {
		const struct table_slot *slot = &changes->modules.slots[i];

		if (slot->key)
			*table_at(&recent->modules, slot->key, slot->key_len, NULL) = changes->seq;
	}
	kernel_changes_deinit(changes);
}

bool recent_code_settle(struct recent_code *recent, uint64_t seq)
{
	bool changed = recent->settled != seq;

	recent->settled = seq;
	return changed;
}

bool recent_code_is_made(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11);
}

bool recent_code_doubts(const struct recent_code *recent, const char *module)
{
	if (recent_code_is_made(module))
		return recent->programs_lost > recent->settled;
	const uint64_t *seq = table_find(&recent->modules, module, strlen(module));
	return recent->modules_lost > recent->settled || (seq && *seq > recent->settled);
}

bool recent_code_doubts_since(const struct recent_code *recent, uint64_t seq)
{
	return recent->programs_lost > recent->settled && seq <= recent->programs_lost;
}
