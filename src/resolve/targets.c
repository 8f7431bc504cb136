// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/targets.h"

#include <string.h>

#include "arch/arch.h"
#include "health/caller.h"
#include "process/jit/jit.h"
#include "resolve/kernel_place.h"
#include "util/sort.h"
#include "util/stop.h"
#include "util/vec.h"

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

/* The root path of a forgotten program may become that of another one. */
static void forget_sources(struct source_texts *sources)
{
	const struct source_texts given = {
		.context = sources->context, .rules = sources->rules, .fetcher = sources->fetcher};

	source_texts_deinit(sources);
	*sources = given;
}

void targets_drop(struct targets *targets, const struct object_cache *objects)
{
	size_t kept = 0;

	for (size_t i = 0; i < targets->all.len; i++)
		if (objects->objects.data[i]->dropped)
			target_destroy(targets->all.data[i]);
		else
			targets->all.data[kept++] = targets->all.data[i];
	targets->all.len = kept;
	forget_sources(&targets->sources);
}

bool targets_are_full(const struct targets *targets)
{
	const struct source_texts *sources = &targets->sources;

	return sources->files.len > SOURCES_MAX || sources->bytes > SOURCE_BYTES_MAX ||
	       sources->arena.bytes > SOURCE_BYTES_MAX;
}

struct target *target_of(struct targets *targets, struct object *object)
{
	while (targets->all.len <= object->number)
		vec_push(&targets->all, NULL);
	struct target **target = &targets->all.data[object->number];
	if (!*target) {
		*target = xcalloc(1, sizeof(**target));
		(*target)->object = object;
		object->label.go = object->image && elf_image_is_go(object->image);
	}
	return *target;
}

struct debug *target_debug(struct targets *targets, struct target *target)
{
	const struct symbolize_options *from = targets->options;
	const struct object *object = target->object;
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

	if (!target->debug) {
		target->debug = debug_create(object->image, &options);
		target->code = (struct object_code){.debug = target->debug,
			.image = object->image,
			.arch = arch_of(object->image->ehdr.e_machine)};
	}
	return target->debug;
}

struct debug *target_debug_of(struct targets *targets, struct object *object)
{
	return target_debug(targets, target_of(targets, object));
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

static void add_sources(struct targets *targets)
{
	vec_each(sourced, &targets->sourced)
		sourced->frame->source =
			source_text_excerpt(&targets->sources, sourced->file, sourced->frame->line);
	targets->sourced.len = 0;
}

static void resolve_target(struct targets *targets, struct target *target)
{
	targets->addresses.len = 0;
	radix_sort(target->wants.data, target->wants.len, sizeof(*target->wants.data));
	for (size_t i = 0; i < target->wants.len; i++)
		if (!i || target->wants.data[i].address != target->wants.data[i - 1].address)
			vec_push(&targets->addresses, target->wants.data[i].address);
	vec_reserve(&targets->answers, targets->addresses.len);
	debug_resolve(target_debug(targets, target), targets->addresses.data,
		targets->addresses.len, targets->arena, targets->answers.data);
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

/* Resolves targets that wait for no download. Returns true if some are left. */
static bool resolve_ready(struct targets *targets)
{
	bool left = false;

	vec_each_value(target, &targets->all) {
		if (!target || !target->wants.len)
			continue;
		if (stop_asked() || debug_prepare(target_debug(targets, target)))
			resolve_target(targets, target);
		else
			left = true;
		fetcher_poll(targets->fetcher);
	}
	return left;
}

void targets_resolve(struct targets *targets)
{
	for (size_t i = 0; targets->fetcher && i < targets->all.len; i++) {
		struct target *target = targets->all.data[i];

		if (target && target->wants.len && !stop_asked())
			(void)debug_prepare(target_debug(targets, target));
	}
	while (resolve_ready(targets))
		fetcher_sleep(targets->fetcher);
	add_sources(targets);
}

/* ---- JIT code ------------------------------------------------------------------------------- */

bool place_jit_changed(const struct place *place, bool exact)
{
	return place->jit && place->jit_versions[exact] != jit_version(place->jit);
}

void place_name_jit(
	struct places *places, struct place *place, bool exact, struct location *location)
{
	/* first, as it may read files, and what was found is valid until then */
	place->jit_versions[exact] = jit_version(place->jit);
	struct jit_code code = jit_find(
		place->jit, place->taken.since, place->taken.until, place->base.address - !exact);

	*location = place->base;
	bool recorded = code.ambiguous && place->jit->record;
	if (recorded)
		location->status = FRAME_AMBIGUOUS_CODE;
	if (!code.name || recorded)
		return;
	struct frame *frame = arena_alloc(&places->arena, sizeof(*frame));
	*frame = (struct frame){
		.function = code.name,
		.linkage = code.name,
		.offset = location->address - code.span->start,
		.has_offset = true,
		.file = code.line ? code.line->file : NULL,
		.line = code.line ? code.line->line : 0,
		.column = code.line ? code.line->column : 0,
	};
	location->kind = LOCATION_JIT;
	location->status = FRAME_NAMED;
	location->source = SOURCE_PERF_MAP;
	location->detail = location->doubtful ? location->detail : NULL;
	if (code.ambiguous && !location->doubtful) {
		location->doubtful = true;
		location->detail = "other code was there before: the stack may belong to it";
	}
	location->frames = frame;
}
