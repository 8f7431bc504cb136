// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/known_layouts.h"

#include <string.h>

#include "input/roles.h"
#include "util/text.h"

#define ENTRIES_MAX 65536 /* that are looked at */
#define PID_LIMIT 4194304 /* PID_MAX_LIMIT, include/linux/threads.h */
#define ERRNO_MAX 4095

static const struct known_layout known[] = {
	{"a plain stack ID", "u32 stack_id", NULL},
	{"a plain stack ID", "u64 stack_id", NULL},
	{"libbpf-tools profile", "u32 pid; s32 user; s32 kernel; char comm[16]", NULL},
	{"pid, kernel, user, comm", "u32 pid; s32 kernel; s32 user; char comm[16]", NULL},
	{"libbpf-tools offcputime", "u32 pid; u32 tgid; s32 user; s32 kernel",
		"u64 delta; char comm[16]"},
	{"pid, tgid, kernel, user", "u32 pid; u32 tgid; s32 kernel; s32 user",
		"u64 delta; char comm[16]"},
	{"pid, tgid, user, kernel", "u32 pid; u32 tgid; s32 user; s32 kernel", NULL},
	{"pid, tgid, kernel, user", "u32 pid; u32 tgid; s32 kernel; s32 user", NULL},
	{"pid_tgid, user, kernel", "u64 pid_tgid; s32 user; s32 kernel", NULL},
	{"pid_tgid, kernel, user", "u64 pid_tgid; s32 kernel; s32 user", NULL},
	{"libbpf-tools wakeuptime", "char waker[16]; char target[16]; s32 w_k_stack_id", NULL},
	{"libbpf-tools futexctn", "u64 pid_tgid; u64 uaddr; s32 user",
		"u32 slots[36]; char comm[16]; u64 contended; u64 total_elapsed; u64 min; u64 max"},
	{"libbpf-tools memleak", "u64 address", "u64 size; u64 timestamp; s32 stack_id"},
	{"bcc profile", "u32 pid; u64 kernel_ip; s32 user; s32 kernel; char name[16]", NULL},
	{"bcc offcputime", "u32 pid; u32 tgid; s32 user; s32 kernel; char name[16]", NULL},
	{"pid, user, kernel", "u32 pid; s32 user; s32 kernel", NULL},
	{"pid, kernel, user", "u32 pid; s32 kernel; s32 user", NULL},
	{"user, kernel", "s32 user; s32 kernel", NULL},
	{"kernel, user", "s32 kernel; s32 user", NULL},
	{"user, kernel, comm", "s32 user; s32 kernel; char comm[16]", NULL},
	{"kernel, user, comm", "s32 kernel; s32 user; char comm[16]", NULL},
	{"pid, stack ID", "u32 pid; s32 stack_id", NULL},
	{"pid, stack ID, comm", "u32 pid; s32 stack_id; char comm[16]", NULL},
	{"stack ID, comm", "s32 stack_id; char comm[16]", NULL},
	/* bpftrace before 0.25: ustack is (u32 id, u32 tid), kstack a u64, each part 8 bytes */
	{"bpftrace [ustack]", "u32 user; u32 tid", NULL},
	{"bpftrace [ustack, comm]", "u32 user; u32 tid; char comm[16]", NULL},
	{"bpftrace [comm, ustack]", "char comm[16]; u32 user; u32 tid", NULL},
	{"bpftrace [kstack, comm]", "u64 kernel; char comm[16]", NULL},
	{"bpftrace [comm, kstack]", "char comm[16]; u64 kernel", NULL},
	{"bpftrace [pid, ustack]", "u64 pid; u32 user; u32 tid", NULL},
	{"bpftrace [pid, kstack]", "u64 pid; u64 kernel", NULL},
	{"bpftrace [kstack, ustack]", "u64 kernel; u32 user; u32 tid", NULL},
	{"bpftrace [ustack, kstack]", "u32 user; u32 tid; u64 kernel", NULL},
	{"bpftrace [pid, kstack, ustack]", "u64 pid; u64 kernel; u32 user; u32 tid", NULL},
	{"bpftrace [pid, ustack, kstack]", "u64 pid; u32 user; u32 tid; u64 kernel", NULL},
	{"bpftrace [kstack, ustack, comm]", "u64 kernel; u32 user; u32 tid; char comm[16]", NULL},
	{"bpftrace [ustack, kstack, comm]", "u32 user; u32 tid; u64 kernel; char comm[16]", NULL},
	{"bpftrace [comm, kstack, ustack]", "char comm[16]; u64 kernel; u32 user; u32 tid", NULL},
	{"bpftrace [comm, ustack, kstack]", "char comm[16]; u32 user; u32 tid; u64 kernel", NULL},
	{"bpftrace [pid, comm, ustack]", "u64 pid; char comm[16]; u32 user; u32 tid", NULL},
	{"bpftrace [pid, comm, kstack]", "u64 pid; char comm[16]; u64 kernel", NULL},
	{"bpftrace [pid, comm, kstack, ustack]",
		"u64 pid; char comm[16]; u64 kernel; u32 user; u32 tid", NULL},
};

const struct known_layout *known_layout_at(size_t i)
{
	return i < sizeof(known) / sizeof(*known) ? &known[i] : NULL;
}

static bool is_text(const struct field *field)
{
	for (size_t i = 0; i < field->len;) {
		unsigned char c = (unsigned char)field->bytes[i];
		size_t n = text_utf8_length(field->bytes + i, field->len - i);

		/* a name cut in the middle of a character is still a name */
		if (c < 0x20 || c == 0x7f || (!n && field->len - i > 3))
			return false;
		i += n ? n : 1;
	}
	return true;
}

/* -1 in 4 or 8 bytes: bpftrace's sign-extended error reaches into the tid. */
static bool is_pid(uint64_t number)
{
	return number <= PID_LIMIT || number == UINT32_MAX || number == UINT64_MAX;
}

/* What is believed to be pids so far: a column of zeros is something else. */
struct people {
	bool seen[ROLE_COUNT], used[ROLE_COUNT];
};

static bool person_plausible(enum role role, uint64_t number, struct people *people)
{
	uint64_t tgid = role == ROLE_PID_TGID ? number >> 32 : number;

	people->seen[role] = true;
	people->used[role] |= tgid != 0;
	if (role == ROLE_PID_TGID)
		return tgid <= PID_LIMIT && (uint32_t)number <= PID_LIMIT;
	return is_pid(number);
}

static bool people_plausible(
	const struct record *record, const struct roles *roles, struct people *people)
{
	for (enum role role = ROLE_PID; role <= ROLE_PID_TGID; role++) {
		size_t field = roles->field[role];

		if (field != ROLE_NO_FIELD &&
			!person_plausible(role, record->fields[field].number, people))
			return false;
	}
	for (size_t i = 0; i < record->n; i++)
		if (record->fields[i].kind == FIELD_TEXT && !is_text(&record->fields[i]))
			return false;
	return true;
}

static bool people_used(const struct people *people)
{
	for (enum role role = ROLE_PID; role <= ROLE_PID_TGID; role++)
		if (people->seen[role] && !people->used[role])
			return false;
	return true;
}

static const struct {
	enum role role;
	enum address_side side;
} stack_roles[] = {
	{ROLE_USER, SIDE_USER}, {ROLE_KERNEL, SIDE_KERNEL}, {ROLE_STACK, SIDE_UNKNOWN}};

/* Counts the IDs of RECORD; false if one is neither an ID nor an error number. */
static bool vote_ids(const struct record *record, const struct roles *roles,
	const struct stack_index *index, struct stack_votes votes[3])
{
	for (size_t i = 0; i < 3; i++) {
		size_t field = roles->field[stack_roles[i].role];

		if (field == ROLE_NO_FIELD)
			continue;
		int64_t id = field_stack_id(&record->fields[field]);
		if (id < -ERRNO_MAX || id > UINT32_MAX)
			return false;
		if (id >= 0)
			stack_index_vote(index, (uint64_t)id, stack_roles[i].side, &votes[i]);
	}
	return true;
}

size_t known_layout_score(
	const struct count_map *map, const struct stack_index *index, struct raw_layout *layout)
{
	struct stack_votes votes[3] = {};
	struct role_overrides none = {};
	struct role_memo memo = {};
	struct people people = {};
	struct record record;
	bool agrees = true;
	size_t score = 0;

	for (size_t i = 0; agrees && i < map->entries.len && i < ENTRIES_MAX; i++) {
		if (!raw_layout_decode(layout, &map->entries.data[i], &record))
			continue;
		const struct roles *roles = role_memo_find(&memo, &record, &none);
		agrees = people_plausible(&record, roles, &people) &&
			 vote_ids(&record, roles, index, votes);
	}
	role_memo_deinit(&memo);
	agrees = agrees && people_used(&people);
	for (size_t i = 0; agrees && i < 3; i++) {
		agrees = votes[i].found * 2 >= votes[i].ids;
		score += votes[i].found;
	}
	return agrees ? score : 0;
}
