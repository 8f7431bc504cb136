// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_rules.h"

#include "input/lists/addresses.h"
#include "util/arena.h"
#include "util/cleanup.h"
#include "util/table.h"
#include "util/vec.h"

#define QUESTIONS_MAX 8	  /* stacks compared per number */
#define NUMBERS_MAX 65536 /* ignore further different numbers */
#define PARENTS_MAX 256	  /* numbers whose children are examined */

/* a number, and how many stacks fit it */
struct asked {
	int64_t number;
	unsigned int questions, fits, misfits;
	bool possible;
	const uint8_t *row; /* last one that fits or may fit; if none fits, the last one compared */
};

struct evidence_search {
	const struct raw_pairing *pairing;
	struct arena memory;  /* for one row at a time */
	struct table numbers; /* int64_t → index in all */
	struct VEC(struct asked) all;
	struct raw_evidence result;
};

static void search_deinit(struct evidence_search *search)
{
	arena_deinit(&search->memory);
	table_deinit(&search->numbers);
	vec_deinit(&search->all);
}

/* ---- one row -------------------------------------------------------------------------------- */

/* Finds the user stack of ROW. Returns false if it has none with addresses. */
static bool user_stack(const struct raw_pairing *pairing, struct arena *memory, const uint8_t *row,
	struct stack *ret)
{
	struct stack kernel;
	struct stack_position position;
	int32_t id = (int32_t)load_u32(row + pairing->stacks);

	if (id < 0 || stack_index_find(pairing->columns->index, (uint32_t)id, SIDE_UNKNOWN, NULL,
			      &position) != STACK_FOUND)
		return false;
	struct stack stack = stack_store_stack(position.store, position.stack, memory);
	address_split(memory, &position.store->halves, &stack, SIDE_UNKNOWN, ret, &kernel);
	return ret->state == STACK_PRESENT && !ret->origins;
}

/* Returns a copy of the comm in ROW, or NULL. */
static char *comm_of(const struct raw_pairing *pairing, struct arena *memory, const uint8_t *row)
{
	if (pairing->comm == RAW_NONE)
		return NULL;
	const char *comm = (const char *)row + pairing->comm;
	size_t len = strnlen(comm, RAW_COMM_LEN);
	return len ? arena_copy(memory, comm, len) : NULL;
}

/* ---- one column ----------------------------------------------------------------------------- */

/* Compares the number in COLUMN of ROW with the user stack of ROW. */
static void ask(struct evidence_search *search, size_t column, const uint8_t *row)
{
	const struct input_processes *processes = search->pairing->processes;
	int64_t number = load_u32(row + column);
	struct asked *asked = vec_keyed(&search->all, &search->numbers, &number, sizeof(number));
	enum process_fit fit = PROCESS_UNKNOWN;
	struct stack user;

	asked->number = number;
	if (asked->questions >= QUESTIONS_MAX || search->all.len > NUMBERS_MAX ||
		!user_stack(search->pairing, &search->memory, row, &user))
		return;
	asked->questions++;
	search->result.zero |= !number;
	if (processes && number <= PROCESS_ID_MAX)
		fit = number ? processes->fit(processes->context, number, &user,
				       comm_of(search->pairing, &search->memory, row))
			     : PROCESS_MISFIT;
	asked->fits += fit == PROCESS_FITS;
	asked->misfits += fit == PROCESS_MISFIT;
	asked->possible |= fit == PROCESS_POSSIBLE;
	if (fit >= PROCESS_POSSIBLE || !asked->fits)
		asked->row = row;
}

/*
 * Returns true if ASKED fits at least as many stacks as it misfits. After exec, or if the number
 * was reused, it fits only some.
 */
static bool asked_fits(const struct asked *asked)
{
	return asked->fits && asked->fits >= asked->misfits;
}

/*
 * Finds numbers that may be the parents of the processes that ran, and others: threads, and
 * processes without children. Records threads, and a parent with its child, in the result.
 */
static void find_parents(struct evidence_search *search)
{
	const struct input_processes *processes = search->pairing->processes;
	struct raw_evidence *result = &search->result;
	size_t n = 0;

	vec_each(asked, &search->all) {
		bool misfits = asked->misfits && !asked_fits(asked);
		bool *alone = misfits ? &result->misfit_alone : &result->alone;
		struct stack user;

		if (!misfits && !asked->fits && !asked->possible)
			continue;
		if (n++ == PARENTS_MAX)
			return;
		if (!asked->number)
			continue;
		if (process_of_thread(processes, asked->number) != asked->number) {
			result->threads |= asked_fits(asked);
			*alone = true;
			continue;
		}
		user_stack(search->pairing, &search->memory, asked->row, &user);
		int64_t child = processes->fitting_child(processes->context, asked->number, &user,
			comm_of(search->pairing, &search->memory, asked->row));
		result->parents += child >= 0 && misfits;
		if (child < 0 && !processes->had_children(processes->context, asked->number)) {
			*alone = true;
		} else if (result->parent < 0 || child >= 0) {
			result->parent = asked->number;
			result->child = child;
		}
		arena_clear(&search->memory);
	}
}

struct raw_evidence raw_evidence_find(const struct raw_pairing *pairing, size_t column)
{
	scope_guard(search_deinit) struct evidence_search search = {.pairing = pairing,
		.result = {.column = column, .misfit = -1, .parent = -1, .child = -1}};

	raw_row_each(row, pairing->columns) {
		ask(&search, column, row);
		arena_clear(&search.memory);
	}
	struct raw_evidence *result = &search.result;
	vec_each(asked, &search.all) {
		if (!asked->questions)
			continue;
		if (asked_fits(asked)) {
			result->fits++;
		} else if (asked->misfits) {
			result->misfits++;
			result->misfit = asked->number;
		} else if (asked->possible) {
			result->possible++;
		} else {
			result->unknown++;
		}
	}
	find_parents(&search);
	return *result;
}

/* ---- two columns ---------------------------------------------------------------------------- */

struct raw_relation raw_evidence_relate(
	const struct raw_pairing *pairing, size_t first, size_t second)
{
	const struct input_processes *processes = pairing->processes;
	struct raw_relation ret = {};
	/* rows with a thread other than the main one */
	size_t first_threads = 0, second_threads = 0;

	raw_row_each(row, pairing->columns) {
		int64_t a = load_u32(row + first), b = load_u32(row + second);

		if (!a || !b || a > PROCESS_ID_MAX || b > PROCESS_ID_MAX)
			continue;
		int64_t of_a = process_of_thread(processes, a);
		int64_t of_b = a == b ? of_a : process_of_thread(processes, b);
		first_threads += of_a >= 0 && of_a != a;
		second_threads += of_b >= 0 && of_b != b;
		ret.same += of_a >= 0 && of_a == of_b;
		ret.first += a != b && of_a == a && (of_b < 0 || of_b == a);
		ret.second += a != b && of_b == b && (of_a < 0 || of_a == b);
		ret.different += of_a >= 0 && of_b >= 0 && of_a != of_b;
	}
	if (ret.first <= first_threads)
		ret.first = 0;
	if (ret.second <= second_threads)
		ret.second = 0;
	return ret;
}
