// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/layout_given.h"
#include "input/roles/raw_reading.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "input/roles/known_values.h"
#include "input/roles/raw_columns.h"
#include "input/roles/raw_roles.h"
#include "input/roles/raw_rules.h"
#include "input/roles/roles.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

#define CHOICES_MAX 12	    /* readings that are listed */
#define VALUE_FIELDS_MAX 32 /* words of a value that a choice names */
#define NO_PROCESS " (user stacks have no names; -p PID assigns all of them to that process)"

struct reading_search {
	const struct raw_question *question;
	struct raw_reading *reading;
	struct raw_columns columns;
	struct raw_rules rules;
	struct raw_roles roles;
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
	raw_rules_deinit(&finder->rules);
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

/* Refuses for REASON, with the options that follow it, up to NULL. */
static enum raw_status refuse(struct reading_search *finder, const char *reason, ...)
{
	const char *choice;
	va_list choices;

	finder->reading->reason = xstrdup(reason);
	va_start(choices, reason);
	while ((choice = va_arg(choices, const char *)))
		add_choice(finder, xstrdup(choice));
	va_end(choices);
	return RAW_REFUSED;
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

/* ---- columns -------------------------------------------------------------------------------- */

static const struct id_column *ids_of(const struct reading_search *finder, size_t column)
{
	return &finder->columns.all.data[column].ids;
}

/* A column of errors alone has the side that no other one has. */
static void find_failed_side(const struct reading_search *finder, struct raw_roles *roles)
{
	size_t failed = RAW_NONE;

	for (size_t i = 0; i < finder->columns.all.len; i++) {
		const struct raw_column *column = &finder->columns.all.data[i];

		if (column->text || column->in_text || !id_column_failed(&column->ids))
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

/* The comm in a value of a known program. */
static struct raw_comm comm_of_value(const struct reading_search *finder)
{
	const struct raw_reading *reading = finder->reading;
	scope_guard(layout_deinit) struct layout layout = {};
	const struct known_value *known = known_value_find(finder->question->map, false);

	if (reading->value)
		return comm_in(reading->value);
	return known && parse_own(finder, known->text, "value.", reading->value_len, &layout)
		       ? comm_in(&layout)
		       : (struct raw_comm){};
}

/* Whether the comm, if there is one, is known to be one. */
static bool has_names(const struct reading_search *finder, const struct raw_hypothesis *hypothesis)
{
	size_t comm = hypothesis->roles.comm;

	return comm == RAW_NONE || hypothesis->first->process.shown ||
	       raw_rules_has_names(&finder->columns, finder->rules.processes, comm);
}

/*
 * Offers the hypothesis with each number that can be its process, and without. Returns how many
 * can.
 */
static size_t offer_all(struct reading_search *finder, const struct raw_hypothesis *hypothesis)
{
	const struct raw_process *process = &hypothesis->first->process;
	struct raw_roles roles = hypothesis->roles;
	size_t n = 0;

	find_failed_side(finder, &roles);
	for (size_t i = 0; i < process->n_possible; i++) {
		if (raw_roles_is_stack(&roles, process->possible[i]))
			continue;
		roles.pid = process->possible[i];
		offer(finder, &roles, "");
		n++;
	}
	roles.pid = n ? RAW_NONE : roles.pid;
	if (process->status != RAW_PROCESS_TWO)
		offer(finder, &roles, n ? NO_PROCESS : "");
	if (!n && !has_names(finder, hypothesis)) {
		roles.comm = RAW_NONE;
		offer(finder, &roles, "");
	}
	return n;
}

static enum raw_status refuse_ids(struct reading_search *finder)
{
	const struct raw_rules *rules = &finder->rules;

	finder->reading->reason = rules->n_open > 1
					  ? xasprintf("%zu of its numbers could be stack IDs, "
						      "and nothing tells which ones are",
						    rules->n_candidates)
					  : xstrdup("its possible stack IDs may be other "
						    "numbers: there are too many stacks, and too "
						    "few of these numbers, to tell");
	for (size_t i = 0; i < rules->n_open; i++)
		offer_all(finder, &rules->all[i]);
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

static void note_roles(struct reading_search *finder, const struct raw_process *process)
{
	const struct raw_roles *roles = &finder->roles;

	note_ids(finder, roles->user, "user");
	note_ids(finder, roles->kernel, "kernel");
	note_ids(finder, roles->stack, "stack_id");
	if (roles->pid != RAW_NONE)
		note(finder, roles->pid, "pid", process->why.data);
	if (roles->tid != RAW_NONE)
		note(finder, roles->tid, roles->either ? "pid_or_tid" : "tid", process->why.data);
	if (roles->comm != RAW_NONE)
		note(finder, roles->comm, "comm",
			process->shown ? "processes with these stacks have that name"
				       : "the only text of 16 bytes");
}

/* ---- stack IDs at any byte ------------------------------------------------------------------ */

#define BYTES_ENTRIES 1024 /* that are looked at */
#define BYTES_USER_MAX 8

/*
 * Where only stack IDs can be, in bytes; KERNEL: the first ones of that side, SIZE_MAX: there are
 * none.
 */
struct id_bytes {
	size_t user[BYTES_USER_MAX], n_user, kernel;
	bool odd; /* some are at no multiple of 4 */
};

static void see_bytes(const struct raw_columns *columns, size_t at, struct id_bytes *found)
{
	struct id_column ids = {};
	const uint8_t *bytes;
	size_t len;

	for (size_t i = 0; i < columns->map->entries.len && i < BYTES_ENTRIES; i++)
		if (raw_columns_bytes(columns, i, &bytes, &len))
			id_column_add(&ids, columns->index, (int32_t)raw_word(bytes + at, 0));
	bool odd = at % RAW_WORD, user = id_column_of_user(&ids);
	if (!id_column_certain(&ids, columns->index) || (odd && ids.n_distinct < 2) ||
		user == id_column_of_kernel(&ids) || (user && found->n_user == BYTES_USER_MAX))
		return;
	found->odd |= odd;
	if (user)
		found->user[found->n_user++] = at;
	else if (found->kernel == SIZE_MAX)
		found->kernel = at;
}

static struct id_bytes find_bytes(const struct raw_columns *columns)
{
	struct id_bytes found = {.kernel = SIZE_MAX};
	const uint8_t *bytes;
	size_t len;

	raw_columns_bytes(columns, 0, &bytes, &len);
	for (size_t at = 0; at + RAW_WORD <= len && at < RAW_COLUMNS_MAX * RAW_WORD; at++)
		see_bytes(columns, at, &found);
	return found;
}

/*
 * Offers OPTION with the stack IDs FOUND, after FIELDS: those of the kernel with each of the
 * user's.
 */
static void offer_bytes(struct reading_search *finder, const struct id_bytes *found,
	const char *option, const char *fields, const char *more)
{
	for (size_t i = 0; i < found->n_user || (!i && found->kernel != SIZE_MAX); i++) {
		scope_guard(text_deinit) struct text layout = {};

		text_add_string(&layout, fields);
		if (found->kernel != SIZE_MAX)
			raw_layout_add(&layout, "s32 kernel@%zu", found->kernel);
		if (i < found->n_user)
			raw_layout_add(&layout, "s32 user@%zu", found->user[i]);
		add_choice(finder, xasprintf("%s='%s; u8 rest[]'%s", option, layout.data, more));
	}
}

/*
 * Fields may begin at any byte where stack IDs do, or where the length says so of a key in which no
 * process is found: then it is for the user to say what is there.
 */
static bool refuse_packed_struct(struct reading_search *finder, const struct raw_hypothesis *taken)
{
	const struct id_bytes found = find_bytes(&finder->columns);
	size_t len =
		finder->columns.of_value ? finder->reading->value_len : finder->reading->key_len;
	bool settled =
		taken && (taken->first->process.shown || raw_roles_user(&taken->roles) == RAW_NONE);

	bool any = found.n_user || found.kernel != SIZE_MAX;

	if (!any || (!found.odd && (settled || len % RAW_WORD == 0)))
		return false;
	offer_bytes(finder, &found, layout_option(finder), "", "");
	finder->reading->reason =
		xasprintf("its struct is packed, so that fields may begin at any byte: declare it "
			  "with %s, as in 'u8 flag; u32 pid@1; s32 user@5'",
			layout_option(finder));
	return true;
}

/* Its values may name the stacks, if no other map does. */
static enum raw_status refuse_no_ids(struct reading_search *finder)
{
	const struct raw_columns values = {
		.map = finder->columns.map, .index = finder->columns.index, .of_value = true};

	if (!finder->columns.of_value && !finder->question->value && finder->reading->value_len) {
		const struct id_bytes found = find_bytes(&values);

		if (!found.n_user || found.user[0] >= sizeof(uint64_t))
			offer_bytes(finder, &found, "--value-layout", "u64 weight", "");
		offer_bytes(finder, &found, "--value-layout", "", " (each entry counts once)");
	}
	finder->reading->reason = xstrdup("none of its numbers is a stack ID of the stack maps");
	return RAW_NO_IDS;
}

/* ---- all roles ---- */

static enum raw_status find_roles(struct reading_search *finder)
{
	struct raw_rules *rules = &finder->rules;

	rules->columns = &finder->columns;
	rules->processes = finder->question->processes;
	rules->value_comm = comm_of_value(finder);
	raw_rules_find(rules);
	const struct raw_hypothesis *taken = raw_rules_taken(rules);
	if (refuse_packed_struct(finder, taken))
		return RAW_REFUSED;
	if (!rules->n_candidates)
		return RAW_NO_IDS;
	if (!taken)
		return refuse_ids(finder);
	finder->roles = taken->roles;
	if (!has_names(finder, taken))
		finder->roles.comm = RAW_NONE;
	find_failed_side(finder, &finder->roles);
	note_roles(finder, &taken->first->process);
	return RAW_READ;
}

/* Whether it is known who had the user stacks, where a number may say it. */
static enum raw_status check_process(struct reading_search *finder)
{
	const struct raw_hypothesis *taken = raw_rules_taken(&finder->rules);
	const struct raw_process *process = &taken->first->process;

	if (process->status != RAW_PROCESS_TWO &&
		(process->status != RAW_PROCESS_UNPROVEN || finder->question->has_pid))
		return RAW_READ;
	if (!offer_all(finder, taken))
		return RAW_READ;
	finder->reading->reason = xasprintf(
		"nothing shows which process its user stacks belong to (%s)", process->why.data);
	return RAW_REFUSED;
}

/* ---- the value ------------------------------------------------------------------------------ */

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

/* A plain number, or two in one, if the bytes leave it open; RAW_READ: they do not. */
static enum raw_status check_number(struct reading_search *finder)
{
	const struct count_map *map = finder->question->map;
	bool large, count_first;

	if (known_packed_sums(map, &large))
		return refuse(finder,
			"its values could be plain numbers or, as in memleak, "
			"the bytes of allocations in 40 bits and their number in 24",
			"--value-layout='u64 value' (plain numbers)",
			large ? "--value-layout='u8 rest[8]' (each entry counts once)"
			      : "--value-layout='u32 value; u32 unused' (the bytes)",
			large ? NULL : "--value-layout='u8 rest[8]' (each entry counts once)",
			NULL);
	if (!known_halves(map, &count_first))
		return RAW_READ;
	return refuse(finder, "its values could be one number of 8 bytes, or two of 4 bytes",
		count_first ? "--value-layout='u32 weight; u32 unused'"
			    : "--value-layout='u32 unused; u32 weight'",
		count_first ? "--value-layout='u32 unused; u32 weight'"
			    : "--value-layout='u32 weight; u32 unused'",
		"--value-layout='u64 value' (one number)", NULL);
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

	if (plain && !named && !finder->question->weight && check_number(finder) != RAW_READ)
		return RAW_REFUSED;
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
	return !finder->reading->value && finder->reading->value_len && !finder->columns.of_value
		       ? choose_value(finder)
		       : RAW_READ;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/*
 * Whether all stack IDs found have 8 bytes to themselves, as those of bpftrace, and are not the
 * last.
 */
static bool has_stack_words(const struct reading_search *finder)
{
	const struct raw_roles *roles = &finder->roles;
	size_t n = finder->columns.all.len;

	for (size_t i = 0; i < n; i++)
		if (raw_roles_is_stack(roles, i) &&
			(i % 2 || i + 2 >= n || raw_roles_is_stack(roles, i + 1)))
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
	return refuse(finder,
		"its keys end in 0 or 1, so its values could be "
		"alternating counts and totals of bpftrace's avg() or stats()",
		"--key=weight=count (avg() or stats(): how often)",
		"--key=weight=total (avg() or stats(): the sum)",
		"--key=weight=value (hist(), lhist(), or another number that is 0 or 1)", NULL);
}

/* ---- all together --------------------------------------------------------------------------- */

static bool names_stack(const struct layout *layout)
{
	for (size_t i = 0; i < layout->fields.len; i++) {
		const char *name = strrchr(layout->fields.data[i].name, '.');
		enum role role = name ? role_of_name(name + 1, strlen(name + 1)) : ROLE_COUNT;

		if (role == ROLE_USER || role == ROLE_KERNEL || role == ROLE_STACK)
			return true;
	}
	return false;
}

/* A program that keeps its stack IDs in the value, as memleak does; or a layout that says so. */
static bool find_id_in_value(struct reading_search *finder)
{
	struct raw_reading *reading = finder->reading;
	const struct count_map *map = finder->question->map;
	const struct known_value *known = known_value_find(map, true);
	struct id_column ids = {};

	if (reading->value)
		return names_stack(reading->value);
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
	enum raw_status status = find_roles(finder);
	if (status == RAW_NO_IDS && find_id_in_value(finder)) {
		finder->roles.comm = raw_rules_comm(&finder->columns);
		return use_layout(finder);
	}
	if (status == RAW_NO_IDS)
		return refuse_no_ids(finder);
	if (status == RAW_READ)
		status = find_rows(finder);
	if (status == RAW_READ)
		status = find_value(finder);
	if (status == RAW_READ)
		status = check_process(finder);
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
