// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_process.h"

#include "util/cleanup.h"
#include "util/xalloc.h"

/* A column that may be the process, with what is known of it. */
struct number_column {
	size_t column;
	struct raw_evidence evidence;
};

struct process_search {
	struct raw_pairing pairing;
	const struct raw_roles *roles;
	struct raw_process *found;
	struct number_column all[RAW_NUMBERS_MAX];
	size_t n;
};

void raw_process_deinit(struct raw_process *process)
{
	text_deinit(&process->why);
}

static void find_numbers(struct process_search *search)
{
	const struct raw_columns *columns = search->pairing.columns;

	for (size_t i = 0; i < columns->all.len; i++) {
		const struct raw_column *column = &columns->all.data[i];

		if (!column->number || column->constant_zero || !column->any_process ||
			raw_roles_is_stack(search->roles, i) ||
			id_column_certain(&column->ids, columns->index) ||
			search->n == RAW_NUMBERS_MAX)
			continue;
		search->all[search->n++] =
			(struct number_column){i, raw_evidence_find(&search->pairing, i)};
	}
}

/* ---- the thread in a stack word of bpftrace ------------------------------------------------- */

/*
 * Whether the user stack is a word of bpftrace to 0.24: all parts of the key are multiples of 8
 * bytes, and the stack ID has a thread beside it, which shares the sign of an error. CERTAIN_RET:
 * there was such an error.
 */
static bool is_bpftrace_word(const struct process_search *search, bool *certain_ret)
{
	const struct raw_columns *columns = search->pairing.columns;
	size_t len, stacks = search->pairing.stacks;
	const uint8_t *bytes;

	*certain_ret = false;
	raw_columns_bytes(columns, 0, &bytes, &len);
	if (columns->packed || stacks % 8 || len % 8)
		return false;
	for (size_t i = 0; i < columns->map->entries.len; i++) {
		if (!raw_columns_bytes(columns, i, &bytes, &len))
			continue;
		uint32_t id = raw_word(bytes + stacks),
			 thread = raw_word(bytes + stacks + RAW_WORD);

		if ((int32_t)id < 0 ? thread != UINT32_MAX : !thread || thread == UINT32_MAX)
			return false;
		*certain_ret |= (int32_t)id < 0;
	}
	return true;
}

/* Most numbers that are known support it. */
static bool is_supported(const struct raw_evidence *evidence)
{
	return evidence->fits && !evidence->zero && evidence->misfits <= evidence->fits;
}

/* A column whose numbers are the processes of the threads in TID, which is no copy of these. */
static size_t process_of_threads(const struct process_search *search, size_t tid)
{
	for (size_t i = 0; i < search->n; i++) {
		size_t column = search->all[i].column;

		if (column == tid)
			continue;
		struct raw_relation relation = raw_evidence_relate(&search->pairing, column, tid);
		if (relation.first && relation.same > 4 * relation.different)
			return column;
	}
	return RAW_NONE;
}

/*
 * The thread in bpftrace's stack word is who ran: the word shows it by an error, or its numbers do. Otherwise it may
 * be any number beside a stack ID, such as a CPU.
 */
static bool find_bpftrace_thread(struct process_search *search)
{
	size_t tid = search->pairing.stacks + RAW_WORD;
	bool certain;

	if (!is_bpftrace_word(search, &certain))
		return false;
	for (size_t i = 0; i < search->n; i++) {
		const struct raw_evidence *evidence = &search->all[i].evidence;

		if (search->all[i].column != tid || evidence->misfits > evidence->fits ||
			(!certain && !evidence->alone))
			continue;
		search->found->status = RAW_PROCESS_FOUND;
		search->found->tid = tid;
		search->found->pid = process_of_threads(search, tid);
		search->found->shown = is_supported(evidence);
		text_add_string(
			&search->found->why, "the thread in a stack word of bpftrace (to 0.24)");
		return true;
	}
	return false;
}

/* ---- why there is none ---------------------------------------------------------------------- */

static void add_bytes(struct text *text, size_t column)
{
	text_printf(
		text, "%sbytes %zu-%zu: ", text->len ? "; " : "", column, column + RAW_WORD - 1);
}

static void describe(const struct number_column *number, struct text *ret)
{
	const struct raw_evidence *evidence = &number->evidence;

	add_bytes(ret, number->column);
	if (evidence->zero)
		text_add_string(ret, "no process has ID 0");
	else if (evidence->misfits > evidence->fits)
		text_printf(ret,
			"process %lld has no code at the addresses beside it (of the numbers "
			"known, %zu have, and %zu have not)",
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
	else if (evidence->possible)
		text_add_string(
			ret, "other programs may have code at the same addresses (no ASLR)");
	else
		text_add_string(ret, "no such process is known: it has exited, or may not be read");
}

/* Most numbers that are known speak against it, and of few others nothing is known. */
static bool is_refuted(const struct raw_evidence *evidence)
{
	return evidence->zero ||
	       (!evidence->fits && evidence->misfits > evidence->possible + evidence->unknown);
}

/* Nothing is shown: what might be it nevertheless is for the user to say, the likeliest first. */
static void set_unproven(struct process_search *search)
{
	struct raw_process *found = search->found;

	for (int against = 0; against < 2; against++)
		for (size_t i = 0; i < search->n; i++) {
			const struct raw_evidence *evidence = &search->all[i].evidence;

			if (!against)
				describe(&search->all[i], &found->why);
			if (!is_refuted(evidence) &&
				(evidence->misfits > evidence->fits) == against)
				found->possible[found->n_possible++] = search->all[i].column;
		}
	if (found->n_possible && raw_evidence_matters(&search->pairing))
		found->status = RAW_PROCESS_UNPROVEN;
}

/* ---- columns that fit ----------------------------------------------------------------------- */

static void set_two(struct process_search *search, size_t a, size_t b)
{
	struct raw_process *found = search->found;

	found->status = RAW_PROCESS_TWO;
	found->shown = false;
	found->pid = found->tid = RAW_NONE;
	found->possible[0] = a;
	found->possible[1] = b;
	found->n_possible = 2;
	text_clear(&found->why);
	text_printf(&found->why,
		"bytes %zu-%zu and %zu-%zu name different processes, and both have code at the "
		"addresses",
		a, a + RAW_WORD - 1, b, b + RAW_WORD - 1);
}

/*
 * Beside a column that is the process, another one is its thread. One alone is the process, if each
 * of its numbers is known to be one: what has ended may have been a thread.
 */
static void set_first(struct raw_process *found, const struct number_column *number)
{
	const struct raw_evidence *evidence = &number->evidence;

	bool processes = !evidence->threads && !evidence->unknown;
	found->pid = processes ? number->column : RAW_NONE;
	found->tid = processes ? RAW_NONE : number->column;
	found->either = !evidence->threads;
	text_clear(&found->why);
	text_printf(&found->why,
		"numbers of processes or threads with code at the addresses of their stacks: %zu, "
		"others: %zu, not known: %zu",
		evidence->fits, evidence->misfits, evidence->possible + evidence->unknown);
}

/* Whether the columns name different processes. */
static bool differ(const struct raw_relation *relation)
{
	return 4 * relation->different > relation->same;
}

/* A column that fits: of the same process it is the thread, or the process of the thread. */
static bool add_number(struct process_search *search, const struct number_column *number)
{
	struct raw_process *found = search->found;
	size_t other = found->pid != RAW_NONE ? found->pid : found->tid;

	found->status = RAW_PROCESS_FOUND;
	found->shown = true;
	if (other == RAW_NONE) {
		set_first(found, number);
		return true;
	}
	struct raw_relation relation = raw_evidence_relate(&search->pairing, other, number->column);
	bool different = differ(&relation);
	if (different && relation.only_second && !relation.only_first) {
		set_first(found, number);
	} else if (different && (!relation.only_first || relation.only_second)) {
		set_two(search, other, number->column);
		return false;
	} else if (!different && relation.first) {
		found->pid = other;
		found->tid = number->column;
		found->either = false;
	} else if (!different && relation.second) {
		found->pid = number->column;
		found->tid = other;
		found->either = false;
	}
	return true;
}

/*
 * Whether it is refuted that the numbers are the parents of who ran, whose children have ended: no
 * program stores the thread of a parent, or its number twice.
 */
static bool is_no_parent(const struct process_search *search, size_t i)
{
	if (search->all[i].evidence.alone)
		return true;
	if (search->all[i].evidence.child >= 0)
		return false;
	for (size_t j = 0; j < search->n; j++) {
		if (j == i || !is_supported(&search->all[j].evidence))
			continue;
		struct raw_relation relation = raw_evidence_relate(
			&search->pairing, search->all[i].column, search->all[j].column);
		if (!differ(&relation))
			return true;
	}
	return false;
}

static void search_all(struct process_search *search)
{
	find_numbers(search);
	if (find_bpftrace_thread(search))
		return;
	for (size_t i = 0; i < search->n; i++)
		if (is_supported(&search->all[i].evidence) && is_no_parent(search, i) &&
			!add_number(search, &search->all[i]))
			return;
	if (search->found->status == RAW_PROCESS_NONE)
		set_unproven(search);
}

void raw_process_find(const struct raw_columns *columns, const struct input_processes *processes,
	const struct raw_roles *roles, struct raw_comm comm, struct raw_process *ret)
{
	auto_free struct process_search *search = xcalloc(1, sizeof(*search));

	search->pairing = (struct raw_pairing){columns, processes, raw_roles_user(roles), comm};
	search->roles = roles;
	search->found = ret;
	ret->pid = ret->tid = RAW_NONE;
	search_all(search);
}
