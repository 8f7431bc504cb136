// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kernel.h"

#include <string.h>

#include "kernel/kernel_notes.h"

/* Canonical kernel addresses of every supported architecture start with this byte. */
#define KERNEL_ADDRESS_MIN (~0ULL << 56)

void kernel_deinit(struct kernel *kernel)
{
	kallsyms_deinit(&kernel->kallsyms);
	table_deinit(&kernel->labels);
	arena_deinit(&kernel->strings);
}

static void kernel_read(struct kernel *kernel)
{
	const struct recording *recording = kernel->recording;
	bool foreign = recording && recording->foreign;

	if (kernel->tried)
		return;
	kernel->tried = true;
	if (!foreign)
		kallsyms_read(kernel->proc_root, &kernel->kallsyms);
	if (foreign)
		kernel->kallsyms.status = KALLSYMS_ABSENT;
	/* This kernel's own symbols are newer, if they can be read. */
	if (recording && recording->kallsyms.len && kernel->kallsyms.status != KALLSYMS_READ) {
		kallsyms_deinit(&kernel->kallsyms);
		kernel->kallsyms = (struct kallsyms){};
		kallsyms_parse(recording->kallsyms.data, recording->kallsyms.len,
			&kernel->kallsyms);
	}
}

/* The build ID of MODULE, of the kernel itself if NULL; none where nobody says it. */
static struct build_id build_id_of(const struct kernel *kernel, const char *module)
{
	const char *name = module ? module : "kernel";
	struct build_id id = {};

	if (kernel->recording && kernel->recording->foreign) {
		const uint64_t *slot =
			table_find(&kernel->recording->kernel_build_ids, name, strlen(name));

		return slot ? *(const struct build_id *)(uintptr_t)*slot : id;
	}
	if (!strchr(name, '/'))
		(void)kernel_notes_read(kernel->sys_root, module, &id);
	return id;
}

/* MODULE is NULL for the kernel itself. */
static const struct frame_object *label_of(struct kernel *kernel, const char *module)
{
	struct text name = {};
	bool added;

	text_printf(&name, "[%s]", module ? module : "kernel");
	uint64_t *slot = table_at(&kernel->labels, name.data, name.len, &added);
	if (added) {
		struct frame_object *label = arena_alloc(&kernel->strings, sizeof(*label));

		*label = (struct frame_object){.build_id = build_id_of(kernel, module)};
		label->path = label->name = arena_string(&kernel->strings, name.data);
		*slot = (uintptr_t)label;
	}
	text_deinit(&name);
	return (const struct frame_object *)(uintptr_t)*slot;
}

static enum frame_status status_without_name(const struct kernel *kernel)
{
	switch (kernel->kallsyms.status) {
	case KALLSYMS_HIDDEN:
		return FRAME_KALLSYMS_DENIED;
	case KALLSYMS_ABSENT:
		return FRAME_KALLSYMS_ABSENT;
	case KALLSYMS_READ:
		break;
	}
	return FRAME_KALLSYMS_OUTSIDE;
}

void kernel_name(
	struct kernel *kernel, uint64_t lookup, struct location *location, struct frame *frame)
{
	struct kallsyms_answer answer;

	*frame = (struct frame){};
	location->frames = frame;
	location->n_frames = 1;
	if (location->address < KERNEL_ADDRESS_MIN) {
		location->status = FRAME_NOT_AN_ADDRESS;
		return;
	}
	kernel_read(kernel);
	location->status = status_without_name(kernel);
	if (!kallsyms_find(&kernel->kallsyms, lookup, &answer))
		return;
	frame->function = frame->linkage = answer.name;
	frame->offset = location->address - answer.start;
	frame->has_offset = true;
	location->status = FRAME_NAMED;
	location->source = SOURCE_KALLSYMS;
	location->object = label_of(kernel, answer.module);
	if (answer.module && !strcmp(answer.module, "bpf"))
		location->kind = LOCATION_BPF;
}

bool kernel_find_symbol(struct kernel *kernel, const char *name, uint64_t *ret)
{
	kernel_read(kernel);
	return kallsyms_find_name(&kernel->kallsyms, name, ret);
}

bool kernel_is_interrupt_entry(const char *function)
{
	static const char *const prefixes[] = {"asm_sysvec_", "asm_exc_", "asm_common_interrupt",
		"asm_spurious_interrupt", "el1h_64_", "el1t_64_"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(function, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}
