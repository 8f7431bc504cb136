// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/layout_given.h"
#include "input/roles/raw_reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/roles/known_values.h"
#include "input/roles/raw_columns.h"
#include "input/roles/raw_process.h"
#include "input/roles/raw_roles.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

#define CHOICES_MAX 12	    /* readings that are listed */
#define CANDIDATES_MAX 16   /* columns that can be stack IDs */
#define VALUE_FIELDS_MAX 32 /* words of a value that a choice names */
#define NO_PROCESS " (user stacks have no names; -p PID assigns all of them to that process)"

struct reading_search {
	const struct raw_question *question;
	struct raw_reading *reading;
	struct raw_columns columns;
	struct raw_roles roles;
	struct raw_comm comm; /* in the key, or in a known layout of the value */
	size_t candidates[CANDIDATES_MAX], n_candidates;
	struct raw_roles choices[CHOICES_MAX]; /* ways to give the candidates their sides */
	size_t n_choices;
};

void raw_reading_deinit(struct raw_reading *reading)
{
	layout_deinit(&reading->own_key);
	layout_deinit(&reading->own_value);
	vec_deinit(&reading->fields);
	free(reading->key_text);
	free(reading->reason);
	for (size_t i = 0; i < reading->choices.len; i++)
		free(reading->choices.data[i]);
	vec_deinit(&reading->choices);
	for (size_t i = 0; i < reading->notes.len; i++) {
		free(reading->notes.data[i].field);
		free(reading->notes.data[i].evidence);
	}
	vec_deinit(&reading->notes);
}

static void finder_deinit(struct reading_search *finder)
{
	raw_columns_deinit(&finder->columns);
}

/* ---- decoding ------------------------------------------------------------------------------- */

static bool decode_part(
	struct raw_reading *reading, const struct layout *part, const uint8_t *data, size_t len)
{
	if (!part)
		return true;
	vec_reserve(&reading->fields, part->fields.len);
	if (!layout_decode(part, data, len, reading->fields.data + reading->fields.len))
		return false;
	reading->fields.len += part->fields.len;
	return true;
}

bool raw_reading_decode(
	struct raw_reading *reading, const struct count_map *map, size_t i, struct row *ret)
{
	const struct count_entry *entry = &map->entries.data[i];

	if (entry->key_len != reading->key_len || entry->value_len != reading->value_len)
		return false;
	reading->fields.len = 0;
	if (!decode_part(reading, reading->key, count_map_key(map, i), entry->key_len) ||
		!decode_part(reading, reading->value, count_map_value(map, i), entry->value_len))
		return false;
	*ret = (struct row){reading->fields.data, reading->fields.len};
	return true;
}

/* ---- choices and notes ------------------------------------------------------------------------
 */

static const char *layout_option(const struct reading_search *finder)
{
	return finder->columns.of_value ? "--value-layout" : "--key-layout";
}

static void add_choice(struct reading_search *finder, char *choice)
{
	if (finder->reading->choices.len < CHOICES_MAX)
		vec_push(&finder->reading->choices, choice);
	else
		free(choice);
}

static void offer(struct reading_search *finder, const struct raw_roles *roles, const char *more)
{
	auto_free char *layout = raw_roles_layout(roles, &finder->columns);

	add_choice(finder, xasprintf("%s='%s'%s", layout_option(finder), layout, more));
}

static void note(
	struct reading_search *finder, size_t column, const char *field, const char *evidence)
{
	const char *part = finder->columns.of_value ? "value" : "key";

	vec_push(&finder->reading->notes,
		(struct raw_note){xasprintf("%s.%s (bytes %zu-%zu)", part, field, column * RAW_WORD,
					  column * RAW_WORD + RAW_WORD - 1),
			xstrdup(evidence)});
}

/* The texts here are our own: one that does not parse is like one that does not fit. */
static bool parse_own(const struct reading_search *finder, const char *text, const char *prefix,
	size_t len, struct layout *ret)
{
	struct error *error =
		layout_given(text, "layout", prefix, finder->question->key_fields, ret);

	if (error) {
		error_destroy(error);
		return false;
	}
	if (layout_fits(ret, len))
		return true;
	layout_deinit(ret);
	*ret = (struct layout){};
	return false;
}

/* The comm in a layout of the value. */
static struct raw_comm comm_in(const struct layout *value)
{
	for (size_t i = 0; i < value->fields.len; i++) {
		const struct layout_field *field = &value->fields.data[i];

		if (field->kind == FIELD_TEXT && field->size == RAW_COMM_LEN &&
			!strcmp(field->name, "value.comm"))
			return (struct raw_comm){true, true, field->offset};
	}
	return (struct raw_comm){};
}

/* ---- stack IDs ------------------------------------------------------------------------------ */

static bool is_number(const struct raw_column *column)
{
	return !column->text && !column->in_text;
}

static void find_candidates(struct reading_search *finder)
{
	for (size_t i = 0; i < finder->columns.all.len; i++) {
		const struct raw_column *column = &finder->columns.all.data[i];

		if (is_number(column) && id_column_possible(&column->ids) &&
			finder->n_candidates < CANDIDATES_MAX)
			finder->candidates[finder->n_candidates++] = i;
	}
}

static const struct id_column *ids_of(const struct reading_search *finder, size_t column)
{
	return &finder->columns.all.data[column].ids;
}

static void choose(struct reading_search *finder, size_t user, size_t kernel, size_t stack)
{
	struct raw_roles roles = raw_no_roles;

	roles.user = user;
	roles.kernel = kernel;
	roles.stack = stack;
	if (finder->n_choices < CHOICES_MAX)
		finder->choices[finder->n_choices++] = roles;
}

/* One column of stack IDs: of the side that all of its stacks are of, or of either. */
static void choose_one(struct reading_search *finder, size_t column)
{
	bool user = id_column_of_user(ids_of(finder, column));
	bool kernel = id_column_of_kernel(ids_of(finder, column));

	choose(finder, user && !kernel ? column : RAW_NONE, kernel && !user ? column : RAW_NONE,
		user == kernel ? column : RAW_NONE);
}

/* All ways in which the candidates can be the stacks of the two sides. */
static void find_choices(struct reading_search *finder)
{
	const size_t *all = finder->candidates, n = finder->n_candidates;

	finder->n_choices = 0;
	for (size_t i = 0; n > 1 && i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (i != j && id_column_of_user(ids_of(finder, all[i])) &&
				id_column_of_kernel(ids_of(finder, all[j])))
				choose(finder, all[i], all[j], RAW_NONE);
	for (size_t i = 0; !finder->n_choices && i < n; i++)
		choose_one(finder, all[i]);
}

/* The candidates are what they seem, and there is one way only to see them. */
static bool ids_are_clear(const struct reading_search *finder)
{
	if (finder->n_choices != 1 || finder->n_candidates > 2)
		return false;
	for (size_t i = 0; i < finder->n_candidates; i++)
		if (!id_column_certain(
			    ids_of(finder, finder->candidates[i]), finder->question->index))
			return false;
	return true;
}

/* Whether COLUMN is the process of the stacks that another candidate names, as can be shown. */
static bool is_process(const struct reading_search *finder, size_t column)
{
	for (size_t i = 0; i < finder->n_candidates; i++) {
		size_t stacks = finder->candidates[i];

		if (stacks != column && id_column_of_user(ids_of(finder, stacks)) &&
			raw_columns_fit(&finder->columns, finder->question->processes, column,
				stacks, finder->comm)
					.fit == PROCESS_FITS)
			return true;
	}
	return false;
}

/* Where a stack map is nearly full, process IDs are numbers of stacks as well. */
static void drop_processes(struct reading_search *finder)
{
	size_t kept[CANDIDATES_MAX], n = 0;

	for (size_t i = 0; i < finder->n_candidates; i++)
		if (!is_process(finder, finder->candidates[i]))
			kept[n++] = finder->candidates[i];
	memcpy(finder->candidates, kept, n * sizeof(*kept));
	finder->n_candidates = n;
}

/* A column of errors alone has the side that no other one has. */
static void find_failed_side(struct reading_search *finder)
{
	struct raw_roles *roles = &finder->roles;
	size_t failed = RAW_NONE;

	for (size_t i = 0; i < finder->columns.all.len; i++) {
		if (!is_number(&finder->columns.all.data[i]) ||
			!id_column_failed(ids_of(finder, i)))
			continue;
		if (failed != RAW_NONE)
			return;
		failed = i;
	}
	if (roles->user != RAW_NONE && roles->kernel == RAW_NONE)
		roles->kernel = failed;
	else if (roles->kernel != RAW_NONE && roles->user == RAW_NONE)
		roles->user = failed;
}

/* The comm in a value of a known program, before it is known what the key holds. */
static struct raw_comm comm_ahead(const struct reading_search *finder)
{
	const struct raw_reading *reading = finder->reading;
	scope_guard(layout_deinit) struct layout layout = {};
	const struct known_value *known = known_value_find(finder->question->map, false);

	if (finder->comm.known)
		return finder->comm;
	if (reading->value)
		return comm_in(reading->value);
	return known && parse_own(finder, known->text, "value.", reading->value_len, &layout)
		       ? comm_in(&layout)
		       : finder->comm;
}

/* ROLES, each with what can be the process. */
static void offer_processes(struct reading_search *finder, struct raw_roles roles)
{
	scope_guard(raw_process_deinit) struct raw_process process = {};

	if (raw_roles_user(&roles) != RAW_NONE)
		raw_process_find(&finder->columns, finder->question->processes, &roles,
			comm_ahead(finder), &process);
	if (process.status == RAW_PROCESS_FOUND) {
		roles.pid = process.pid;
		roles.tid = process.tid;
	}
	for (size_t i = 0; i < process.n_possible; i++) {
		roles.pid = process.possible[i];
		offer(finder, &roles, "");
	}
	roles.pid = process.n_possible ? RAW_NONE : roles.pid;
	offer(finder, &roles, process.n_possible ? NO_PROCESS : "");
}

static enum raw_status refuse_ids(struct reading_search *finder)
{
	finder->reading->reason = finder->n_choices > 1
					  ? xasprintf("%zu of its numbers could be stack IDs, "
						      "and nothing tells which ones are",
						    finder->n_candidates)
					  : xstrdup("its possible stack IDs may be other "
						    "numbers: there are too many stacks, and too "
						    "few of these numbers, to tell");
	for (size_t i = 0; i < finder->n_choices; i++) {
		finder->choices[i].comm = finder->roles.comm;
		offer_processes(finder, finder->choices[i]);
	}
	return RAW_REFUSED;
}

static void note_ids(struct reading_search *finder, size_t column, const char *field)
{
	if (column == RAW_NONE)
		return;
	const struct id_column *ids = ids_of(finder, column);
	const char *side = ids->user && !ids->kernel && !ids->either   ? ", all as user stacks"
			   : ids->kernel && !ids->user && !ids->either ? ", all as kernel stacks"
								       : "";
	auto_free char *evidence =
		xasprintf("%" PRIu64 " of %" PRIu64 " numbers are in the stack maps%s%s",
			ids->found, ids->found + ids->missing, side,
			ids->errors ? "; others are errors of bpf_get_stackid()" : "");

	note(finder, column, field, evidence);
}

static enum raw_status find_ids(struct reading_search *finder)
{
	size_t comm = finder->roles.comm;

	find_candidates(finder);
	if (!finder->n_candidates) {
		finder->reading->reason =
			xstrdup("none of its numbers is a stack ID of the stack maps");
		return RAW_NO_IDS;
	}
	find_choices(finder);
	if (!ids_are_clear(finder)) {
		drop_processes(finder);
		find_choices(finder);
	}
	if (!ids_are_clear(finder))
		return refuse_ids(finder);
	finder->roles = finder->choices[0];
	finder->roles.comm = comm;
	find_failed_side(finder);
	note_ids(finder, finder->roles.user, "user");
	note_ids(finder, finder->roles.kernel, "kernel");
	note_ids(finder, finder->roles.stack, "stack_id");
	return RAW_READ;
}

/* ---- the process ---------------------------------------------------------------------------- */

static enum raw_status refuse_process(
	struct reading_search *finder, const struct raw_process *process)
{
	struct raw_roles roles = finder->roles;

	for (size_t i = 0; i < process->n_possible; i++) {
		roles.pid = process->possible[i];
		offer(finder, &roles, "");
	}
	roles.pid = RAW_NONE;
	if (process->status == RAW_PROCESS_UNPROVEN)
		offer(finder, &roles, NO_PROCESS);
	finder->reading->reason = xasprintf(
		"nothing shows which process its user stacks belong to (%s)", process->why.data);
	return RAW_REFUSED;
}

static enum raw_status find_process(struct reading_search *finder)
{
	scope_guard(raw_process_deinit) struct raw_process process = {};

	if (raw_roles_user(&finder->roles) == RAW_NONE)
		return RAW_READ;
	raw_process_find(&finder->columns, finder->question->processes, &finder->roles,
		finder->comm, &process);
	if (process.status == RAW_PROCESS_TWO ||
		(process.status == RAW_PROCESS_UNPROVEN && !finder->question->has_pid))
		return refuse_process(finder, &process);
	finder->roles.pid = process.pid;
	finder->roles.tid = process.tid;
	if (process.pid != RAW_NONE)
		note(finder, process.pid, "pid", process.evidence);
	if (process.tid != RAW_NONE)
		note(finder, process.tid, "tid", process.evidence);
	return RAW_READ;
}

/* ---- comm and value ------------------------------------------------------------------------- */

/* The only text that is as long as a comm; of two, neither is known to be who ran. */
static void find_comm(struct reading_search *finder)
{
	finder->roles.comm = RAW_NONE;
	for (size_t i = 0; i < finder->columns.all.len; i++) {
		if (finder->columns.all.data[i].text != RAW_COMM_LEN)
			continue;
		if (finder->roles.comm != RAW_NONE) {
			finder->roles.comm = RAW_NONE;
			return;
		}
		finder->roles.comm = i;
	}
	if (finder->roles.comm != RAW_NONE)
		finder->comm = (struct raw_comm){
			true, finder->columns.of_value, finder->roles.comm * RAW_WORD};
}

/* A known layout of the value may have the comm. */
static void find_comm_of_value(struct reading_search *finder)
{
	if (finder->reading->value && !finder->comm.known)
		finder->comm = comm_in(finder->reading->value);
}

static enum raw_status refuse_value(struct reading_search *finder)
{
	size_t len = finder->reading->value_len, words = len / sizeof(uint64_t);
	scope_guard(text_deinit) struct text text = {};

	finder->reading->reason =
		xasprintf("the content of its values of %zu bytes is unknown", len);
	for (size_t i = 0; i < words && i < VALUE_FIELDS_MAX; i++)
		raw_layout_add(&text, i ? "u64 unused%zu" : "u64 weight", i);
	if (words && words <= VALUE_FIELDS_MAX && len % sizeof(uint64_t))
		raw_layout_add(&text, "u8 rest[%zu]", len % sizeof(uint64_t));
	if (words && words <= VALUE_FIELDS_MAX)
		add_choice(finder,
			xasprintf("--value-layout='%s' (call the number that counts weight)",
				text.data));
	if (words > 1 && !(len % sizeof(uint64_t)))
		add_choice(finder,
			xasprintf("--value-layout='u64 slots[%zu]' (all numbers add up)", words));
	if (len > 4 && !(len % sizeof(uint32_t)))
		add_choice(finder,
			xasprintf("--value-layout='u32 slots[%zu]' (all numbers add up)", len / 4));
	add_choice(
		finder, xasprintf("--value-layout='u8 rest[%zu]' (each entry counts once)", len));
	return RAW_REFUSED;
}

/* A plain number, or two packed in one. */
static enum raw_status refuse_packed(struct reading_search *finder, bool large)
{
	finder->reading->reason =
		xstrdup("its values could be plain numbers or, as in memleak, "
			"the bytes of allocations in 40 bits and their number in 24");
	add_choice(finder, xstrdup("--value-layout='u64 value' (plain numbers)"));
	if (!large)
		add_choice(finder, xstrdup("--value-layout='u32 value; u32 unused' (the bytes)"));
	add_choice(finder, xstrdup("--value-layout='u8 rest[8]' (each entry counts once)"));
	return RAW_REFUSED;
}

static void note_known_value(struct reading_search *finder, const struct known_value *known)
{
	vec_push(&finder->reading->notes,
		(struct raw_note){xstrdup("value"),
			xasprintf("the only known layout that fits: %s", known->program)});
}

/* A layout of our own for the value, unless there is none to be read. */
static enum raw_status choose_value(struct reading_search *finder)
{
	static const char *const part_values[] = {"u64 value", "u64 count", "u64 total"};
	struct raw_reading *reading = finder->reading;
	size_t len = reading->value_len;
	const char *plain = len == 8 ? part_values[reading->part] : len == 4 ? "u32 value" : NULL;
	bool named = reading->part != BPFTRACE_PART_NONE;
	const struct known_value *known =
		plain ? NULL : known_value_find(finder->question->map, false);

	bool large;
	if (plain && !named && !finder->question->weight &&
		known_packed_sums(finder->question->map, &large))
		return refuse_packed(finder, large);
	if (known)
		note_known_value(finder, known);
	else if (!plain)
		return refuse_value(finder);
	if (parse_own(finder, plain ? plain : known->text, plain && !named ? "" : "value.", len,
		    &reading->own_value))
		reading->value = &reading->own_value;
	return RAW_READ;
}

static enum raw_status find_value(struct reading_search *finder)
{
	enum raw_status status = RAW_READ;

	if (!finder->reading->value && finder->reading->value_len && !finder->columns.of_value)
		status = choose_value(finder);
	find_comm_of_value(finder);
	return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static bool is_stack_column(const struct raw_roles *roles, size_t column)
{
	return column == roles->user || column == roles->kernel || column == roles->stack;
}

/* Whether all stack IDs found have 8 bytes to themselves, as those of bpftrace, and are not the last. */
static bool has_stack_words(const struct reading_search *finder)
{
	const struct raw_roles *roles = &finder->roles;
	size_t n = finder->columns.all.len;

	for (size_t i = 0; i < n; i++)
		if (is_stack_column(roles, i) &&
			(i % 2 || i + 2 >= n || is_stack_column(roles, i + 1)))
			return false;
	return n > 0;
}

/* Whether the given layout leaves open what the last bytes of the key are. */
static bool ends_unused(const struct layout *key)
{
	return !strncmp(key->fields.data[key->fields.len - 1].name, "key.unused", 10);
}

/* What follows bpftrace's key may be a row, where no option said what it is. */
static bool rows_matter(const struct reading_search *finder)
{
	const struct raw_question *question = finder->question;

	if (question->weight)
		return false;
	return question->key ? ends_unused(question->key) : has_stack_words(finder);
}

/* Keeps the counts or the totals, at once or when it is known which are wanted. */
static enum raw_status find_rows(struct reading_search *finder)
{
	const struct raw_question *question = finder->question;
	enum bpftrace_part wanted = bpftrace_part_named(question->weight);

	if (question->value || finder->columns.of_value ||
		(wanted == BPFTRACE_PART_NONE && !rows_matter(finder)))
		return RAW_READ;
	enum bpftrace_rows rows = bpftrace_rows_look(question->map);
	if (rows != BPFTRACE_NO_ROWS)
		finder->reading->part = wanted;
	if (rows != BPFTRACE_ROWS || wanted != BPFTRACE_PART_NONE)
		return RAW_READ;
	finder->reading->reason =
		xstrdup("its keys end in 0 or 1, so its values could be "
			"alternating counts and totals of bpftrace's avg() or stats()");
	add_choice(finder, xstrdup("--key=weight=count (avg() or stats(): how often)"));
	add_choice(finder, xstrdup("--key=weight=total (avg() or stats(): the sum)"));
	add_choice(
		finder, xstrdup("--key=weight=value (hist(), lhist(), or another number that is 0 "
				"or 1)"));
	return RAW_REFUSED;
}

/* ---- all together --------------------------------------------------------------------------- */

/* A program that keeps its stack IDs in the value, as memleak does. */
static bool find_id_in_value(struct reading_search *finder)
{
	struct raw_reading *reading = finder->reading;
	const struct count_map *map = finder->question->map;
	const struct known_value *known = known_value_find(map, true);
	struct id_column ids = {};

	if (!known ||
		!parse_own(finder, known->text, "value.", reading->value_len, &reading->own_value))
		return false;
	const struct layout_field *id =
		&reading->own_value.fields.data[reading->own_value.fields.len - 1];
	for (size_t i = 0; i < map->entries.len; i++)
		if (map->entries.data[i].value_len == reading->value_len)
			id_column_add(&ids, finder->question->index,
				(int32_t)raw_word(count_map_value(map, i) + id->offset, 0));
	if (!id_column_certain(&ids, finder->question->index)) {
		layout_deinit(&reading->own_value);
		reading->own_value = (struct layout){};
		return false;
	}
	reading->value = &reading->own_value;
	note_known_value(finder, known);
	return true;
}

/* Makes the layout of the roles that were found the one to read with. */
static enum raw_status use_layout(struct reading_search *finder)
{
	if (finder->roles.comm != RAW_NONE)
		note(finder, finder->roles.comm, "comm", "the only text of 16 bytes");
	struct raw_reading *reading = finder->reading;
	bool of_value = finder->columns.of_value;
	struct layout *own = of_value ? &reading->own_value : &reading->own_key;

	reading->key_text = raw_roles_layout(&finder->roles, &finder->columns);
	if (!parse_own(finder, reading->key_text, of_value ? "value." : "key.",
		    of_value ? reading->value_len : reading->key_len, own))
		return RAW_NO_IDS;
	*(of_value ? &reading->value : &reading->key) = own;
	return RAW_READ;
}

static enum raw_status find_key(struct reading_search *finder)
{
	raw_columns_read(finder->question->map, finder->question->index, &finder->columns);
	find_comm(finder);
	enum raw_status status = find_ids(finder);
	if (status == RAW_NO_IDS && !finder->question->value && find_id_in_value(finder)) {
		free(take(finder->reading->reason));
		return use_layout(finder);
	}
	if (status == RAW_READ)
		status = find_rows(finder);
	if (status == RAW_READ)
		status = find_value(finder);
	if (status == RAW_READ)
		status = find_process(finder);
	return status == RAW_READ ? use_layout(finder) : status;
}

enum raw_status raw_reading_find(const struct raw_question *question, struct raw_reading *ret)
{
	const struct count_entry *first = &question->map->entries.data[0];
	scope_guard(finder_deinit) struct reading_search finder = {
		.question = question, .reading = ret, .roles = raw_no_roles};
	enum raw_status status = RAW_READ;

	/* of a queue or stack: what is said of keys is said of another map */
	ret->key = first->key_len ? question->key : NULL;
	ret->value = question->value;
	ret->key_len = first->key_len;
	ret->value_len = first->value_len;
	if (ret->key && !layout_fits(ret->key, ret->key_len))
		return RAW_KEY_SIZE;
	if (ret->value && !layout_fits(ret->value, ret->value_len))
		return RAW_VALUE_SIZE;
	if (!ret->key && (ret->key_len || !ret->value))
		status = find_key(&finder);
	else if (ret->key)
		status = find_rows(&finder);
	return status == RAW_READ ? find_value(&finder) : status;
}
