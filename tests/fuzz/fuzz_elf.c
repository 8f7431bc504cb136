// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as an ELF file: its headers, symbols, PLT stubs and DWARF at addresses all over it, variables and
 * prototypes too. It is the same code as itself.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debug/debug.h"
#include "object/elf_section.h"

enum { ADDRESSES = 96 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore_symbol(void *context, const struct symbol *symbol)
{
	(void)context;
	(void)symbol;
}

/* Places that the file itself calls code. */
static size_t choose_addresses(const struct elf_image *image, uint64_t ret[ADDRESSES])
{
	size_t n = 0;

	for (size_t i = 0; i < image->n_loads && n + 32 <= ADDRESSES; i++) {
		uint64_t start = image->loads[i].p_vaddr, size = image->loads[i].p_memsz;

		for (uint64_t k = 0; k < 32; k++)
			ret[n++] = start + size / 32 * k + (k & 3);
	}
	for (uint64_t k = 0; n < ADDRESSES; k++)
		ret[n++] = image->ehdr.e_entry + 2 * k;
	return n;
}

/* What is said about a place beside its frames. */
static void ask_more(struct debug *debug, const uint64_t *addresses, size_t n,
	const struct debug_answer *answers)
{
	struct frame variable;
	uint64_t address;

	for (size_t i = 0; i < n; i++) {
		const struct frame *outermost = &answers[i].frames[answers[i].n_frames - 1];

		(void)debug_variable(debug, addresses[i], &variable);
		(void)debug_source_file(debug, addresses[i], outermost->function);
		if (outermost->function)
			free(debug_prototype(
				debug, addresses[i], answers[i].n_frames - 1, outermost->function));
	}
	(void)debug_find_variable(debug, "environ", &address);
}

static void resolve(struct elf_image *image)
{
	const struct debug_options options = {.root = "",
		.inlines = true,
		.lines = true,
		.demangle = true,
		.qualify = QUALIFY_ALWAYS,
		.separate = true};
	struct debug *debug = debug_create(image, &options);
	struct debug_answer answers[ADDRESSES];
	uint64_t addresses[ADDRESSES], address;
	size_t n = choose_addresses(image, addresses);
	struct arena frames = {};
	char bytes[64];

	debug_resolve(debug, addresses, n, &frames, answers);
	for (int form = 0; form < SYMBOL_FORMS; form++)
		symbol_search_each(
			debug_symtab(debug), "main", (enum symbol_form)form, ignore_symbol, NULL);
	ask_more(debug, addresses, n, answers);
	arena_deinit(&frames);
	debug_destroy(debug);
	for (size_t i = 0; i < n; i++) {
		if (elf_image_offset(image, addresses[i], &address))
			elf_image_address(image, address, &address);
		elf_image_bytes(image, addresses[i], bytes, sizeof(bytes));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_image *image;
	int fd = memfd_create("fuzz_elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return 0;
	}
	struct error *err = elf_image_open(fd, "/nowhere/fuzz_elf", &image);
	if (err) {
		error_destroy(err);
		return 0;
	}
	resolve(image);
	if (!same_code_sections(image, image))
		abort();
	elf_image_destroy(image);
	return 0;
}
