// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/recent_code.h"

#include <string.h>

enum { CHANGES_MAX = 1 << 14 /* more are as if they were not heard */ };

static void forget(struct recent_code *recent, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(recent->all.data[i].name);
	recent->all.len -= n;
	if (n)
		memmove(recent->all.data, recent->all.data + n,
			recent->all.len * sizeof(*recent->all.data));
}

void recent_code_deinit(struct recent_code *recent)
{
	forget(recent, recent->all.len);
	vec_deinit(&recent->all);
	table_deinit(&recent->modules);
	*recent = (struct recent_code){};
}

void recent_code_add(struct recent_code *recent, struct heard *heard)
{
	if (heard->programs_lost)
		recent->programs_lost = heard->seq;
	if (heard->modules_lost)
		recent->modules_lost = heard->seq;
	for (size_t i = 0; i < heard->modules.cap; i++) {
		const struct table_slot *slot = &heard->modules.slots[i];

		if (slot->key)
			*table_at(&recent->modules, slot->key, slot->key_len, NULL) = heard->seq;
	}
	vec_append(&recent->all, heard->codes.data, heard->codes.len);
	heard->codes.len = 0;
	if (recent->all.len > CHANGES_MAX) {
		forget(recent, recent->all.len);
		recent->programs_lost = heard->seq;
	}
	heard_deinit(heard);
}

bool recent_code_settle(struct recent_code *recent, uint64_t seq, uint64_t horizon)
{
	bool changed = recent->settled != seq;
	size_t n = 0;

	recent->settled = seq;
	while (n < recent->all.len && recent->all.data[n].seq <= seq &&
		recent->all.data[n].time < horizon)
		n++;
	forget(recent, n);
	return changed || n;
}

const struct code_change *recent_code_at(
	const struct recent_code *recent, uint64_t address, const char **other)
{
	const struct code_change *last = NULL;

	*other = NULL;
	for (size_t i = 0; i < recent->all.len; i++) {
		const struct code_change *change = &recent->all.data[i];

		if (address < change->start || address >= change->end)
			continue;
		const struct code_change *before = last;
		/* Of several CPUs they do not come in order. */
		if (last && last->time > change->time)
			before = change;
		else
			last = change;
		if (before && strcmp(before->name, last->name) != 0)
			*other = before->name;
	}
	return last;
}

static bool is_made_while_running(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11);
}

bool recent_code_doubts(const struct recent_code *recent, const char *module)
{
	if (is_made_while_running(module))
		return recent->programs_lost > recent->settled;
	const uint64_t *seq = table_find(&recent->modules, module, strlen(module));
	return recent->modules_lost > recent->settled || (seq && *seq > recent->settled);
}
