// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/count_join.h"

#include <stdlib.h>
#include <string.h>

#include "input/roles/raw_columns.h"
#include "input/roles/values.h"
#include "input/wanted.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

#define NAMES_LEN 200 /* stop listing field names after so many bytes */

/*
 * Reads the row of entry I: what has a layout from raw bytes, the rest as it was formatted. Returns
 * false if the raw bytes have no layout or another size.
 */
static bool read_row(struct count_join *counts, size_t i, struct row *ret)
{
	const struct row formatted = count_map_row(counts->map, i);
	struct count_reading *reading = &counts->reading;

	*ret = formatted;
	if (!reading->key && !reading->value)
		return formatted.n > 0;
	if (!reading_decode(reading, counts->map, i, ret))
		return false;
	row_each(field, &formatted)
		if (field_in_key(field) ? !reading->key : !reading->value)
			vec_push(&reading->fields, *field);
	*ret = (struct row){reading->fields.data, reading->fields.len};
	return true;
}

const struct roles *count_join_entry(struct count_join *counts, size_t i, struct row *ret)
{
	if (!read_row(counts, i, ret))
		return NULL;
	role_memo_find(
		&counts->memo, ret, counts->found.len ? &counts->found : counts->join->overrides);
	size_t *field = counts->memo.roles.field;
	if (counts->is_set)
		field[ROLE_WEIGHT] = ROLE_NO_FIELD;
	if (counts->pid_is_pair && field[ROLE_PID] != ROLE_NO_FIELD) {
		field[ROLE_PID_TGID] = field[ROLE_PID];
		field[ROLE_PID] = ROLE_NO_FIELD;
	}
	return &counts->memo.roles;
}

/* ---- what the entries hold ------------------------------------------------------------------ */

/*
 * Sets RET to LAYOUT, which was given for PART, or may be NULL. Returns false, and reports it, if
 * LAYOUT does not fit LEN bytes.
 */
static bool use_layout(struct join *join, const struct count_map *map, const char *part,
	const struct layout *layout, size_t len, const struct layout **ret)
{
	if (!layout || layout_fits(layout, len)) {
		*ret = layout;
		return true;
	}
	if (!join->unfitting)
		join->unfitting =
			xasprintf("--%s-layout declares %zu bytes, but each %s in %s has %zu: %s",
				part, layout->size, part, map->name, len,
				len > layout->size ? "add the missing fields, or 'u8 rest[N]'"
						   : "remove the fields that do not exist");
	return false;
}

/*
 * Uses the given layouts, which win over BTF. Returns false if one does not fit. A key layout is
 * ignored for maps without keys (queues and stacks), because it is meant for another map.
 */
static bool use_layouts(struct count_join *counts)
{
	struct join *join = counts->join;
	const struct count_map *map = counts->map;
	const struct count_entry *first = &map->entries.data[0];
	const struct layout *key = first->key_len || first->packed ? join->key_layout : NULL;
	struct count_reading *reading = &counts->reading;

	reading->key_len = first->key_len;
	reading->value_len = first->value_len;
	if ((key || join->value_layout) && !first->key_len && !first->value_len) {
		const struct row row = count_map_row(map, 0);
		auto_free char *names = row_names(&row);

		if (!join->unfitting)
			join->unfitting = xasprintf(
				"%s: formatted by BTF, without the bytes that --%s-layout "
				"requires: dump it with `bpftool -j`, or omit the option "
				"(fields: %s)",
				map->name, join->key_layout ? "key" : "value", names);
		return false;
	}
	bool fits = use_layout(join, map, "key", key, first->key_len, &reading->key);
	fits &= use_layout(
		join, map, "value", join->value_layout, first->value_len, &reading->value);
	join->key_layout_met |= reading->key != NULL;
	join->value_layout_met |= reading->value != NULL;
	return fits;
}

/*
 * Names the two unnamed numbers of bpftrace's avg() and stats(): total and count. Refuses them if
 * they may also be of min() or max(), unless --key asks for one of these names.
 */
static void settle_pairs(struct count_join *counts)
{
	const char *weight = roles_given(counts->join->overrides, ROLE_WEIGHT);
	bool wanted = bpftrace_part_named(weight) != BPFTRACE_PART_NONE;
	enum bpftrace_pairs pairs = BPFTRACE_NO_PAIRS;

	if (!weight || wanted)
		pairs = bpftrace_pairs_look(counts->map);
	if (pairs == BPFTRACE_PAIRS_COUNTED || (pairs == BPFTRACE_PAIRS && wanted)) {
		bpftrace_pairs_name(counts->map);
		return;
	}
	if (pairs == BPFTRACE_NO_PAIRS)
		return;
	count_join_refuse(counts,
		xstrdup("its values are two unnamed numbers of bpftrace's avg(), stats(), min() or "
			"max(): the second is always 0 or 1, and could be a count or a flag"),
		"--key=weight=count (avg() or stats(): how often)",
		"--key=weight=total (avg() or stats(): the sum)",
		"--key=weight=value.0 --per-cpu=max (max())",
		"--key=weight=value.0 --per-cpu=min (min())");
}

static struct raw_question question_of(const struct count_join *counts)
{
	const struct join *join = counts->join;

	return (struct raw_question){.map = counts->map,
		.index = join->index,
		.processes = join->options->processes,
		.has_pid = join->options->pid >= 0,
		.weight = roles_given(join->overrides, ROLE_WEIGHT),
		.key_fields = join->options->key_fields};
}

/* Finds the layouts of raw entries. Formatted ones need none. */
static void find_layout(struct count_join *counts)
{
	struct join *join = counts->join;
	const struct raw_question question = question_of(counts);
	struct count_reading *reading = &counts->reading;
	bool fits = use_layouts(counts);

	if (counts->map->entries.data[0].packed) {
		counts->status = READING_USABLE;
		if (!reading->value)
			settle_pairs(counts);
		return;
	}
	/* without stack maps nothing can be checked, and only their absence is reported */
	bool given = reading->key_len ? join->key_layout : join->value_layout;
	if (!given && !join->index->stores.len) {
		join->unjoined += counts->map->entries.len;
		if (!join->unjoined_name)
			join->unjoined_name = xstrdup(counts->map->name);
		return;
	}
	if (!fits)
		return;
	counts->status = raw_reading_find(&question, reading);
	if (counts->status != READING_USABLE)
		return;
	if (reading->part != BPFTRACE_PART_NONE) {
		bpftrace_rows_keep(counts->map, reading->part);
		if (!counts->map->entries.len) {
			count_join_refuse(counts,
				xstrdup("none of its keys ends in the number that marks these "
					"values of avg() and stats(): 0 for counts, 1 for totals"));
			counts->status = READING_NO_IDS;
		}
	}
	if (reading->key_text)
		log_add(join->log, LOG_DETAIL, 1, "%s: read with %s='%s'", counts->map->name,
			reading->key_len ? "--key-layout" : "--value-layout", reading->key_text);
}

/* ---- what the fields mean ------------------------------------------------------------------- */

/* what is known about the fields from all entries */
struct tally {
	struct stack_votes votes[SIDE_COUNT];
	struct id_column key; /* numbers of a plain key that may be the stack ID */
	size_t n_beside;      /* entries with such a key whose value looks like a stack */
	size_t odd;	      /* entries that cannot be read */
	bool nonzero;	      /* some value is not 0 */
	bool has_id;	      /* a field other than a plain key is a stack or its ID */
	bool in_key;	      /* the stacks are in the key, or the entries are rows */
	bool only_key;	      /* only a plain key can be the stack ID */
	bool weighted;	      /* some field is the weight */
};

static void tally_entry(
	struct join *join, const struct row *row, const struct roles *roles, struct tally *tally)
{
	bool any = false, in_value = false;

	stack_role_each(role) {
		const struct field *field = role_field(row, roles, role);
		enum address_side side = role_side(role);

		if (!field)
			continue;
		int64_t id = field_stack_id(field);
		any = true;
		in_value |= field_in_value(field);
		if (field->kind != FIELD_NUMBER)
			continue;
		if (id >= 0)
			stack_index_vote(join->index, (uint64_t)id, side, &tally->votes[side]);
		if (roles->stack_is_key)
			id_column_add(&tally->key, join->index, id);
	}
	const struct field *stack = role_field(row, roles, ROLE_STACK);
	if (stack && stack->is_sum) {
		const struct field *key = row_field(row, "key");

		if (key && key->kind == FIELD_NUMBER) {
			id_column_add(&tally->key, join->index, field_stack_id(key));
			tally->n_beside++;
		}
	}
	tally->only_key |= roles->stack_is_key;
	tally->has_id |= any && !roles->stack_is_key;
	tally->in_key |= !in_value;
	tally->weighted |= roles->field[ROLE_WEIGHT] != ROLE_NO_FIELD;
}

static void refuse_no_id(struct count_join *counts)
{
	struct row row = {};

	read_row(counts, 0, &row);
	auto_free char *names = row_names(&row);
	count_join_refuse(
		counts, xasprintf("no field is known to be a stack ID: assign the role with "
				  "--key=user=FIELD, kernel=FIELD or stack=FIELD (fields: %s)",
				names));
	counts->status = READING_NO_IDS;
}

/*
 * Refuses entries without a stack ID: if no field can be one, or if only a plain key can be and it
 * is uncertain, unless the map was given with --counts.
 */
static void check_ids(struct count_join *counts, const struct tally *tally)
{
	struct join *join = counts->join;
	const struct count_map *map = counts->map;

	if (tally->has_id)
		return;
	if (map->sideless) {
		count_join_refuse(counts,
			xstrdup("its arrays look like stacks of bpftrace, but on s390x addresses "
				"do not tell user from kernel stacks: use ustack(build_id)"));
		return;
	}
	if (!tally->only_key) {
		refuse_no_id(counts);
		return;
	}
	if (!join->index->stores.len || map->is_rows || map->choice == COUNT_GIVEN ||
		id_column_certain(&tally->key, join->index))
		return;
	if (!id_column_possible(&tally->key)) {
		refuse_no_id(counts);
		return;
	}
	count_join_refuse(counts,
		xasprintf("its key could be a stack ID or another number: %zu keys are too few to "
			  "decide, because 1 in %.0f numbers is a stack ID by chance",
			tally->key.n_distinct, 1 / stack_index_fill(join->index)),
		"--key=stack=key");
}

/*
 * Returns true if the map is used as a set: all values are 0, and are a plain number or one whose
 * name does not suit a weight.
 */
static bool is_set(struct count_join *counts, const struct tally *tally)
{
	const struct count_map *map = counts->map;
	struct row row;
	const struct roles *roles = count_join_entry(counts, 0, &row);

	if (tally->nonzero || map->empty || map->is_rows || map->rows->sums_arrays || !roles ||
		roles_given(counts->join->overrides, ROLE_WEIGHT))
		return false;
	const struct field *field = role_field(&row, roles, ROLE_WEIGHT);
	if (!field)
		return false;
	const char *name = field_last_name(field);
	return !strcmp(name, "value") || role_of_name(scan_of(name)) != ROLE_WEIGHT;
}

/* Refuses values that look like stacks if the keys are stack IDs: they may be large numbers. */
static void check_inline(struct count_join *counts, const struct tally *tally)
{
	if (tally->n_beside != counts->map->entries.len ||
		roles_given(counts->join->overrides, ROLE_STACK) ||
		!id_column_certain(&tally->key, counts->join->index))
		return;
	count_join_refuse(counts,
		xstrdup("its keys are stack IDs of the stack maps, and its values look like stacks"),
		"--key=stack=key,weight=value (the numbers of each value add up)",
		"--key=stack=value");
}

/*
 * If no field is known to be the weight, refuses arrays that may be numbers or something else, or
 * warns and lists the fields that may be it.
 */
static void check_weight(struct count_join *counts)
{
	const struct count_reading *reading = &counts->reading;
	const char *choice, *doubt = NULL;
	auto_text struct text names = {};
	struct row row;

	if (counts->weighted)
		return;
	if (!reading->key && !reading->value)
		doubt = value_array_doubt(counts->map, &choice);
	if (doubt) {
		count_join_refuse(counts, xstrdup(doubt), choice);
		return;
	}
	const struct roles *roles = count_join_entry(counts, 0, &row);
	if (counts->map->is_rows || !roles)
		return;
	for (size_t i = 0; i < row.n && names.len < NAMES_LEN; i++) {
		const struct field *field = &row.fields[i];

		if (!field_in_value(field) || field->kind == FIELD_TEXT ||
			role_of_field(roles, i) || !field_may_count(field))
			continue;
		text_add_string(&names, names.len ? ", " : "");
		text_add_escaped(&names, field->name, strlen(field->name));
	}
	if (names.len)
		log_add(counts->join->log, LOG_WARNING, 1,
			"%s: no field of its values is known to be the weight, so each entry "
			"counts 1: assign the role with --key=weight=FIELD (%s)",
			counts->map->name, names.data);
}

/* Decides from all entries what the fields mean, after the layouts have been found. */
static void prepare_fields(struct count_join *ret)
{
	struct join *join = ret->join;
	struct count_map *map = ret->map;
	struct tally tally = {};
	struct row row;
	bool joins = true; /* there is a stack map, or no stack is given by its ID */
	/* in a single stream, and for maps of the running kernel, they are read as dumped */
	enum missing_order order = map->after_stacks ? MISSING_STACKS_FIRST : MISSING_COUNTS_FIRST;

	if (join->options->n_sources > 1 || map->is_rows)
		order = MISSING_ORDER_UNKNOWN;
	count_each(i, map) {
		const struct roles *roles = count_join_entry(ret, i, &row);

		tally.nonzero |= !map->entries.data[i].zero;
		if (roles)
			tally_entry(join, &row, roles, &tally);
		else
			tally.odd++;
	}
	log_add(join->log, LOG_WARNING, tally.odd,
		"%s: an entry is skipped: it has another size, or is truncated", map->name);
	check_ids(ret, &tally);
	ret->keyed = map->is_rows || tally.in_key;
	for (enum address_side side = 0; side < SIDE_COUNT; side++) {
		const struct stack_votes *votes = &tally.votes[side];

		ret->ids.preferred[side] = stack_index_elect(join->index, votes);
		ret->ids.fix[side] = missing_fix(votes, order);
		joins &= join->index->stores.len || !votes->ids;
	}
	ret->weighted = tally.weighted && ret->status == READING_USABLE;
	ret->is_set = ret->status == READING_USABLE && is_set(ret, &tally);
	if (ret->status == READING_USABLE && join->index->stores.len)
		check_inline(ret, &tally);
	if (ret->status == READING_USABLE && joins)
		check_weight(ret);
	log_add(join->log, LOG_WARNING, ret->is_set,
		"%s: all of its values are 0: it is read as a set, and each entry counts 1",
		map->name);
}

struct count_join *count_join_create(struct join *join, struct count_map *map)
{
	struct count_join *counts = xnew(counts);
	struct row row;

	counts->join = join;
	counts->map = map;
	find_layout(counts);
	if (counts->status != READING_USABLE)
		return counts;
	/* the first error about --key waits until the end, because another map may have the field */
	if (!join->unmet && read_row(counts, 0, &row))
		join->unmet = roles_check(&row, join->overrides, map->name);
	prepare_fields(counts);
	return counts;
}

/* Uses the roles that the search by content found, in addition to --key. */
static void use_found(struct count_join *counts)
{
	const char *given = counts->join->options->key_fields;
	auto_free char *all =
		xasprintf("%s%s%s", given ? given : "", given ? "," : "", counts->reading.key_text);
	struct error *error = role_overrides_parse(all, &counts->found);

	if (error) { /* --key assigns one of these roles to a field that is missing here */
		error_destroy(error);
		refuse_no_id(counts);
		return;
	}
	log_add(counts->join->log, LOG_DETAIL, 1, "%s: read with --key=%s", counts->map->name,
		counts->reading.key_text);
	role_memo_deinit(&counts->memo);
	prepare_fields(counts);
}

void count_join_search(struct count_join *counts)
{
	struct raw_question question = question_of(counts);
	enum reading_status status = READING_NO_IDS;
	struct count_reading found = {};
	struct row row;

	const struct roles *roles = count_join_entry(counts, 0, &row);
	if (counts->status != READING_NO_IDS || counts->reading.key || counts->reading.value ||
		!counts->join->index->stores.len || !counts->map->entries.data[0].packed || !roles)
		return;
	const struct roles named = *roles;
	question.named = &named;
	if (named.field[ROLE_PID] != ROLE_NO_FIELD || named.field[ROLE_TID] != ROLE_NO_FIELD ||
		named.field[ROLE_PID_TGID] != ROLE_NO_FIELD) {
		question.processes = NULL;
		question.has_pid = true;
	}
	for (int of_value = 0; of_value < 2 && status == READING_NO_IDS; of_value++) {
		reading_deinit(&found);
		found = (struct count_reading){};
		question.of_value = of_value;
		status = raw_reading_find(&question, &found);
	}
	if (status == READING_NO_IDS) {
		reading_deinit(&found);
		return;
	}
	reading_deinit(&counts->reading);
	counts->reading = found;
	counts->status = status;
	if (status == READING_USABLE)
		use_found(counts);
}

void count_join_destroy(struct count_join *counts)
{
	if (!counts)
		return;
	count_map_destroy(counts->map);
	role_overrides_deinit(&counts->found);
	reading_deinit(&counts->reading);
	role_memo_deinit(&counts->memo);
	free(counts);
}
