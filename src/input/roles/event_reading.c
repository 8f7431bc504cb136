// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/event_reading.h"

#include <string.h>

#include "util/scan.h"

#define SNAPSHOT_BYTES_MAX (256U << 10) /* ignore further bytes of a copy */

/* ---- registers and a copy of the stack ------------------------------------------------------ */

/* fields other than registers */
enum { IS_STACK = SNAPSHOT_REGISTERS, IS_LENGTH, IS_NOTHING };

/* Register names by number. Those of x86-64 are without the optional letter r. */
static const char *const register_names[] = {
	[SNAPSHOT_AMD64] = "ax dx cx bx si di bp sp 8 9 10 11 12 13 14 15 ip",
	[SNAPSHOT_AARCH64] =
		"x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 "
		"x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 x30 sp pc",
};

/* other names, with the register numbers; IS_NOTHING: not on that machine */
static const struct {
	const char *name;
	uint8_t amd64, aarch64;
} names[] = {
	{"ip", AMD64_RIP, AARCH64_PC},
	{"pc", AMD64_RIP, AARCH64_PC},
	{"fp", AMD64_RBP, AARCH64_FP},
	{"bp", AMD64_RBP, AARCH64_FP},
	{"lr", IS_NOTHING, AARCH64_LR},
};

/* Returns the register, or the constant above, that FIELD is on MACHINE. */
static uint8_t meaning(const struct layout_field *field, enum snapshot_machine machine)
{
	const char *dot = strrchr(field->name, '.'), *name = dot ? dot + 1 : field->name;
	bool bytes = field->kind == FIELD_BYTES && field->width == 1,
	     arm = machine == SNAPSHOT_AARCH64;

	if (scan_word_number("stack ustack user_stack", scan_of(name)) >= 0)
		return bytes ? IS_STACK : IS_NOTHING;
	if (field->kind != FIELD_NUMBER || field->is_sum)
		return IS_NOTHING;
	if (scan_word_number("len stack_len stack_size ustack_len ustack_size", scan_of(name)) >= 0)
		return IS_LENGTH;
	array_each(other, names, array_len(names))
		if (!strcmp(other->name, name))
			return arm ? other->aarch64 : other->amd64;
	int number =
		scan_word_number(register_names[machine], scan_of(name + (!arm && *name == 'r')));
	return number < 0 ? IS_NOTHING : (uint8_t)number;
}

/*
 * Finds the fields of a snapshot in LAYOUT and moves them to its end. Both parts keep their order.
 * If two fields have the same meaning, only the first belongs to the snapshot. Returns ERROR_USAGE
 * if there are registers of two machines: with names that only one of them uses.
 */
static struct error *find_snapshot(struct layout *layout, struct snapshot_fields *ret)
{
	static const uint64_t needed[] = {
		[SNAPSHOT_AMD64] = 1ULL << IS_STACK | 1ULL << AMD64_RIP | 1ULL << AMD64_RSP,
		[SNAPSHOT_AARCH64] = 1ULL << IS_STACK | 1ULL << AARCH64_PC | 1ULL << AARCH64_SP,
	};
	struct layout_field parts[SNAPSHOT_FIELDS_MAX];
	uint64_t all[2] = {}, seen = 1ULL << IS_NOTHING;
	bool own[2] = {};
	size_t others = 0;

	vec_each(field, &layout->fields)
		for (enum snapshot_machine machine = 0; machine < 2; machine++) {
			uint8_t is = meaning(field, machine);

			all[machine] |= 1ULL << is;
			own[machine] |=
				is < SNAPSHOT_REGISTERS && meaning(field, !machine) == IS_NOTHING;
		}
	ret->any = (all[0] & needed[0]) == needed[0] || (all[1] & needed[1]) == needed[1];
	if (!ret->any)
		return NULL;
	if (own[0] && own[1])
		return error_create(ERROR_USAGE,
			"--event-layout: registers of x86-64 and of AArch64 in one event");
	ret->machine = own[SNAPSHOT_AARCH64] ? SNAPSHOT_AARCH64 : SNAPSHOT_AMD64;
	vec_each(field, &layout->fields) {
		uint8_t is = meaning(field, ret->machine);

		if (seen & 1ULL << is) {
			layout->fields.data[others++] = *field;
		} else {
			ret->is[ret->n] = is;
			parts[ret->n++] = *field;
		}
		seen |= 1ULL << is;
	}
	memcpy(layout->fields.data + others, parts, ret->n * sizeof(*parts));
	ret->first = others;
	return NULL;
}

const char *snapshot_field_role(const struct snapshot_fields *fields, size_t i)
{
	return fields->is[i] == IS_STACK    ? "stack"
	       : fields->is[i] == IS_LENGTH ? "length"
					    : "register";
}

/* ---- events --------------------------------------------------------------------------------- */

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
	try(find_snapshot(&ret->layout, &ret->snapshot));
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

struct error *event_reading_roles(struct event_reading *reading, const struct row *row,
	struct role_overrides *overrides, const struct roles **ret)
{
	const struct roles *roles = role_memo_find(&reading->memo, row, overrides);

	if (!reading->checked) {
		size_t pid = roles->field[ROLE_PID];

		reading->checked = true;
		try(roles_check(row, overrides, "--event-layout"));
		if (pid != ROLE_NO_FIELD && row->fields[pid].number > UINT32_MAX)
			return error_create(ERROR_USAGE,
				"--event-layout: %s is no process ID, but may be a process and a "
				"thread in one number: call it pid_tgid, or use --key=pid_tgid=%s",
				row->fields[pid].name, row->fields[pid].name);
		if (!reading->snapshot.any && !roles_have_sides(roles) &&
			roles->field[ROLE_STACK] == ROLE_NO_FIELD)
			return error_create(ERROR_USAGE,
				"--event-layout: no field is known to be a stack: call one ustack, "
				"kstack or stack_id, or assign the role with --key user=FIELD; for "
				"a copy of the stack with registers: 'u64 ip, sp, bp; u32 len; u8 "
				"stack[]'");
	}
	size_t rival = stack_length_rival(row, roles, reading->seen);
	if (rival != ROLE_NO_FIELD) {
		const char *name = row->fields[rival].name;

		return error_create(ERROR_USAGE,
			"--event-layout: %s could be the length of the stack, or the weight: "
			"choose one with --key=length=%s (each event counts once) or "
			"--key=weight=%s",
			name, name, name);
	}
	*ret = roles;
	return NULL;
}

bool event_names_ids(const struct row *row, const struct roles *roles)
{
	stack_role_each(role) {
		const struct field *field = role_field(row, roles, role);

		if (field && field->kind == FIELD_NUMBER)
			return true;
	}
	return false;
}

const struct stack_snapshot *event_snapshot(
	const struct event_reading *reading, struct arena *memory)
{
	const struct snapshot_fields *fields = &reading->snapshot;
	const struct field *stack = NULL, *length = NULL;
	int pc = fields->machine == SNAPSHOT_AARCH64 ? AARCH64_PC : AMD64_RIP;

	if (!fields->any)
		return NULL;
	struct stack_snapshot *snapshot = arena_alloc(memory, sizeof(*snapshot));
	*snapshot = (struct stack_snapshot){.machine = fields->machine};
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *field = &reading->fields.data[fields->first + i];

		if (fields->is[i] == IS_STACK) {
			stack = field;
		} else if (fields->is[i] == IS_LENGTH) {
			length = field;
		} else {
			snapshot->known |= 1ULL << fields->is[i];
			snapshot->registers[fields->is[i]] = field->number;
		}
	}
	if (!snapshot->registers[pc])
		return NULL;
	size_t len = stack->len < SNAPSHOT_BYTES_MAX ? stack->len : SNAPSHOT_BYTES_MAX;
	int64_t used = length ? (int64_t)length->number : (int64_t)len;
	if (length && length->width == 4) /* may be an error of bpf_probe_read_user() */
		used = (int32_t)(uint32_t)length->number;
	snapshot->len = used < 0 ? 0 : (uint64_t)used < len ? (size_t)used : len;
	snapshot->stack = (const uint8_t *)arena_copy(memory, stack->bytes, snapshot->len);
	return snapshot;
}
