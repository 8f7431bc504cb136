// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/count_join.h"

#include <stdlib.h>
#include <string.h>

#include "input/processes.h"
#include "input/roles/roles.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

static bool is_usable(const struct count_join *counts)
{
	return counts->status == READING_USABLE && !counts->left_out;
}

/* Returns true if COUNTS is a usable map, and not rows, which are always used. */
static bool is_counts(const struct count_join *counts)
{
	return is_usable(counts) && !counts->map->is_rows;
}

static bool is_given(const struct count_join *counts)
{
	return counts->map->choice == COUNT_GIVEN;
}

/* If LIKE is true for a usable map, leaves out the maps for which it is not, and returns true. */
static bool prefer(const struct count_joins *all, bool (*like)(const struct count_join *counts),
	const char *why)
{
	bool any = false;

	vec_each_value(counts, all)
		any |= is_usable(counts) && like(counts);
	if (!any)
		return false;
	vec_each_value(counts, all) {
		if (counts->left_out || counts->map->is_rows || like(counts))
			continue;
		counts->left_out = true;
		if (!counts->reading.reason)
			counts->reading.reason = xstrdup(why);
		log_add(counts->join->log, LOG_DETAIL, 1, "%s: left out: %s", counts->map->name,
			counts->reading.reason);
	}
	return true;
}

static bool is_keyed(const struct count_join *counts)
{
	/* a refused map may be the counts, unless it was only found through its program */
	return counts->keyed ||
	       (counts->status == READING_REFUSED && counts->map->choice != COUNT_AUTOMATIC);
}

static void list_readings(const struct count_join *counts)
{
	vec_each_value(choice, &counts->reading.choices)
		log_add(counts->join->log, LOG_WARNING, 1, "%s: possible reading: %s",
			counts->map->name, choice);
}

/* Returns true if A and B can be added up: both were given, or their fields have the same names. */
static bool mean_the_same(struct count_join *a, struct count_join *b)
{
	struct row x = {}, y = {};

	if (is_given(a) && is_given(b))
		return true;
	count_join_entry(a, 0, &x);
	count_join_entry(b, 0, &y);
	if (a->reading.key_text || b->reading.key_text || a->map->choice == COUNT_AUTOMATIC ||
		x.n != y.n)
		return false;
	for (size_t i = 0; i < x.n; i++)
		if (strcmp(x.fields[i].name, y.fields[i].name))
			return false;
	return true;
}

/* Refuses a field that, by all entries, may be either the weight or the length of a stack. */
static void check_length(struct count_join *counts)
{
	size_t seen[LENGTH_EVIDENCES] = {}, field = ROLE_NO_FIELD;
	struct row row = {};

	count_each(i, counts->map) {
		const struct roles *roles = count_join_entry(counts, i, &row);

		if (roles)
			field = stack_length_rival(&row, roles, seen);
	}
	if (field == ROLE_NO_FIELD)
		return;
	const char *name = row.fields[field].name;
	reading_offer(&counts->reading, xasprintf("--key=weight=%s", name));
	reading_offer(
		&counts->reading, xasprintf("--key=length=%s (each entry counts once)", name));
	count_join_refuse(
		counts, xasprintf("%s could be the length of the stack, or the weight", name));
}

/*
 * Returns true if all numbers of FIELD may be a process ID and a thread ID (pid_tgid). Adds to
 * RET_KNOWN how many have a known thread that belongs to that process.
 */
static bool are_pairs(struct count_join *counts, size_t field, size_t *ret_known)
{
	const struct input_processes *processes = counts->join->options->processes;
	struct row row;

	count_each(i, counts->map) {
		if (!count_join_entry(counts, i, &row))
			continue;
		int64_t process = (int64_t)(row.fields[field].number >> 32);
		int64_t thread = (uint32_t)row.fields[field].number;
		int64_t known = process_of_thread(processes, thread);

		if (!process || !thread || process > PROCESS_ID_MAX || thread > PROCESS_ID_MAX ||
			(known >= 0 && known != process))
			return false;
		*ret_known += known == process;
	}
	return true;
}

/*
 * Changes the role of a 64-bit PID field to pid_tgid if known threads confirm that. Otherwise
 * refuses it if --key assigned it.
 */
static void check_pair(struct count_join *counts)
{
	size_t known = 0;
	struct row row;
	const struct roles *roles = count_join_entry(counts, 0, &row);
	size_t field = roles ? roles->field[ROLE_PID] : ROLE_NO_FIELD;

	if (field == ROLE_NO_FIELD || row.fields[field].number <= UINT32_MAX)
		return;
	auto_free char *name = xstrdup(row.fields[field].name);
	if (are_pairs(counts, field, &known) && known) {
		counts->pid_is_pair = true;
		free(counts->reading.evidence[ROLE_PID]);
		counts->reading.evidence[ROLE_PID] =
			xstrdup("each known number combines a process and its thread");
		return;
	}
	if (!roles_given(counts->join->overrides, ROLE_PID))
		return;
	reading_offer(&counts->reading, xasprintf("--key=pid_tgid=%s", name));
	count_join_refuse(counts,
		xasprintf("%s holds no process IDs, but its numbers may combine a process and a "
			  "thread",
			name));
}

/* Refuses COUNTS if several names suit a role equally well, and offers each. */
static void check_rivals(struct count_join *counts)
{
	static const enum role all[] = {
		ROLE_PID, ROLE_PID_TGID, ROLE_USER, ROLE_KERNEL, ROLE_STACK, ROLE_WEIGHT};
	const char *last = NULL;
	struct row row;
	const struct roles *roles = count_join_entry(counts, 0, &row);

	if (!roles)
		return;
	array_each(role, all, array_len(all)) {
		size_t n = 0;

		for (size_t i = 0; i < row.n; i++)
			n += role_is_rival(&row, roles, *role, i);
		if (n < 2 || roles_given(counts->join->overrides, *role) ||
			(*role == ROLE_STACK && roles_have_sides(roles)))
			continue;
		const char *key = role_keys[*role];
		for (size_t i = 0; i < row.n; i++) {
			const char *name = row.fields[i].name;

			if (!role_is_rival(&row, roles, *role, i))
				continue;
			/* fields of structs in an array share a name: --key takes the first */
			if (!last || strcmp(last, name))
				reading_offer(
					&counts->reading, xasprintf("--key=%s=%s", key, name));
			last = name;
		}
		count_join_refuse(counts,
			xasprintf("several fields could be its %s by their names%s", key,
				counts->reading.choices.len > 1
					? ""
					: " (only the first in an array of structs can be chosen)"));
		return;
	}
}

/* Refuses all usable maps, because nothing shows that A and B count the same. */
static struct error *refuse_maps(
	const struct count_joins *all, const struct count_join *a, const struct count_join *b)
{
	vec_each_value(counts, all)
		if (is_counts(counts) && !counts->reading.reason)
			counts->reading.reason = xstrdup("other maps count stacks too: choose one");
	if (a->map->choice == COUNT_AUTOMATIC)
		return error_create(ERROR_INPUT,
			"%s and %s both count stacks, and their sum would mean nothing: choose "
			"one with prog:ID/NAME or id:N, and pass its stack map too",
			a->map->name, b->map->name);
	return error_create(ERROR_INPUT,
		"%s and %s both count stacks, and nothing shows that they count the same: pass "
		"one of them, or both with --counts=FILE to add them up",
		a->map->name, b->map->name);
}

/* Returns true if both maps have the same entries in the same order. */
static bool is_twin(struct count_join *a, struct count_join *b)
{
	const struct count_map *x_map = a->map, *y_map = b->map;

	if (x_map->entries.len != y_map->entries.len)
		return false;
	count_each(i, x_map) {
		struct row x = {}, y = {};

		count_join_entry(a, i, &x);
		count_join_entry(b, i, &y);
		if (x.n != y.n || x_map->entries.data[i].cpu != y_map->entries.data[i].cpu)
			return false;
		for (size_t j = 0; j < x.n; j++)
			if (!field_equals(&x.fields[j], &y.fields[j]))
				return false;
	}
	return true;
}

static struct error *check_meaning(const struct count_joins *all)
{
	struct count_join *first = NULL;

	vec_each_value(counts, all) {
		if (!is_counts(counts))
			continue;
		if (!first) {
			first = counts;
			continue;
		}
		if (!mean_the_same(first, counts))
			return refuse_maps(all, first, counts);
		if (is_twin(first, counts)) /* they may be one map dumped twice */
			log_add(first->join->log, LOG_WARNING, 1,
				"%s and %s have the same entries, which count twice: leave one out "
				"if both are the same dump",
				first->map->name, counts->map->name);
	}
	return NULL;
}

static void report_no_ids(const struct count_joins *all)
{
	bool usable = false, refused = false;

	vec_each_value(counts, all) {
		usable |= is_usable(counts);
		refused |= counts->status == READING_REFUSED;
	}
	vec_each_value(counts, all) {
		const struct count_map *map = counts->map;

		if (counts->status != READING_NO_IDS || counts->left_out)
			continue;
		log_add(counts->join->log, usable ? LOG_DETAIL : LOG_WARNING, 1, "%s: not used: %s",
			map->name, counts->reading.reason);
		log_add(counts->join->log, LOG_WARNING, usable && map->choice != COUNT_AUTOMATIC,
			"%s: left out: no stacks are known in it (--explain says why)", map->name);
		if (!usable && !refused)
			list_readings(counts);
	}
}

struct error *counts_choose(const struct count_joins *all)
{
	report_no_ids(all);
	if (!prefer(all, is_given, "--counts chooses the count map"))
		prefer(all, is_keyed,
			"another map has the stacks in its keys, and its counts are used");
	/* check the fields over all entries, until a check refuses them */
	vec_each_value(counts, all) {
		if (is_counts(counts))
			check_length(counts);
		if (is_counts(counts))
			check_pair(counts);
		if (is_counts(counts))
			check_rivals(counts);
	}
	vec_each_value(counts, all) {
		size_t n = counts->reading.choices.len;

		if (counts->status != READING_REFUSED || counts->left_out)
			continue;
		list_readings(counts);
		return error_create(ERROR_INPUT, "%s: %s%s", counts->map->name,
			counts->reading.reason,
			counts->reading.has_more
				? ": choose one of the readings above (not all are listed)"
			: n > 1 ? ": choose one of the readings above"
			: n	? ": confirm it with the option above"
				: "");
	}
	return check_meaning(all);
}
