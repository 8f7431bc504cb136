// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/recording_row.h"

#include <inttypes.h>

#include "util/number.h"
#include "util/sort.h"

enum { PAGE_BITS = 12, WORD_BITS = 64 };

static const struct row_form forms[] = {
	[ROW_PROC] = {"proc", "ddddd", true},
	[ROW_FORK] = {"fork", "ddd", false},
	[ROW_THREAD] = {"thread", "ddd", false},
	[ROW_EXEC] = {"exec", "dd", true},
	[ROW_COMM] = {"comm", "dd", true},
	[ROW_MAP] = {"map", "ddpepd", false},
	[ROW_NS] = {"ns", "ddd", false},
	[ROW_ROOT] = {"root", "dd", true},
	[ROW_EXIT] = {"exit", "dd", false},
	[ROW_PID] = {"pid", "dddd", false},
	[ROW_KEPT] = {"kept", "dddpepd", true},
	[ROW_JIT] = {"jit", "ddxx", true},
	[ROW_JITMADE] = {"jitmade", "ddxx", true},
	[ROW_JITLOOK] = {"jitlook", "dd", false},
	[ROW_JITLINE] = {"jitline", "ddxdd", true},
	[ROW_HOST] = {"host", "", true},
	[ROW_BEGIN] = {"begin", "ddd", false},
	[ROW_END] = {"end", "d", false},
	[ROW_CONTINUES] = {"continues", "d", false},
	[ROW_LOST] = {"lost", "ddd", false},
	[ROW_ONLY] = {"only", "", true},
	[ROW_KEEPS] = {"keeps", "", true},
	[ROW_KBUILD] = {"kbuild", "", true},
	[ROW_KSYM] = {"ksym", "", true},
	[ROW_MODULE] = {"module", "", true},
	[ROW_KSECT] = {"ksect", "", true},
	[ROW_BPF] = {"bpf", "dxx", true},
	[ROW_BPFLINE] = {"bpfline", "xdd", true},
	[ROW_BPFGONE] = {"bpfgone", "dx", false},
	[ROW_BPFLOST] = {"bpflost", "dd", false},
	[ROW_VDSO] = {"vdso", "", true},
	[ROW_MOUNTS] = {"mounts", "d", false},
	[ROW_MOUNT] = {"mount", "d", true},
	[ROW_FILE] = {"file", "dxxddddd", true},
};

const struct row_form *row_form(enum row_kind kind)
{
	return &forms[kind];
}

enum row_kind row_class(enum row_kind kind)
{
	return kind <= ROW_EXIT ? ROW_EXIT : kind >= ROW_JIT ? ROW_JIT : kind;
}

/* Rotates right by BITS, which makes multiples of the page size small. */
static uint64_t turn(uint64_t number, unsigned int bits)
{
	return number >> bits | number << (WORD_BITS - bits);
}

static bool is_turned(char form)
{
	return form == 'e' || form == 'p';
}

/* Returns the number to which number I of a row of KIND is the difference. */
static uint64_t *last_of(struct row_state *state, enum row_kind kind, size_t i)
{
	return &state->last[kind < ROW_SYSTEM && i < 2 ? 0 : kind][i];
}

void row_add(struct text *bytes, struct row_state *state, const struct recorded_row *row)
{
	const struct row_form *form = &forms[row->kind];

	text_add_char(bytes, (char)row->kind);
	for (size_t i = 0; form->numbers[i]; i++) {
		uint64_t number = row->numbers[i], *last = last_of(state, row->kind, i);

		if (form->numbers[i] == 'e')
			number -= row->numbers[i - 1];
		if (is_turned(form->numbers[i]))
			number = turn(number, PAGE_BITS);
		varint_add_signed(bytes, number - *last);
		*last = number;
	}
	if (!form->has_text)
		return;
	varint_add(bytes, scan_left(&row->text));
	text_add_scan(bytes, row->text);
}

bool rows_next(struct rows *rows, struct recorded_row *ret)
{
	struct scan bytes = rows->bytes;
	uint64_t number;

	if (!scan_left(&bytes))
		return false;
	unsigned char kind = (unsigned char)*bytes.at++;
	*ret = (struct recorded_row){.kind = kind, .text = {bytes.at, bytes.at}};
	if (kind >= ROW_KINDS)
		return false;
	const struct row_form *form = &forms[kind];
	for (size_t i = 0; form->numbers[i]; i++) {
		if (!varint_read_signed(&bytes, &number))
			return false;
		number = *last_of(&rows->state, ret->kind, i) += number;
		if (is_turned(form->numbers[i]))
			number = turn(number, WORD_BITS - PAGE_BITS);
		ret->numbers[i] = number + (form->numbers[i] == 'e' ? ret->numbers[i - 1] : 0);
	}
	if (form->has_text) {
		if (!varint_read(&bytes, &number) || number > scan_left(&bytes))
			return false;
		ret->text = (struct scan){bytes.at, bytes.at + number};
		bytes.at += number;
	}
	rows->bytes = bytes;
	return true;
}

void row_print(struct text *text, const struct recorded_row *row)
{
	const struct row_form *form = &forms[row->kind];

	text_add_string(text, form->word);
	for (size_t i = 0; form->numbers[i]; i++)
		text_printf(
			text, form->numbers[i] == 'd' ? " %" PRIu64 : " %" PRIx64, row->numbers[i]);
	if (form->has_text)
		text_add_char(text, ' ');
	for (const char *p = row->text.at; p < row->text.end; p++)
		if (*p < ' ' || *p > '~' || *p == '%')
			text_printf(text, "%%%02x", (unsigned char)*p);
		else
			text_add_char(text, *p);
	text_add_char(text, '\n');
}

/* ---- losses ---------------------------------------------------------------------------------- */

COMPARE(compare_losses, struct recorded_loss, order_of(a->since, b->since))

void recorded_losses_order(struct recorded_losses *losses)
{
	struct recorded_loss *all = losses->data;
	size_t n = 0;

	vec_sort(losses, compare_losses);
	for (size_t i = 0; i < losses->len; i++) {
		if (!n || all[i].since > all[n - 1].until)
			all[n++] = all[i];
		else if (all[i].until > all[n - 1].until)
			all[n - 1].until = all[i].until;
	}
	losses->len = n;
}

bool recorded_losses_between(const struct recorded_losses *losses, uint64_t begin, uint64_t end)
{
	size_t at = sorted_count(losses->data, losses->len, .until <= begin);

	return at < losses->len && losses->data[at].since < end;
}
