// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/join.h"

#include "util/text.h"
#include "util/vec.h"

struct count_join *counts_given(const struct count_joins *all, const char *name)
{
	vec_each_value(counts, all)
		if (counts->status == READING_USABLE && !counts->left_out && !counts->map->empty &&
			!strcmp(counts->map->name, name))
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

struct error *count_change_emit(
	struct count_join *counts, const struct map_entry *entries, size_t n, bool *ret_other)
{
	struct count_map *map = counts->map;
	auto_text struct text was = {}, is = {};
	struct count_weight before = {}, after = {};

	*ret_other = false;
	array_each(entry, entries, n) {
		size_t at = count_map_find(map, entry->key, entry->key_len, entry->cpu);

		text_clear(&was);
		if (at != SIZE_MAX) {
			count_join_add_cpu(counts, at, &before);
			describe_stacks(counts, at, &was);
			*ret_other |= !count_map_replace(map, at, entry);
		} else if (counts->reading.part != BPFTRACE_PART_NONE) {
			continue; /* the other part was removed */
		} else {	  /* an array element that was zero on this CPU */
			count_map_add(map, entry);
			at = map->entries.len - 1;
		}
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
