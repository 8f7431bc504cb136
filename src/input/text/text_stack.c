// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/text_stack.h"

#include <inttypes.h>

#include "input/processes.h"
#include "model/frame.h"
#include "util/file.h"
#include "util/text.h"
#include "util/vec.h"

/*
 * Limits of the lines that are kept: bytes of a line, and of what it is parsed into. The lines
 * themselves take about as much memory again.
 */
enum { KEPT_LINE_MAX = 1 << 10, KEPT_MAX = 32 << 20 };

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

bool text_stack_line(struct text_stack *stack, struct tool_blocks *blocks, enum block_tool tool,
	struct scan line, struct text_line *ret, struct pattern_match *match_ret)
{
	struct table *lines = &stack->lines[tool];
	const size_t len = scan_left(&line);
	const bool kept = len <= KEPT_LINE_MAX;
	const uint64_t *known = kept ? table_find(lines, line.at, len) : NULL;

	if (known) {
		*ret = *(const struct text_line *)(uintptr_t)*known;
		return true;
	}
	if (!blocks_line(blocks, tool, line, &ret->act, match_ret))
		return false;
	if (ret->act != LINE_FRAME && ret->act != LINE_SOURCE_LINE)
		return true;
	ret->frame = make_frame(kept ? &stack->kept : &stack->memory, match_ret);
	if (kept)
		*table_at(lines, line.at, len, NULL) =
			(uintptr_t)arena_clone(&stack->kept, ret, sizeof(*ret));
	return true;
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

static const struct frame_object *make_object(
	struct text_stack *stack, const struct tool_frame *frame)
{
	struct frame_object *object;

	if (!frame->object && !frame->build_id.len)
		return NULL;
	object = arena_alloc(&stack->memory, sizeof(*object));
	*object = (struct frame_object){.path = frame->object,
		.name = frame->object ? file_base_name(frame->object) : NULL,
		.build_id = frame->build_id};
	return object;
}

/*
 * Returns true if FRAME has a return address at the very start of a function. The call is then at
 * the end of the function before, where the tool did not look it up. Signal handlers are an
 * exception: they do return to the start of a function.
 */
static bool is_doubtful(const struct tool_frame *frame, bool leaf)
{
	struct scan name = scan_of(frame->name ?: "");

	return !leaf && frame->has_offset && !frame->offset && !frame->inlined &&
	       !scan_starts(name, "__restore_rt") && !scan_starts(name, "__kernel_rt_sigreturn");
}

/*
 * Returns the location of FRAME, the last frame in OPEN, and of the others there, which are inlined
 * into it. Empties OPEN.
 */
static const struct location *make_location(
	struct text_stack *stack, struct text_slots *slots, const struct tool_frame *frame)
{
	struct location *location = arena_alloc(&stack->memory, sizeof(*location));
	size_t n = slots->open.len, size = n * sizeof(struct frame);
	struct frame *frames = arena_alloc(&stack->memory, size);
	bool named = slots->open.data[n - 1].function != NULL;

	memcpy(frames, slots->open.data, size);
	slots->open.len = 0;
	*location = (struct location){.kind = frame->kernel ? LOCATION_KERNEL : LOCATION_USER,
		.status = named		       ? FRAME_NAMED
			  : frame->has_address ? FRAME_NO_PID
					       : FRAME_NO_ADDRESS,
		.source = named ? stack->source : SOURCE_NONE,
		.address = frame->address,
		.has_address = frame->has_address,
		.object = make_object(stack, frame),
		.file_offset = frame->file_offset,
		.has_file_offset = frame->has_file_offset && !frame->maybe_address,
		.frames = frames,
		.n_frames = n};
	if (is_doubtful(frame, !slots->all.values.len)) {
		location->doubtful = true;
		location->detail = "a return address at the start of a function: the call may be "
				   "at the end of the function before";
	}
	return location;
}

static bool is_path(const struct tool_frame *frame)
{
	return frame->object && *frame->object == '/';
}

/*
 * Sets VALUE and ORIGIN, by which FRAME, which has no name, can be resolved. Returns false if it
 * cannot be.
 */
static bool make_slot(struct text_stack *stack, const struct tool_frame *frame, uint64_t *value,
	struct stack_origin *origin)
{
	*value = frame->address;
	if (frame->build_id.len && frame->has_file_offset) {
		origin->build_id = frame->build_id;
		*value = frame->file_offset;
		return true;
	}
	if (frame->has_file_offset && is_path(frame)) {
		struct stack_file *file = arena_alloc(&stack->memory, sizeof(*file));

		*file = (struct stack_file){.path = frame->object,
			.sure = !frame->maybe_address,
			.base = STACK_FILE_OFFSET};
		origin->file = file;
		*value = frame->file_offset;
		return true;
	}
	return frame->has_address;
}

static bool is_name_alone(const struct tool_frame *frame)
{
	return frame->name && !frame->object && !frame->file && !frame->build_id.len &&
	       !frame->has_address && !frame->has_offset && !frame->has_file_offset &&
	       !frame->inlined;
}

void text_stack_add(struct text_stack *stack, const struct tool_frame *frame)
{
	struct text_slots *slots = &stack->sides[frame->kernel];
	struct stack_origin origin = {};
	uint64_t value = frame->address;

	if (slots->all.values.len + slots->open.len >= TEXT_STACK_FRAMES_MAX) {
		slots->left_out++;
		return;
	}
	/* most frames of folded stacks */
	if (!slots->open.len && is_name_alone(frame)) {
		slots_add_known(&slots->all, 0, origin,
			collector_name(stack->collector,
				frame->kernel ? LOCATION_KERNEL : LOCATION_USER, stack->source,
				frame->name));
		return;
	}
	bool named = slots->open.len || frame->inlined || frame->name;
	bool found = !named && make_slot(stack, frame, &value, &origin);
	/* an address with a path needs a location too: it keeps the path if resolving fails */
	if (found && (origin.file || origin.build_id.len || !is_path(frame))) {
		slots_add_known(&slots->all, value, origin, NULL);
		return;
	}
	vec_push(&slots->open, (struct frame){.function = frame->name,
				       .offset = frame->offset,
				       .has_offset = frame->has_offset,
				       .inlined = frame->inlined,
				       .file = frame->file,
				       .line = frame->line});
	if (frame->inlined)
		return;
	slots_add_known(&slots->all, value, origin, make_location(stack, slots, frame));
}

static bool is_zero(const struct slots *slots, size_t i)
{
	return !slots->values.data[i] && !slots->known.data[i] &&
	       !slots->origins.data[i].build_id.len && !slots->origins.data[i].file;
}

static struct stack make_stack(struct text_stack *stack, bool kernel)
{
	struct text_slots *slots = &stack->sides[kernel];
	const struct tool_frame host = {.kernel = kernel};

	/* if the function around inlined frames is missing, take the outermost one for it */
	if (slots->open.len) {
		vec_last(&slots->open)->inlined = false;
		slots_add_known(&slots->all, 0, (struct stack_origin){},
			make_location(stack, slots, &host));
	}
	size_t depth = slots->all.values.len;
	while (depth && is_zero(&slots->all, depth - 1))
		depth--;
	struct stack ret = slots_stack(&slots->all, depth);
	ret.truncated = slots->left_out > 0;
	return ret;
}

struct error *text_stack_give(struct text_stack *stack, struct dump *dump, struct sample *sample)
{
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

bool tool_process_is_known(const struct input_options *options, int64_t pid)
{
	return process_of_thread(options->processes, pid) >= 0;
}

void tool_thread(const struct input_options *options, int64_t number, struct sample *sample)
{
	int64_t process = process_of_thread(options->processes, number);

	sample->pid = process >= 0 ? process : options->pid;
	sample->tid = sample->pid >= 0 ? number : -1;
	if (sample->pid < 0)
		sample->pid = number;
}
