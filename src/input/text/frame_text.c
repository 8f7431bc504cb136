// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_text.h"

#include <string.h>

#include "util/file.h"
#include "util/vec.h"

#define KERNEL_START 0xff00000000000000ULL

enum { MODULES_MAX = 4096 /* modules of crash reports; all are forgotten at this limit */ };

/* ---- frames ---------------------------------------------------------------------------------- */

/* Returns the name in S without blanks, or an empty one if S stands for no name. */
static struct scan name_of(struct scan s)
{
	static const char *const none[] = {"??", "???", "n/a", "<null>", "[unknown]"};

	s = s.at ? scan_trimmed(s) : s;
	return scan_is_one_of(s, none, array_len(none)) ? (struct scan){} : s;
}

/* Returns what MATCH says about the thread of a stack. */
static struct frame_owner owner_of(const struct pattern_match *match)
{
	struct scan time = match->groups[GROUP_TIME], comm = match->groups[GROUP_COMM];
	struct frame_owner owner = {
		.pid = match_decimal(match, GROUP_PID), .tid = match_decimal(match, GROUP_TID)};

	if (time.at)
		(void)scan_seconds(&time, &owner.time);
	if (scan_left(&comm) <= OWNER_COMM_MAX && comm.at)
		memcpy(owner.comm, comm.at, scan_left(&comm));
	return owner;
}

/*
 * Sets the value of FRAME and what it counts from. Returns false if the numbers are contradictory,
 * or if the symbol or object is missing that they count from.
 */
static bool set_value(const struct pattern_match *match, struct text_frame *frame)
{
	struct stack_file *file = &frame->file;
	uint64_t start;

	if (match_hex(match, GROUP_START, &start) &&
		(frame->address < start || frame->address - start >= file->size))
		return false;
	if (match_hex(match, GROUP_LOAD_OFFSET, &frame->value)) {
		file->base = STACK_FILE_LOADED;
	} else if (match_hex(match, GROUP_FILE_OFFSET, &frame->value)) {
		file->base = frame->form == TEXT_PERF ? STACK_FILE_OFFSET : STACK_FILE_START;
	} else if (match_has(match, GROUP_START)) {
		file->base = STACK_FILE_MAPPED;
		frame->value = frame->address - start;
	} else if (match_hex(match, GROUP_OFFSET, &frame->value)) {
		file->symbol = frame->symbol;
		return file->symbol && (!match_has(match, GROUP_SIZE) ||
					       (file->size && frame->value <= file->size));
	} else {
		file->base = STACK_FILE_ADDRESS;
		frame->value = frame->address;
		return true;
	}
	return file->path || file->build_id.len;
}

static const char *copy(struct arena *memory, struct scan s)
{
	return scan_left(&s) ? arena_copy(memory, s.at, scan_left(&s)) : NULL;
}

static bool make_frame(const struct form_match *form, struct arena *memory, struct text_frame *ret)
{
	const struct pattern_match *match = &form->match;
	struct scan id = match->groups[GROUP_BUILD_ID];
	struct scan object =
		match->groups[match_has(match, GROUP_MODULE) ? GROUP_MODULE : GROUP_OBJECT];

	*ret = (struct text_frame){.form = form->form->form,
		.text = match->all,
		.symbol = copy(memory, name_of(match->groups[GROUP_SYMBOL])),
		.file = {.path = copy(memory, object),
			.sure = match_has(match, GROUP_SURE),
			.searched = true},
		.pid = match_decimal(match, GROUP_PID),
		.owner = owner_of(match),
		.unreliable = match_has(match, GROUP_UNRELIABLE)};
	(void)match_hex(match, GROUP_SIZE, &ret->file.size);
	(void)match_hex(match, GROUP_ADDRESS, &ret->address);
	if ((id.at && !build_id_parse(id.at, scan_left(&id), &ret->file.build_id)) ||
		!set_value(match, ret))
		return false;
	/* a user's form with a symbol but no object is for the kernel */
	if (ret->form == TEXT_OWN && ret->file.symbol && !scan_left(&match->groups[GROUP_OBJECT]))
		ret->form = TEXT_KERNEL;
	if (ret->form == TEXT_KERNEL) {
		ret->file.module = ret->file.path ?: "";
		ret->file.path = NULL;
	}
	/* in the kernel, no return address is at the start of a function */
	ret->exact = match_has(match, GROUP_EXACT) || (ret->form == TEXT_KERNEL && !ret->value);
	return true;
}

bool frame_text_next(struct forms *forms, struct arena *memory, struct text_frame *ret)
{
	struct form_match form;

	while (forms_next(forms, &form))
		if (make_frame(&form, memory, ret) && !forms_has_line(forms, form.match.all.end))
			return true;
	return false;
}

/* ---- lines before frames --------------------------------------------------------------------- */

static void add_module(struct frame_context *context, const struct pattern_match *match)
{
	struct scan name = match->groups[GROUP_OBJECT], id = match->groups[GROUP_BUILD_ID];
	struct build_id parsed;

	if (!build_id_parse(id.at, scan_left(&id), &parsed))
		return;
	if (context->ids.len >= MODULES_MAX) {
		table_clear(&context->modules);
		context->ids.len = 0;
	}
	*vec_keyed(&context->ids, &context->modules, name.at, scan_left(&name)) = parsed;
}

/* Sets the build ID of FILE, if an earlier line has it. */
static void find_module(const struct frame_context *context, struct stack_file *file)
{
	const char *name = file_base_name(file->path ?: "");
	const uint64_t *index = table_find(&context->modules, name, strlen(name));

	if (index)
		file->build_id = context->ids.data[*index];
}

void frame_context_line(struct frame_context *context, struct scan line)
{
	struct pattern_match match;
	enum line_act act;

	if (!blocks_line(context->blocks, TOOL_LOG, line, &act, &match))
		return;
	if (match_has(&match, GROUP_BUILD_ID))
		add_module(context, &match);
	else if (match_has(&match, GROUP_EXACT))
		context->exact = true;
	else if (context->release)
		context->other_kernel = !scan_equals(match.groups[GROUP_REST], context->release);
}

/* ---- the line above a stack ------------------------------------------------------------------ */

static bool is_in_stack(struct scan line)
{
	return scan_left(&line) && memchr(" \t#", *line.at, 3);
}

/* Returns, without its newline, the line whose newline ends at END. FROM: start of all lines. */
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

bool frame_context_look_back(struct frame_context *context, const char *line)
{
	for (const char *at = line; at > context->from;) {
		struct scan above = line_before(context->from, at);
		bool in_stack = is_in_stack(above);

		if (at == line)
			context->leaf = !in_stack || is_kernel(above);
		if (in_stack && above.at == context->line)
			return true;
		if (!in_stack) {
			context->len =
				scan_left(&above) <= sizeof(context->above) ? scan_left(&above) : 0;
			memcpy(context->above, above.at, context->len);
			return false;
		}
		at = above.at;
	}
	return false;
}

/* Returns the owner named above the stack, if the tool that prints FORM prints such a head. */
static struct frame_owner read_owner(struct frame_context *context, enum text_frame_form form)
{
	enum block_tool tool = form == TEXT_PERF       ? TOOL_PERF
			       : form == TEXT_GDB      ? TOOL_GDB
			       : form == TEXT_EU_STACK ? TOOL_EU_STACK
						       : TOOLS;
	struct scan above = {context->above, context->above + context->len};
	struct pattern_match match;
	enum line_act act;

	if (tool == TOOLS || !blocks_line(context->blocks, tool, above, &act, &match) ||
		act != LINE_HEAD)
		match = (struct pattern_match){};
	return owner_of(&match);
}

/*
 * Sets the owner of FRAME, and marks FRAME as exact if it is the leaf of its stack. Does nothing if
 * the owner is known, or if VALUE is neither an address nor printed by perf or with a build ID.
 */
static void find_owner(struct frame_context *context, const char *line, struct text_frame *frame)
{
	bool bare = frame->form == TEXT_ALONE || frame->form == TEXT_BUILD_ID;

	if (frame->owner.tid >= 0 ||
		(frame->file.base != STACK_FILE_ADDRESS && frame->form != TEXT_PERF &&
			frame->form != TEXT_BUILD_ID))
		return;
	if (context->line != line) {
		if (!frame_context_look_back(context, line))
			context->owner = read_owner(context, frame->form);
		/*
		 * Leaves printed by perf are exact, and so are those of bpftrace, whose stacks are
		 * indented. The origin of other bare addresses is unknown.
		 */
		frame->exact |= context->leaf &&
				(frame->form == TEXT_PERF || (bare && memchr(" \t", *line, 2)));
	}
	frame->owner = context->owner;
	context->line = line;
}

/* ---- the context ----------------------------------------------------------------------------- */

void frame_context_deinit(struct frame_context *context)
{
	table_deinit(&context->modules);
	vec_deinit(&context->ids);
}

void frame_context_apply(struct frame_context *context, const char *line, struct text_frame *frame)
{
	if (context->exact && (frame->form == TEXT_JAVA || frame->form == TEXT_GDB))
		frame->exact = true;
	context->exact = false;
	if (frame->form == TEXT_SYSTEMD && !frame->file.build_id.len)
		find_module(context, &frame->file);
	find_owner(context, line, frame);
}
