// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/kernel_place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>

#include "arch/arch.h"
#include "door/door.h"
#include "object/elf_image.h"
#include "object/locate.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/vec.h"
#include "util/xalloc.h"

void kernel_places_deinit(struct kernel_places *places)
{
	kernel_files_deinit(&places->files);
	table_deinit(&places->found);
}

/* Returns the file of MODULE ("": the kernel itself), searched for once; NULL: none. */
static struct object *kernel_file(struct kernel_places *places, const char *module)
{
	const struct module *known =
		*module ? modules_named(kernel_modules(places->kernel), module) : NULL;
	bool added;

	if (*module && (!known || !known->build_id.len))
		return NULL;
	auto_free char *key =
		xasprintf("%s %s", known ? build_id_hex(&known->build_id).digits : "", module);
	uint64_t *slot = table_at(&places->found, key, strlen(key), &added);
	if (!added)
		return object_at(*slot);
	struct object *object = NULL;
	if (known) {
		object = kernel_files_module(&places->files, module, &known->build_id);
	} else {
		const struct build_id id = kernel_build_id(places->kernel, NULL);

		object = kernel_files_vmlinux(&places->files, &id, &places->detail);
		places->vmlinux = object;
	}
	*slot = (uintptr_t)object;
	struct fetch *failed = places->files.failed;
	struct frame_object *label = kernel_label(places->kernel, known ? module : NULL);
	if (object)
		object->pinned = true;
	else if (failed && fetch_failed(failed))
		label->not_fetched = fetch_lost(failed, &label->fetch_fix);
	return object;
}

struct error *kernel_places_check(struct kernel_places *places)
{
	const char *path = places->files.vmlinux;
	struct error *error = NULL;

	if (!path)
		return NULL;
	auto_fd int fd = door_open(AT_FDCWD, path, 0, NULL);
	if (fd < 0)
		error = file_error(errno, path);
	else
		(void)image_of_fd(places->files.objects, take_fd(fd), path, &error);
	return error_context(error, "--vmlinux");
}

const char *kernel_places_refused(struct kernel_places *places)
{
	return places->files.vmlinux && !kernel_file(places, "") ? places->detail : NULL;
}

struct object *kernel_place_object(struct kernel_places *places, struct location *location)
{
	const struct frame_object *label = location->object;

	if (location->kind != LOCATION_KERNEL || !label || !label->module ||
		location->n_frames != 1 || (!*label->module && !location->frames[0].function))
		return NULL;
	struct object *object = kernel_file(places, label->module);
	if (object)
		return object;
	if (!*label->module && places->detail)
		location->detail = places->detail;
	if (label->not_fetched && location->frames[0].function)
		location->gap = GAP_FETCH;
	return NULL;
}

/*
 * Finds the KASLR offset; all anchors that both sides have must agree. If the kernel does not
 * report its build ID, functions from all parts of the file must also be where kallsyms has them.
 */
static bool find_slide(struct kernel_places *places, struct debug *debug)
{
	enum { SAMPLES = 32 };
	static const char *const anchors[] = {"_stext", "_text"};
	struct kallsyms *symbols = kernel_symbols(places->kernel);
	uint64_t here, there;
	size_t same = 0;

	if (places->slide_tried)
		return places->slide_known;
	places->slide_tried = true;
	array_each(anchor, anchors, array_len(anchors)) {
		if (!kallsyms_find_name(symbols, *anchor, &here) ||
			!debug_only_symbol(debug, *anchor, &there))
			continue;
		if (places->slide_known && places->slide != here - there)
			return places->slide_known = false;
		places->slide = here - there;
		places->slide_known = true;
	}
	if (!places->slide_known || kernel_build_id(places->kernel, NULL).len)
		return places->slide_known;
	for (unsigned i = 0; i < SAMPLES; i++) {
		const struct symbol *sample = symbol_search_sample(debug_symtab(debug), i, SAMPLES);

		if (!sample || !*sample->name || !debug_only_symbol(debug, sample->name, &there) ||
			!kallsyms_find_name(symbols, sample->name, &here))
			continue;
		if (here - there != places->slide)
			return places->slide_known = false;
		same++;
	}
	return places->slide_known = same > 0;
}

/*
 * Converts LOOKUP, DISTANCE after the start of SYMBOL (NULL: none), by the module's sections, if
 * the symbol is where they put it.
 */
static bool by_section(struct kernel_places *places, const struct target *target,
	const char *symbol, uint64_t distance, uint64_t lookup, uint64_t *ret)
{
	const struct elf_image *image = target->object->image;
	const char *name = target->object->label.name;
	auto_free char *bare = xstrndup(name + 1, strlen(name) - 2);
	const struct module *module = modules_named(kernel_modules(places->kernel), bare);
	const struct module_section *section = module ? module_section_at(module, lookup) : NULL;
	uint64_t base;

	if (!section || !elf_image_section(image, section->name, &base))
		return false;
	uint64_t offset = lookup - section->address;
	*ret = base + offset;
	return elf_image_is_code(image, *ret) && elf_image_section_offset(image, *ret) == offset &&
	       (!symbol || symtab_has(debug_symtab(target->debug), *ret - distance, symbol));
}

/* Converts the address DISTANCE after the start of SYMBOL, if the file has only one like it. */
static bool by_symbol(
	const struct target *target, const char *symbol, uint64_t distance, uint64_t *ret)
{
	const struct elf_image *image = target->object->image;
	uint64_t start;

	if (!debug_only_symbol(target->debug, symbol, &start))
		return false;
	*ret = start + distance;
	return elf_image_is_code(image, *ret) &&
	       *ret - elf_image_section_offset(image, *ret) ==
		       start - elf_image_section_offset(image, start);
}

bool kernel_place_address(struct kernel_places *places, const struct target *target,
	uint64_t lookup, struct location *location, uint64_t *ret)
{
	const struct object *object = target->object;
	/* what kallsyms has there */
	const struct frame *frame = &location->frames[0];
	const char *symbol = frame->function ? frame->linkage : NULL;
	uint64_t start = location->address - (frame->function ? frame->offset : 0), address;
	uint64_t distance = lookup - start;
	bool found;

	if (object == places->vmlinux) {
		found = find_slide(places, target->debug) && symbol &&
			symtab_has(debug_symtab(target->debug), start - places->slide, symbol);
		address = lookup - places->slide;
	} else {
		found = by_section(places, target, symbol, distance, lookup, &address) ||
			(symbol && by_symbol(target, symbol, distance, &address));
	}
	if (!found) {
		const char *path = object->image->path;
		auto_free char *text =
			symbol ? xasprintf("%s has no %s at this address", path, symbol)
			       : xasprintf("%s has no code at this address", path);

		location->detail = kernel_string(places->kernel, text);
		return false;
	}
	location->object = &object->label;
	location->has_elf_address = !elf_image_is_relocatable(object->image);
	location->elf_address = address + (location->address - lookup);
	*ret = address;
	return true;
}

void kernel_place_name(
	struct arena *arena, const struct debug_answer *answer, struct location *location)
{
	const struct frame symbol = location->frames[0];
	struct frame *frames =
		arena_clone(arena, answer->frames, answer->n_frames * sizeof(symbol));
	struct frame *outermost = &frames[answer->n_frames - 1];
	bool by_dwarf = answer->source == SOURCE_DWARF;

	location->frames = frames;
	location->n_frames = answer->n_frames;
	if (answer->detail)
		location->detail = answer->detail;
	location->gap = answer->gap;
	if (!symbol.function) {
		location->source = answer->source;
		location->status = answer->status;
		return;
	}
	/*
	 * DWARF has one of several names of a kernel function (__do_sys_sync for __x64_sys_sync),
	 * and only the enclosing function of an assembly label: prefer kallsyms' name there, unless
	 * it only adds a compiler's suffix (.cold, .isra.0). In modules kallsyms may have a mere
	 * alias (init_module).
	 */
	if (by_dwarf && location->has_elf_address) {
		size_t len = strlen(outermost->function);

		by_dwarf = !strncmp(symbol.linkage, outermost->function, len) &&
			   (!symbol.linkage[len] || symbol.linkage[len] == '.');
	}
	if (by_dwarf) {
		location->source = answer->source;
	} else {
		outermost->function = symbol.function;
		outermost->shown = symbol.shown;
	}
	outermost->linkage = symbol.linkage;
	/*
	 * Prefer the source file to an address as the qualifier. Debug info does not know of other
	 * modules, and its addresses are those of a file, so use the start in the running kernel.
	 */
	const char *by_debug = outermost->qualifier;
	if (symbol.qualifier && (!by_debug || symbol.qualifier[0] == '['))
		outermost->qualifier = symbol.qualifier;
	else if (by_debug && by_debug[0] == '@')
		outermost->qualifier = arena_printf(
			arena, "@0x%llx", (unsigned long long)(location->address - symbol.offset));
	outermost->offset = symbol.offset;
	outermost->has_offset = symbol.has_offset;
}

/* ---- whether the symbols fit ---------------------------------------------------------------- */

enum { OUTERMOST_MAX = 1 << 12 };

void kernel_fit_look(struct kernel_fit *fit, const struct trace *trace)
{
	const struct stack *stack = &trace->sample->kernel;

	if (!trace->n_kernel || stack->state != STACK_PRESENT || stack->exact || stack->truncated ||
		fit->outermost.len == OUTERMOST_MAX)
		return;
	const struct location *last = trace->kernel[trace->n_kernel - 1];
	bool outside = last->status == FRAME_KALLSYMS_OUTSIDE && !last->object, added;
	if (last->kind != LOCATION_KERNEL || (last->status != FRAME_NAMED && !outside))
		return;
	(void)table_at(&fit->outermost, &last->address, sizeof(last->address), &added);
	fit->outside += added && outside;
	fit->inside += added && !outside;
}

void kernel_fit_doubt(const struct kernel_fit *fit, const struct trace *trace, uint64_t *serials)
{
	for (size_t i = 0; fit->outside > fit->inside && i < trace->n_kernel; i++) {
		/*
		 * the resolver keeps this location between batches: all later traces share the
		 * mark
		 */
		struct location *location = (struct location *)(uintptr_t)trace->kernel[i];

		if (location->kind != LOCATION_KERNEL || location->status != FRAME_NAMED ||
			location->doubtful)
			continue;
		location->doubtful = true;
		location->detail = "the kernel symbols are of another boot or build";
		location->serial = ++*serials;
	}
}

void kernel_fit_notes(const struct kernel_fit *fit, struct log *log)
{
	log_add(log, LOG_WARNING, fit->outside > fit->inside,
		"the kernel symbols are of another boot or build than the stacks, most of which begin "
		"outside all symbols: use --kallsyms with a copy from that time, or a recording");
}

/* ---- which addresses are the kernel's -------------------------------------------------------- */

/* Lowest address of a 64-bit kernel that shares its address space (5-level page tables). */
#define LOW_END (1ULL << 57)
/* Lowest address of 32-bit kernels (arch/x86/Kconfig, arch/arm/Kconfig), with ARM's modules. */
#define NARROW_MIN 0x3f000000ULL
#define NARROW_STEP (16ULL << 20)

static const struct address_halves separate = {.separate = true};

/* Decides by FLOOR, the lowest code address. NARROW: a 32-bit kernel. */
static struct address_halves halves_from(uint64_t floor, bool narrow)
{
	/* round down: other modules and BPF programs may be lower */
	uint64_t start = floor & (narrow ? ~(NARROW_STEP - 1) : ~0ULL << 60);

	if (floor < (narrow ? NARROW_MIN : LOW_END))
		return separate;
	return (struct address_halves){.kernel_start = floor >= KERNEL_HIGH ? 0 : start};
}

static struct address_halves by_symbols(struct kernel *kernel)
{
	const struct kallsyms *symbols = kernel_symbols(kernel);

	if (symbols->status != KALLSYMS_READ || symbols->floor == UINT64_MAX)
		return (struct address_halves){};
	return halves_from(symbols->floor, symbols->narrow);
}

static struct address_halves by_vmlinux(const char *path)
{
	scope_guard(elf_image_cleanup) struct elf_image *image = NULL;
	auto_fd int fd = door_open(AT_FDCWD, path, 0, NULL);
	uint64_t floor = UINT64_MAX;

	/* the user of the file reports the error */
	if (fd >= 0)
		error_destroy(elf_image_open(take_fd(fd), path, &image));
	if (!image)
		return (struct address_halves){};
	const struct arch *arch = arch_of(image->ehdr.e_machine);
	if (!arch->kernel_min)
		return separate;
	array_each(load, image->loads, image->n_loads)
		if (load->p_flags & PF_X && load->p_vaddr < floor)
			floor = load->p_vaddr;
	/* cannot tell from a file whose addresses start at 0 */
	if (floor == UINT64_MAX || floor < NARROW_STEP)
		return (struct address_halves){};
	return halves_from(
		floor - arch->modules_below, image->ehdr.e_ident[EI_CLASS] == ELFCLASS32);
}

struct address_halves kernel_halves(struct kernel *kernel, const char *vmlinux)
{
	struct utsname system = {};

	if (kernel->saved || (kernel->recording && kernel->recording->foreign &&
				     kernel->recording->kallsyms.len))
		return by_symbols(kernel);
	if (vmlinux)
		return by_vmlinux(vmlinux);
	(void)uname(&system);
	const struct arch *arch = arch_by_uname(system.machine);
	if (arch)
		return halves_from(arch->kernel_min, false);
	/* the start of a 32-bit kernel is configurable */
	return sizeof(void *) == 4 ? by_symbols(kernel) : (struct address_halves){};
}
