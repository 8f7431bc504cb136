// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/targets.h"

#include <string.h>

#include "arch/arch.h"
#include "health/caller.h"
#include "resolve/kernel_place.h"
#include "util/sort.h"
#include "util/stop.h"

enum { SOURCES_MAX = 4096, SOURCE_BYTES_MAX = 64 << 20 };
/* After so many addresses, release the file's pages. */
enum { MANY = 64 };

static void target_destroy(struct target *target)
{
	if (!target)
		return;
	debug_destroy(target->debug);
	vec_deinit(&target->wants);
	code_deinit(&target->code);
	free(target);
}

void targets_deinit(struct targets *targets)
{
	vec_destroy(&targets->all, target_destroy);
	vec_deinit(&targets->answers);
	vec_deinit(&targets->addresses);
	vec_deinit(&targets->sourced);
	source_texts_deinit(&targets->sources);
}

void targets_drop(struct targets *targets, const struct object_cache *objects)
{
	/* the root path of a forgotten program may become that of another one */
	const struct source_texts given = {.context = targets->sources.context,
		.rules = targets->sources.rules,
		.fetcher = targets->sources.fetcher};
	size_t kept = 0;

	for (size_t i = 0; i < targets->all.len; i++)
		if (objects->objects.data[i]->dropped)
			target_destroy(targets->all.data[i]);
		else
			targets->all.data[kept++] = targets->all.data[i];
	targets->all.len = kept;
	source_texts_deinit(&targets->sources);
	targets->sources = given;
}

bool targets_are_full(const struct targets *targets)
{
	const struct source_texts *sources = &targets->sources;

	return sources->files.len > SOURCES_MAX || sources->bytes > SOURCE_BYTES_MAX ||
	       sources->arena.bytes > SOURCE_BYTES_MAX;
}

struct target *target_of(struct targets *targets, struct object *object)
{
	const struct symbolize_options *from = targets->options;

	while (targets->all.len <= object->number)
		vec_push(&targets->all, NULL);
	struct target **slot = &targets->all.data[object->number];
	if (*slot)
		return *slot;
	struct target *target = *slot = xnew(target);
	target->object = object;
	if (!object->image)
		return target;
	const struct debug_options options = {
		.debug_dirs = from->find.debug_dirs,
		.root = object->domain ? object->domain->root : "",
		.path = object->path_in_root,
		.cache = from->find.debuginfod_cache,
		.fetcher = targets->fetcher,
		.inlines = from->inlines,
		.lines = targets->lines,
		.demangle = from->demangle,
		.names = targets->names,
		.qualify = from->qualify,
		.dwarf_names = from->dwarf_names,
		.relative_names = from->relative_names,
		.package = from->package,
		.folders = targets->folders,
		.files = from->files,
		.separate = true,
		.rules = from->find.rules,
		.last_names = &targets->last_names,
	};
	object->label.go = elf_image_is_go(object->image);
	target->debug = debug_create(object->image, &options);
	target->code = (struct object_code){.debug = target->debug,
		.image = object->image,
		.arch = arch_of(object->image->ehdr.e_machine)};
	return target;
}

/* Uses the debug info's frames; a caller's offset counts up to its return address. */
static void name_location(
	struct targets *targets, const struct want *want, const struct debug_answer *answer)
{
	struct location *location = want->location;

	if (location->kind == LOCATION_KERNEL) {
		kernel_place_name(targets->arena, answer, location);
		return;
	}
	location->status = answer->status;
	location->source = answer->source;
	location->start = answer->start;
	location->has_start = answer->has_start;
	if (answer->detail || !location->doubtful)
		location->detail = answer->detail;
	location->gap = answer->gap;
	location->fix = answer->fix;
	location->frames = answer->frames;
	location->n_frames = answer->n_frames;
	location->names = answer->names;
	if (want->exact)
		return;
	struct frame *frames =
		arena_clone(targets->arena, answer->frames, answer->n_frames * sizeof(*frames));
	array_each(frame, frames, answer->n_frames)
		frame->offset += frame->has_offset;
	location->frames = frames;
}

/* Copies the frames, which belong to the debug info, to give them sources. */
static void want_sources(
	struct targets *targets, const struct object *object, struct location *location)
{
	struct frame *frames =
		arena_clone(targets->arena, location->frames, location->n_frames * sizeof(*frames));

	location->frames = frames;
	array_each(frame, frames, location->n_frames) {
		if (!frame->file || !frame->line)
			continue;
		const struct sourced sourced = {
			frame, source_text_open(&targets->sources,
				       object->domain ? object->domain->root : "", frame->file,
				       object->image)};
		vec_push(&targets->sourced, sourced);
	}
}

static void resolve_target(struct targets *targets, struct target *target)
{
	targets->addresses.len = 0;
	radix_sort(target->wants.data, target->wants.len, sizeof(*target->wants.data));
	for (size_t i = 0; i < target->wants.len; i++)
		if (!i || target->wants.data[i].address != target->wants.data[i - 1].address)
			vec_push(&targets->addresses, target->wants.data[i].address);
	vec_reserve(&targets->answers, targets->addresses.len);
	debug_resolve(target->debug, targets->addresses.data, targets->addresses.len,
		targets->arena, targets->answers.data);
	target->object->label.not_fetched =
		fetch_lost(debug_fetch_failed(target->debug), &target->object->label.fetch_fix);
	if (debug_file_path(target->debug))
		target->object->label.debug_path = debug_file_path(target->debug);
	bool overwritten = debug_is_overwritten(target->debug);

	for (size_t i = 0, at = 0; i < target->wants.len; i++) {
		at += target->wants.data[i].address != targets->addresses.data[at];
		const struct want *want = &target->wants.data[i];
		name_location(targets, want, &targets->answers.data[at]);
		if (overwritten && want->location->status == FRAME_NAMED &&
			!want->location->doubtful) {
			want->location->doubtful = true;
			want->location->detail = "the file was overwritten while it was read";
		}
		if (want->walked && want->location->kind == LOCATION_USER)
			health_caller(&target->code, want->address, want->exact, want->location);
		if (targets->options->source)
			want_sources(targets, target->object, want->location);
	}
	if (target->wants.len > MANY)
		debug_release(target->debug);
	target->wants.len = 0;
}

void targets_resolve(struct targets *targets)
{
	vec_each_value(target, &targets->all)
		if (targets->fetcher && target && target->wants.len && !stop_asked())
			(void)debug_prepare(target->debug);
	for (bool left = true; left;) {
		left = false;
		vec_each_value(target, &targets->all) {
			if (!target || !target->wants.len)
				continue;
			if (stop_asked() || debug_prepare(target->debug))
				resolve_target(targets, target);
			else /* it waits for a download */
				left = true;
			fetcher_poll(targets->fetcher);
		}
		if (left)
			fetcher_sleep(targets->fetcher);
	}
	vec_each(sourced, &targets->sourced)
		sourced->frame->source =
			source_text_excerpt(&targets->sources, sourced->file, sourced->frame->line);
	targets->sourced.len = 0;
}
