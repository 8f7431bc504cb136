// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/choice.h"

#include <string.h>

#include "input/roles/roles.h"
#include "input/roles/stack_length.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

#define PID_MAX (1 << 22) /* include/linux/threads.h, PID_MAX_LIMIT */
#define RIVALS_MAX 8	  /* fields of as good a name that are listed */

static bool is_usable(const struct count_join *counts)
{
	return counts->status == COUNTS_USABLE && !counts->left_out;
}

static bool is_given(const struct count_join *counts)
{
	return counts->map->choice == COUNT_GIVEN;
}

static void leave_out(struct join *join, struct count_join *counts, const char *why)
{
	counts->left_out = true;
	if (!counts->why)
		counts->why = xstrdup(why);
	log_add(join->log, LOG_DETAIL, 1, "%s: left out: %s", counts->map->name, counts->why);
}

/* Leaves out what is not LIKE, where something is. True: something is. */
static bool prefer(struct join *join, struct count_join *all, size_t n,
	bool (*like)(const struct count_join *counts), const char *why)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= is_usable(&all[i]) && like(&all[i]);
	for (size_t i = 0; any && i < n; i++)
		if (!all[i].left_out && !all[i].map->is_rows && !like(&all[i]))
			leave_out(join, &all[i], why);
	return any;
}

static bool is_keyed(const struct count_join *counts)
{
	/* What is refused may be the counts, unless no option named it. */
	return counts->keyed ||
	       (counts->status == COUNTS_REFUSED && counts->map->choice != COUNT_AUTOMATIC);
}

static void list_readings(struct join *join, const struct count_join *counts)
{
	for (size_t i = 0; i < counts->reading.choices.len; i++)
		log_add(join->log, LOG_WARNING, 1, "%s: possible reading: %s", counts->map->name,
			counts->reading.choices.data[i]);
}

static struct error *refuse_readings(struct join *join, const struct count_join *counts)
{
	list_readings(join, counts);
	return error_create(ERROR_INPUT, "%s: %s: %s", counts->map->name, counts->why,
		counts->reading.choices.len > 1 ? "choose one of the readings above"
						: "confirm it with the option above");
}

/* The names of the fields, which are the same in maps of one meaning; malloc'ed. */
static char *meaning(struct count_join *counts)
{
	struct text names = {};
	struct row row = {};

	count_join_row(counts, 0, &row);
	for (size_t i = 0; i < row.n; i++)
		text_printf(&names, "%s,", row.fields[i].name);
	return text_take(&names);
}

/* Whether A and B can be added. */
static bool mean_the_same(struct count_join *a, struct count_join *b)
{
	auto_free char *a_names = meaning(a), *b_names = meaning(b);
	bool bytes = a->reading.key_text || b->reading.key_text;

	if (is_given(a) && is_given(b))
		return true;
	return !bytes && a->map->choice != COUNT_AUTOMATIC && !strcmp(a_names, b_names);
}

/* Several fields have as good a name for ROLE: each is a reading. */
static void refuse_rivals(struct count_join *counts, const struct row *row, enum role role,
	const size_t *rivals, size_t n)
{
	const char *last = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *name = row->fields[rivals[i]].name;

		/* Structs in an array have the same names; the first one can be named. */
		if (!last || strcmp(last, name))
			vec_push(&counts->reading.choices,
				xasprintf("--key=%s=%s", role_key(role), name));
		last = name;
	}
	counts->status = COUNTS_REFUSED;
	counts->why = xasprintf("several fields could be its %s by their names%s", role_key(role),
		counts->reading.choices.len > 1 ? ""
						: " (of structs in an array, the first can "
						  "be named)");
}

/* Refuses a field that may be the weight as well as the length of a stack, by what all entries say. */
static void check_length(struct join *join, struct count_join *counts)
{
	size_t seen[LENGTH_FITS + 1] = {};
	const struct roles *roles = NULL;
	struct row row = {};

	if (!is_usable(counts) || counts->map->is_rows ||
		roles_given(join->overrides, ROLE_WEIGHT) ||
		roles_given(join->overrides, ROLE_LENGTH))
		return;
	for (size_t i = 0; i < counts->map->entries.len; i++) {
		if (!count_join_row(counts, i, &row))
			continue;
		roles = count_join_roles(join, counts, &row);
		seen[stack_length_check(&row, roles)]++;
		if (seen[LENGTH_UNASKED])
			return;
	}
	bool found = roles && roles->field[ROLE_LENGTH] != ROLE_NO_FIELD;
	if (found ? !seen[LENGTH_REFUTED] && seen[LENGTH_OPEN] <= seen[LENGTH_FITS]
		  : seen[LENGTH_REFUTED] || !seen[LENGTH_OPEN])
		return;
	const char *name = row.fields[roles->field[found ? ROLE_LENGTH : ROLE_WEIGHT]].name;
	counts->status = COUNTS_REFUSED;
	counts->why = xasprintf("%s could be the length of the stack, or the weight", name);
	vec_push(&counts->reading.choices, xasprintf("--key=weight=%s", name));
	vec_push(&counts->reading.choices,
		xasprintf("--key=length=%s (each entry counts once)", name));
}

/* Whether all numbers of FIELD, called a process, are those of a process and a thread; RET: of which it is known. */
static bool are_pairs(struct join *join, struct count_join *counts, size_t field, size_t *ret_known)
{
	const struct input_processes *processes = join->options->processes;
	struct row row;

	for (size_t i = 0; i < counts->map->entries.len; i++) {
		if (!count_join_row(counts, i, &row))
			continue;
		int64_t process = (int64_t)(row.fields[field].number >> 32);
		int64_t thread = (uint32_t)row.fields[field].number;
		int64_t known = processes ? processes->of_thread(processes->context, thread) : -1;

		if (!process || !thread || process > PID_MAX || thread > PID_MAX ||
			(known >= 0 && known != process))
			return false;
		*ret_known += known == process;
	}
	return true;
}

/* Reads the process that is two IDs in one number as such, if that is known, or refuses it where --key gives it. */
static void check_pair(struct join *join, struct count_join *counts)
{
	size_t known = 0;
	struct row row;

	if (!is_usable(counts) || counts->map->is_rows || !count_join_row(counts, 0, &row))
		return;
	size_t field = count_join_roles(join, counts, &row)->field[ROLE_PID];
	if (field == ROLE_NO_FIELD || row.fields[field].number <= UINT32_MAX)
		return;
	auto_free char *name = xstrdup(row.fields[field].name);
	if (are_pairs(join, counts, field, &known) && known) {
		count_join_change_role(join, counts, name, ROLE_PID_TGID);
		vec_push(&counts->reading.notes,
			(struct raw_note){xstrdup(name),
				xstrdup("each known number is a process and a thread of it")});
		return;
	}
	if (!roles_given(join->overrides, ROLE_PID))
		return;
	counts->status = COUNTS_REFUSED;
	counts->why =
		xasprintf("%s holds numbers that are no process IDs, but may be a process and "
			  "a thread in one",
			name);
	vec_push(&counts->reading.choices, xasprintf("--key=pid_tgid=%s", name));
}

static void check_rivals(struct join *join, struct count_join *counts)
{
	static const enum role all[] = {
		ROLE_PID, ROLE_PID_TGID, ROLE_USER, ROLE_KERNEL, ROLE_STACK, ROLE_WEIGHT};
	struct row row;

	if (!is_usable(counts) || counts->map->is_rows || !count_join_row(counts, 0, &row))
		return;
	const struct roles *roles = count_join_roles(join, counts, &row);
	bool sides = roles->field[ROLE_USER] != ROLE_NO_FIELD ||
		     roles->field[ROLE_KERNEL] != ROLE_NO_FIELD;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		size_t rivals[RIVALS_MAX];
		size_t n = roles_rivals(&row, roles, all[i], rivals, RIVALS_MAX);

		if (!n || roles_given(join->overrides, all[i]) || (all[i] == ROLE_STACK && sides))
			continue;
		refuse_rivals(counts, &row, all[i], rivals, n < RIVALS_MAX ? n : RIVALS_MAX);
		return;
	}
}

static struct error *refuse_maps(const struct count_join *a, const struct count_join *b)
{
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

/* None of those that could be the counts is used. */
static void set_undecided(struct count_join *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_usable(&all[i]) && !all[i].map->is_rows && !all[i].why)
			all[i].why = xstrdup("other maps count stacks too: choose one");
}

static bool same_field(const struct field *a, const struct field *b)
{
	return a->kind == b->kind && a->number == b->number && a->len == b->len &&
	       !strcmp(a->name, b->name) && (!a->len || !memcmp(a->bytes, b->bytes, a->len));
}

/* Whether all entries are the same, in the same order. */
static bool is_twin(const struct count_map *a, const struct count_map *b)
{
	if (a->entries.len != b->entries.len)
		return false;
	for (size_t i = 0; i < a->entries.len; i++) {
		const struct count_entry *x = &a->entries.data[i], *y = &b->entries.data[i];

		const struct row x_row = count_map_row(a, i), y_row = count_map_row(b, i);

		if (x_row.n != y_row.n || x->key_len != y->key_len ||
			x->value_len != y->value_len || x->cpu != y->cpu ||
			(x->key_len &&
				memcmp(count_map_key(a, i), count_map_key(b, i), x->key_len)) ||
			(x->value_len &&
				memcmp(count_map_value(a, i), count_map_value(b, i), x->value_len)))
			return false;
		for (size_t j = 0; j < x_row.n; j++)
			if (!same_field(&x_row.fields[j], &y_row.fields[j]))
				return false;
	}
	return true;
}

/* Warns of two maps that are added up and have the same entries: a map dumped twice counts twice. */
static void report_twin(struct join *join, const struct count_join *a, const struct count_join *b)
{
	if (is_twin(a->map, b->map))
		log_add(join->log, LOG_WARNING, 1,
			"%s and %s have the same entries, which count twice: leave one out if "
			"both are the same dump",
			a->map->name, b->map->name);
}

static struct error *check_meaning(struct join *join, struct count_join *all, size_t n)
{
	struct count_join *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!is_usable(&all[i]) || all[i].map->is_rows)
			continue;
		if (first && !mean_the_same(first, &all[i])) {
			set_undecided(all, n);
			return refuse_maps(first, &all[i]);
		}
		if (first)
			report_twin(join, first, &all[i]);
		first = first ? first : &all[i];
	}
	return NULL;
}

static void report_no_ids(struct join *join, struct count_join *all, size_t n)
{
	bool usable = false, refused = false;

	for (size_t i = 0; i < n; i++) {
		usable |= is_usable(&all[i]);
		refused |= all[i].status == COUNTS_REFUSED;
	}
	for (size_t i = 0; i < n; i++) {
		const struct count_map *map = all[i].map;

		if (all[i].status != COUNTS_NO_IDS || all[i].left_out)
			continue;
		log_add(join->log, usable ? LOG_DETAIL : LOG_WARNING, 1, "%s: not used: %s",
			map->name, all[i].why);
		log_add(join->log, LOG_WARNING, usable && map->choice != COUNT_AUTOMATIC,
			"%s: left out: it names no stacks (--explain says why)", map->name);
		if (!usable && !refused)
			list_readings(join, &all[i]);
	}
}

struct error *counts_choose(struct join *join, struct count_join *all, size_t n)
{
	report_no_ids(join, all, n);
	if (!prefer(join, all, n, is_given, "--counts chooses the count map"))
		prefer(join, all, n, is_keyed,
			"another map has the stacks in its keys, and so counts them");
	for (size_t i = 0; i < n; i++) {
		check_length(join, &all[i]);
		check_pair(join, &all[i]);
		check_rivals(join, &all[i]);
	}
	for (size_t i = 0; i < n; i++)
		if (all[i].status == COUNTS_REFUSED && !all[i].left_out)
			return refuse_readings(join, &all[i]);
	return check_meaning(join, all, n);
}
