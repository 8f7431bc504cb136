// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/roles.h"

#include "util/scan.h"

/* Returns true if NAME is that of the length of the array BASE: BASE_sz, BASE_nr, nr_BASE … */
static bool names_length_of(struct scan name, const char *base)
{
	struct scan suffix = name, prefix = name;

	if (scan_literal(&suffix, base) &&
		scan_word_number(
			"_sz _size _bytes _len _length _nr _depth _cnt _count _n", suffix) >= 0)
		return true;
	if (!scan_ends(name, base))
		return false;
	prefix.end -= strlen(base);
	return scan_word_number("nr_ num_ n_", prefix) >= 0;
}

/*
 * Returns the number in the same struct as the array FIELD that has the name of its length, or of
 * any array's length if ANY; ROLE_NO_FIELD if there is none.
 */
static size_t length_field(const struct row *row, size_t field, bool any)
{
	const char *path = row->fields[field].name, *base = field_last_name(&row->fields[field]);
	size_t folder = (size_t)(base - path);

	for (size_t i = 0; i < row->n; i++) {
		const char *other = row->fields[i].name, *name = field_last_name(&row->fields[i]);

		if (row->fields[i].kind != FIELD_NUMBER || (size_t)(name - other) != folder ||
			strncmp(path, other, folder))
			continue;
		if (any ? scan_word_number("nr depth n stack_sz stack_size stack_len stack_depth "
					   "nr_frames nr_ips num_ips",
				  scan_of(name)) >= 0
			: names_length_of(scan_of(name), base))
			return i;
	}
	return ROLE_NO_FIELD;
}

static bool is_inline(const struct row *row, size_t field)
{
	return field != ROLE_NO_FIELD && row->fields[field].kind != FIELD_NUMBER;
}

void stack_lengths_name(const struct row *row, struct roles *roles)
{
	size_t given = roles->field[ROLE_LENGTH];
	int inlines = 0;

	stack_role_each(role)
		inlines += is_inline(row, roles->field[role]);
	stack_role_each(role) {
		size_t field = roles->field[role], *length = &roles->length[role];

		if (!is_inline(row, field))
			continue;
		*length = inlines == 1 && given != ROLE_NO_FIELD ? given
								 : length_field(row, field, false);
		if (*length == ROLE_NO_FIELD)
			*length = inlines == 1 ? length_field(row, field, true) : given;
	}
}

/*
 * Returns the evidence that NUMBER is the length of STACK. The kernel fills the rest of the array
 * with zeros.
 */
static enum length_evidence compare(const struct field *stack, const struct field *number)
{
	size_t slot = stack->kind == FIELD_BYTES && stack->width ? stack->width : sizeof(uint64_t);
	size_t used = stack->len;
	int64_t length = field_stack_id(number);

	while (used && !stack->bytes[used - 1])
		used--;
	used = (used + slot - 1) / slot * slot;
	if (length <= 0)
		return used ? LENGTH_REFUTED : LENGTH_FITS;
	if ((uint64_t)length == used)
		return LENGTH_FITS;
	return (uint64_t)length % slot || (uint64_t)length > stack->len ? LENGTH_REFUTED
									: LENGTH_OPEN;
}

/*
 * Returns the best evidence that FIELD is the length of one of the inline stacks that have no other
 * length. RET_STACK is that stack; it is not set if the result is LENGTH_UNASKED.
 */
static enum length_evidence compare_all(
	const struct row *row, const struct roles *roles, size_t field, enum role *ret_stack)
{
	enum length_evidence best = LENGTH_UNASKED;

	stack_role_each(role) {
		size_t stack = roles->field[role], length = roles->length[role];

		if (!is_inline(row, stack) || (length != ROLE_NO_FIELD && length != field))
			continue;
		enum length_evidence evidence = compare(&row->fields[stack], &row->fields[field]);
		if (evidence <= best)
			continue;
		best = evidence;
		*ret_stack = role;
	}
	return best;
}

/* Returns true if the name of FIELD suits both a stack's length and a weight. */
static bool is_length_or_weight(const struct row *row, size_t field)
{
	return field != ROLE_NO_FIELD &&
	       scan_word_number("size sz bytes nbytes len length",
		       scan_of(field_last_name(&row->fields[field]))) >= 0;
}

void stack_length_find(const struct row *row, struct roles *roles)
{
	size_t weight = roles->field[ROLE_WEIGHT];
	enum role stack;

	if (!is_length_or_weight(row, weight) ||
		compare_all(row, roles, weight, &stack) != LENGTH_FITS)
		return;
	roles->field[ROLE_LENGTH] = roles->length[stack] = weight;
	roles->field[ROLE_WEIGHT] = ROLE_NO_FIELD;
}

size_t stack_length_rival(const struct row *row, const struct roles *roles, size_t *seen)
{
	size_t field = roles->field[ROLE_LENGTH], weight = roles->field[ROLE_WEIGHT];
	bool found = field != ROLE_NO_FIELD;
	enum role stack;

	if (!found && is_length_or_weight(row, weight))
		field = weight;
	seen[field == ROLE_NO_FIELD ? LENGTH_UNASKED : compare_all(row, roles, field, &stack)]++;
	if (seen[LENGTH_UNASKED] || !roles->weighed_by_name)
		return ROLE_NO_FIELD;
	bool open = found ? seen[LENGTH_REFUTED] || seen[LENGTH_OPEN] > seen[LENGTH_FITS]
			  : !seen[LENGTH_REFUTED] && seen[LENGTH_OPEN];
	return open ? field : ROLE_NO_FIELD;
}
