// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/resolver.h"

#include <malloc.h>
#include <sys/sysmacros.h>

#include "kernel/bpf/bpf_frame.h"
#include "kernel/bpf/bpf_trampoline.h"
#include "object/kernel_files.h"
#include "object/object_cache.h"
#include "object/trampoline.h"
#include "process/jit/jit.h"
#include "process/space_stream.h"
#include "util/cleanup.h"
#include "util/stop.h"

/* Forget all places if a batch leaves more than this. */
enum { PLACES_MAX = 1 << 16 };

static struct error *open_given(struct places *places, const struct symbolize_options *options)
{
	vec_each_value(file, &options->files) {
		struct object *object = NULL;

		try(object_of_file(&places->objects, file, NULL, &object));
		object->given = true;
		if (!places->fixed && options->addresses_of_file)
			places->fixed = object;
	}
	if (options->build_id.len)
		places->fixed =
			object_of_debug_id(&places->objects, &places->spaces, &options->build_id);
	if (places->fixed)
		places->fixed->pinned = true;
	return NULL;
}

struct error *resolver_init(
	const struct symbolize_options *options, struct fetcher *fetcher, struct resolver *resolver)
{
	scope_guard(btf_files_deinit) struct btf_files files = {};
	struct places *places = &resolver->places;
	struct kernel *kernel = &resolver->kernel;

	resolver->options = options;
	places->spaces.proc_root = options->find.proc_root;
	places->spaces.pids.member = options->pid_namespace;
	places->objects.find = &options->find;
	places->objects.fetcher = fetcher;
	places->kernel_given = options->kallsyms;
	resolver->targets = (struct targets){
		.options = options,
		.lines = options->lines,
		.fetcher = fetcher,
		.arena = &places->arena,
		.folders = &places->objects.folders,
		.sources = {.context = options->source_context,
			.rules = options->find.rules,
			.fetcher = fetcher},
	};
	resolver_want_names(resolver, options->names);
	if (options->recording)
		try(recording_open(
			options->recording, places->spaces.proc_root, &places->spaces.recording));
	*kernel = (struct kernel){
		.recording = places->spaces.recording,
		.proc_root = options->find.proc_root,
		.sys_root = options->find.sys_root,
		.saved = options->kallsyms,
		.modules_given = options->modules,
		.qualify = options->qualify,
		.source = options->source,
	};
	resolver->kernel_places.kernel = kernel;
	resolver->kernel_places.files.objects = &places->objects;
	resolver->kernel_places.files.vmlinux = options->vmlinux;
	try(kernel_check(kernel));
	try(kernel_places_check(&resolver->kernel_places));
	vec_each_value(path, &options->btf_files)
		try(btf_file_read(path, vec_add(&files)));
	try(prototypes_init(&files, &resolver->prototypes));
	return open_given(places, options);
}

void resolver_deinit(struct resolver *resolver)
{
	targets_deinit(&resolver->targets);
	vec_deinit(&resolver->slots);
	vec_deinit(&resolver->plain);
	vec_deinit(&resolver->live);
	known_slots_deinit(&resolver->known);
	frame_names_deinit(&resolver->names);
	named_starts_deinit(&resolver->starts);
	kernel_places_deinit(&resolver->kernel_places);
	prototypes_deinit(&resolver->prototypes);
	kernel_deinit(&resolver->kernel);
	places_deinit(&resolver->places);
}

void resolver_prefetch(struct resolver *resolver, const struct sample *sample)
{
	struct places *places = &resolver->places;
	const struct stack *stack = &sample->user;

	if (!places->objects.fetcher || stack->state != STACK_PRESENT)
		return;
	for (size_t i = 0; i < stack->depth && !stop_asked(); i++) {
		const struct build_id *id = stack->origins ? &stack->origins[i].build_id : NULL;

		/* short names alone are no reason to fetch */
		if (known_final(NULL, stack, i, 0, NAMES_FULL))
			continue;
		if (id && id->len) {
			object_prefetch_by_build_id(
				&places->objects, &places->spaces, sample->pid, id);
			continue;
		}
		if ((stack->origins && stack->origins[i].file) || sample->read_back ||
			sample->pid < 0 || sample->boot_id || (stack->exact && places->fixed))
			continue;
		const struct space *space = space_at(&places->spaces, sample->pid, sample->time);
		const struct mapping *mapping =
			space_mapping_at(space, space->record ? sample->time : 0, stack->values[i]);
		if (mapping && mapping->executable && !mapping->ambiguous)
			object_prefetch_by_mapping(&places->objects, space, mapping);
	}
}

/* Names LOCATION by kallsyms, and leaves what debug info adds for the end of the batch. */
static void name_kernel(
	struct resolver *resolver, const struct place *place, struct location *location, bool exact)
{
	struct frame *frame = arena_alloc(&resolver->places.arena, sizeof(*frame));
	struct want want = {.exact = exact, .location = location};
	struct plain plain = {.location = location};

	kernel_name(&resolver->kernel, location->address - !exact, &place->code, location, frame);
	/*
	 * A "return address" that is a function's first byte follows no call: a retpoline is about to
	 * jump there, so it is exact.
	 */
	const char *name = location->frames[0].linkage;
	if (!exact && name && (!strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6))) {
		want.exact = exact = true;
		kernel_name(&resolver->kernel, location->address, &place->code, location, frame);
	}
	bpf_frame_recorded(
		&resolver->kernel, location->address - !exact, place->time, location, frame);
	if (frame->function && frame->function == frame->linkage)
		frame_names_set(&resolver->names, frame);
	if (location->kind == LOCATION_BPF)
		bpf_trampoline_describe(&resolver->prototypes, &resolver->kernel, frame);
	struct object *object = kernel_place_object(&resolver->kernel_places, location);
	struct target *target = object ? target_of(&resolver->targets, object) : NULL;
	if (target && kernel_place_address(&resolver->kernel_places, target,
			      location->address - !exact, location, &want.address)) {
		vec_push(&target->wants, want);
		plain.debug = target->debug;
		plain.address = want.address;
	}
	if (resolver->options->prototypes)
		vec_push(&resolver->plain, plain);
}

/*
 * Sets LOCATION by perf map or jitdump at PLACE's address (EXACT) or one byte before, or to PLACE's
 * own location if they have no entry. A later call may find more.
 */
static void name_jit(
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

/*
 * Returns the location of a place. A caller is looked up one byte before its return address, inside
 * the call.
 */
static const struct location *location_of(
	struct resolver *resolver, struct place *place, enum place_use use)
{
	bool exact = use != PLACE_CALLER && use != PLACE_UNWOUND;

	if (use == PLACE_WALKED && !place->object)
		use = PLACE_EXACT;
	struct location *location = place->named[use];

	if (location && (!place->jit || place->jit_versions[exact] == jit_version(place->jit)))
		return location;
	if (!place->object && !place->jit && place->base.kind != LOCATION_KERNEL) {
		if (!place->base.serial)
			place->base.serial = ++resolver->serials;
		return &place->base;
	}
	/* for new JIT code reuse the location: earlier frames of this batch get the name too */
	if (!location)
		location = arena_alloc(&resolver->places.arena, sizeof(*location));
	*location = place->base;
	if (resolver->options->unnamed)
		return place->named[use] = location;
	if (place->object) {
		const struct want want = {place->base.elf_address - !exact, exact,
			use == PLACE_CALLER || use == PLACE_WALKED, location};

		struct target *target = target_of(&resolver->targets, place->object);

		if (!exact && place->base.has_elf_address &&
			trampoline_never_returned_to(
				place->object->image, place->base.elf_address)) {
			location->doubtful = true;
			location->end = END_GARBAGE;
			if (!location->detail)
				location->detail = "no call ends before it: not a return address";
		}
		if (place->trampoline)
			location->end = END_SIGNAL;
		vec_push(&target->wants, want);
		if (place->live)
			vec_push(&resolver->live, place);
	} else if (place->jit) {
		name_jit(&resolver->places, place, exact, location);
	} else if (location->kind == LOCATION_KERNEL && location->status == FRAME_NAMED) {
		name_kernel(resolver, place, location, exact);
	}
	location->serial = ++resolver->serials;
	return place->named[use] = location;
}

/* TIMELESS: the result of place_is_timeless() for this process. */
static struct place *place_of_slot(
	struct resolver *resolver, const struct sample *sample, size_t slot, bool timeless)
{
	const struct stack *stack = &sample->user;
	const struct build_id *id = stack->origins ? &stack->origins[slot].build_id : NULL;
	enum place_domain domain = PLACE_PROCESS;

	if (id && id->len)
		return place_of(
			&resolver->places, sample, PLACE_BUILD_ID, false, stack->values[slot], id);
	if (stack->origins && stack->origins[slot].file)
		return listed_place(&resolver->places, &resolver->targets, &resolver->starts,
			sample->pid, stack->origins[slot].file, stack->values[slot], stack->exact);
	if (stack->exact && resolver->places.fixed)
		domain = PLACE_FIXED;
	return place_of(&resolver->places, sample, domain, timeless || domain == PLACE_FIXED,
		stack->values[slot], NULL);
}

struct object *resolver_slot_object(
	struct resolver *resolver, const struct sample *sample, size_t slot)
{
	bool timeless = place_is_timeless(&resolver->places, sample, PLACE_PROCESS);

	return place_of_slot(resolver, sample, slot, timeless)->object;
}

/* Unwinding knows the role of each frame of a snapshot. */
static void push_unwound_stack(
	struct resolver *resolver, const struct sample *sample, const struct location **slots)
{
	struct places *places = &resolver->places;
	const struct stack *stack = &sample->user;
	const struct unwound_frame *frames = stack->unwound->frames;
	bool timeless = place_is_timeless(places, sample, PLACE_PROCESS);

	for (size_t i = 0; i < stack->depth; i++) {
		size_t end = i; /* of the callers, up to the first frame interrupted by a signal */
		while (timeless && end < stack->depth && !frames[end].exact)
			end++;
		i += place_callers(
			places, sample->pid, true, stack->values + i, end - i, slots + i);
		if (i == stack->depth)
			break;
		bool caller = !frames[i].exact;
		struct place *place = place_of_slot(resolver, sample, i, timeless);

		slots[i] = location_of(resolver, place, caller ? PLACE_UNWOUND : PLACE_EXACT);
		if (timeless && caller && !place->jit)
			place_set_caller(places, sample->pid, true, stack->values[i], slots[i]);
	}
}

static void push_user_stack(
	struct resolver *resolver, const struct sample *sample, const struct location **slots)
{
	struct places *places = &resolver->places;
	const struct stack *stack = &sample->user;
	bool timeless =
		(stack->exact && places->fixed) || place_is_timeless(places, sample, PLACE_PROCESS);
	bool plain = timeless && !stack->exact && !stack->origins && !stack->known;
	bool behind_trampoline = false;
	struct place *before = NULL;

	for (size_t i = 0; i < stack->depth; i++) {
		if (plain && i && !behind_trampoline)
			i += place_callers(places, sample->pid, false, stack->values + i,
				stack->depth - i, slots + i);
		if (i == stack->depth)
			break;
		slots[i] = known_final(&resolver->known, stack, i, resolver->slots.len + i,
			resolver->targets.names);
		if (slots[i]) {
			const char *name = slots[i]->frames[slots[i]->n_frames - 1].linkage;

			behind_trampoline = name && (!strcmp(name, "__restore_rt") ||
							    !strcmp(name, "__kernel_rt_sigreturn"));
			before = NULL;
			continue;
		}
		struct place *place = place_of_slot(resolver, sample, i, timeless);
		/* after a signal trampoline no call precedes an interrupted pc */
		bool exact = (i == 0 && !stack->callers) || stack->exact || place->trampoline ||
			     (behind_trampoline && place->object &&
				     !trampoline_call_before(
					     place->object->image, place->base.elf_address));

		slots[i] = location_of(resolver, place,
			!exact			  ? PLACE_CALLER
			: i == 0 && !stack->exact ? PLACE_WALKED
						  : PLACE_EXACT);
		if (!exact && behind_trampoline && before)
			slots[i - 1] = location_of(resolver, before, PLACE_WALKED);
		behind_trampoline = place->trampoline;
		before = place;
		if (plain && !exact && !place->jit)
			place_set_caller(places, sample->pid, false, stack->values[i], slots[i]);
	}
}

/* Returns true if LOCATION stays valid when BPF programs and modules come and go. */
static bool is_steady(const struct location *location)
{
	return location->kind == LOCATION_KERNEL && location->status == FRAME_NAMED &&
	       !location->doubtful && location->object &&
	       strncmp(location->object->name, "[__builtin__", 12) != 0;
}

static void push_kernel_stack(
	struct resolver *resolver, const struct sample *sample, const struct location **slots)
{
	struct places *places = &resolver->places;
	const struct stack *stack = &sample->kernel;
	bool timeless = place_is_timeless(places, sample, PLACE_KERNEL);
	bool plain = timeless && !stack->exact && !stack->known;
	const struct sample_time time = kernel_sample_time(&resolver->kernel, sample);
	bool exact = !stack->callers;

	for (size_t i = 0; i < stack->depth; i++) {
		if (plain && !exact)
			i += place_callers(places, PLACE_KERNEL_PID, false, stack->values + i,
				stack->depth - i, slots + i);
		if (i == stack->depth)
			break;
		uint64_t value = stack->values[i];
		bool caller = !exact && !stack->exact;
		const struct location *location = known_final(&resolver->known, stack, i,
			resolver->slots.len + i, resolver->targets.names);
		if (!location) {
			struct place *place = place_of_code(
				places, &resolver->kernel, sample, timeless, value, caller, &time);
			location =
				location_of(resolver, place, caller ? PLACE_CALLER : PLACE_EXACT);
		}
		/* the symbol, even if debug info has named the frames */
		const char *function = location->frames[location->n_frames - 1].linkage;

		slots[i] = location;
		exact = function && kernel_is_interrupt_entry(function);
		if (plain && caller && !exact &&
			(is_steady(location) || !resolver->kernel.heard_programs))
			place_set_caller(places, PLACE_KERNEL_PID, false, value, location);
	}
}

void resolver_push_stack(struct resolver *resolver, const struct sample *sample, bool kernel)
{
	const struct stack *stack = kernel ? &sample->kernel : &sample->user;

	resolver->known.given |= stack->known != NULL;
	vec_reserve(&resolver->slots, stack->depth + 1);
	const struct location **slots = resolver->slots.data + resolver->slots.len;
	if (stack->state == STACK_ABSENT)
		return;
	if (stack->state != STACK_PRESENT) {
		struct location *lost = arena_alloc(&resolver->places.arena, sizeof(*lost));

		*lost = (struct location){
			.kind = LOCATION_LOST,
			.status = FRAME_LOST,
			.frames = &place_unknown_frame,
			.n_frames = 1,
			.lost = stack->state,
			.lost_error = stack->error,
			.fix = stack->fix,
		};
		vec_push(&resolver->slots, lost);
		return;
	}
	if (kernel)
		push_kernel_stack(resolver, sample, slots);
	else if (stack->unwound)
		push_unwound_stack(resolver, sample, slots);
	else
		push_user_stack(resolver, sample, slots);
	resolver->slots.len += stack->depth;
}

/* ---- the batch ------------------------------------------------------------------------------ */

static char *read_prototype(void *context, size_t frame, const char *name)
{
	const struct plain *plain = context;

	return plain->debug ? debug_prototype(plain->debug, plain->address, frame, name) : NULL;
}

/*
 * Returns true if PLACE's object is, unchanged, the file that was mapped when its process was read.
 */
static bool has_mapped_file(const struct place *place)
{
	const struct mapping *mapping = space_mapping_at(place->live, 0, place->base.address);
	const struct elf_image *image = place->object->image;
	struct recorded_file file;

	if (!mapping || !mapping->inode || image->stat.st_ino != mapping->inode ||
		image->stat.st_dev != makedev(mapping->dev_major, mapping->dev_minor))
		return false;
	recorded_file_stamp(&file, &image->stat);
	return recorded_file_was(file.ctime, place->live->read[0], clock_real(), -RECORDED_TICK) &&
	       !elf_image_is_overwritten(image);
}

/*
 * Marks names as uncertain that were read after something else may have been mapped there: the file
 * was opened by a link that may lead to what has replaced it, or has since been overwritten.
 */
static void doubt_replaced(struct resolver *resolver)
{
	const struct space_cache *spaces = &resolver->places.spaces;

	if (resolver->live.len && spaces->follower)
		follower_hear(spaces->follower);
	vec_each_value(place, &resolver->live) {
		if (place->base.doubtful ||
			!space_has_moved(spaces, place->live, place->base.address) ||
			has_mapped_file(place))
			continue;
		place_doubt_process(place, MATCH_MOVED);
		array_each(location, place->named, array_len(place->named))
			if (*location) {
				(*location)->doubtful = true;
				(*location)->detail = place->base.detail;
			}
	}
	resolver->live.len = 0;
}

void resolver_finish(struct resolver *resolver)
{
	targets_resolve(&resolver->targets);
	doubt_replaced(resolver);
	if (stop_asked())
		resolver->plain.len = 0;
	vec_each(plain, &resolver->plain) {
		const struct prototype_evidence evidence = {read_prototype, plain};

		prototypes_add(&resolver->prototypes, &resolver->kernel, &resolver->places.arena,
			&evidence, plain->location);
	}
	resolver->plain.len = 0;
	known_settle(&resolver->known, resolver->slots.data, resolver->slots.len,
		resolver->targets.names);
}

/* ---- what is kept --------------------------------------------------------------------------- */

void resolver_want_names(struct resolver *resolver, enum name_style names)
{
	resolver->targets.names = names;
	frame_names_deinit(&resolver->names);
	frame_names_init(resolver->options->demangle, names, NULL, NULL, &resolver->kernel.strings,
		&resolver->names);
}

bool resolver_forget(struct resolver *resolver)
{
	struct places *places = &resolver->places;
	bool many_places = places->all.len + places->unnamed > PLACES_MAX;
	bool many_spaces = space_cache_is_full(&places->spaces);
	bool many_objects =
		object_cache_is_full(&places->objects) || targets_are_full(&resolver->targets);
	bool much_kernel = kernel_is_full(&resolver->kernel);

	if (!many_places && !many_spaces && !many_objects && !much_kernel)
		return false;
	/* they refer to the rest */
	places_forget(places);
	named_starts_clear(&resolver->starts);
	if (many_spaces)
		space_cache_forget(&places->spaces);
	if (much_kernel) {
		kernel_forget(&resolver->kernel);
		resolver_want_names(resolver, resolver->targets.names);
	}
	malloc_trim(0); /* free memory is scattered between what is kept */
	if (many_objects) {
		object_cache_choose(&places->objects);
		targets_drop(&resolver->targets, &places->objects);
		object_cache_drop(&places->objects);
	}
	return true;
}
