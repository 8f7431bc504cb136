// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_owner.h"

#include <string.h>

#include "input/text/perf_script.h"

#define KERNEL_START 0xff00000000000000ULL

const struct frame_owner frame_owner_unknown = {.pid = -1, .tid = -1};

static void set_comm(struct frame_owner *owner, struct scan comm)
{
	size_t len = scan_left(&comm);

	if (len && len <= OWNER_COMM_MAX)
		memcpy(owner->comm, comm.at, len);
}

static void read_perf(struct scan line, struct frame_owner *ret)
{
	struct perf_header header;

	if (!perf_header_parse(line, &header))
		return;
	*ret = (struct frame_owner){
		.pid = header.has_pid ? header.pid : -1, .tid = header.tid, .time = header.time};
	set_comm(ret, header.comm);
}

/* `(LWP 24987) "worker"):`, without the comm in older ones */
static void read_gdb(struct scan line, struct frame_owner *ret)
{
	static const char lwp[] = "(LWP ";
	const char *at = scan_find(line, lwp);
	uint64_t tid;

	if (!at || !scan_starts(line, "Thread "))
		return;
	line.at = at + strlen(lwp);
	if (!scan_decimal(&line, &tid) || tid > INT32_MAX || !scan_char(&line, ')'))
		return;
	ret->tid = (int64_t)tid;
	const char *end = scan_last(line, '"');
	if (scan_literal(&line, " \"") && end >= line.at)
		set_comm(ret, (struct scan){line.at, end});
}

static void read_eu_stack(struct scan line, struct frame_owner *ret)
{
	uint64_t tid;

	if (scan_literal(&line, "TID ") && scan_decimal(&line, &tid) && tid <= INT32_MAX &&
		scan_equals(line, ":"))
		ret->tid = (int64_t)tid;
}

static bool is_in_stack(struct scan line)
{
	return scan_starts(line, " ") || scan_starts(line, "\t") || scan_starts(line, "#");
}

/* The line that ends at END, with its newline. */
static struct scan line_before(const char *from, const char *end)
{
	const char *newline = end - 1 > from ? memrchr(from, '\n', (size_t)(end - 1 - from)) : NULL;
	struct scan line = {newline ? newline + 1 : from, end - 1};

	line.end -= scan_left(&line) && line.end[-1] == '\r';
	return line;
}

static bool is_kernel(struct scan line)
{
	uint64_t address;

	scan_blanks(&line);
	return scan_hex(&line, &address) && address >= KERNEL_START;
}

void frame_lines_pass(struct frame_lines *lines, const char *from, const char *end)
{
	const char *at = end;
	struct scan line = {end, end};

	while (at > from) {
		line = line_before(from, at);
		if (at == end)
			lines->leaf_next = !is_in_stack(line) || is_kernel(line);
		at = line.at;
		if (!is_in_stack(line))
			break;
	}
	if (end == from || is_in_stack(line))
		return;
	lines->len = scan_left(&line) <= sizeof(lines->above) ? scan_left(&line) : 0;
	memcpy(lines->above, line.at, lines->len);
}

static void read_owner(struct scan line, enum text_frame_form form, struct frame_owner *ret)
{
	*ret = frame_owner_unknown;
	if (form == TEXT_PERF)
		read_perf(line, ret);
	else if (form == TEXT_GDB)
		read_gdb(line, ret);
	else if (form == TEXT_EU_STACK)
		read_eu_stack(line, ret);
}

void frame_owner_find(const struct frame_lines *lines, const char *from, const char *line,
	const char *last, const struct frame_owner *before, struct text_frame *frame,
	struct frame_owner *ret)
{
	struct scan above = {line, line};
	bool in_stack = true, leaf = lines->leaf_next, same = false;

	for (const char *at = line; at > from && in_stack && !same; at = above.at) {
		above = line_before(from, at);
		in_stack = is_in_stack(above);
		same = in_stack && above.at == last;
		if (at == line)
			leaf = !in_stack || is_kernel(above);
	}
	/* Of bpftrace, too, whose stacks are indented; else nobody knows where an address alone is from. */
	frame->exact |=
		leaf && (frame->form == TEXT_PERF ||
				((frame->form == TEXT_ALONE || frame->form == TEXT_BUILD_ID) &&
					(*line == ' ' || *line == '\t')));
	if (in_stack)
		above = (struct scan){lines->above, lines->above + lines->len};
	if (same)
		*ret = *before;
	else
		read_owner(above, frame->form, ret);
}
