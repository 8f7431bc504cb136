// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_process.h"

#include "util/cleanup.h"
#include "util/xalloc.h"

/* A column that may be the process, with what is known of it. */
struct number_column {
	size_t column;
	struct raw_fit fit;
};

struct process_search {
	const struct raw_columns *columns;
	const struct input_processes *processes;
	const struct raw_roles *roles;
	struct raw_comm comm;
	struct raw_process *found;
	size_t user; /* the column of the user stacks */
	struct number_column all[RAW_COLUMNS_MAX];
	size_t n;
};

void raw_process_deinit(struct raw_process *process)
{
	text_deinit(&process->why);
}

static void find_numbers(struct process_search *search)
{
	const struct raw_roles *roles = search->roles;

	for (size_t i = 0; i < search->columns->all.len; i++) {
		const struct raw_column *column = &search->columns->all.data[i];

		if (column->text || column->in_text || column->constant_zero ||
			!column->any_process || i == roles->user || i == roles->kernel ||
			i == roles->stack)
			continue;
		search->all[search->n++] = (struct number_column){
			i, raw_columns_fit(search->columns, search->processes, i, search->user,
				   search->comm)};
	}
}

/*
 * Whether the user stack is a word of bpftrace to 0.24: all parts of the key are multiples of 8
 * bytes, and the stack ID has a thread beside it, which shares the sign of an error. CERTAIN_RET:
 * there was such an error.
 */
static bool is_bpftrace_word(const struct process_search *search, bool *certain_ret)
{
	const uint8_t *bytes;
	size_t len;

	*certain_ret = false;
	raw_columns_bytes(search->columns, 0, &bytes, &len);
	if (search->user % 2 || len % 8)
		return false;
	for (size_t i = 0; i < search->columns->map->entries.len; i++) {
		if (!raw_columns_bytes(search->columns, i, &bytes, &len))
			continue;
		uint32_t id = raw_word(bytes, search->user);
		uint32_t thread = raw_word(bytes, search->user + 1);

		if ((int32_t)id < 0 ? thread != UINT32_MAX : !thread || thread == UINT32_MAX)
			return false;
		*certain_ret |= (int32_t)id < 0;
	}
	return true;
}

/* The thread in bpftrace's stack word, if nothing speaks against it: it is who ran. */
static bool find_bpftrace_thread(struct process_search *search)
{
	bool certain;

	if (!is_bpftrace_word(search, &certain))
		return false;
	for (size_t i = 0; i < search->n; i++) {
		const struct raw_fit *fit = &search->all[i].fit;

		if (search->all[i].column != search->user + 1 || fit->fit == PROCESS_MISFIT ||
			((fit->child >= 0 || fit->had_children) && !certain))
			continue;
		search->found->tid = search->user + 1;
		search->found->evidence = "the thread in a stack word of bpftrace (to 0.24)";
		return true;
	}
	return false;
}

static void add_bytes(struct text *text, size_t column)
{
	text_printf(text, "%sbytes %zu-%zu: ", text->len ? "; " : "", column * RAW_WORD,
		column * RAW_WORD + RAW_WORD - 1);
}

static void describe(const struct number_column *number, struct text *ret)
{
	const struct raw_fit *fit = &number->fit;

	add_bytes(ret, number->column);
	if (fit->child >= 0)
		text_printf(ret,
			"%lld may be the parent of the process that ran: process %lld "
			"fits as well",
			(long long)fit->number, (long long)fit->child);
	else if (fit->had_children)
		text_printf(ret,
			"%lld may be the parent of the process that ran: it has had "
			"children that have exited",
			(long long)fit->number);
	else if (fit->fit == PROCESS_MISFIT && fit->number <= 0)
		text_add_string(ret, "no process has ID 0");
	else if (fit->fit == PROCESS_MISFIT)
		text_printf(ret, "process %lld has no code at the addresses beside it",
			(long long)fit->number);
	else if (fit->fit == PROCESS_POSSIBLE)
		text_add_string(
			ret, "other programs may have code at the same addresses (no ASLR)");
	else
		text_add_string(ret, "no such process is known: it has exited, or may not be read");
}

/* Nothing fits: what might nevertheless is for the user to say. */
static void set_unproven(struct process_search *search)
{
	struct raw_process *found = search->found;

	for (size_t i = 0; i < search->n; i++) {
		describe(&search->all[i], &found->why);
		if (search->all[i].fit.fit != PROCESS_MISFIT)
			found->possible[found->n_possible++] = search->all[i].column;
	}
	if (found->n_possible && raw_columns_have_addresses(search->columns, search->user))
		found->status = RAW_PROCESS_UNPROVEN;
}

static void set_two(struct process_search *search, size_t a, size_t b)
{
	struct raw_process *found = search->found;

	found->status = RAW_PROCESS_TWO;
	found->pid = found->tid = RAW_NONE;
	found->possible[0] = a;
	found->possible[1] = b;
	found->n_possible = 2;
	text_printf(&found->why,
		"bytes %zu-%zu and %zu-%zu name different processes, and both have code at the "
		"addresses",
		a * RAW_WORD, a * RAW_WORD + RAW_WORD - 1, b * RAW_WORD,
		b * RAW_WORD + RAW_WORD - 1);
}

/*
 * Beside a column that is the process, another one is its thread. One alone is the process, if each
 * of its numbers is known to be one: what has ended may have been a thread.
 */
static void add_first(struct raw_process *found, const struct number_column *number)
{
	if (number->fit.all_leaders && !number->fit.some_unknown)
		found->pid = number->column;
	else
		found->tid = number->column;
}

/* A column that fits: of the same process it is the thread, or the process of the thread. */
static bool add_number(struct process_search *search, const struct number_column *number)
{
	struct raw_process *found = search->found;
	size_t other = found->pid != RAW_NONE ? found->pid : found->tid;

	found->status = RAW_PROCESS_FOUND;
	if (other == RAW_NONE) {
		add_first(found, number);
		return true;
	}
	switch (raw_columns_pair(search->columns, search->processes, other, number->column)) {
	case RAW_PAIR_DIFFERENT:
		set_two(search, other, number->column);
		return false;
	case RAW_PAIR_SAME:
		return true;
	case RAW_PAIR_FIRST:
		found->pid = other;
		found->tid = number->column;
		return true;
	case RAW_PAIR_SECOND:
		found->pid = number->column;
		found->tid = other;
	}
	return true;
}

/*
 * Whether the numbers may be the parents of who ran, whose children have ended: no program stores the thread
 * of a parent, or its number twice.
 */
static bool may_be_parent(const struct process_search *search, size_t i)
{
	for (size_t j = 0; j < search->n; j++)
		if (j != i && search->all[j].fit.fit == PROCESS_FITS &&
			raw_columns_pair(search->columns, search->processes, search->all[i].column,
				search->all[j].column) != RAW_PAIR_DIFFERENT)
			return false;
	return search->all[i].fit.had_children;
}

static void search_all(struct process_search *search)
{
	find_numbers(search);
	if (find_bpftrace_thread(search)) {
		search->found->status = RAW_PROCESS_FOUND;
		return;
	}
	search->found->evidence =
		"each known number is a process or thread with code at the addresses of its "
		"stacks";
	for (size_t i = 0; i < search->n; i++)
		if (search->all[i].fit.fit == PROCESS_FITS && !may_be_parent(search, i) &&
			!add_number(search, &search->all[i]))
			return;
	if (search->found->status == RAW_PROCESS_NONE)
		set_unproven(search);
}

void raw_process_find(const struct raw_columns *columns, const struct input_processes *processes,
	const struct raw_roles *roles, struct raw_comm comm, struct raw_process *ret)
{
	auto_free struct process_search *search = xcalloc(1, sizeof(*search));

	*search = (struct process_search){.columns = columns,
		.processes = processes,
		.roles = roles,
		.comm = comm,
		.found = ret,
		.user = raw_roles_user(roles)};
	ret->pid = ret->tid = RAW_NONE;
	search_all(search);
}
