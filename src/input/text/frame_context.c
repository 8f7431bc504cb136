// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_context.h"

#include <string.h>

enum { MODULES_MAX = 4096 /* of crash reports: then they are forgotten */ };

static const char with_id[] = " with build-id";

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

static void add_module(struct frame_context *context, struct scan name, struct build_id id)
{
	bool added;

	if (context->ids.len >= MODULES_MAX) {
		table_clear(&context->modules);
		context->ids.len = 0;
	}
	uint64_t *index = table_at(&context->modules, name.at, scan_left(&name), &added);
	if (added) {
		*index = context->ids.len;
		vec_push(&context->ids, id);
	}
	context->ids.data[*index] = id;
}

/* `odule NAME with build-id[:] HEX` */
static void read_module(struct frame_context *context, struct scan line, const char *with)
{
	struct scan name = {line.at, with}, id = {with + strlen(with_id), line.end};
	const char *module = scan_find(name, "odule ");
	struct build_id parsed;

	if (!module)
		return;
	name.at = module + strlen("odule ");
	(void)scan_char(&id, ':');
	scan_blanks(&id);
	const char *end = id.at;
	while (end < id.end && scan_hex_digit(*end) >= 0)
		end++;
	name = last_component(name);
	if (scan_left(&name) && build_id_parse(id.at, (size_t)(end - id.at), &parsed))
		add_module(context, name, parsed);
}

/* `… Comm: prog Not tainted RELEASE #1 …`, `… Tainted: G  W  RELEASE #1 …` (dump_stack_print_info()) */
static void read_release(struct frame_context *context, struct scan line)
{
	const char *comm = scan_find(line, " Comm: ");
	const char *tainted = comm ? scan_find((struct scan){comm, line.end}, "ainted") : NULL;
	const char *number = tainted ? scan_find((struct scan){tainted, line.end}, " #") : NULL;
	struct scan before = {tainted, number}, release;

	if (number && context->release && scan_cut_last(&before, ' ', &release) &&
		scan_left(&release))
		context->other_kernel = !scan_equals(release, context->release);
}

void frame_context_line(struct frame_context *context, struct scan line)
{
	const char *with = scan_find(line, with_id);

	if (with)
		read_module(context, line, with);
	read_release(context, line);
	context->exact |= scan_find(line, "<signal handler called>") ||
			  scan_find(line, "Problematic frame:") ||
			  scan_find(line, "Native frames:");
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
