// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/join.h"

#include "util/text.h"
#include "util/vec.h"

static bool was_given(const struct count_join *counts)
{
	return counts->status == READING_USABLE && !counts->left_out && !counts->map->empty;
}

struct count_join *counts_given(const struct count_joins *all, const char *name)
{
	vec_each_value(counts, all)
		if (was_given(counts) && !strcmp(counts->map->name, name))
			return counts;
	return NULL;
}

/* Sets RET to a string that is equal for entries with the same stacks. */
static void describe_stacks(struct count_join *counts, size_t i, struct text *ret)
{
	struct row row;
	const struct roles *roles = count_join_entry(counts, i, &row);

	text_clear(ret);
	if (!roles)
		return;
	stack_role_each(role) {
		const size_t fields[] = {roles->field[role], roles->length[role]};

		array_each(field, fields, array_len(fields)) {
			text_add_char(ret, *field == ROLE_NO_FIELD ? '-' : '+');
			if (*field != ROLE_NO_FIELD)
				packed_rows_add_field(counts->map->rows, &row.fields[*field], ret);
		}
	}
}

/*
 * Gives entry AT, or a new one if AT is SIZE_MAX, the value of ENTRY. Returns its index. Sets
 * RET_OTHER if the fields differ.
 */
static size_t replace(
	struct count_map *map, size_t at, const struct map_entry *entry, bool *ret_other)
{
	if (at == SIZE_MAX) { /* an array element that was zero on this CPU */
		count_map_add(map, entry);
		return map->entries.len - 1;
	}
	*ret_other |= !count_map_replace(map, at, entry);
	return at;
}

struct error *count_change_emit(
	struct count_join *counts, const struct map_entry *entries, size_t n, bool *ret_other)
{
	auto_text struct text was = {}, is = {};
	struct count_weight before = {}, after = {};

	*ret_other = false;
	array_each(entry, entries, n) {
		size_t at = count_map_find(counts->map, entry->key, entry->key_len, entry->cpu);

		if (at == SIZE_MAX && counts->reading.part != BPFTRACE_PART_NONE)
			continue; /* the other part was removed */
		text_clear(&was);
		if (at != SIZE_MAX) {
			count_join_add_cpu(counts, at, &before);
			describe_stacks(counts, at, &was);
		}
		at = replace(counts->map, at, entry, ret_other);
		describe_stacks(counts, at, &is);
		*ret_other |= was.len && is.len && !text_equal(&was, &is);
		if (*ret_other)
			return NULL;
		count_join_add_cpu(counts, at, &after);
	}
	if (!after.sourced || before.weight == after.weight)
		return NULL;
	/* a smaller weight means that the key was deleted and inserted again */
	int64_t more = after.weight > before.weight ? after.weight - before.weight : after.weight;
	return count_join_emit_as(counts, after.source, (uint64_t)more);
}

struct error *count_taken_emit(struct count_join *counts, const struct map_entry *entries, size_t n)
{
	struct count_map *map = counts->map;

	count_map_clear(map);
	map->peeked = false;
	array_each(entry, entries, n)
		count_map_add(map, entry);
	return n ? count_join_emit(counts) : NULL;
}
