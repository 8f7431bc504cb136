// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes samples of joined entries, and of later changes of live maps. */
#include "input/counts/count_join.h"

#include <string.h>

#include "input/wanted.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

/* the weight of a key, combined from its weights on all CPUs (--per-cpu) */
struct count_weight {
	int64_t weight;
	size_t source;	   /* index of an entry with a weight other than 0; only these get stacks */
	bool set, sourced; /* WEIGHT and SOURCE are valid */
};

/* Adds the weight of entry I to SUM, unless the key was never set on that CPU. */
static void add_cpu(struct count_join *counts, size_t i, struct count_weight *sum)
{
	enum input_per_cpu how = counts->join->options->per_cpu;
	int64_t weight = counts->map->entries.data[i].head == i;
	struct row row;
	const struct roles *roles = count_join_entry(counts, i, &row);

	if (!roles)
		return;
	const struct field *field = role_field(&row, roles, ROLE_WEIGHT);
	/* bpftrace's min() and max() have a flag, which is 0 if the key was never set on this CPU */
	const struct field *flag =
		field && !strcmp(field->name, "value.0") ? row_field(&row, "value.1") : NULL;
	if (field)
		weight = (int64_t)field->number;
	if (flag ? !flag->number : !weight)
		return;
	if (!sum->set)
		sum->weight = weight;
	else if (how == INPUT_PER_CPU_SUM)
		sum->weight = (int64_t)wanted_add((uint64_t)sum->weight, (uint64_t)weight);
	else if ((how == INPUT_PER_CPU_MAX) != (sum->weight > weight))
		sum->weight = weight;
	sum->set = true;
	if (sum->sourced || !weight)
		return;
	sum->source = i;
	sum->sourced = true;
}

/* Adds entry I to the batch as a sample; with SUM, its source with that weight. */
static struct error *emit_entry(struct count_join *counts, size_t i, const struct count_weight *sum)
{
	struct join *join = counts->join;
	struct row row;
	const struct roles *roles = count_join_entry(counts, sum ? sum->source : i, &row);

	if (!roles)
		return NULL;
	join->pids_are_threads = counts->pids_are_threads;
	struct sample sample = join_sample(join, &row, roles);
	if (sum)
		sample.weight = (uint64_t)sum->weight;
	join_set_time(join, counts->map->entries.data[i].time, &sample);
	sample.position = count_map_position(counts->map, i, &join->batch->memory);
	return join_add(join, &sample, counts->map->name);
}

/* Finds out whether the field called pid has thread IDs. */
static void find_threads(struct count_join *counts)
{
	struct join *join = counts->join;
	struct row row;
	const struct roles *roles = count_join_entry(counts, 0, &row);

	join->pids_are_threads = false;
	if (!roles || roles->field[ROLE_PID] == ROLE_NO_FIELD ||
		roles->field[ROLE_TID] != ROLE_NO_FIELD)
		return;
	for (size_t i = 0; i < counts->map->entries.len && !join->pids_are_threads; i++)
		if ((roles = count_join_entry(counts, i, &row)))
			join_set_process(join, &row, roles, &(struct sample){});
	counts->pids_are_threads = join->pids_are_threads;
}

struct error *count_join_emit(struct count_join *counts)
{
	struct join *join = counts->join;
	const struct count_map *map = counts->map;
	auto_free struct count_weight *sums = NULL; /* by first entry of a key */
	struct row row;

	if (counts->status != READING_USABLE || counts->left_out || map->empty)
		return NULL;
	join->ids = counts->ids;
	if (map->peeked) { /* a queue whose entry is not emitted yet: are there stacks for its IDs? */
		const struct roles *roles = count_join_entry(counts, 0, &row);

		if (!roles)
			return NULL;
		const struct sample sample = join_sample(join, &row, roles);
		(void)join_lacks_stacks(join, &sample, map->name);
		return NULL;
	}
	find_threads(counts);
	join->tally = &counts->tally;
	/*
	 * All CPUs give one sample, whose other fields are those of the first entry with a weight
	 * other than 0.
	 */
	if (map->per_cpu) {
		sums = xcalloc(map->entries.len, sizeof(*sums));
		count_each(i, map)
			add_cpu(counts, i, &sums[map->entries.data[i].head]);
	}
	count_key_each(i, map)
		try(emit_entry(counts, i, sums ? &sums[i] : NULL));
	join->tally = NULL;
	return NULL;
}

/* ---- changes --------------------------------------------------------------------------------- */

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
	array_each(entry, entries, n) {
		size_t at = count_map_find(map, entry->key, entry->key_len, entry->cpu);

		text_clear(&was);
		if (at != SIZE_MAX) {
			add_cpu(counts, at, &before);
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
		add_cpu(counts, at, &after);
	}
	if (!after.sourced || before.weight == after.weight)
		return NULL;
	/* a smaller weight means that the key was deleted and inserted again */
	int64_t more = after.weight > before.weight ? after.weight - before.weight : after.weight;
	after.weight = more;
	counts->join->ids = counts->ids;
	return emit_entry(counts, after.source, &after);
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
