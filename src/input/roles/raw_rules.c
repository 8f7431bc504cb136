// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_rules.h"

#include <stdlib.h>
#include <string.h>

#include "util/order.h"

#define TEXTS_MAX 4    /* that are tried as comm */
#define NAMES_MAX 1024 /* entries whose texts are looked at */

void raw_rules_deinit(struct raw_rules *rules)
{
	for (size_t i = 0; i < rules->n_candidates; i++)
		raw_process_deinit(&rules->candidates[i].process);
}

/* ---- the comm ------------------------------------------------------------------------------- */

static bool can_be_comm(const struct raw_columns *columns, size_t column)
{
	return columns->all.data[column].text == RAW_COMM_LEN;
}

/* Whether so many zeros follow that the text may be longer, as a tag of 64 bytes is. */
static bool has_zeros_behind(const struct raw_columns *columns, size_t column)
{
	size_t first = column + RAW_COMM_LEN;

	for (size_t i = first; i < first + RAW_COMM_LEN; i += RAW_WORD)
		if (i >= columns->all.len || !columns->all.data[i].constant_zero)
			return false;
	return true;
}

/* The column of the only text that can be a comm; RAW_NONE: there is none. */
static size_t find_text(const struct raw_columns *columns)
{
	size_t found = RAW_NONE;

	for (size_t i = 0; i < columns->all.len; i++) {
		if (!can_be_comm(columns, i))
			continue;
		if (found != RAW_NONE || has_zeros_behind(columns, i))
			return RAW_NONE;
		found = i;
	}
	return found;
}

/* Whether some text of COLUMN is the name of a process, as far as these are known. */
static bool has_names(
	const struct raw_columns *columns, const struct input_processes *processes, size_t column)
{
	const uint8_t *bytes;
	size_t len;

	for (size_t i = 0; processes && i < columns->map->entries.len && i < NAMES_MAX; i++) {
		char comm[RAW_COMM_LEN + 1] = "";

		if (!raw_columns_bytes(columns, i, &bytes, &len))
			continue;
		memcpy(comm, bytes + column, RAW_COMM_LEN);
		if (processes->has_comm(processes->context, comm))
			return true;
	}
	return !processes;
}

/* ---- the process of a candidate ------------------------------------------------------------- */

static struct raw_roles roles_of(const struct raw_candidate *candidate)
{
	struct raw_roles roles = raw_no_roles;

	*(candidate->user == candidate->kernel ? &roles.stack
		: candidate->user	       ? &roles.user
					       : &roles.kernel) = candidate->column;
	return roles;
}

/*
 * Who had the stacks, where the text in COLUMN is the name; RAW_NONE: that in the value, if there
 * is one.
 */
static void try_comm(struct raw_rules *rules, struct raw_candidate *candidate, size_t column)
{
	const struct raw_roles roles = roles_of(candidate);

	raw_process_deinit(&candidate->process);
	candidate->process = (struct raw_process){};
	candidate->comm_column = column;
	candidate->comm = column == RAW_NONE
				  ? rules->value_comm
				  : (struct raw_comm){true, rules->columns->of_value, column};
	raw_process_find(
		rules->columns, rules->processes, &roles, candidate->comm, &candidate->process);
}

/*
 * The only text under which processes have the stacks; otherwise none, or what nothing speaks
 * against.
 */
static void find_process(struct raw_rules *rules, struct raw_candidate *candidate)
{
	size_t shown = RAW_NONE, n_shown = 0, texts = 0;

	for (size_t i = 0; i < rules->columns->all.len && texts < TEXTS_MAX; i++) {
		if (!can_be_comm(rules->columns, i))
			continue;
		texts++;
		try_comm(rules, candidate, i);
		if (!candidate->process.shown)
			continue;
		n_shown++;
		shown = i;
	}
	if (n_shown == 1 && texts == 1)
		return;
	try_comm(rules, candidate, n_shown == 1 ? shown : RAW_NONE);
	if (!candidate->process.shown && rules->key_comm != RAW_NONE)
		try_comm(rules, candidate, rules->key_comm);
}

/* ---- candidates ----------------------------------------------------------------------------- */

static void find_candidates(struct raw_rules *rules)
{
	for (size_t i = 0; i < rules->columns->all.len; i++) {
		const struct raw_column *column = &rules->columns->all.data[i];

		if (!column->number || !id_column_possible(&column->ids) ||
			rules->n_candidates == RAW_CANDIDATES_MAX)
			continue;
		struct raw_candidate *candidate = &rules->candidates[rules->n_candidates++];
		*candidate = (struct raw_candidate){.column = i,
			.user = id_column_of_user(&column->ids),
			.kernel = id_column_of_kernel(&column->ids),
			.chance = id_column_chance(&column->ids, rules->columns->index),
			.process = {.pid = RAW_NONE, .tid = RAW_NONE},
			.comm_column = rules->key_comm};
		if (!candidate->user && candidate->kernel)
			continue;
		find_process(rules, candidate);
		candidate->chance = candidate->process.shown ? 0 : candidate->chance;
	}
}

/*
 * Whether the process that SHOWN's stacks are of had none of OTHER's stacks, which may be other
 * numbers, or is no parent of who had them: then no number here tells whose they are.
 */
static bool is_of_others(const struct raw_rules *rules, const struct raw_candidate *shown,
	const struct raw_candidate *other)
{
	const struct raw_pairing pairing = {
		rules->columns, rules->processes, other->column, shown->comm};
	size_t column = shown->process.pid != RAW_NONE ? shown->process.pid : shown->process.tid;
	struct raw_evidence evidence = raw_evidence_find(&pairing, column);

	return evidence.misfits > evidence.fits &&
	       (other->chance >= ID_CHANCE_MAX || evidence.misfit_alone);
}

/* What the process of one candidate says about the others. */
static void drop_candidates(struct raw_rules *rules)
{
	for (size_t i = 0; i < rules->n_candidates; i++) {
		const struct raw_candidate *shown = &rules->candidates[i];

		for (size_t j = 0; shown->process.shown && j < rules->n_candidates; j++) {
			struct raw_candidate *other = &rules->candidates[j];

			if (j == i)
				continue;
			other->dropped |= other->column == shown->process.pid ||
					  other->column == shown->process.tid ||
					  (shown->user && other->user && !other->process.shown &&
						  is_of_others(rules, shown, other));
		}
	}
}

/* ---- hypotheses ----------------------------------------------------------------------------- */

static void add(struct raw_rules *rules, const struct raw_candidate *first,
	const struct raw_candidate *second)
{
	if (rules->n == RAW_HYPOTHESES_MAX)
		return;
	struct raw_hypothesis *hypothesis = &rules->all[rules->n++];
	*hypothesis = (struct raw_hypothesis){roles_of(first), first, second, .number = rules->n};
	if (second) {
		hypothesis->roles = raw_no_roles;
		hypothesis->roles.user = first->column;
		hypothesis->roles.kernel = second->column;
	}
	hypothesis->roles.comm = first->comm_column;
	hypothesis->roles.pid = first->process.pid;
	hypothesis->roles.tid = first->process.tid;
	hypothesis->roles.either = first->process.either;
}

static void enumerate(struct raw_rules *rules)
{
	const struct raw_candidate *all = rules->candidates;

	for (size_t i = 0; i < rules->n_candidates; i++)
		for (size_t j = 0; j < rules->n_candidates; j++)
			if (i != j && all[i].user && all[j].kernel && !all[i].dropped &&
				!all[j].dropped)
				add(rules, &all[i], &all[j]);
	for (size_t i = 0; i < rules->n_candidates; i++)
		if (!all[i].dropped)
			add(rules, &all[i], NULL);
}

static bool is_firm(const struct raw_hypothesis *hypothesis)
{
	return hypothesis->first->chance < ID_CHANCE_MAX &&
	       (!hypothesis->second || hypothesis->second->chance < ID_CHANCE_MAX);
}

static bool has(const struct raw_hypothesis *hypothesis, const struct raw_candidate *candidate)
{
	return candidate && (hypothesis->first == candidate || hypothesis->second == candidate);
}

/* The sides of its stacks as bits; MIXED: those of a column with stacks of both. */
static unsigned int sides(const struct raw_hypothesis *hypothesis, unsigned int mixed)
{
	const struct raw_roles *roles = &hypothesis->roles;

	return roles->stack != RAW_NONE
		       ? mixed
		       : (roles->user != RAW_NONE) + 2U * (roles->kernel != RAW_NONE);
}

static bool refutes(const struct raw_hypothesis *a, const struct raw_hypothesis *b)
{
	if (a->second && !b->second && has(a, b->first)) /* one stack more */
		return (a->first == b->first ? a->second : a->first)->chance < ID_CHANCE_MAX;
	return is_firm(a) && !is_firm(b) && !(sides(b, 0) & ~sides(a, 3));
}

/* How much has to be chance: columns that are stack IDs, and others that are not. */
static double weakness(const struct raw_rules *rules, const struct raw_hypothesis *hypothesis)
{
	double sum = hypothesis->refuted ? RAW_CANDIDATES_MAX : 0;

	for (size_t i = 0; i < rules->n_candidates; i++) {
		const struct raw_candidate *candidate = &rules->candidates[i];

		if (!candidate->dropped)
			sum += has(hypothesis, candidate) ? candidate->chance
							  : 1 - candidate->chance;
	}
	return sum;
}

COMPARE(compare_weakness, struct raw_hypothesis,
	order_of(a->weakness, b->weakness) ?: order_of(a->number, b->number))

void raw_rules_find(struct raw_rules *ret)
{
	ret->key_text = ret->value_comm.known ? RAW_NONE : find_text(ret->columns);
	ret->key_comm =
		ret->key_text != RAW_NONE && has_names(ret->columns, ret->processes, ret->key_text)
			? ret->key_text
			: RAW_NONE;
	find_candidates(ret);
	if (ret->n_candidates > 1)
		drop_candidates(ret);
	enumerate(ret);
	for (size_t i = 0; i < ret->n; i++)
		for (size_t j = 0; j < ret->n; j++)
			ret->all[i].refuted |= j != i && refutes(&ret->all[j], &ret->all[i]);
	for (size_t i = 0; i < ret->n; i++)
		ret->all[i].weakness = weakness(ret, &ret->all[i]);
	qsort(ret->all, ret->n, sizeof(*ret->all), compare_weakness);
	while (ret->n_open < ret->n && !ret->all[ret->n_open].refuted)
		ret->n_open++;
}

const struct raw_hypothesis *raw_rules_taken(const struct raw_rules *rules)
{
	return rules->n_open == 1 && is_firm(&rules->all[0]) ? &rules->all[0] : NULL;
}
