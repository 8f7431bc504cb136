// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/text_stack.h"

#include <inttypes.h>

#include "util/file.h"
#include "util/text.h"

/*
 * Limits of the lines that are kept: bytes of a line, and of what it is parsed into. The lines
 * themselves take about as much memory again.
 */
enum { KEPT_LINE_MAX = 1 << 10, KEPT_MAX = 32 << 20 };

struct kept_line {
	enum line_act act; /* LINE_FRAME or LINE_SOURCE_LINE */
	struct tool_frame frame;
};

static void forget_lines(struct text_stack *stack)
{
	array_each(lines, stack->lines, TOOLS)
		table_deinit(lines);
	arena_deinit(&stack->kept);
}

void text_stack_deinit(struct text_stack *stack)
{
	array_each(side, stack->sides, array_len(stack->sides)) {
		slots_deinit(&side->all);
		vec_deinit(&side->open);
	}
	vec_deinit(&stack->frames);
	arena_deinit(&stack->memory);
	forget_lines(stack);
}

static void clear_sides(struct text_stack *stack)
{
	array_each(side, stack->sides, array_len(stack->sides)) {
		slots_clear(&side->all);
		side->open.len = side->left_out = 0;
	}
}

void text_stack_clear(struct text_stack *stack)
{
	clear_sides(stack);
	stack->frames.len = 0;
	arena_clear(&stack->memory);
	if (stack->kept.bytes > KEPT_MAX)
		forget_lines(stack);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static const char *copy(struct arena *memory, struct scan s)
{
	return scan_left(&s) ? name_limit_copy(memory, s.at, scan_left(&s)) : NULL;
}

/* Returns the frame that MATCH describes, with its strings in MEMORY. */
static struct tool_frame make_frame(struct arena *memory, const struct pattern_match *match)
{
	const struct scan *groups = match->groups;
	struct scan decimal = groups[GROUP_DECIMAL], id = groups[GROUP_BUILD_ID];
	struct scan object = groups[match_has(match, GROUP_MODULE) ? GROUP_MODULE : GROUP_OBJECT];
	int64_t line = match_decimal(match, GROUP_LINE);
	struct tool_frame frame = {.name = copy(memory, groups[GROUP_SYMBOL]),
		.object = scan_starts(object, "[kernel.") ? "[kernel]"
			  : scan_first(object, '\0')	  ? NULL
							  : copy(memory, object),
		.inlined = match_has(match, GROUP_INLINED),
		.kernel = match_has(match, GROUP_MODULE),
		.side_by_name = match_has(match, GROUP_IN_KERNEL) ? SIDE_KERNEL
				: match_has(match, GROUP_IN_USER) ? SIDE_USER
								  : SIDE_UNKNOWN};

	frame.has_address = match_hex(match, GROUP_ADDRESS, &frame.address);
	frame.has_offset = match_hex(match, GROUP_OFFSET, &frame.offset) ||
			   (decimal.at && scan_decimal(&decimal, &frame.offset));
	if (line > 0) {
		frame.file = copy(memory, groups[GROUP_FILE]);
		frame.line = (uint32_t)line;
	}
	if (id.at)
		(void)build_id_parse(id.at, scan_left(&id), &frame.build_id);
	/* A file offset equal to the address, as for a program at a fixed address, adds nothing. */
	frame.has_file_offset = match_hex(match, GROUP_FILE_OFFSET, &frame.file_offset) &&
				!(frame.has_address && frame.file_offset == frame.address);
	return frame;
}

enum line_act text_stack_line(struct text_stack *stack, enum block_tool tool, struct scan line,
	struct tool_frame *frame_ret, struct pattern_match *match_ret)
{
	struct table *lines = &stack->lines[tool];
	const size_t len = scan_left(&line);
	const bool keeps = len <= KEPT_LINE_MAX;
	const uint64_t *known = keeps ? table_find(lines, line.at, len) : NULL;

	if (known) {
		const struct kept_line *kept = (const void *)(uintptr_t)*known;

		*frame_ret = kept->frame;
		return kept->act;
	}
	const enum line_act act = blocks_line(stack->blocks, tool, line, match_ret);
	if (act != LINE_FRAME && act != LINE_SOURCE_LINE)
		return act;
	*frame_ret = make_frame(keeps ? &stack->kept : &stack->memory, match_ret);
	if (keeps) {
		const struct kept_line kept = {act, *frame_ret};

		*table_at(lines, line.at, len, NULL) =
			(uintptr_t)arena_clone(&stack->kept, &kept, sizeof(kept));
	}
	return act;
}

struct stack text_stack_addresses(
	struct text_stack *stack, const struct tool_frame *frames, size_t n, bool *unnamed_ret)
{
	uint64_t *values = arena_alloc(&stack->memory, (n + 1) * sizeof(*values));
	struct stack ret = {.id = -1, .values = values};

	array_each(frame, frames, n) {
		if (!frame->address || (frame->build_id.len && !frame->name))
			continue;
		values[ret.depth++] = frame->address;
		if (unnamed_ret)
			*unnamed_ret |= !frame->name;
	}
	ret.state = ret.depth ? STACK_PRESENT : STACK_ABSENT;
	return ret;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/*
 * Adds FRAME, the last frame in OPEN, with the others there, which are inlined into it. VALUE and
 * ORIGIN are its slot. Empties OPEN.
 */
static void add_location(struct text_stack *stack, struct text_slots *slots,
	const struct tool_frame *frame, uint64_t value, struct stack_origin origin)
{
	struct location *location = arena_alloc(&stack->memory, sizeof(*location));
	size_t n = slots->open.len, size = n * sizeof(struct frame);
	struct frame *frames = arena_alloc(&stack->memory, size);
	bool named = slots->open.data[n - 1].function != NULL;
	struct scan name = scan_of(frame->name ?: "");

	memcpy(frames, slots->open.data, size);
	slots->open.len = 0;
	*location = (struct location){.kind = frame->kernel ? LOCATION_KERNEL : LOCATION_USER,
		.status = named		       ? FRAME_NAMED
			  : frame->has_address ? FRAME_NO_PID
					       : FRAME_NO_ADDRESS,
		.source = named ? stack->source : SOURCE_NONE,
		.address = frame->address,
		.has_address = frame->has_address,
		.file_offset = frame->file_offset,
		.has_file_offset = frame->has_file_offset && !frame->maybe_address,
		.frames = frames,
		.n_frames = n};
	if (frame->object || frame->build_id.len) {
		const struct frame_object object = {.path = frame->object,
			.name = frame->object ? file_base_name(frame->object) : NULL,
			.build_id = frame->build_id};

		location->object = arena_clone(&stack->memory, &object, sizeof(object));
	}
	/*
	 * A call at the end of a function returns to the start of the next one, where the tool
	 * looked it up. Signal handlers do return to the start of a function.
	 */
	if (slots->all.values.len && frame->has_offset && !frame->offset && !frame->inlined &&
		!scan_starts(name, "__restore_rt") && !scan_starts(name, "__kernel_rt_sigreturn")) {
		location->doubtful = true;
		location->detail = "a return address at the start of a function: the call may be "
				   "at the end of the function before";
	}
	slots_add_known(&slots->all, value, origin, location);
}

void text_stack_add(struct text_stack *stack, const struct tool_frame *frame)
{
	struct text_slots *slots = &stack->sides[frame->kernel];
	struct stack_origin origin = {};
	uint64_t value = frame->address;
	bool is_path = frame->object && *frame->object == '/';
	bool named = slots->open.len || frame->inlined || frame->name;

	if (slots->all.values.len + slots->open.len >= TEXT_STACK_FRAMES_MAX) {
		slots->left_out++;
		return;
	}
	/* a name alone: most frames of folded stacks */
	if (frame->name && !slots->open.len && !frame->object && !frame->file &&
		!frame->build_id.len && !frame->has_address && !frame->has_offset &&
		!frame->has_file_offset && !frame->inlined) {
		slots_add_known(&slots->all, 0, origin,
			collector_name(stack->dump->collector,
				frame->kernel ? LOCATION_KERNEL : LOCATION_USER, stack->source,
				frame->name));
		return;
	}
	bool in_file = !named && frame->has_file_offset && (frame->build_id.len || is_path);
	if (in_file) {
		const struct stack_file file = {.path = frame->object,
			.sure = !frame->maybe_address,
			.base = STACK_FILE_OFFSET};

		value = frame->file_offset;
		if (frame->build_id.len)
			origin.build_id = frame->build_id;
		else
			origin.file = arena_clone(&stack->memory, &file, sizeof(file));
	}
	/* an address with a path needs a location: it keeps the path if resolving fails */
	if (in_file || (!named && frame->has_address && !is_path)) {
		slots_add_known(&slots->all, value, origin, NULL);
		return;
	}
	vec_push(&slots->open, (struct frame){.function = frame->name,
				       .offset = frame->offset,
				       .has_offset = frame->has_offset,
				       .inlined = frame->inlined,
				       .file = frame->file,
				       .line = frame->line});
	if (!frame->inlined)
		add_location(stack, slots, frame, value, origin);
}

static struct stack make_stack(struct text_stack *stack, bool kernel)
{
	struct text_slots *slots = &stack->sides[kernel];
	const struct slots *all = &slots->all;
	const struct tool_frame host = {.kernel = kernel};

	/* if the function around inlined frames is missing, take the outermost one for it */
	if (slots->open.len) {
		vec_last(&slots->open)->inlined = false;
		add_location(stack, slots, &host, 0, (struct stack_origin){});
	}
	size_t depth = all->values.len;
	while (depth && !all->values.data[depth - 1] && !all->known.data[depth - 1] &&
		!all->origins.data[depth - 1].build_id.len && !all->origins.data[depth - 1].file)
		depth--;
	struct stack ret = slots_stack(all, depth);
	ret.truncated = slots->left_out > 0;
	return ret;
}

struct error *text_stack_give(struct text_stack *stack, struct sample *sample)
{
	struct dump *dump = stack->dump;
	uint64_t left_out = stack->sides[0].left_out + stack->sides[1].left_out;

	if (left_out)
		dump_warn(dump,
			"%s: a stack of more than %d frames: the rest (%" PRIu64
			", towards its root) is left out",
			sample->position, TEXT_STACK_FRAMES_MAX, left_out);
	sample->user = make_stack(stack, false);
	sample->kernel = make_stack(stack, true);
	dump->used++;
	struct error *error = collector_sample(dump->collector, sample);
	clear_sides(stack);
	return error;
}
