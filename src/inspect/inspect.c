// SPDX-License-Identifier: GPL-2.0-or-later
#include "inspect/inspect.h"

#include <inttypes.h>
#include <string.h>

#include "debug/debug.h"
#include "debug/inspection.h"
#include "debug/unwind/unwind_rule.h"
#include "object/object_cache.h"
#include "process/space.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/text.h"

struct inspector {
	const struct inspect_options *options;
	struct find_options find;
	struct object_cache objects;
	struct space_cache spaces;
	FILE *out;
	bool any; /* something was printed */
};

/* ---- one object ----------------------------------------------------------------------------- */

static struct error *print_report(
	struct inspector *inspector, const struct object *object, struct debug *debug)
{
	bool json = inspector->options->json;
	auto_text struct text text = {};
	struct inspection inspection;

	if (!debug_inspect(debug, &inspection))
		return error_create(
			ERROR_INPUT, "%s: was cut short while it was read", object->label.path);
	(json ? report_json : report_text)(object, &inspection, &text);
	fprintf(inspector->out, "%s%s", inspector->any && !json ? "\n" : "", text.data);
	inspector->any = true;
	return NULL;
}

/*
 * Prints the rule of SOURCE at the ELF address ADDRESS, which is set in RULE. Returns false if
 * there is none. Addresses in a relocatable file are printed as section offsets.
 */
static bool print_rule(struct inspector *inspector, const struct elf_image *image,
	struct debug *debug, uint64_t address, enum unwind_source source, struct unwind_rule *rule)
{
	auto_text struct text text = {};
	const char *name = source == UNWIND_SFRAME ? "SFrame" : "CFI", *reason = NULL;

	if (!debug_unwind_rule(debug, address, source, rule, &reason)) {
		fprintf(inspector->out, "%s: none: %s\n", name, reason);
		return false;
	}
	uint64_t start = elf_image_section_offset(image, rule->start);
	unwind_rule_format(rule, &text);
	fprintf(inspector->out, "%s: %s [0x%" PRIx64 ", 0x%" PRIx64 ")%s%s\n", name, text.data,
		start, start + (rule->end - rule->start), source == UNWIND_SFRAME ? "" : " by ",
		source == UNWIND_SFRAME ? "" : unwind_source_name(rule->source));
	return true;
}

static const char *walk_text(const struct unwind_rule *rule)
{
	switch (unwind_fp_walk(rule)) {
	case UNWIND_FP_RIGHT:
		return "finds the caller";
	case UNWIND_FP_LOST:
		return "skips the caller";
	case UNWIND_FP_OUTERMOST:
		return "is at its end: there is no caller";
	default:
		return "may or may not find the caller";
	}
}

/*
 * Converts the user's address GIVEN to the ELF address RET. In a relocatable file, GIVEN is an
 * offset in its only code section that is long enough.
 */
static struct error *elf_address(const struct object *object, uint64_t given, uint64_t *ret)
{
	const struct elf_image *image = object->image;
	uint64_t other;

	if (!elf_image_is_relocatable(image) && elf_image_has_address(image, given))
		*ret = given;
	else if (!elf_image_is_relocatable(image) ||
		 !elf_image_code_offset(image, given, true, &other))
		return error_create(ERROR_INPUT, "%s: 0x%" PRIx64 " is outside of its %s",
			object->label.path, given,
			elf_image_is_relocatable(image) ? "sections of code" : "segments");
	else if (!elf_image_code_offset(image, given, false, ret))
		return error_create(ERROR_INPUT,
			"%s: 0x%" PRIx64 " is in several sections of a file that is not linked",
			object->label.path, given);
	return NULL;
}

static struct error *print_unwind(
	struct inspector *inspector, const struct object *object, struct debug *debug)
{
	const struct elf_image *image = object->image;
	struct unwind_rule sframe, cfi;
	uint64_t address = 0;

	try(elf_address(object, inspector->options->address, &address));
	bool first = print_rule(inspector, image, debug, address, UNWIND_SFRAME, &sframe);
	bool second = print_rule(inspector, image, debug, address, UNWIND_CFI, &cfi);
	if (first && second)
		fprintf(inspector->out, "they %s\n",
			unwind_rules_agree(&sframe, &cfi, address) ? "agree" : "differ");
	if (first || second)
		fprintf(inspector->out, "a walk along frame pointers from here %s\n",
			walk_text(second ? &cfi : &sframe));
	return NULL;
}

static struct error *print_object(struct inspector *inspector, const struct object *object)
{
	const struct debug_options options = {
		.debug_dirs = inspector->find.debug_dirs,
		.root = object->domain ? object->domain->root : "",
		.path = object->path_in_root,
		.separate = true,
	};
	struct error *error = NULL;

	if (!object->image)
		return error_create(ERROR_INPUT, "%s: %s%s%s", object->label.path,
			frame_status_words[object->status].text, object->detail ? ": " : "",
			object->detail ?: "");
	struct debug *debug = debug_create(object->image, &options);
	if (inspector->options->what == INSPECT_SFRAME) {
		const char *missing = debug_print_sframe(debug, inspector->out);

		if (missing)
			error = error_create(ERROR_INPUT, "%s: %s", object->label.path, missing);
	} else if (inspector->options->what == INSPECT_UNWIND) {
		error = print_unwind(inspector, object, debug);
	} else {
		error = print_report(inspector, object, debug);
	}
	debug_destroy(debug);
	return error;
}

/* ---- which objects -------------------------------------------------------------------------- */

/*
 * Inspects each object that the process has mapped as code, once. Objects that cannot be opened are
 * reported in place.
 */
static struct error *inspect_process(struct inspector *inspector)
{
	const struct space *space = space_of(&inspector->spaces, inspector->options->pid);
	scope_guard(table_deinit) struct table seen = {};

	if (space->status != SPACE_READ)
		return error_create(ERROR_INPUT, "%" PRId64 ": %s", inspector->options->pid,
			space->status == SPACE_GONE	? "there is no such process"
			: space->status == SPACE_DENIED ? "permission denied"
							: "it has no mappings");
	for (size_t i = 0; i < space->maps.len && !stop_asked(); i++) {
		const struct mapping *mapping = &space->maps.data[i];
		bool added;

		if (!mapping->executable || (!mapping->inode && strcmp(mapping->path, "[vdso]")))
			continue;
		const struct object *object =
			object_of_mapping(&inspector->objects, space, mapping, NULL);
		(void)table_at(&seen, &object->number, sizeof(object->number), &added);
		if (!added)
			continue;
		auto_error struct error *error = print_object(inspector, object);
		if (error)
			report_missing(object, error_message(error), inspector->options->json,
				inspector->out);
		inspector->any = true;
	}
	return NULL;
}

struct error *inspect_run(const struct inspect_options *options, FILE *out)
{
	struct inspector inspector = {
		.options = options,
		.find = {.debug_dirs = options->debug_dirs,
			.proc_root = options->proc_root,
			.sys_root = "/sys"},
		.spaces = {.proc_root = options->proc_root},
		.out = out,
	};
	struct object *object = NULL;
	struct error *error = NULL;

	inspector.objects.find = &inspector.find;
	if (options->pid)
		error = inspect_process(&inspector);
	else if (options->file)
		error = object_of_file(&inspector.objects, options->file, NULL, &object);
	else
		object = object_of_debug_id(
			&inspector.objects, &inspector.spaces, &options->build_id);
	if (object)
		error = print_object(&inspector, object);
	object_cache_deinit(&inspector.objects);
	space_cache_deinit(&inspector.spaces);
	return error;
}
