// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/samples.h"

#include "input/lists/addresses.h"
#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"

static const char magic[] = "stack2line-portable ";

enum { VERSION = 1 };

struct portable_line {
	struct sample sample;
	struct slots user, kernel;
	struct text comm, boot_id;
	bool exact;
};

static void portable_deinit(struct portable_line *portable)
{
	slots_deinit(&portable->user);
	slots_deinit(&portable->kernel);
	text_deinit(&portable->comm);
	text_deinit(&portable->boot_id);
}

bool portable_starts(struct scan line)
{
	return scan_starts(line, magic);
}

static bool whole_number(struct scan s, uint64_t *ret)
{
	return scan_number(&s, ret) && !scan_left(&s);
}

static bool parse_pid(struct scan s, int64_t *ret)
{
	uint64_t pid;

	if (!whole_number(s, &pid) || pid > INT32_MAX)
		return false;
	*ret = (int64_t)pid;
	return true;
}

static bool parse_string(struct scan s, struct text *ret)
{
	text_clear(ret);
	for (; scan_left(&s); s.at++) {
		char c = *s.at;

		if (c == '%') {
			if (scan_left(&s) < 3 || scan_hex_digit(s.at[1]) < 0 ||
				scan_hex_digit(s.at[2]) < 0)
				return false;
			c = (char)(scan_hex_digit(s.at[1]) << 4 | scan_hex_digit(s.at[2]));
			s.at += 2;
		}
		if (!c)
			return false;
		text_add_char(ret, c);
	}
	return true;
}

/* Reads BUILDID+0xOFFSET or 0xADDRESS. */
static bool parse_slot(struct scan s, struct slots *slots)
{
	struct stack_origin origin = {};
	const char *plus = scan_first(s, '+');
	uint64_t value;

	if (plus) {
		if (!build_id_parse(s.at, (size_t)(plus - s.at), &origin.build_id))
			return false;
		s.at = plus + 1;
	}
	if (!scan_prefixed_hex(&s, &value) || scan_left(&s))
		return false;
	slots_add(slots, value, origin);
	return true;
}

/* Reads a state, such as lost-error:-22. */
static bool parse_state(struct scan s, struct stack *ret)
{
	for (enum stack_state state = STACK_ABSENT; state < STACK_STATE_COUNT; state++) {
		struct scan at = s;
		uint64_t error = 0;

		if (state == STACK_PRESENT || !scan_literal(&at, stack_state_words[state].key))
			continue;
		if (scan_char(&at, ':') && !scan_number(&at, &error))
			continue;
		if (scan_left(&at))
			continue;
		ret->state = state;
		ret->error = (int32_t)error;
		return true;
	}
	return false;
}

static bool parse_stack(struct scan s, struct slots *slots, struct stack *ret)
{
	bool truncated = false;

	slots_clear(slots);
	*ret = (struct stack){.id = -1};
	if (scan_char(&s, '!'))
		return parse_state(s, ret);
	while (scan_left(&s)) {
		struct scan slot;
		bool last = !scan_to(&s, ';', &slot);

		if (last && scan_equals(slot, "~"))
			truncated = true;
		else if (!parse_slot(slot, slots))
			return false;
	}
	*ret = slots_stack(slots, slots->values.len);
	ret->truncated = truncated;
	return true;
}

static bool parse_field(struct portable_line *portable, struct scan s)
{
	struct sample *sample = &portable->sample;
	uint64_t exact;

	if (scan_literal(&s, "user="))
		return parse_stack(s, &portable->user, &sample->user);
	if (scan_literal(&s, "kernel="))
		return parse_stack(s, &portable->kernel, &sample->kernel);
	if (scan_literal(&s, "pid="))
		return parse_pid(s, &sample->pid);
	if (scan_literal(&s, "tid="))
		return parse_pid(s, &sample->tid);
	if (scan_literal(&s, "weight="))
		return whole_number(s, &sample->weight);
	if (scan_literal(&s, "time="))
		return whole_number(s, &sample->time);
	if (scan_literal(&s, "comm="))
		return parse_string(s, &portable->comm);
	if (scan_literal(&s, "boot="))
		return parse_string(s, &portable->boot_id);
	if (scan_literal(&s, "exact=")) {
		portable->exact = whole_number(s, &exact) && exact;
		return true;
	}
	return scan_first(s, '=');
}

/* Returns NULL, or what is wrong with the line (a constant). */
static const char *parse_line(
	struct portable_line *portable, struct scan s, const struct boot *boot)
{
	struct sample *sample = &portable->sample;
	uint64_t version;
	struct scan word;

	if (!scan_literal(&s, magic) || !scan_decimal(&s, &version) || version != VERSION)
		return "their version is not supported";
	for (scan_blanks(&s); scan_word(&s, &word); scan_blanks(&s))
		if (!parse_field(portable, word))
			return "a field is malformed";
	sample->user.exact = sample->kernel.exact = portable->exact;
	sample->comm = portable->comm.len ? portable->comm.data : NULL;
	sample->boot_id =
		boot_of_sample(boot, portable->boot_id.len ? portable->boot_id.data : NULL);
	return NULL;
}

struct error *portable_line(struct collector *collector, struct log *log, const struct boot *boot,
	const char *line, size_t len, const char *position)
{
	scope_guard(portable_deinit) struct portable_line portable = {
		.sample = {.pid = -1, .tid = -1, .weight = 1, .position = position}};

	portable.sample.user.id = portable.sample.kernel.id = -1;
	const char *problem = parse_line(&portable, (struct scan){line, line + len}, boot);
	if (!problem)
		return collector_sample(collector, &portable.sample);
	collector_refuse(collector);
	log_add(log, LOG_WARNING, 1, "a portable stack is skipped: %s", problem);
	return NULL;
}
