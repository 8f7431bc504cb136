// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_columns.h"

#include <string.h>

#include "input/lists/addresses.h"
#include "util/cleanup.h"
#include "util/text.h"

#define PID_LIMIT 4194304 /* PID_MAX_LIMIT, include/linux/threads.h */
#define WORD sizeof(uint32_t)
#define TEXT_LENGTH 4	  /* bytes that some text must have; fewer can be a small number */
#define TEXT_SHOWN 4096	  /* bytes of a text that are looked at */
#define QUESTIONS_MAX 8	  /* about one number */
#define NUMBERS_MAX 65536 /* that are asked about */
#define PARENTS_MAX 256	  /* whose children are looked at */

void raw_columns_deinit(struct raw_columns *columns)
{
	vec_deinit(&columns->all);
}

bool raw_columns_bytes(
	const struct raw_columns *columns, size_t i, const uint8_t **ret, size_t *len_ret)
{
	const struct count_entry *first = &columns->map->entries.data[0];
	const struct count_entry *entry = &columns->map->entries.data[i];

	if (entry->key_len != first->key_len || entry->value_len != first->value_len)
		return false;
	*ret = columns->of_value ? count_map_value(columns->map, i)
				 : count_map_key(columns->map, i);
	*len_ret = columns->of_value ? entry->value_len : entry->key_len;
	return true;
}

uint32_t raw_word(const uint8_t *bytes, size_t column)
{
	uint32_t word;

	memcpy(&word, bytes + column * WORD, WORD);
	return word;
}

/* ---- texts ---------------------------------------------------------------------------------- */

size_t raw_text_length(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes;
	size_t length = strnlen(text, len);

	for (size_t i = 0; i < length;) {
		size_t n = text_utf8_length(text + i, length - i);

		/* A name cut in the middle of a character is still a name. */
		if (bytes[i] < 0x20 || bytes[i] == 0x7f || (!n && length - i > 3))
			return SIZE_MAX;
		i += n ? n : 1;
	}
	for (size_t i = length; i < len; i++)
		if (bytes[i])
			return SIZE_MAX;
	return length;
}

/* The longest text that all entries have in LEN bytes from column FIRST on; SIZE_MAX: not text. */
static size_t longest_text(const struct raw_columns *columns, size_t first, size_t len)
{
	size_t longest = 0, size;
	const uint8_t *bytes;

	for (size_t i = 0; i < columns->map->entries.len; i++) {
		if (!raw_columns_bytes(columns, i, &bytes, &size))
			continue;
		size_t length = raw_text_length(bytes + first * WORD, len);
		if (length == SIZE_MAX)
			return SIZE_MAX;
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* The bytes of the text at column FIRST: that of a comm, or more if it is longer; 0: none. */
static size_t text_size(const struct raw_columns *columns, size_t first)
{
	size_t left = (columns->all.len - first) * WORD;

	for (size_t len = RAW_COMM_LEN; len <= left && len <= TEXT_SHOWN; len += RAW_COMM_LEN) {
		size_t longest = longest_text(columns, first, len);

		if (longest == SIZE_MAX)
			return 0;
		if (longest < len) /* else some text goes on after LEN */
			return longest >= TEXT_LENGTH ? len : 0;
	}
	return 0;
}

static void find_texts(struct raw_columns *columns)
{
	for (size_t i = 0; i < columns->all.len; i++) {
		size_t size = text_size(columns, i);

		columns->all.data[i].text = size;
		for (size_t at = WORD; at < size; at += WORD)
			columns->all.data[++i].in_text = true;
	}
}

/* ---- numbers -------------------------------------------------------------------------------- */

static void add_entry(struct raw_columns *columns, const uint8_t *bytes)
{
	for (size_t i = 0; i < columns->all.len; i++) {
		struct raw_column *column = &columns->all.data[i];
		uint32_t word = raw_word(bytes, i);

		id_column_add(&column->ids, columns->index, (int32_t)word);
		column->constant_zero &= !word;
		column->any_process &= word <= PID_LIMIT || word == UINT32_MAX;
	}
}

void raw_columns_read(
	const struct count_map *map, const struct stack_index *index, struct raw_columns *ret)
{
	const struct count_entry *first = &map->entries.data[0];
	const uint8_t *bytes;
	size_t len = 0;

	*ret = (struct raw_columns){
		.map = map, .index = index, .of_value = !first->key_len && first->value_len};
	raw_columns_bytes(ret, 0, &bytes, &len);
	if (len / WORD > RAW_COLUMNS_MAX)
		return;
	for (size_t i = 0; i < len / WORD; i++)
		vec_push(
			&ret->all, (struct raw_column){.constant_zero = true, .any_process = true});
	for (size_t i = 0; i < map->entries.len; i++)
		if (raw_columns_bytes(ret, i, &bytes, &len))
			add_entry(ret, bytes);
	find_texts(ret);
}

/* ---- processes ------------------------------------------------------------------------------ */

/* A number of the column that is asked about, and what came of it. */
struct asked {
	int64_t number;
	unsigned int questions;
	bool fits, misfits, possible;
	size_t entry; /* whose stack fitted, or possibly */
};

struct fit_check {
	const struct raw_columns *columns;
	const struct input_processes *processes;
	size_t column, stacks;
	struct raw_comm comm;
	struct arena memory;
	struct table numbers; /* int64_t → index in all */
	struct VEC(struct asked) all;
	struct raw_fit result;
};

static void check_deinit(struct fit_check *check)
{
	arena_deinit(&check->memory);
	table_deinit(&check->numbers);
	vec_deinit(&check->all);
}

/* The user stack that BYTES name; false: none, or none with addresses. */
static bool user_stack(struct fit_check *check, const uint8_t *bytes, struct stack *ret)
{
	struct stack kernel;
	struct stack_position position;
	int32_t id = (int32_t)raw_word(bytes, check->stacks);

	if (id < 0 || stack_index_find(check->columns->index, (uint32_t)id, SIDE_UNKNOWN, NULL,
			      &position) != STACK_FOUND)
		return false;
	struct stack stack = stack_store_stack(position.store, position.stack, &check->memory);
	address_split(&check->memory, stack_store_halves(position.store), &stack, SIDE_UNKNOWN, ret,
		&kernel);
	return ret->state == STACK_PRESENT && !ret->origins;
}

/* The comm beside the number in entry I; NULL: there is none. */
static char *comm_of(struct fit_check *check, size_t i)
{
	const struct count_map *map = check->columns->map;
	const char *comm;

	if (!check->comm.known)
		return NULL;
	comm = (const char *)(check->comm.of_value ? count_map_value(map, i)
						   : count_map_key(map, i)) +
	       check->comm.offset;
	size_t len = strnlen(comm, RAW_COMM_LEN);
	return len ? arena_copy(&check->memory, comm, len) : NULL;
}

/* Whether nothing more is to be learned of NUMBER. */
static bool is_answered(const struct fit_check *check, int64_t number)
{
	const uint64_t *index = table_find(&check->numbers, &number, sizeof(number));

	return index && *index < check->all.len &&
	       (check->all.data[*index].fits || check->all.data[*index].questions >= QUESTIONS_MAX);
}

static struct asked *number_asked(struct fit_check *check, int64_t number)
{
	bool added;
	uint64_t *index = table_at(&check->numbers, &number, sizeof(number), &added);

	if (added) {
		*index = check->all.len;
		vec_push(&check->all, (struct asked){.number = number});
	}
	return &check->all.data[*index];
}

static void ask(struct fit_check *check, size_t entry, const uint8_t *bytes)
{
	const struct input_processes *processes = check->processes;
	uint32_t word = raw_word(bytes, check->column);
	int64_t number = word <= PID_LIMIT ? (int64_t)word : -1;
	struct stack user;

	if (is_answered(check, number) || !user_stack(check, bytes, &user))
		return;
	struct asked *asked = number_asked(check, number);
	asked->questions++;
	enum process_fit fit = PROCESS_MISFIT; /* no process has number 0 */
	if (number > 0 && (!processes || check->all.len > NUMBERS_MAX))
		fit = PROCESS_UNKNOWN;
	else if (number > 0)
		fit = processes->fit(processes->context, number, &user, comm_of(check, entry));
	asked->fits = fit == PROCESS_FITS;
	asked->misfits |= fit == PROCESS_MISFIT;
	asked->possible |= fit == PROCESS_POSSIBLE;
	if (fit < PROCESS_POSSIBLE)
		return;
	asked->entry = entry;
	check->result.all_leaders &= processes->of_thread(processes->context, number) == number;
}

/* Whether some child of a number that fits does so as well. */
static bool find_child(struct fit_check *check)
{
	size_t parents = 0, len;

	for (size_t i = 0; i < check->all.len && parents < PARENTS_MAX; i++) {
		const struct asked *asked = &check->all.data[i];
		const uint8_t *bytes;
		struct stack user;

		if (!(asked->fits || asked->possible) ||
			!raw_columns_bytes(check->columns, asked->entry, &bytes, &len) ||
			!user_stack(check, bytes, &user))
			continue;
		parents++;
		check->result.number = asked->number;
		check->result.child = check->processes->fitting_child(check->processes->context,
			asked->number, &user, comm_of(check, asked->entry), &check->numbers);
		if (check->result.child >= 0)
			return true;
	}
	check->result.number = -1;
	return false;
}

/* Whether all that fit have had children which have ended, so that no number is known to be no parent. */
static bool all_had_children(struct fit_check *check)
{
	int64_t first = -1;

	for (size_t i = 0; i < check->all.len; i++) {
		const struct asked *asked = &check->all.data[i];

		if (!(asked->fits || asked->possible))
			continue;
		if (!check->processes->had_children(check->processes->context, asked->number))
			return false;
		first = first < 0 ? asked->number : first;
	}
	if (first >= 0)
		check->result.number = first;
	return first >= 0;
}

static enum process_fit verdict(struct fit_check *check)
{
	enum process_fit fit = PROCESS_UNKNOWN;

	for (size_t i = 0; i < check->all.len; i++) {
		const struct asked *asked = &check->all.data[i];

		if (asked->misfits && !asked->fits) {
			check->result.number = asked->number;
			return PROCESS_MISFIT;
		}
		check->result.some_unknown |= !asked->fits && !asked->possible;
		if (asked->fits)
			fit = PROCESS_FITS;
		else if (asked->possible && fit == PROCESS_UNKNOWN)
			fit = PROCESS_POSSIBLE;
	}
	/* Parents are processes: where other threads are among the numbers, they are those that
	 * ran. */
	if (fit < PROCESS_POSSIBLE || !check->result.all_leaders)
		return fit;
	if (find_child(check))
		return PROCESS_POSSIBLE;
	check->result.had_children = all_had_children(check);
	return fit;
}

struct raw_fit raw_columns_fit(const struct raw_columns *columns,
	const struct input_processes *processes, size_t column, size_t stacks, struct raw_comm comm)
{
	scope_guard(check_deinit) struct fit_check check = {.columns = columns,
		.processes = processes,
		.column = column,
		.stacks = stacks,
		.comm = comm,
		.result = {.number = -1, .child = -1, .all_leaders = true}};
	const uint8_t *bytes;
	size_t len;

	for (size_t i = 0; i < columns->map->entries.len; i++) {
		if (raw_columns_bytes(columns, i, &bytes, &len))
			ask(&check, i, bytes);
		arena_clear(&check.memory);
	}
	check.result.fit = verdict(&check);
	return check.result;
}

bool raw_columns_have_addresses(const struct raw_columns *columns, size_t stacks)
{
	scope_guard(check_deinit) struct fit_check check = {.columns = columns, .stacks = stacks};
	const uint8_t *bytes;
	struct stack user;
	size_t len;

	for (size_t i = 0; i < columns->map->entries.len; i++) {
		if (raw_columns_bytes(columns, i, &bytes, &len) && user_stack(&check, bytes, &user))
			return true;
		arena_clear(&check.memory);
	}
	return false;
}

/* What the entries say about two columns. */
struct pair_votes {
	bool first, second;		  /* is the process of the other one's thread */
	bool first_thread, second_thread; /* has a thread that is no process */
	bool different;
};

static void vote_pair(
	const struct input_processes *processes, int64_t a, int64_t b, struct pair_votes *votes)
{
	if (!a || !b || a > PID_LIMIT || b > PID_LIMIT)
		return;
	int64_t of_a = processes->of_thread(processes->context, a);
	int64_t of_b = a == b ? of_a : processes->of_thread(processes->context, b);

	votes->first_thread |= of_a >= 0 && of_a != a;
	votes->second_thread |= of_b >= 0 && of_b != b;
	votes->different |= of_a >= 0 && of_b >= 0 && of_a != of_b;
	votes->first |= a != b && of_a == a;
	votes->second |= a != b && of_b == b;
}

enum raw_pair raw_columns_pair(const struct raw_columns *columns,
	const struct input_processes *processes, size_t first, size_t second)
{
	struct pair_votes votes = {};
	const uint8_t *bytes;
	size_t len;

	for (size_t i = 0; i < columns->map->entries.len; i++)
		if (raw_columns_bytes(columns, i, &bytes, &len))
			vote_pair(
				processes, raw_word(bytes, first), raw_word(bytes, second), &votes);
	votes.first &= !votes.first_thread;
	votes.second &= !votes.second_thread;
	if (votes.different || (votes.first && votes.second))
		return RAW_PAIR_DIFFERENT;
	return votes.first ? RAW_PAIR_FIRST : votes.second ? RAW_PAIR_SECOND : RAW_PAIR_SAME;
}
