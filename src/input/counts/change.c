// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/change.h"

#include <string.h>

#include "util/cleanup.h"
#include "util/vec.h"

static bool was_given(const struct count_join *counts)
{
	return counts->status == READING_USABLE && !counts->left_out && !counts->map->empty;
}

struct count_join *counts_given(const struct count_joins *all, const char *name)
{
	for (size_t i = 0; i < all->len; i++)
		if (was_given(all->data[i]) && !strcmp(all->data[i]->map->name, name))
			return all->data[i];
	return NULL;
}

/* The number of ENTRY, whose value is now the new one. RET_OTHER: its fields are others. */
static size_t replace(struct count_join *counts, const struct map_entry *entry, bool *ret_other)
{
	struct count_map *map = counts->map;
	size_t at = count_map_find(map, entry->key, entry->key_len, entry->cpu);

	if (at == SIZE_MAX) { /* a CPU of an array, which had not counted before */
		count_map_add(map, entry);
		at = map->entries.len - 1;
	} else if (!count_map_replace(map, at, entry)) {
		*ret_other = true;
	}
	return at;
}

/* Whether the stacks that were counted are the same, and only how often is not. */
static bool is_same(const struct row *a, const struct row *b, const struct roles *roles)
{
	if (a->n != b->n)
		return false;
	for (enum role role = ROLE_USER; role <= ROLE_STACK; role++) {
		const size_t fields[] = {roles->field[role], roles->length[role]};

		for (size_t j = 0; j < 2; j++)
			if (fields[j] != ROLE_NO_FIELD &&
				!field_equals(&a->fields[fields[j]], &b->fields[fields[j]]))
				return false;
	}
	return true;
}

/* The row of the entry with the key of ENTRY, as it was; FIELDS is its memory. */
struct old_record {
	struct VEC(struct field) fields;
	struct arena bytes;
};

static void old_cleanup(struct old_record *old)
{
	vec_deinit(&old->fields);
	arena_deinit(&old->bytes);
}

static void keep_old(
	struct count_join *counts, const struct map_entry *entry, struct old_record *old)
{
	size_t at = count_map_find(counts->map, entry->key, entry->key_len, entry->cpu);
	struct row row;

	old->fields.len = 0;
	arena_clear(&old->bytes);
	if (at == SIZE_MAX || !count_join_row(counts, at, &row))
		return;
	vec_append(&old->fields, row.fields, row.n);
	for (size_t i = 0; i < row.n; i++)
		if (row.fields[i].kind != FIELD_NUMBER)
			old->fields.data[i].bytes =
				arena_copy(&old->bytes, row.fields[i].bytes, row.fields[i].len);
}

static bool says_other(
	struct join *join, struct count_join *counts, size_t at, const struct old_record *old)
{
	const struct row before = {old->fields.data, old->fields.len};
	struct row now;

	if (!before.n || !count_join_row(counts, at, &now))
		return false;
	return !is_same(&before, &now, count_join_roles(join, counts, &now));
}

struct error *count_change_emit(struct join *join, struct count_join *counts,
	const struct map_entry *entries, size_t n, bool *ret_other)
{
	scope_guard(old_cleanup) struct old_record old = {};
	struct count_weight before = {}, after = {};

	*ret_other = false;
	for (size_t i = 0; i < n && !*ret_other; i++) {
		const struct map_entry *entry = &entries[i];
		size_t at = count_map_find(counts->map, entry->key, entry->key_len, entry->cpu);

		if (at != SIZE_MAX)
			count_join_add_cpu(join, counts, at, &before);
		keep_old(counts, entry, &old);
		at = replace(counts, entry, ret_other);
		*ret_other |= says_other(join, counts, at, &old);
		count_join_add_cpu(join, counts, at, &after);
	}
	if (*ret_other || !after.sourced || before.weight == after.weight)
		return NULL;
	/* Less than before: it was deleted and came again. */
	int64_t more = after.weight > before.weight ? after.weight - before.weight : after.weight;
	return count_join_emit_as(join, counts, after.source, (uint64_t)more);
}

struct error *count_taken_emit(
	struct join *join, struct count_join *counts, const struct map_entry *entries, size_t n)
{
	struct count_map *map = counts->map;

	count_map_clear(map);
	map->peeked = false;
	for (size_t i = 0; i < n; i++)
		count_map_add(map, &entries[i]);
	return n ? count_join_emit(join, counts) : NULL;
}
