// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/roles.h"

#include <limits.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/number.h"
#include "util/text.h"
#include "util/xalloc.h"

#define RECORD_WIDTH 32 /* sizeof(struct bpf_stack_build_id) */
#define NAMES_SHOWN 20
#define NAME_MAX_LEN 32 /* bytes; no name in role_names is longer */

/* Names by role, the most specific first: the rank decides. In lower case, with `_` for `-`. */
static const char *const role_names[ROLE_COUNT] = {
	/* beside `tgid`, `pid` is a thread ID, as in the kernel */
	[ROLE_PID] = "tgid pid process_id processid procid process",
	[ROLE_TID] = "tid thread_id threadid thread pid",
	[ROLE_PID_OR_TID] = "pid_or_tid",
	[ROLE_PID_TGID] = "pid_tgid pidtgid tgid_pid tgidpid tgid_tid",
	[ROLE_USER] = "user_stack_id user_stackid userstackid userstack_id ustack_id ustackid "
		      "u_stack_id usid user_stack userstack ustack u_stack user_ips "
		      "user_stack_key user_stack_trace user",
	[ROLE_KERNEL] = "kernel_stack_id kern_stack_id kernel_stackid kern_stackid kernelstackid "
			"kstack_id kstackid k_stack_id w_k_stack_id ksid kernel_stack kern_stack "
			"kernelstack kernstack kstack k_stack kernel_ips kern_ips "
			"kernel_stack_key kernel_stack_trace kernel kern",
	[ROLE_STACK] = "stack_id stackid stack_trace_id stkid stack_key stack stack_trace "
		       "stacktrace callchain callstack backtrace bt trace ips ip addrs addresses "
		       "frames entries key",
	[ROLE_COMM] = "comm task_comm target target_comm process_name name command cmd task",
	[ROLE_WAKER] = "waker waker_comm",
	[ROLE_WEIGHT] = "weight value count counts cnt samples nr_samples hits delta "
			"total_elapsed total_time total_ns total_us total_size total_bytes total "
			"elapsed duration latency size bytes nbytes calls events number num slots "
			"hist histogram buckets",
	[ROLE_TIME] = "timestamp timestamp_ns time_ns ts_ns ktime_ns ktime ts time",
	[ROLE_LENGTH] = "",
};

const char *const role_keys[] = {
#define X(name, key) [ROLE_##name] = key,
	ROLES(X)
#undef X
};

/* Returns the index of NAME in the list WORDS, or -1. Ignores case, and reads `-` as `_`. */
static int number_in(const char *words, struct scan name)
{
	char lower[NAME_MAX_LEN];
	size_t len = scan_left(&name);

	if (len > sizeof(lower))
		return -1;
	for (size_t i = 0; i < len; i++) {
		char c = name.at[i];

		lower[i] = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	return scan_word_number(words, (struct scan){lower, lower + len});
}

enum role role_of_name(struct scan name)
{
	for (enum role role = 0; role < ROLE_COUNT; role++)
		if (number_in(role_names[role], name) >= 0)
			return role;
	return ROLE_COUNT;
}

enum role role_at(const size_t at[ROLE_COUNT], size_t i)
{
	enum role role = 0;

	while (role < ROLE_COUNT && at[role] != i)
		role++;
	return role;
}

const char *role_of_field(const struct roles *roles, size_t i)
{
	enum role role = role_at(roles->field, i);

	if (role < ROLE_COUNT)
		return role_keys[role];
	return role_at(roles->length, i) < ROLE_COUNT ? "length" : NULL;
}

static bool role_takes(enum role role, enum field_kind kind)
{
	switch (role) {
	case ROLE_USER:
	case ROLE_KERNEL:
	case ROLE_STACK:
		return kind != FIELD_TEXT && kind != FIELD_NUMBERS;
	case ROLE_COMM:
	case ROLE_WAKER:
		return kind != FIELD_NUMBER && kind != FIELD_NUMBERS;
	default:
		return kind == FIELD_NUMBER;
	}
}

bool field_may_be_stack(const struct field *field)
{
	if (field->kind != FIELD_BYTES || field->width == RECORD_WIDTH)
		return role_takes(ROLE_STACK, field->kind);
	for (size_t at = 0; at + sizeof(uint64_t) <= field->len; at += sizeof(uint64_t))
		if (address_side(load_u64(field->bytes + at)) != SIDE_UNKNOWN)
			return true;
	return field->len % sizeof(uint64_t) == 0 && scan_is_zero(field->bytes, field->len);
}

bool role_fits(enum role role, const struct field *field)
{
	if (role_is_stack(role))
		return field_may_be_stack(field);
	return role_takes(role, field->kind);
}

/*
 * Returns how badly FIELD suits ROLE (0 is best), or -1 if it does not. A key is never the weight.
 * For other roles it wins over a value with a name of the same rank.
 */
static int field_score(enum role role, const struct field *field)
{
	struct scan name = scan_of(field_last_name(field));
	int rank = role_takes(role, field->kind) ? number_in(role_names[role], name) : -1;

	if (rank < 0)
		return -1;
	if (role == ROLE_WEIGHT)
		return field_in_key(field) ? -1 : rank;
	return rank * 2 + field_in_value(field);
}

bool role_is_rival(const struct row *row, const struct roles *roles, enum role role, size_t i)
{
	size_t field = roles->field[role];

	if (field == ROLE_NO_FIELD)
		return false;
	int score = field_score(role, &row->fields[field]);
	return score >= 0 && score == field_score(role, &row->fields[i]);
}

bool field_path_matches(const char *path, const char *wanted)
{
	size_t path_len = strlen(path), len = strlen(wanted);

	if (path_len < len || strcmp(path + path_len - len, wanted))
		return false;
	return path_len == len || path[path_len - len - 1] == '.';
}

size_t field_by_path(const struct row *row, const char *wanted)
{
	for (size_t i = 0; i < row->n; i++)
		if (field_path_matches(row->fields[i].name, wanted))
			return i;
	return ROLE_NO_FIELD;
}

const char *roles_given(const struct role_overrides *overrides, enum role role)
{
	vec_each(override, overrides)
		if (override->role == role)
			return override->field;
	return NULL;
}

static void apply_overrides(
	const struct row *row, struct role_overrides *overrides, struct roles *roles)
{
	vec_each(override, overrides) {
		size_t field = field_by_path(row, override->field);

		roles->field[override->role] = field;
		if (field == ROLE_NO_FIELD)
			continue;
		override->met |= role_fits(override->role, &row->fields[field]);
		/* the field loses the roles that it has by its name only */
		for (enum role role = 0; role < ROLE_COUNT; role++)
			if (roles->field[role] == field && !roles_given(overrides, role))
				roles->field[role] = ROLE_NO_FIELD;
	}
	if (roles_given(overrides, ROLE_PID) && !roles_given(overrides, ROLE_PID_TGID))
		roles->field[ROLE_PID_TGID] = ROLE_NO_FIELD;
}

bool field_may_count(const struct field *field)
{
	static const char *const names[] = {"pad", "unused", "reserved", "rsvd", "dummy", "start",
		"begin", "enter", "first", "last", "prev", "expire"};
	const char *name = field_last_name(field);

	name += strspn(name, "_");
	array_each(other, names, array_len(names))
		if (!strncmp(name, *other, strlen(*other)))
			return false;
	return number_in(role_names[ROLE_TIME], scan_of(name)) < 0;
}

/*
 * Returns the only number of the value that may be the weight, or ROLE_NO_FIELD. PIDs and TIDs are
 * never weights, even if another field has their role.
 */
static size_t only_number(const struct row *row, const struct roles *roles)
{
	const struct field *fields = row->fields;

	if (row->n && field_in_value(&fields[0]))
		return ROLE_NO_FIELD; /* no key: each entry of a queue counts 1 */
	return only_index(i, row->n,
		fields[i].kind == FIELD_NUMBER && field_in_value(&fields[i]) &&
			!role_of_field(roles, i) && field_score(ROLE_TID, &fields[i]) < 0 &&
			field_may_count(&fields[i]));
}

bool field_looks_like_stack(const struct field *field)
{
	if (field->kind == FIELD_BYTES && field->width == RECORD_WIDTH &&
		field->len >= RECORD_WIDTH) {
		uint32_t status = load_u32(field->bytes);

		return status == 1 || status == 2; /* enum bpf_stack_build_id_status */
	}
	if (field->kind != FIELD_WORDS)
		return false;
	/*
	 * All words must be addresses, marks or 0. At least one address must exceed 32 bits,
	 * because small numbers look like addresses of non-PIE code.
	 */
	bool wide = false;

	for (size_t at = 0; at + sizeof(uint64_t) <= field->len; at += sizeof(uint64_t)) {
		uint64_t word = load_u64(field->bytes + at);

		if (word && !address_is_mark(word) && address_side(word) == SIDE_UNKNOWN)
			return false;
		wide |= word > UINT32_MAX && !address_is_mark(word);
	}
	return wide;
}

void roles_find(const struct row *row, struct role_overrides *overrides, struct roles *ret)
{
	struct roles roles = {};

	for (enum role role = 0; role < ROLE_COUNT; role++) {
		int best = INT_MAX;

		roles.field[role] = roles.length[role] = ROLE_NO_FIELD;
		for (size_t i = 0; i < row->n; i++) {
			int score = field_score(role, &row->fields[i]);

			if (score < 0 || score >= best)
				continue;
			roles.field[role] = i;
			best = score;
		}
	}
	if (roles.field[ROLE_TID] == roles.field[ROLE_PID])
		roles.field[ROLE_TID] = ROLE_NO_FIELD;
	/* find a stack by its content if no field, except for a plain key, is called like one */
	size_t stack = roles.field[ROLE_STACK];
	if (!roles_have_sides(&roles) &&
		(stack == ROLE_NO_FIELD || !strcmp(row->fields[stack].name, "key"))) {
		size_t only = only_index(i, row->n, field_looks_like_stack(&row->fields[i]));
		if (only != ROLE_NO_FIELD)
			roles.field[ROLE_STACK] = only;
	}
	apply_overrides(row, overrides, &roles);
	stack_lengths_name(row, &roles);
	if (roles.field[ROLE_WEIGHT] == ROLE_NO_FIELD && !roles_given(overrides, ROLE_WEIGHT))
		roles.field[ROLE_WEIGHT] = only_number(row, &roles);
	roles.weighed_by_name =
		!roles_given(overrides, ROLE_WEIGHT) && !roles_given(overrides, ROLE_LENGTH);
	if (roles.weighed_by_name)
		stack_length_find(row, &roles);
	stack = roles.field[ROLE_STACK];
	bool is_key = stack != ROLE_NO_FIELD && !strcmp(row->fields[stack].name, "key") &&
		      !roles_given(overrides, ROLE_STACK);
	roles.stack_is_key = is_key && !roles_have_sides(&roles);
	/* beside named stacks, a plain key is a process ID or anything else */
	if (is_key && !roles.stack_is_key)
		roles.field[ROLE_STACK] = ROLE_NO_FIELD;
	*ret = roles;
}

struct error *role_overrides_parse(const char *text, struct role_overrides *ret)
{
	struct role_overrides overrides = {};

	for (const char *at = text; at;) {
		const char *end = strchrnul(at, ','), *wrong = NULL;
		const char *equals = memchr(at, '=', (size_t)(end - at));
		struct role_override override = {};

		if (!equals || equals == at || equals + 1 == end)
			wrong = "expected ROLE=FIELD, as in pid=tgid,user=usid";
		while (!wrong && override.role < ROLE_COUNT &&
			number_in(role_keys[override.role], (struct scan){at, equals}) < 0)
			override.role++;
		if (override.role == ROLE_COUNT)
			wrong = "unknown role; roles are pid, tid, pid_or_tid, pid_tgid, user, "
				"kernel, stack, comm, weight, time and length";
		else if (!wrong && roles_given(&overrides, override.role))
			wrong = "the role is given twice";
		if (wrong) {
			role_overrides_deinit(&overrides);
			return error_create(ERROR_USAGE, "--key, column %zu: %s",
				(size_t)(at - text) + 1, wrong);
		}
		override.field = xstrndup(equals + 1, (size_t)(end - equals) - 1);
		vec_push(&overrides, override);
		at = *end ? end + 1 : NULL;
	}
	*ret = overrides;
	return NULL;
}

void role_overrides_deinit(struct role_overrides *overrides)
{
	vec_free_each(overrides, field);
	vec_deinit(overrides);
}

const struct roles *role_memo_find(
	struct role_memo *memo, const struct row *row, struct role_overrides *overrides)
{
	if (row->n && row_shape_fits(&memo->shape, row))
		return &memo->roles;
	arena_clear(&memo->names);
	memo->shape = row_shape_make(row, &memo->names);
	roles_find(row, overrides, &memo->roles);
	return &memo->roles;
}

void role_memo_deinit(struct role_memo *memo)
{
	arena_deinit(&memo->names);
	memo->shape = (struct row_shape){};
}

/* ---- checks of --key ------------------------------------------------------------------------ */

char *row_names(const struct row *row)
{
	struct text text = {};

	for (size_t i = 0; i < row->n && i < NAMES_SHOWN; i++) {
		const char *name = row->fields[i].name;

		if (i)
			text_add_string(&text, ", ");
		text_add_escaped(&text, name, strnlen(name, 80));
	}
	text_add_string(&text, row->n > NAMES_SHOWN ? ", …" : row->n ? "" : "none");
	return text_take(&text);
}

struct error *roles_check(
	const struct row *row, const struct role_overrides *overrides, const char *position)
{
	vec_each(override, overrides) {
		size_t i = field_by_path(row, override->field);
		const struct field *field = i == ROLE_NO_FIELD ? NULL : &row->fields[i];
		const char *what = "is an array: choose one of its elements, as in FIELD[0]";

		if (field && role_fits(override->role, field))
			continue;
		if (!field)
			what = "names a field that does not exist here";
		else if (field->kind == FIELD_NUMBER)
			what = "is a number, not a text";
		else if (field->kind == FIELD_TEXT)
			what = "is a text";
		auto_free char *names = row_names(row);
		return error_create(ERROR_USAGE, "%s: --key %s=%s %s; there are: %s", position,
			role_keys[override->role], override->field, what, names);
	}
	return NULL;
}
