// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_context.h"

enum { MODULES_MAX = 4096 /* modules of crash reports; all are forgotten at this limit */ };

void frame_context_deinit(struct frame_context *context)
{
	table_deinit(&context->modules);
	vec_deinit(&context->ids);
}

static struct scan last_component(struct scan path)
{
	struct scan before = path;

	(void)scan_cut_last(&before, '/', &path);
	return path;
}

static void add_module(struct frame_context *context, const struct pattern_match *match)
{
	struct scan name = match->groups[GROUP_OBJECT], id = match->groups[GROUP_BUILD_ID];
	struct build_id parsed;
	bool added;

	if (!build_id_parse(id.at, scan_left(&id), &parsed))
		return;
	if (context->ids.len >= MODULES_MAX) {
		table_clear(&context->modules);
		context->ids.len = 0;
	}
	uint64_t *index = table_at(&context->modules, name.at, scan_left(&name), &added);
	if (added) {
		*index = context->ids.len;
		vec_push(&context->ids, parsed);
	}
	context->ids.data[*index] = parsed;
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

void frame_context_apply(struct frame_context *context, struct text_frame *frame)
{
	struct scan name = last_component(frame->object);

	if (context->exact && (frame->form == TEXT_JAVA || frame->form == TEXT_GDB))
		frame->exact = true;
	context->exact = false;
	if (frame->form != TEXT_SYSTEMD || frame->build_id.len || !scan_left(&name))
		return;
	const uint64_t *index = table_find(&context->modules, name.at, scan_left(&name));
	if (index)
		frame->build_id = context->ids.data[*index];
}
