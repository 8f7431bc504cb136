// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/object_by_id.h"
#include "process/space_forget.h"
#include "symbolize.h"

#include <malloc.h>
#include <string.h>

#include "debug/debug.h"
#include "debug/symbols/demangle.h"
#include "kernel/bpf/frame.h"
#include "kernel/bpf/trampoline.h"
#include "kernel/btf/prototypes.h"
#include "kernel/kernel.h"
#include "kernel/origin.h"
#include "kernel/refresh.h"
#include "object/btf_file.h"
#include "object/find/finder.h"
#include "object/object_forget.h"
#include "object/trampoline.h"
#include "process/procfs.h"
#include "resolve/dump_processes.h"
#include "resolve/kernel_halves.h"
#include "resolve/kernel_place.h"
#include "resolve/known.h"
#include "resolve/lookup.h"
#include "resolve/place.h"
#include "resolve/place_doubt.h"
#include "resolve/place_jit.h"
#include "resolve/place_prefetch.h"
#include "resolve/targets.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/vec.h"

/* A batch that leaves more places than this behind makes the next one start afresh. */
enum { PLACES_MAX = 1 << 16 };

/* A kernel location that is still to get prototypes. */
struct plain {
	struct location *location;
	struct debug *debug; /* knows ADDRESS of an ELF file; NULL: nobody is asked */
	uint64_t address;
};

struct symbolizer {
	const struct symbolize_options *options;
	struct fetcher *fetcher; /* NULL: nothing is fetched */
	struct places places;
	struct kernel kernel;
	struct kernel_places kernel_places;
	struct prototypes prototypes;
	char *boot_id; /* of this system, NULL: unknown */
	bool origin_tried, elsewhere; /* processes of this system are none of the dump's */
	struct table demangled; /* of the kernel's names, see demangled_name() */
	uint64_t serials; /* given to locations */
	struct dump_processes dump_processes;
	struct input_processes processes;
	struct targets targets;
	/* of the current batch */
	struct VEC(struct sample) samples;
	struct VEC(struct trace) traces;
	struct VEC(const struct location *) slots;
	struct VEC(struct plain) plain;
	struct known_slots known;
};

uint64_t symbolize_finder_bit(const char *name)
{
	return finder_bit(name);
}

const char *symbolize_finder_name(size_t number)
{
	return finders[number].name;
}

static struct error *read_btf_files(const char *const *paths, struct prototypes *ret)
{
	struct btf_files files scope_guard(btf_files_deinit) = {};

	for (size_t i = 0; paths && paths[i]; i++)
		try(btf_file_read(paths[i], vec_add(&files)));
	return prototypes_init(&files, ret);
}

struct error *symbolizer_create(const struct symbolize_options *options, struct symbolizer **ret)
{
	struct symbolizer *symbolizer = xcalloc(1, sizeof(*symbolizer));
	struct places *places = &symbolizer->places;

	symbolizer->options = options;
	symbolizer->boot_id = procfs_boot_id(options->find.proc_root);
	places->spaces.proc_root = options->find.proc_root;
	places->spaces.pids.member = options->pid_namespace;
	symbolizer->dump_processes.spaces = &places->spaces;
	symbolizer->processes = dump_processes_ask(&symbolizer->dump_processes);
	places->objects.find = &options->find;
	places->objects.fetcher = symbolizer->fetcher = fetcher_create(&options->fetch);
	places->kernel_given = options->kallsyms;
	symbolizer->targets.options = options;
	symbolizer->targets.fetcher = symbolizer->fetcher;
	symbolizer->targets.arena = &places->arena;
	symbolizer->targets.folders = &places->objects.folders;
	symbolizer->targets.sources = (struct source_texts){.context = options->source_context,
		.rules = options->find.rules,
		.n_rules = options->find.n_rules,
		.fetcher = symbolizer->fetcher};
	symbolizer->kernel.proc_root = options->find.proc_root;
	symbolizer->kernel.sys_root = options->find.sys_root;
	if (options->recording) {
		struct error *error = recording_open(options->recording, options->find.proc_root,
			&places->spaces.recording);

		if (error) {
			symbolizer_destroy(symbolizer);
			return error;
		}
		symbolizer->kernel.recording = places->spaces.recording;
	}
	symbolizer->kernel.saved = options->kallsyms;
	symbolizer->kernel.modules_given = options->modules;
	symbolizer->kernel_places.kernel = &symbolizer->kernel;
	symbolizer->kernel_places.files.objects = &places->objects;
	symbolizer->kernel_places.files.vmlinux = options->vmlinux;
	symbolizer->kernel.qualify = options->qualify;
	symbolizer->kernel.source = options->source;
	struct error *unusable = kernel_check(&symbolizer->kernel);
	if (!unusable)
		unusable = read_btf_files(options->btf_files, &symbolizer->prototypes);
	if (unusable) {
		symbolizer_destroy(symbolizer);
		return unusable;
	}
	for (const char *const *file = options->files; file && *file; file++) {
		struct object *object = NULL;
		struct error *error = object_of_file(&places->objects, *file, &object);

		if (error) {
			symbolizer_destroy(symbolizer);
			return error;
		}
		object->given = true;
		if (!places->fixed && options->addresses_of_file)
			places->fixed = object;
	}
	if (options->build_id.len)
		places->fixed = object_of_debug_id(&places->objects, &places->spaces,
			options->find.debug_dirs, &options->build_id);
	if (places->fixed)
		places->fixed->pinned = true;
	*ret = symbolizer;
	return NULL;
}

void symbolizer_destroy(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	targets_deinit(&symbolizer->targets);
	dump_processes_deinit(&symbolizer->dump_processes);
	vec_deinit(&symbolizer->traces);
	vec_deinit(&symbolizer->samples);
	vec_deinit(&symbolizer->slots);
	vec_deinit(&symbolizer->plain);
	known_slots_deinit(&symbolizer->known);
	table_deinit(&symbolizer->demangled);
	kernel_places_deinit(&symbolizer->kernel_places);
	prototypes_deinit(&symbolizer->prototypes);
	kernel_deinit(&symbolizer->kernel);
	places_deinit(&symbolizer->places);
	fetcher_destroy(symbolizer->fetcher);
	free(symbolizer->boot_id);
	free(symbolizer);
}

void symbolizer_notes(struct symbolizer *symbolizer, struct log *log)
{
	const char *refused = kernel_places_refused(&symbolizer->kernel_places);

	if (refused)
		log_add(log, LOG_WARNING, 1, "--vmlinux: %s", refused);
	if (symbolizer->places.spaces.recording)
		recording_notes(symbolizer->places.spaces.recording, log);
	kernel_notes(&symbolizer->kernel, log);
	prototypes_notes(&symbolizer->prototypes, log);
	object_cache_notes(&symbolizer->places.objects, log);
	fetcher_notes(symbolizer->fetcher, log);
}

/* ---- values to locations -------------------------------------------------------------------- */

/*
 * Nothing calls from the bytes before a function: a "return address" that is its first byte is
 * where a retpoline is about to jump, and exact.
 */
static bool is_before_function(const struct location *location)
{
	const char *name = location->frames[0].linkage;

	return name && (!strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6));
}

/* kallsyms' name at once, and what debug info adds to it with the rest of the batch. */
static void name_kernel(struct symbolizer *symbolizer, const struct place *place,
	struct location *location, bool exact)
{
	struct frame *frame = arena_alloc(&symbolizer->places.arena, sizeof(*frame));
	struct want want = {0, exact, location};
	struct plain plain = {.location = location};

	kernel_name(&symbolizer->kernel, location->address - !exact, &place->code, location,
		frame);
	if (!exact && is_before_function(location)) {
		want.exact = exact = true;
		kernel_name(&symbolizer->kernel, location->address, &place->code, location,
			frame);
	}
	bpf_frame_recorded(&symbolizer->kernel, location->address - !exact, place->time, location, frame);
	if (symbolizer->options->demangle && frame->function && frame->function == frame->linkage) {
		const char *name = demangled_name(&symbolizer->demangled,
			&symbolizer->kernel.strings, frame->linkage);

		frame->function = name ? name : frame->linkage;
	}
	if (location->kind == LOCATION_BPF)
		bpf_trampoline_describe(&symbolizer->prototypes, &symbolizer->kernel, frame);
	struct object *object = kernel_place_object(&symbolizer->kernel_places, location);
	struct target *target = object ? target_of(&symbolizer->targets, object) : NULL;
	struct debug *debug = target ? target_debug(&symbolizer->targets, target) : NULL;
	if (debug && kernel_place_address(&symbolizer->kernel_places, object, debug,
			     location->address - !exact, location, &want.address)) {
		vec_push(&target->wants, want);
		plain.debug = debug;
		plain.address = want.address;
	}
	if (symbolizer->options->prototypes)
		vec_push(&symbolizer->plain, plain);
}

/*
 * The location of a place, as a leaf (EXACT) or as a caller: a caller is looked up one byte before
 * its return address, inside the call.
 */
static const struct location *location_of(
	struct symbolizer *symbolizer, struct place *place, bool exact)
{
	struct location *location = place->named[exact];

	if (location && !place_jit_changed(place, exact))
		return location;
	if (!place->object && !place->jit && place->base.kind != LOCATION_KERNEL) {
		if (!place->base.serial)
			place->base.serial = ++symbolizer->serials;
		return &place->base;
	}
	/* Code that was made since: earlier frames of this batch get its name too. */
	if (!location)
		location = arena_alloc(&symbolizer->places.arena, sizeof(*location));
	*location = place->base;
	if (symbolizer->options->unnamed)
		return place->named[exact] = location;
	if (place->object) {
		const struct want want = {place->base.elf_address - !exact, exact, location};

		if (!exact)
			place_doubt_caller(place, location);
		vec_push(&target_of(&symbolizer->targets, place->object)->wants, want);
	} else if (place->jit) {
		place_name_jit(&symbolizer->places, place, exact, location);
	} else if (location->kind == LOCATION_KERNEL && location->status == FRAME_NAMED) {
		name_kernel(symbolizer, place, location, exact);
	}
	location->serial = ++symbolizer->serials;
	return place->named[exact] = location;
}

/* TIMELESS: place_is_timeless() of an address of the process. */
static struct place *place_of_slot(
	struct symbolizer *symbolizer, const struct sample *sample, size_t slot, bool timeless)
{
	const struct stack *stack = &sample->user;
	const struct build_id *id = stack->origins ? &stack->origins[slot].build_id : NULL;
	enum place_domain domain = PLACE_PROCESS;

	if (id && id->len)
		return place_of(&symbolizer->places, sample, PLACE_BUILD_ID, false,
			stack->values[slot], id);
	if (stack->origins && stack->origins[slot].file)
		return lookup_listed(&(struct lookup){&symbolizer->places, &symbolizer->targets,
					     &symbolizer->kernel},
			stack->origins[slot].file, stack->values[slot]);
	if (stack->exact && symbolizer->places.fixed)
		domain = PLACE_FIXED;
	return place_of(&symbolizer->places, sample, domain, timeless && domain == PLACE_PROCESS,
		stack->values[slot], NULL);
}

/* Behind a signal trampoline stands the interrupted pc, if no call stands before it. */
static bool is_interrupted(const struct place *place)
{
	return place->object &&
	       !trampoline_call_before(place->object->image, place->base.elf_address);
}

static void push_user_stack(struct symbolizer *symbolizer, const struct sample *sample,
	const struct location **slots)
{
	struct places *places = &symbolizer->places;
	const struct stack *stack = &sample->user;
	bool timeless = place_is_timeless(places, sample, PLACE_PROCESS);
	bool plain = timeless && !stack->exact && !stack->origins && !stack->known;
	bool behind_trampoline = false;

	for (size_t i = 0; i < stack->depth; i++) {
		if (plain && i && !behind_trampoline)
			i += place_callers(places, sample->pid, stack->values + i,
				stack->depth - i, slots + i);
		if (i == stack->depth)
			break;
		if ((slots[i] = known_final(stack, i))) {
			behind_trampoline = known_is_trampoline(slots[i]);
			continue;
		}
		known_note(&symbolizer->known, stack, i, symbolizer->slots.len + i);
		struct place *place = place_of_slot(symbolizer, sample, i, timeless);
		bool exact = i == 0 || stack->exact || place->trampoline ||
			     (behind_trampoline && is_interrupted(place));

		slots[i] = location_of(symbolizer, place, exact);
		behind_trampoline = place->trampoline;
		if (plain && !exact && !place->jit)
			place_set_caller(places, sample->pid, stack->values[i], slots[i]);
	}
}

/* The place of a kernel address: which code lies there may depend on when the stack was taken. */
static struct place *kernel_place(struct symbolizer *symbolizer, const struct sample *sample,
	bool timeless, uint64_t value, bool caller, const struct moment *moment)
{
	struct places *places = &symbolizer->places;
	struct code_choice choice;

	if (!sample->boot_id &&
		kernel_choose(&symbolizer->kernel, value - caller, moment, &choice))
		return place_in_code(places, value, caller, &choice);
	return place_of(places, sample, PLACE_KERNEL, timeless, value, NULL);
}

/* Whether it is this one however often programs come and go. */
static bool is_steady(const struct location *location)
{
	return location->kind == LOCATION_KERNEL && location->status == FRAME_NAMED &&
	       !location->doubtful && location->object &&
	       strncmp(location->object->name, "[__builtin__", 12) != 0;
}

static void push_kernel_stack(struct symbolizer *symbolizer, const struct sample *sample,
	const struct location **slots)
{
	struct places *places = &symbolizer->places;
	const struct stack *stack = &sample->kernel;
	bool timeless = place_is_timeless(places, sample, PLACE_KERNEL);
	bool plain = timeless && !stack->exact && !stack->known;
	const struct moment moment = kernel_moment(&symbolizer->kernel, sample);
	bool exact = true;

	for (size_t i = 0; i < stack->depth; i++) {
		if (plain && !exact)
			i += place_callers(places, PLACE_KERNEL_PID, stack->values + i,
				stack->depth - i, slots + i);
		if (i == stack->depth)
			break;
		uint64_t value = stack->values[i];
		bool caller = !exact && !stack->exact;
		const struct location *location = known_final(stack, i);
		if (!location) {
			known_note(&symbolizer->known, stack, i, symbolizer->slots.len + i);
			location = location_of(symbolizer,
				kernel_place(symbolizer, sample, timeless, value, caller, &moment),
				!caller);
		}
		/* Its symbol, also when the frames have been named by debug info. */
		const char *function = location->frames[location->n_frames - 1].linkage;

		slots[i] = location;
		exact = function && kernel_is_interrupt_entry(function);
		if (plain && caller && !exact &&
			(is_steady(location) || !symbolizer->kernel.heard_programs))
			place_set_caller(places, PLACE_KERNEL_PID, value, location);
	}
}

static void push_lost(struct symbolizer *symbolizer, const struct stack *stack)
{
	struct location *lost = arena_alloc(&symbolizer->places.arena, sizeof(*lost));

	*lost = (struct location){
		.kind = LOCATION_LOST,
		.status = FRAME_LOST,
		.frames = &place_unknown_frame,
		.n_frames = 1,
		.lost = stack->state,
		.lost_error = stack->error,
		.fix = stack->fix,
	};
	vec_push(&symbolizer->slots, lost);
}

static void push_stack(struct symbolizer *symbolizer, const struct sample *sample, bool kernel)
{
	const struct stack *stack = kernel ? &sample->kernel : &sample->user;

	vec_reserve(&symbolizer->slots, stack->depth + 1);
	const struct location **slots = symbolizer->slots.data + symbolizer->slots.len;
	if (stack->state == STACK_PRESENT && kernel)
		push_kernel_stack(symbolizer, sample, slots);
	else if (stack->state == STACK_PRESENT)
		push_user_stack(symbolizer, sample, slots);
	else if (stack->state != STACK_ABSENT)
		push_lost(symbolizer, stack);
	if (stack->state == STACK_PRESENT)
		symbolizer->slots.len += stack->depth;
}

/* With the kernel symbols of another system the processes of dumps are that one's too. */
static bool is_elsewhere(struct symbolizer *symbolizer, const struct sample *sample)
{
	bool asked = sample->pid >= 0 || sample->user.state == STACK_PRESENT;

	if (!asked || sample->boot_id || sample->user.exact || symbolizer->kernel.recording)
		return false;
	if (!symbolizer->origin_tried)
		symbolizer->elsewhere = kernel_saved_elsewhere(&symbolizer->kernel);
	symbolizer->origin_tried = true;
	return symbolizer->elsewhere;
}

static void collect_sample(struct symbolizer *symbolizer, struct sample sample)
{
	size_t start = symbolizer->slots.len, middle;

	if (is_elsewhere(symbolizer, &sample))
		sample.boot_id = "-";
	push_stack(symbolizer, &sample, false);
	middle = symbolizer->slots.len;
	push_stack(symbolizer, &sample, true);
	/* Asked for also when all places are known, so that the space is looked at again. */
	if (sample.pid >= 0 && !sample.boot_id && (!sample.comm || middle > start)) {
		const struct space *space =
			space_at(&symbolizer->places.spaces, sample.pid, sample.time);

		if (!sample.read_back) {
			/* A kernel thread never had a user stack: the number is another's by now. */
			bool other = middle > start && space->status == SPACE_NO_MAPPINGS &&
				     !space->life && !space->is_dead;

			if (!sample.comm && !other)
				sample.comm = space->life ? recorded_life_comm(space->life, sample.time)
							  : space->comm;
			sample.process_start = space->start_ticks;
		}
	}
	vec_push(&symbolizer->samples, sample);
	const struct trace trace = {
		.n_user = middle - start, .n_kernel = symbolizer->slots.len - middle};
	vec_push(&symbolizer->traces, trace);
}

/* Pointers into the vectors of the batch are set when these no longer grow. */
static void link_traces(struct symbolizer *symbolizer)
{
	const struct location *const *slot = symbolizer->slots.data;

	for (size_t i = 0; i < symbolizer->traces.len; i++) {
		struct trace *trace = &symbolizer->traces.data[i];

		trace->sample = &symbolizer->samples.data[i];
		trace->user = slot;
		trace->kernel = slot + trace->n_user;
		slot += trace->n_user + trace->n_kernel;
	}
}

static char *read_prototype(void *context, size_t frame, const char *name)
{
	const struct plain *plain = context;

	return plain->debug ? debug_prototype(plain->debug, plain->address, frame, name) : NULL;
}

static void add_prototypes(struct symbolizer *symbolizer)
{
	for (size_t i = 0; i < symbolizer->plain.len; i++) {
		struct plain *plain = &symbolizer->plain.data[i];
		const struct prototype_witness witness = {read_prototype, plain};

		prototypes_add(&symbolizer->prototypes, &symbolizer->kernel,
			&symbolizer->places.arena, &witness, plain->location);
	}
}

static bool objects_are_many(struct symbolizer *symbolizer)
{
	return object_cache_is_full(&symbolizer->places.objects) ||
	       targets_are_full(&symbolizer->targets);
}

/* Something that grows with what a stream has seen is too large. */
static bool is_full(struct symbolizer *symbolizer)
{
	struct places *places = &symbolizer->places;

	return places->by_key.len + places->unnamed > PLACES_MAX ||
	       space_cache_is_full(&places->spaces) || objects_are_many(symbolizer) ||
	       kernel_is_full(&symbolizer->kernel) || fetcher_is_full(symbolizer->fetcher);
}

/* When no place points there: what there is too much of. */
static void forget(struct symbolizer *symbolizer)
{
	struct places *places = &symbolizer->places;

	if (space_cache_is_full(&places->spaces))
		space_cache_forget(&places->spaces);
	if (kernel_is_full(&symbolizer->kernel)) {
		kernel_forget(&symbolizer->kernel);
		table_deinit(&symbolizer->demangled);
	}
	if (fetcher_is_full(symbolizer->fetcher))
		fetcher_forget(symbolizer->fetcher);
	malloc_trim(0); /* what is free lies between what is kept */
	if (!objects_are_many(symbolizer))
		return;
	object_cache_choose(&places->objects);
	targets_drop(&symbolizer->targets, &places->objects);
	object_cache_drop(&places->objects);
}

const struct trace *symbolizer_batch(
	struct symbolizer *symbolizer, const struct sample *samples, size_t n)
{
	symbolizer->slots.len = symbolizer->traces.len = symbolizer->samples.len = 0;
	bool changed = space_cache_refresh(&symbolizer->places.spaces);
	enum kernel_news news = kernel_refresh(&symbolizer->kernel);
	object_cache_forget_keys(&symbolizer->places.objects);
	bool full = is_full(symbolizer);
	if (changed || symbolizer->options->once || news == KERNEL_SYMBOLS_READ || full)
		places_forget(&symbolizer->places);
	else if (news == KERNEL_CODE_CHANGED)
		places_forget_kernel_names(&symbolizer->places);
	if (full)
		forget(symbolizer);
	for (size_t i = 0; i < n; i++)
		place_prefetch(&symbolizer->places, &samples[i]);
	for (size_t i = 0; i < n; i++)
		collect_sample(symbolizer, samples[i]);
	targets_resolve(&symbolizer->targets);
	if (!stop_asked())
		add_prototypes(symbolizer);
	symbolizer->plain.len = 0;
	known_settle(&symbolizer->known, symbolizer->slots.data, &symbolizer->places.arena);
	link_traces(symbolizer);
	return symbolizer->traces.data;
}

/* ---- symbols as addresses ------------------------------------------------------------------- */

enum frame_status symbolizer_find_symbols(struct symbolizer *symbolizer, const char *word,
	bool kernel, int64_t pid, struct symbol_addresses *ret)
{
	const struct lookup lookup = {
		&symbolizer->places, &symbolizer->targets, &symbolizer->kernel};

	if (kernel)
		return lookup_in_kernel(&lookup, word, ret);
	if (symbolizer->places.fixed)
		return lookup_in_object(&lookup, symbolizer->places.fixed, word, ret);
	return lookup_in_process(&lookup, pid, word, ret);
}

const char *symbolizer_boot_id(const struct symbolizer *symbolizer)
{
	const struct recording *recording = symbolizer->places.spaces.recording;

	return recording ? recording->boot_id : symbolizer->boot_id;
}

struct address_halves symbolizer_halves(struct symbolizer *symbolizer)
{
	return kernel_halves(&symbolizer->kernel, symbolizer->kernel_places.files.vmlinux);
}

const struct input_processes *symbolizer_processes(const struct symbolizer *symbolizer)
{
	return &symbolizer->processes;
}

enum section_answer symbolizer_fixed_address(const struct symbolizer *symbolizer,
	const char *section, uint64_t offset, bool first, uint64_t *ret)
{
	const struct object *object = symbolizer->places.fixed;
	const struct elf_image *image = object ? object->image : NULL;
	uint64_t start;

	if (section) {
		if (!image || !elf_image_section(image, section, &start))
			return SECTION_ABSENT;
		*ret = start + offset;
		return SECTION_FOUND;
	}
	*ret = offset;
	if (!image || !elf_image_is_relocatable(image) ||
		elf_image_code_offset(image, offset, first, ret))
		return SECTION_FOUND;
	return elf_image_code_offset(image, offset, true, &start) ? SECTION_AMBIGUOUS
								  : SECTION_ABSENT;
}

/* NULL: no file was given that can be read. */
static struct debug *fixed_debug(struct symbolizer *symbolizer)
{
	struct object *object = symbolizer->places.fixed;

	return object && object->image ? target_debug(&symbolizer->targets,
						 target_of(&symbolizer->targets, object))
				       : NULL;
}

bool symbolizer_fixed_variable(struct symbolizer *symbolizer, uint64_t value, struct frame *ret)
{
	struct debug *debug = fixed_debug(symbolizer);

	return debug && !elf_image_is_code(symbolizer->places.fixed->image, value) &&
	       debug_variable(debug, value, ret);
}

bool symbolizer_find_variable(struct symbolizer *symbolizer, const char *name, uint64_t *ret)
{
	struct debug *debug = fixed_debug(symbolizer);

	return debug && debug_find_variable(debug, name, ret);
}

uint64_t symbolizer_fixed_shown(const struct symbolizer *symbolizer, uint64_t value)
{
	const struct object *object = symbolizer->places.fixed;

	return object && object->image && elf_image_is_relocatable(object->image)
		       ? elf_image_section_offset(object->image, value)
		       : value;
}

bool symbolizer_fixed_is_64bit(const struct symbolizer *symbolizer)
{
	const struct object *object = symbolizer->places.fixed;

	return !object || !object->image || object->image->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}
