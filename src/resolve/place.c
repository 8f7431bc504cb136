// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/place.h"

#include <string.h>

#include "arch/arch.h"
#include "object/trampoline.h"
#include "process/jit/jit.h"
#include "process/jit/files.h"
#include "process/maps.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/xalloc.h"

#define USER_ADDRESS_MIN 0x1000ULL
#define USER_ADDRESS_END (1ULL << 57) /* x86-64 with 5-level page tables, the largest user range */
#define VSYSCALL_START 0xffffffffff600000ULL
#define VSYSCALL_END 0xffffffffff601000ULL

struct place_key {
	uint64_t value;
	int64_t pid;
	uint64_t domain : 4;
	/*
	 * enum process_match for a process; enum file_value for a file; the uncertainty of THEN,
	 * or the code_choice with CALLER, for the kernel.
	 */
	uint64_t late : 60;
	/* the members from here on are left out of the key if all are zero, which is usual */
	const void *
		then; /* mapping or BPF program chosen by the sample's time; object of a file; else NULL */
	uint64_t choice; /* choice_number() for a process; other candidates for the kernel */
	uint8_t id_len, id[BUILD_ID_MAX];
};

const struct frame place_unknown_frame = {};

void places_forget(struct places *places)
{
	table_clear(&places->by_key);
	table_clear(&places->choices);
	table_clear(&places->pages);
	places->comm = (struct comm_seen){};
	free(take(places->recent));
	places->all.len = 0;
	places->unnamed = 0;
	arena_clear(&places->arena);
}

void places_forget_kernel_names(struct places *places)
{
	vec_each_value(place, &places->all) {
		if (place->base.kind != LOCATION_KERNEL)
			continue;
		for (int exact = 0; exact < 2; exact++) {
			places->unnamed += place->named[exact] != NULL;
			place->named[exact] = NULL;
		}
	}
	for (size_t i = 0; places->recent && i < PLACES_RECENT; i++)
		if (places->recent[i].pid == PLACE_KERNEL_PID)
			places->recent[i].callers[false] = NULL;
}

void places_deinit(struct places *places)
{
	table_deinit(&places->by_key);
	table_deinit(&places->choices);
	table_deinit(&places->pages);
	free(places->recent);
	vec_deinit(&places->all);
	arena_deinit(&places->arena);
	object_cache_deinit(&places->objects);
	space_cache_deinit(&places->spaces);
}

/* Sets the addresses of PLACE: ADDRESS is an ELF address of its object, which has an image. */
static void place_code_address(struct place *place, uint64_t address)
{
	const struct arch *arch = arch_of(place->object->image->ehdr.e_machine);

	place->base.elf_address = arch_code_address(arch, address);
	place->base.has_elf_address = true;
}

/* Likewise for an address of a stack, which may be in a signal trampoline. */
static void place_stack_address(struct place *place, uint64_t address)
{
	place_code_address(place, address);
	place->trampoline = trampoline_at(place->object->image, place->base.elf_address);
}

/* Sets PLACE's object, or the reason why it has no image. Returns true if it has one. */
static bool place_object(struct object *object, struct place *place)
{
	place->base.object = &object->label;
	place->base.status = object->status;
	place->base.detail = object->detail;
	place->base.doubtful = object->doubtful;
	object->used = true;
	if (object->image)
		place->object = object;
	return object->image != NULL;
}

/* Replaces an ELF address in a relocatable file, which we made up, by the section offset. */
static void place_hide_base(struct place *place)
{
	const struct elf_image *image = place->object->image;

	if (!elf_image_is_relocatable(image))
		return;
	place->base.address = elf_image_section_offset(image, place->base.elf_address);
	place->base.has_elf_address = false;
}

static void place_file_offset(struct object *object, uint64_t offset, struct place *place)
{
	uint64_t address;

	place->base.file_offset = offset;
	place->base.has_file_offset = true;
	if (!place_object(object, place))
		return;
	if (elf_image_address(object->image, offset, &address)) {
		place_stack_address(place, address);
	} else {
		place->base.status = FRAME_OUTSIDE_SEGMENTS;
		place->object = NULL;
	}
}

enum frame_status place_space_status(const struct space *space)
{
	switch (space->status) {
	case SPACE_GONE:
		return FRAME_PROCESS_GONE;
	case SPACE_DENIED:
		return FRAME_PROCESS_DENIED;
	case SPACE_NO_MAPPINGS:
		return FRAME_PROCESS_NO_MAPPINGS;
	case SPACE_NOT_RECORDED:
		return FRAME_NOT_RECORDED;
	case SPACE_AMBIGUOUS:
		return FRAME_AMBIGUOUS_PROCESS;
	case SPACE_READ:
		break;
	}
	return FRAME_NAMED;
}

/*
 * Finds code that was copied to anonymous memory in place of a file mapping: it is the file's if
 * the page has the file's bytes.
 */
static bool place_remapped(struct places *places, const struct space *space,
	const struct mapping *mapping, struct place *place)
{
	const struct mapping *below = space->record ? NULL : remapped_file(&space->maps, mapping);

	if (!below)
		return false;
	struct object *object = object_of_mapping(&places->objects, space, below, NULL);
	uint64_t offset = place->base.address - below->start + below->file_offset;
	if (place_compare_page(space, object, place->base.address, offset) != PAGE_SAME)
		return false;
	place_file_offset(object, offset, place);
	return true;
}

static void place_in_mapping(struct places *places, const struct space *space,
	const struct mapping *mapping, struct place *place)
{
	bool vdso = !strcmp(mapping->path, "[vdso]");

	if (!mapping->executable) {
		place->base.status = FRAME_NOT_EXECUTABLE;
	} else if (mapping->ambiguous) {
		place->base.status = FRAME_AMBIGUOUS_MAPPING;
	} else if (vdso || mapping->inode || mapping->build_id) {
		struct object *object = object_of_mapping(&places->objects, space, mapping, NULL);
		uint64_t offset = place->base.address - mapping->start + mapping->file_offset;

		place_file_offset(object, offset, place);
		if (place->object && object->compare && mapping->inode && !space->record)
			place_compare_code(places, space, place);
		place->live = space->record ? NULL : space;
	} else if (!place_remapped(places, space, mapping, place)) {
		place->base.status = FRAME_ANONYMOUS;
	}
	/*
	 * Some JIT compilers keep code in an unnamed file that is not ELF. For a recorded process that
	 * file is gone, and a file now at its path is unrelated.
	 */
	if (place->base.status != FRAME_ANONYMOUS && place->base.status != FRAME_FILE_BROKEN &&
		(!space->record || place->object || !jit_may_hold_code(mapping)))
		return;
	place->jit = space;
	(void)jit_version(space);
	if (space->jit->refused.len && !place->base.detail)
		place->base.detail = arena_string(&places->arena, space->jit->refused.data);
	if (place->base.status == FRAME_ANONYMOUS &&
		(space->jit->perf_map.limited || space->jit->dump.limited))
		place->base.status = FRAME_JIT_LIMIT;
}

/*
 * SPACE is NULL if the process is unknown. MAPPING is the recorded mapping at the sample's time;
 * NULL: none, or a live process.
 */
static void place_in_process(struct places *places, const struct space *space,
	const struct mapping *mapping, struct place *place)
{
	const struct recording *recording = places->spaces.recording;
	struct location *base = &place->base;
	uint64_t address = base->address;

	if (address < USER_ADDRESS_MIN || address >= USER_ADDRESS_END) {
		base->status = FRAME_NOT_AN_ADDRESS;
		return;
	}
	if (!space) {
		base->status = FRAME_NO_PID;
		return;
	}
	base->status = place_space_status(space);
	if (space->status == SPACE_READ) {
		if (!mapping && !space->record)
			mapping = space_mapping_at(space, 0, address);
		if (mapping)
			place_in_mapping(places, space, mapping, place);
		else
			base->status = FRAME_UNMAPPED;
	}
	/* the recording may not cover all processes: that is why this one is missing */
	bool missing =
		base->status == FRAME_PROCESS_GONE || base->status == FRAME_NOT_RECORDED ||
		(base->status == FRAME_PROCESS_NO_MAPPINGS && (space->record || space->is_dead));
	if (missing && recording && recording->only.len) {
		base->status = FRAME_NOT_RECORDED;
		base->detail = recording->only.data;
	}
	base->fix = place_fix(space, mapping, base->status);
}

/* The vsyscall page holds three entries, 1 KiB apart (arch/x86/entry/vsyscall). */
static void place_vsyscall(struct places *places, struct place *place)
{
	static const char *const names[] = {"vgettimeofday", "vtime", "vgetcpu"};
	static const struct frame_object label = {.path = "[vsyscall]", .name = "[vsyscall]"};
	uint64_t offset = place->base.address - VSYSCALL_START;

	place->base.kind = LOCATION_USER;
	place->base.object = &label;
	place->base.status = FRAME_OUTSIDE_SYMBOLS;
	if (offset >> 10 >= array_len(names))
		return;
	struct frame *frame = arena_alloc(&places->arena, sizeof(*frame));
	*frame = (struct frame){
		.function = names[offset >> 10],
		.linkage = names[offset >> 10],
		.offset = offset & 1023,
		.has_offset = true,
	};
	place->base.status = FRAME_NAMED;
	place->base.source = SOURCE_FIXED;
	place->base.frames = frame;
}

/* Sets PLACE by its object without a process: ELF addresses and file offsets are shown. */
static void place_loaded(struct object *object, enum file_value meaning, struct place *place)
{
	static const char *const doubts[] = {
		[FILE_VALUE_FROM_START] =
			"the offset may also count from the first segment, which is not at 0",
		[FILE_VALUE_OTHER_BUILD] =
			"its function has another size there: probably another build",
		[FILE_VALUE_OF_PATH] = "only the path is known: the file may have been replaced"};
	uint64_t address = place->base.address;
	bool loaded = meaning == FILE_VALUE_FROM_START || meaning == FILE_VALUE_FROM_BIAS;
	bool doubtful = meaning == FILE_VALUE_OTHER_BUILD || meaning == FILE_VALUE_OF_PATH;

	place->base.has_address = false;
	if (!place_object(object, place)) {
		place->base.file_offset = address;
		place->base.has_file_offset = meaning == FILE_VALUE_OF_PATH;
		if (address == PLACE_NOWHERE || meaning == FILE_VALUE_OF_PATH)
			return;
		place->base.elf_address = address;
		place->base.has_elf_address = true;
		return;
	}
	if (loaded && !object_loaded_address(object->image, address,
			      meaning == FILE_VALUE_FROM_BIAS, &address, &doubtful)) {
		place->base.status = FRAME_OUTSIDE_SEGMENTS;
		place->base.detail = "a relocatable file has no load address";
		place->object = NULL;
		return;
	}
	place_stack_address(place, address);
	if (loaded || meaning == FILE_VALUE_OF_PATH)
		place->base.has_file_offset = elf_image_offset(
			object->image, place->base.elf_address, &place->base.file_offset);
	else
		place_hide_base(place);
	place->base.doubtful = doubtful;
	place->base.detail = doubtful ? doubts[meaning] : place->base.detail;
}

/* Looks up the place of KEY. */
static void place_look(struct places *places, const struct place_key *key,
	const struct space *space, struct place *place)
{
	if (key->domain != PLACE_BUILD_ID && key->domain != PLACE_FIXED &&
		key->value >= VSYSCALL_START && key->value < VSYSCALL_END) {
		place_vsyscall(places, place);
	} else if (key->domain == PLACE_ELSEWHERE || key->domain == PLACE_KERNEL_ELSEWHERE) {
		place->base.status = FRAME_ELSEWHERE;
	} else if (key->domain == PLACE_PROCESS && key->late == MATCH_OTHER) {
		place->base.status = FRAME_PROCESS_GONE;
		place->base.detail = "its ID now belongs to another process";
	} else if (key->domain == PLACE_PROCESS) {
		place_in_process(places, space, key->then, place);
		if (place->base.status == FRAME_NO_PID && key->pid < -1)
			place->base.status = key->pid == SAMPLE_PID_GONE ? FRAME_PROCESS_GONE
									 : FRAME_PROCESS_CHANGED;
		bool changed = key->late == MATCH_CHANGED || key->late == MATCH_RENAMED;
		if (changed && place->base.status == FRAME_UNMAPPED)
			place->base.status = FRAME_PROCESS_CHANGED;
		else if (key->late && key->late != MATCH_CHANGED)
			place_doubt_process(place, (enum process_match)key->late);
	} else if (key->domain == PLACE_BUILD_ID) {
		const struct build_id id = build_id_make(key->id, key->id_len);

		place_file_offset(
			object_of_build_id(&places->objects, &places->spaces, key->pid, &id),
			key->value, place);
	} else if (key->domain == PLACE_FILE) {
		place_loaded(
			(struct object *)(uintptr_t)key->then, (enum file_value)key->late, place);
	} else if (key->domain == PLACE_FIXED && place_object(places->fixed, place)) {
		place_code_address(place, key->value);
		place_hide_base(place);
	}
}

static struct place *place_create(
	struct places *places, const struct place_key *key, const struct space *space)
{
	struct place *place = arena_alloc(&places->arena, sizeof(*place));

	*place = (struct place){.base = {.address = key->value, .n_frames = 1}};
	place->base.frames = &place_unknown_frame;
	place->base.has_address = key->domain != PLACE_BUILD_ID;
	bool kernel = key->domain == PLACE_KERNEL || key->domain == PLACE_KERNEL_ELSEWHERE;

	place->base.kind = kernel ? LOCATION_KERNEL : LOCATION_USER;
	if (kernel || !stop_asked())
		place_look(places, key, space, place);
	if (kernel || !stop_asked())
		return place;
	/* it was looked up in part or not at all */
	place->base.status = FRAME_INTERRUPTED;
	place->base.detail = place->base.fix = NULL;
	place->base.doubtful = false;
	place->base.frames = &place_unknown_frame;
	place->object = NULL;
	place->jit = NULL;
	return place;
}

/*
 * Returns a number for what was chosen for the sample's time; 0: nothing. JIT functions at the
 * address and at the byte before may differ. JIT has the process's JIT code; NULL: that does not
 * depend on the time.
 */
static uint64_t choice_number(struct places *places, const struct space *space,
	const struct space *jit, struct taken taken, uint64_t address)
{
	struct {
		const void *space, *names[2];
		uint64_t uncertain;
	} chosen = {.space = space};

	if (!space->record && space->status != SPACE_AMBIGUOUS && !jit)
		return 0;
	for (int exact = 0; jit && exact < 2; exact++) {
		struct jit_code code = jit_find(jit, taken.since, taken.until, address - !exact);

		chosen.names[exact] = code.name;
		chosen.uncertain |= !code.ambiguous ? 0 : jit->record ? 1 : taken.until;
	}
	return table_number(&places->choices, &chosen, sizeof(chosen));
}

/* A kernel address may belong to different BPF programs at different times. */
static const struct recorded_bpf *program_in_time(
	const struct recording *recording, uint64_t time, uint64_t address, bool *doubtful)
{
	return recording && recorded_time(recording, time)
		       ? recorded_bpfs_at(&recording->bpfs, address, time, doubtful)
		       : NULL;
}

static struct place *place_by_key(struct places *places, const struct place_key *key,
	const struct space *space, bool *added_ret)
{
	size_t size = offsetof(struct place_key, then);

	if (key->then || key->choice || key->id_len)
		size = offsetof(struct place_key, id) + key->id_len;
	struct place **slot = vec_keyed(&places->all, &places->by_key, key, size);
	*added_ret = !*slot;
	if (!*slot)
		*slot = place_create(places, key, space);
	return *slot;
}

struct place *place_in_file(
	struct places *places, struct object *object, uint64_t value, enum file_value meaning)
{
	const struct place_key key = {
		.domain = PLACE_FILE, .value = value, .late = meaning, .then = object, .pid = -1};
	bool added;

	return place_by_key(places, &key, NULL, &added);
}

/* Returns the place of VALUE in the process of SAMPLE, at its time. */
static struct place *place_find_in_process(
	struct places *places, const struct sample *sample, uint64_t value)
{
	struct taken taken = place_taken(sample);
	const struct space *space = space_then(&places->spaces,
		space_at(&places->spaces, sample->pid, sample->time), taken, value);
	const struct mapping *mapping = NULL;
	bool added;

	taken = space_taken(&places->spaces, taken);
	/* in a recording an address may belong to different files at different times */
	if (space->record) {
		const struct recording *recording = space->record->recording;
		uint64_t time = recorded_last_time(recording, sample->time);

		mapping = space_mapping_at(space, time, value);
		if (!recording->in_memory)
			taken.since = taken.until = recorded_time(recording, time);
	}
	/* NULL: the code does not depend on the sample's time */
	const struct space *jit = space->live ?: space;
	if (!taken.until || (space->record && mapping && mapping->build_id) ||
		(!jit->record && !jit_has_files(jit)))
		jit = NULL;
	struct place_key key = {
		.domain = PLACE_PROCESS,
		.value = value,
		.pid = space->pid < 0 ? INT64_MIN : space->pid, /* -1: unknown */
		.then = mapping,
	};
	key.choice = choice_number(places, space, jit, taken, value);
	key.late = place_match_process(places, space, sample, value);
	struct place *place = place_by_key(places, &key, space, &added);
	if (added && jit && place->jit) {
		place->jit = jit;
		place->taken = taken;
	}
	return place;
}

static struct place *place_find(struct places *places, const struct sample *sample,
	enum place_domain domain, uint64_t value, const struct build_id *id)
{
	struct place_key key = {.value = value, .pid = sample->pid};
	const struct recording *recording = places->spaces.recording;
	bool added;

	if (sample->boot_id &&
		(domain == PLACE_PROCESS || (domain == PLACE_KERNEL && !places->kernel_given)))
		domain = domain == PLACE_KERNEL ? PLACE_KERNEL_ELSEWHERE : PLACE_ELSEWHERE;
	if (domain == PLACE_PROCESS && sample->pid >= 0)
		return place_find_in_process(places, sample, value);
	key.domain = domain;
	if (domain == PLACE_KERNEL || domain == PLACE_FIXED)
		key.pid = -1;
	if (domain == PLACE_KERNEL) {
		uint64_t time = recorded_last_time(recording, sample->time);
		bool doubtful = false;

		key.then = program_in_time(recording, time, value, &doubtful);
		key.late = doubtful | (uint64_t)(key.then && time != sample->time) << 1;
	}
	if (id) {
		key.id_len = id->len;
		memcpy(key.id, id->bytes, id->len);
	}
	if (domain == PLACE_FIXED) {
		vec_push(&places->all, place_create(places, &key, NULL));
		return places->all.data[places->all.len - 1];
	}
	struct place *place = place_by_key(places, &key, NULL, &added);
	if (added && key.then)
		place->time = sample->time;
	return place;
}

bool place_is_timeless(struct places *places, const struct sample *sample, enum place_domain domain)
{
	const struct recording *recording = places->spaces.recording;

	if (sample->read_back || (domain == PLACE_PROCESS && !place_comm_fits(places, sample)))
		return false;
	bool kernel = domain == PLACE_KERNEL && (!recording || !recording->bpfs.all.len);
	bool timeless = !sample->time && (domain == PLACE_KERNEL || domain == PLACE_PROCESS);

	/* a live process is timeless, except before its start and for recent changes */
	if (domain == PLACE_PROCESS && sample->pid >= 0 && (timeless || !recording)) {
		const struct space *space = space_at(&places->spaces, sample->pid, sample->time);

		timeless = (!sample->time || sample->time >= space->started) &&
			   space_covers(&places->spaces, space, place_taken(sample), 0) &&
			   !(places->spaces.streams && jit_has_files(space));
	}
	return !sample->boot_id && (kernel || timeless);
}

static struct recent_place *recent_at(const struct places *places, uint64_t value)
{
	return &places->recent[(value ^ value >> 12) % PLACES_RECENT];
}

size_t place_callers(const struct places *places, int64_t pid, bool unwound, const uint64_t *values,
	size_t n, const struct location **ret)
{
	if (!places->recent)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const struct recent_place *recent = recent_at(places, values[i]);

		if (recent->value != values[i] || recent->pid != pid || !recent->callers[unwound])
			return i;
		ret[i] = recent->callers[unwound];
	}
	return n;
}

void place_set_caller(struct places *places, int64_t pid, bool unwound, uint64_t value,
	const struct location *location)
{
	if (!places->recent)
		return;
	struct recent_place *recent = recent_at(places, value);
	if (recent->value == value && recent->pid == pid && recent->place)
		recent->callers[unwound] = location;
}

struct place *place_of(struct places *places, const struct sample *sample, enum place_domain domain,
	bool timeless, uint64_t value, const struct build_id *id)
{
	int64_t pid = domain == PLACE_KERNEL  ? PLACE_KERNEL_PID
		      : domain == PLACE_FIXED ? PLACE_FIXED_PID
					      : sample->pid;

	if (!timeless)
		return place_find(places, sample, domain, value, id);
	if (!places->recent)
		places->recent = xcalloc(PLACES_RECENT, sizeof(*places->recent));
	struct recent_place *recent = recent_at(places, value);
	if (recent->value != value || recent->pid != pid || !recent->place)
		*recent = (struct recent_place){
			value, pid, place_find(places, sample, domain, value, NULL), {}};
	return recent->place;
}

struct place *place_of_code(struct places *places, struct kernel *kernel,
	const struct sample *sample, bool timeless, uint64_t value, bool caller,
	const struct sample_time *time)
{
	bool doubtful = false, added;
	const struct recorded_bpf *recorded =
		program_in_time(places->spaces.recording, sample->time, value - caller, &doubtful);
	struct code_choice choice;

	/* a recording of that time takes precedence over changes reported since a stream began */
	if (sample->boot_id || (recorded && !doubtful) ||
		!kernel_choose(kernel, value - caller, time, &choice))
		return place_of(places, sample, PLACE_KERNEL, timeless, value, NULL);
	const struct place_key key = {
		.domain = PLACE_KERNEL,
		.value = value,
		.late = choice.number << 4 | (uint64_t)choice.over << 3 |
			(uint64_t)choice.incomplete << 2 | (uint64_t)choice.later << 1 | caller,
		.choice = choice.other,
		.pid = -1,
	};
	struct place *place = place_by_key(places, &key, NULL, &added);
	place->code = choice;
	return place;
}
