// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/event_reading.h"

#include <string.h>

#include "input/roles/role_check.h"

struct error *event_reading_init(
	const char *text, const char *key_fields, struct event_reading *ret)
{
	if (!text)
		return NULL;
	if (!strcmp(text, "FIELDS")) /* placeholder that --list-maps prints */
		return error_create(ERROR_USAGE,
			"--event-layout: put what the program sends in place of FIELDS, as in "
			"'u32 pid; char comm[16]; u64 ustack[127]'");
	try(layout_given(text, "--event-layout", "", key_fields, &ret->layout));
	try(snapshot_fields_find(&ret->layout, &ret->snapshot));
	vec_reserve(&ret->fields, ret->layout.fields.len);
	return NULL;
}

void event_reading_deinit(struct event_reading *reading)
{
	layout_deinit(&reading->layout);
	vec_deinit(&reading->fields);
	role_memo_deinit(&reading->memo);
}

bool event_reading_row(
	struct event_reading *reading, const uint8_t *data, size_t len, struct row *ret)
{
	const struct snapshot_fields *snapshot = &reading->snapshot;

	if (!layout_decode(&reading->layout, data, len, reading->fields.data))
		return false;
	*ret = (struct row){
		reading->fields.data, snapshot->any ? snapshot->first : reading->layout.fields.len};
	return true;
}

static struct error *check(const struct event_reading *reading, const struct row *row,
	struct role_overrides *overrides, const struct roles *roles)
{
	size_t pid = roles->field[ROLE_PID];

	try(roles_check(row, overrides, "--event-layout"));
	if (pid != ROLE_NO_FIELD && row->fields[pid].number > UINT32_MAX)
		return error_create(ERROR_USAGE,
			"--event-layout: %s is no process ID, but may be a process and a thread in "
			"one number: call it pid_tgid, or use --key=pid_tgid=%s",
			row->fields[pid].name, row->fields[pid].name);
	if (reading->snapshot.any || roles->field[ROLE_USER] != ROLE_NO_FIELD ||
		roles->field[ROLE_KERNEL] != ROLE_NO_FIELD ||
		roles->field[ROLE_STACK] != ROLE_NO_FIELD)
		return NULL;
	return error_create(ERROR_USAGE,
		"--event-layout: no field is known to be a stack: call one ustack, kstack or "
		"stack_id, or assign the role with --key user=FIELD; for a copy of the stack with "
		"registers: 'u64 ip, sp, bp; u32 len; u8 stack[]'");
}

/*
 * Returns ERROR_USAGE if, by the events so far, a field may be either the weight or the length of a
 * stack.
 */
static struct error *check_length(struct event_reading *reading, const struct row *row,
	const struct role_overrides *overrides, const struct roles *roles)
{
	reading->seen[stack_length_check(row, roles)]++;
	size_t field = stack_length_rival(roles, reading->seen);
	if (field == ROLE_NO_FIELD || roles_given(overrides, ROLE_WEIGHT) ||
		roles_given(overrides, ROLE_LENGTH))
		return NULL;
	const char *name = row->fields[field].name;
	return error_create(ERROR_USAGE,
		"--event-layout: %s could be the length of the stack, or the weight: choose one "
		"with --key=length=%s (each event counts once) or --key=weight=%s",
		name, name, name);
}

struct error *event_reading_roles(struct event_reading *reading, const struct row *row,
	struct role_overrides *overrides, const struct roles **ret)
{
	const struct roles *roles = role_memo_find(&reading->memo, row, overrides);
	bool first = !reading->checked;

	reading->checked = true;
	if (first)
		try(check(reading, row, overrides, roles));
	try(check_length(reading, row, overrides, roles));
	*ret = roles;
	return NULL;
}

bool event_names_ids(const struct row *row, const struct roles *roles)
{
	for (enum role role = ROLE_USER; role <= ROLE_STACK; role++) {
		size_t field = roles->field[role];

		if (field != ROLE_NO_FIELD && row->fields[field].kind == FIELD_NUMBER)
			return true;
	}
	return false;
}

const struct stack_snapshot *event_snapshot(
	const struct event_reading *reading, struct arena *memory)
{
	return reading->snapshot.any
		       ? snapshot_fields_read(&reading->snapshot, reading->fields.data, memory)
		       : NULL;
}
