// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_rules.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/vec.h"
#include "util/sort.h"
#include "util/xalloc.h"

#define TEXTS_MAX 4    /* texts tried as the comm */
#define NAMES_MAX 1024 /* rows whose texts are compared with processes */

void raw_rules_deinit(struct raw_rules *rules)
{
	array_each(candidate, rules->candidates, rules->n_candidates)
		text_deinit(&candidate->process.why);
}

/* ---- the comm ------------------------------------------------------------------------------- */

/* Returns the column of the only text that can be a comm, or RAW_NONE. */
static size_t find_text(const struct raw_columns *columns)
{
	size_t found = RAW_NONE;

	for (size_t i = 0; i < columns->all.len; i++) {
		if (columns->all.data[i].text != RAW_COMM_LEN)
			continue;
		/* if 16 bytes of 0 or -1 follow, the text may be longer than a comm, e.g. a tag */
		bool zeros_behind = true;
		for (size_t at = i + RAW_COMM_LEN; at < i + 2 * RAW_COMM_LEN; at += RAW_WORD)
			zeros_behind &= at < columns->all.len && !columns->all.data[at].ids.varied;
		if (found != RAW_NONE || zeros_behind)
			return RAW_NONE;
		found = i;
	}
	return found;
}

/* Returns true if some text of COLUMN is the name of a process, or if no processes are known. */
static bool has_names(
	const struct raw_columns *columns, const struct input_processes *processes, size_t column)
{
	size_t n = 0;

	if (!processes)
		return true;
	raw_row_each(row, columns) {
		char comm[RAW_COMM_LEN + 1] = "";

		memcpy(comm, row + column, RAW_COMM_LEN);
		if (processes->has_comm(processes->context, comm))
			return true;
		if (++n == NAMES_MAX)
			break;
	}
	return false;
}

/* ---- numbers that may be the process ------------------------------------------------------- */

struct process_search {
	struct raw_pairing pairing;
	struct raw_process *found;
	struct raw_evidence all[RAW_NUMBERS_MAX]; /* columns that may be the process */
	size_t n;
};

/* ---- the thread in a stack word of bpftrace ------------------------------------------------- */

/* Returns true if at least half of the known numbers fit, and none is 0. */
static bool is_supported(const struct raw_evidence *evidence)
{
	return evidence->fits && !evidence->zero && evidence->misfits <= evidence->fits;
}

/*
 * Returns a column with the processes of the threads in TID, or RAW_NONE. A copy of TID does not
 * qualify.
 */
static size_t process_of_threads(const struct process_search *search, size_t tid)
{
	array_each(number, search->all, search->n) {
		if (number->column == tid)
			continue;
		struct raw_relation relation =
			raw_evidence_relate(&search->pairing, number->column, tid);
		if (relation.first && relation.same > 4 * relation.different)
			return number->column;
	}
	return RAW_NONE;
}

/*
 * Uses the thread in bpftrace's stack words, up to 0.20. Then all parts of the key are multiples of
 * 8 bytes, and each stack ID is followed by a thread ID, or by the sign extension of an error. The
 * thread is proven by such an error, or by a number that is no parent. Otherwise the number beside
 * the stack ID may be anything, such as a CPU. Returns false if there is no such thread.
 */
static bool find_bpftrace_thread(struct process_search *search)
{
	const struct raw_columns *columns = search->pairing.columns;
	size_t stacks = search->pairing.stacks, tid = stacks + RAW_WORD;
	bool certain = false;

	if (columns->packed || stacks % 8 || columns->len % 8)
		return false;
	raw_row_each(row, columns) {
		uint32_t id = load_u32(row + stacks), thread = load_u32(row + tid);

		if ((int32_t)id < 0 ? thread != UINT32_MAX : !thread || thread == UINT32_MAX)
			return false;
		certain |= (int32_t)id < 0;
	}
	array_each(evidence, search->all, search->n) {
		if (evidence->column != tid || evidence->misfits > evidence->fits ||
			(!certain && !evidence->alone))
			continue;
		search->found->tid = tid;
		search->found->pid = process_of_threads(search, tid);
		search->found->shown = is_supported(evidence);
		text_add_string(&search->found->why,
			"the thread ID that bpftrace up to 0.20 keeps beside a stack ID");
		return true;
	}
	return false;
}

/* ---- unproven processes --------------------------------------------------------------------- */

/* Adds to RET why EVIDENCE proves no process. */
static void describe(const struct raw_evidence *evidence, struct text *ret)
{
	text_printf(ret, "%sbytes %zu-%zu: ", ret->len ? "; " : "", evidence->column,
		evidence->column + RAW_WORD - 1);
	if (evidence->zero)
		text_add_string(ret, "no process has ID 0");
	else if (evidence->misfits > evidence->fits)
		text_printf(ret,
			"process %lld has no code at the addresses of its stacks (of the known "
			"processes, %zu have, %zu have not)",
			(long long)evidence->misfit, evidence->fits, evidence->misfits);
	else if (evidence->child >= 0)
		text_printf(ret,
			"%lld may be the parent of the process that ran: process %lld "
			"fits as well",
			(long long)evidence->parent, (long long)evidence->child);
	else if (evidence->parent >= 0)
		text_printf(ret,
			"%lld may be the parent of the process that ran: it has had "
			"children that have exited",
			(long long)evidence->parent);
	else if (evidence->fits)
		text_add_string(ret, "another number names processes that fit as well");
	else if (evidence->possible)
		text_add_string(
			ret, "other programs may have code at the same addresses (no ASLR)");
	else
		text_add_string(ret, "no such process is known: it has exited, or is not readable");
}

/* Lists the columns that may be the process, the likeliest first, for the user to choose from. */
static void set_unproven(struct process_search *search)
{
	struct raw_process *found = search->found;

	for (int rank = 0; rank < 3; rank++)
		array_each(evidence, search->all, search->n) {
			size_t fits = evidence->fits, misfits = evidence->misfits,
			       others = evidence->possible + evidence->unknown;
			int own_rank = misfits > fits ? 2 : !fits;
			/*
			 * A number is 0, or more numbers misfit than all others together, and
			 * either none fits, or all may be parents of the processes that ran.
			 */
			bool refuted = evidence->zero ||
				       (misfits > fits + others &&
					       (!fits || (!evidence->alone &&
								 evidence->parents == misfits)));

			if (!rank)
				describe(evidence, &found->why);
			found->matters |= fits || misfits || others;
			if (own_rank == rank && !refuted)
				found->possible[found->n_possible++] = evidence->column;
		}
	found->matters &= found->n_possible > 0;
}

/* ---- columns that fit ----------------------------------------------------------------------- */

/* Returns true if the columns name different processes in over a fifth of the known entries. */
static bool differ(const struct raw_relation *relation)
{
	return 4 * relation->different > relation->same;
}

/*
 * Adds a column that fits to the one found before. If both name the same processes, one has the
 * threads of the other. Returns false if they differ, and finds none. A single column is the
 * process if all its numbers are known processes, otherwise the thread, because exited ones may
 * have been threads.
 */
static bool add_number(struct process_search *search, const struct raw_evidence *number)
{
	struct raw_process *found = search->found;
	size_t other = found->pid != RAW_NONE ? found->pid : found->tid;

	found->shown = true;
	if (other == RAW_NONE) {
		*(number->threads || number->unknown ? &found->tid : &found->pid) = number->column;
		found->either = !number->threads;
		text_clear(&found->why);
		text_printf(&found->why,
			"numbers of processes or threads with code at the addresses of their "
			"stacks: %zu, others: %zu, not known: %zu",
			number->fits, number->misfits, number->possible + number->unknown);
		return true;
	}
	struct raw_relation relation = raw_evidence_relate(&search->pairing, other, number->column);
	if (differ(&relation)) {
		*found = (struct raw_process){.pid = RAW_NONE, .tid = RAW_NONE, .why = found->why};
		text_clear(&found->why);
		return false;
	}
	if (relation.first || relation.second) {
		found->pid = relation.first ? other : number->column;
		found->tid = relation.first ? number->column : other;
		found->either = false;
	}
	return true;
}

/*
 * Returns true if the numbers of the column are not the parents, with exited children, of the
 * processes that ran. It relies on programs not storing a parent's thread, or a parent twice.
 */
static bool is_no_parent(const struct process_search *search, const struct raw_evidence *number)
{
	if (number->alone)
		return true;
	if (number->child >= 0)
		return false;
	array_each(other, search->all, search->n) {
		if (other == number || !is_supported(other))
			continue;
		struct raw_relation relation =
			raw_evidence_relate(&search->pairing, number->column, other->column);
		if (!differ(&relation))
			return true;
	}
	return false;
}

/* ---- the process of a candidate ------------------------------------------------------------- */

/* Finds the process of CANDIDATE's stacks, with the comm at offset COMM, or RAW_NONE. */
static void try_comm(struct raw_rules *rules, struct raw_candidate *candidate, size_t comm)
{
	auto_free struct process_search *search = xnew(search);
	const struct raw_columns *columns = rules->columns;
	struct raw_process *found = &candidate->process;

	text_deinit(&found->why);
	*found = (struct raw_process){.pid = RAW_NONE, .tid = RAW_NONE};
	candidate->comm = comm;
	search->pairing = (struct raw_pairing){columns, rules->processes, candidate->column, comm};
	search->found = found;
	for (size_t i = 0; i < columns->all.len && search->n < RAW_NUMBERS_MAX; i++) {
		const struct raw_column *column = &columns->all.data[i];

		if (column->number && column->ids.varied && column->any_process &&
			i != candidate->column && !id_column_certain(&column->ids, columns->index))
			search->all[search->n++] = raw_evidence_find(&search->pairing, i);
	}
	if (find_bpftrace_thread(search))
		return;
	array_each(number, search->all, search->n)
		if (is_supported(number) && is_no_parent(search, number) &&
			!add_number(search, number))
			break;
	if (!found->shown)
		set_unproven(search);
}

/*
 * Chooses the comm and the process: the only text with which processes have the stacks, else that
 * of the value, or none. If this proves no process, uses the only text.
 */
static void choose_process(struct raw_rules *rules, struct raw_candidate *candidate)
{
	size_t shown = RAW_NONE, n_shown = 0, texts = 0;

	for (size_t i = 0; i < rules->columns->all.len && texts < TEXTS_MAX; i++) {
		if (rules->columns->all.data[i].text != RAW_COMM_LEN)
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
	try_comm(rules, candidate, n_shown == 1 ? shown : rules->value_comm);
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
			.user = !column->ids.kernel,
			.kernel = !column->ids.user,
			.chance = id_column_chance(&column->ids, rules->columns->index),
			.process = {.pid = RAW_NONE, .tid = RAW_NONE},
			.comm = rules->key_comm};
		if (candidate->user || !candidate->kernel)
			choose_process(rules, candidate);
	}
}

/*
 * Drops candidates that are the process of another one, or whose stacks have another process: the
 * processes that had SHOWN's stacks did not have OTHER's, and either OTHER may be no stack IDs, or
 * one of these processes is no parent of those that had OTHER's stacks. Then no number identifies
 * the process of its stacks.
 */
static void drop_candidates(struct raw_rules *rules)
{
	array_each(shown, rules->candidates, rules->n_candidates) {
		size_t pid = shown->process.pid, tid = shown->process.tid;

		array_each(other, rules->candidates, rules->n_candidates) {
			if (other == shown || !shown->process.shown)
				continue;
			other->dropped |= other->column == pid || other->column == tid;
			if (other->dropped || !shown->user || !other->user || other->process.shown)
				continue;
			const struct raw_pairing pairing = {
				rules->columns, rules->processes, other->column, shown->comm};
			struct raw_evidence evidence =
				raw_evidence_find(&pairing, pid != RAW_NONE ? pid : tid);
			other->dropped = evidence.misfits > evidence.fits &&
					 (other->chance >= ID_CHANCE_MAX || evidence.misfit_alone);
		}
	}
}

/*
 * Trusts the only candidate that is left if a process is proven to have had its stacks. With more
 * candidates that proves nothing: if all user stacks of the map are of one process, it has had any.
 */
static void trust_only_candidate(struct raw_rules *rules)
{
	size_t only = only_index(i, rules->n_candidates, !rules->candidates[i].dropped);

	if (only != RAW_NONE && rules->candidates[only].process.shown)
		rules->candidates[only].chance = 0;
}

/* ---- hypotheses ----------------------------------------------------------------------------- */

static void add(struct raw_rules *rules, const struct raw_candidate *first,
	const struct raw_candidate *second)
{
	if (rules->n == RAW_HYPOTHESES_MAX)
		return;
	struct raw_hypothesis *hypothesis = &rules->all[rules->n++];
	*hypothesis = (struct raw_hypothesis){raw_no_roles, first, second, .number = rules->n};
	size_t *at = hypothesis->roles.at;
	at[second || first->user > first->kernel ? ROLE_USER
		: first->user == first->kernel	 ? ROLE_STACK
						 : ROLE_KERNEL] = first->column;
	if (second)
		at[ROLE_KERNEL] = second->column;
	if (first->comm != rules->value_comm)
		at[ROLE_COMM] = first->comm;
	at[ROLE_PID] = first->process.pid;
	at[first->process.either ? ROLE_PID_OR_TID : ROLE_TID] = first->process.tid;
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

/* Returns the sides of the stacks as a bit mask; MIXED for a column with stacks of both sides. */
static unsigned int sides(const struct raw_hypothesis *hypothesis, unsigned int mixed)
{
	const size_t *at = hypothesis->roles.at;

	return at[ROLE_STACK] != RAW_NONE
		       ? mixed
		       : (at[ROLE_USER] != RAW_NONE) + 2U * (at[ROLE_KERNEL] != RAW_NONE);
}

static bool refutes(const struct raw_hypothesis *a, const struct raw_hypothesis *b)
{
	if (a->second && !b->second && has(a, b->first)) /* A has an additional stack */
		return (a->first == b->first ? a->second : a->first)->chance < ID_CHANCE_MAX;
	return is_firm(a) && !is_firm(b) && !(sides(b, 0) & ~sides(a, 3));
}

COMPARE(compare_weakness, struct raw_hypothesis,
	order_of(a->weakness, b->weakness) ?: order_of(a->number, b->number))

void raw_rules_find(struct raw_rules *ret)
{
	const struct raw_columns *columns = ret->columns;

	ret->value_comm = columns->row_len > columns->len ? columns->len : RAW_NONE;
	ret->key_text = ret->value_comm == RAW_NONE ? find_text(columns) : RAW_NONE;
	ret->key_comm =
		ret->key_text != RAW_NONE && has_names(columns, ret->processes, ret->key_text)
			? ret->key_text
			: RAW_NONE;
	find_candidates(ret);
	drop_candidates(ret);
	trust_only_candidate(ret);
	array_each(user, ret->candidates, ret->n_candidates)
		array_each(kernel, ret->candidates, ret->n_candidates)
			if (user != kernel && user->user && kernel->kernel && !user->dropped &&
				!kernel->dropped)
				add(ret, user, kernel);
	array_each(only, ret->candidates, ret->n_candidates)
		if (!only->dropped)
			add(ret, only, NULL);
	array_each(hypothesis, ret->all, ret->n) {
		array_each(other, ret->all, ret->n)
			hypothesis->refuted |= other != hypothesis && refutes(other, hypothesis);
		/*
		 * The probabilities that its columns are not stack IDs, and that the remaining
		 * candidates are. Refuted ones are weaker than any other.
		 */
		hypothesis->weakness = hypothesis->refuted ? RAW_CANDIDATES_MAX + 1 : 0;
		ret->n_open += !hypothesis->refuted;
		array_each(candidate, ret->candidates, ret->n_candidates)
			if (!candidate->dropped)
				hypothesis->weakness += has(hypothesis, candidate)
								? candidate->chance
								: 1 - candidate->chance;
	}
	qsort(ret->all, ret->n, sizeof(*ret->all), compare_weakness);
}

const struct raw_hypothesis *raw_rules_taken(const struct raw_rules *rules)
{
	return rules->n_open == 1 && is_firm(&rules->all[0]) ? &rules->all[0] : NULL;
}
