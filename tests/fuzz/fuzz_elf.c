// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as an ELF file: its headers, symbols, PLT stubs and DWARF at addresses all over it. */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debug/debug.h"

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

static void resolve(struct elf_image *image)
{
	static const char *const dirs[] = {NULL};
	const struct debug_options options = {.debug_dirs = dirs,
		.root = "",
		.inlines = true,
		.lines = true,
		.demangle = true,
		.separate = true};
	struct debug *debug = debug_create(image, &options);
	struct debug_answer answers[ADDRESSES];
	uint64_t addresses[ADDRESSES], address;
	size_t n = choose_addresses(image, addresses);
	struct arena frames = {};
	char bytes[64];

	debug_resolve(debug, addresses, n, &frames, answers);
	for (int form = 0; form < SYMBOL_FORMS; form++)
		debug_each_symbol(debug, "main", (enum symbol_form)form, ignore_symbol, NULL);
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
	elf_image_destroy(image);
	return 0;
}
