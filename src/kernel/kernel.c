// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "kernel/kallsyms_reader.h"
#include "kernel/kernel_notes.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

/* Canonical kernel addresses of every supported architecture start with this byte. */
#define KERNEL_ADDRESS_MIN (~0ULL << 56)

void kernel_deinit(struct kernel *kernel)
{
	kallsyms_deinit(&kernel->kallsyms);
	table_deinit(&kernel->labels);
	table_deinit(&kernel->names);
	text_deinit(&kernel->name);
	arena_deinit(&kernel->strings);
}

bool kernel_is_foreign(const struct kernel *kernel)
{
	return kernel->saved || (kernel->recording && kernel->recording->foreign);
}

struct error *kernel_check(const struct kernel *kernel)
{
	if (kernel->saved && access(kernel->saved, R_OK) < 0)
		return error_errno(errno, "--kallsyms %s", kernel->saved);
	return NULL;
}

/* What the user names may be a pipe, what is below /proc must be a file. */
static void read_symbols(struct kernel *kernel)
{
	auto_free char *path = xasprintf("%s/kallsyms", kernel->proc_root);
	auto_fd int fd = kernel->saved ? open(kernel->saved, O_RDONLY | O_CLOEXEC)
				       : file_open_regular(AT_FDCWD, path);

	kernel->kallsyms.status = KALLSYMS_ABSENT;
	if (fd >= 0)
		(void)kallsyms_read(fd, &kernel->kallsyms);
}

const struct kallsyms *kernel_symbols(struct kernel *kernel)
{
	const struct recording *recording = kernel->recording;

	if (kernel->tried)
		return &kernel->kallsyms;
	kernel->tried = true;
	kernel->kallsyms.status = KALLSYMS_ABSENT;
	if (kernel->saved || !kernel_is_foreign(kernel))
		read_symbols(kernel);
	/* This kernel's own symbols are newer, if they can be read. */
	if (!kernel->saved && recording && recording->kallsyms.len &&
		kernel->kallsyms.status != KALLSYMS_READ) {
		kallsyms_deinit(&kernel->kallsyms);
		kernel->kallsyms = (struct kallsyms){};
		kallsyms_parse(recording->kallsyms.data, recording->kallsyms.len,
			&kernel->kallsyms);
	}
	return &kernel->kallsyms;
}

const char *kernel_string(struct kernel *kernel, const char *s, size_t len)
{
	bool added;
	uint64_t *slot = table_at(&kernel->names, s, len, &added);

	if (added)
		*slot = (uintptr_t)arena_copy(&kernel->strings, s, len);
	return (const char *)(uintptr_t)*slot;
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
	if (!kernel_is_foreign(kernel) && !strchr(name, '/'))
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

/* Kernels elsewhere may lie lower (32-bit ones, s390): their own symbols tell where. */
static bool is_kernel_address(struct kernel *kernel, uint64_t address)
{
	if (address >= KERNEL_ADDRESS_MIN)
		return true;
	const struct kallsyms *symbols = kernel_symbols(kernel);
	return symbols->status == KALLSYMS_READ && address >= symbols->floor;
}

void kernel_name(
	struct kernel *kernel, uint64_t lookup, struct location *location, struct frame *frame)
{
	struct kallsyms_answer answer;

	*frame = (struct frame){};
	location->frames = frame;
	location->n_frames = 1;
	if (!is_kernel_address(kernel, location->address)) {
		location->status = FRAME_NOT_AN_ADDRESS;
		return;
	}
	const struct kallsyms *symbols = kernel_symbols(kernel);
	location->status = status_without_name(kernel);
	if (kernel->saved && location->status == FRAME_KALLSYMS_DENIED)
		location->detail = "the file of --kallsyms was saved without CAP_SYSLOG";
	if (!kallsyms_find(symbols, lookup, &kernel->name, &answer))
		return;
	frame->function = frame->linkage =
		kernel_string(kernel, kernel->name.data, kernel->name.len);
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
	return kallsyms_find_name(kernel_symbols(kernel), name, ret);
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
