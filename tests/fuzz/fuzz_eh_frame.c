// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as .eh_frame_hdr and, behind it, .eh_frame; asked for the addresses in the table, their unwind rules, and
 * what these come to. The same bytes as .debug_frame.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit/elf_builder.h"
#include "debug/unwind/cfi.h"
#include "util/vec.h"

enum { SIZE_MAX_HERE = 3500, BASE = 0x100000, ROWS_AT = 12, ROWS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool get_register(void *context, unsigned number, uint64_t *ret)
{
	(void)context;
	*ret = number * 8;
	return true;
}

static bool get_memory(void *context, uint64_t address, unsigned size, uint64_t *ret)
{
	(void)context;
	*ret = address ^ size;
	return size >= 1 && size <= 8;
}

static void check_rule(const struct cfi_fde *fde, uint64_t address)
{
	static const uint16_t machines[] = {EM_X86_64, EM_AARCH64, EM_S390, EM_PPC64};
	static const struct unwind_frame frame = {NULL, get_register, get_memory};

	for (unsigned i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct unwind_rule rule;
		uint64_t value;

		if (cfi_rule(fde, machines[i], address, &rule))
			continue;
		if (address < rule.start || address >= rule.end)
			abort();
		(void)unwind_value(&rule, &rule.cfa, 0, 0, &frame, &value);
		for (unsigned reg = 0; reg < UNWIND_REGISTERS; reg++)
			(void)unwind_value(&rule, &rule.registers[reg], reg, 64, &frame, &value);
		(void)unwind_fp_walk(&rule);
	}
}

static void check_section(const uint8_t *data, size_t size, bool eh_frame, bool big_endian)
{
	struct cfi cfi = {{data, size, big_endian}, eh_frame ? BASE : 0, eh_frame, 8};
	struct cfi_index index = {};
	struct cfi_fde fde;
	uint64_t offset;

	cfi_index_fill(&index, &cfi);
	for (size_t i = 0; i < index.len; i++) {
		if (!cfi_index_find(&index, index.data[i].start, &offset) ||
			!cfi_fde(&cfi, offset, &fde))
			continue;
		check_rule(&fde, fde.start);
		check_rule(&fde, fde.end - 1);
	}
	vec_deinit(&index);
}

static void check(const struct elf_image *image, uint64_t address)
{
	struct cfi_fde fde;

	if (!eh_frame_fde(image, address, &fde))
		return;
	if (address < fde.start || address >= fde.end)
		abort();
	check_rule(&fde, address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_builder builder = {};

	if (size > SIZE_MAX_HERE)
		return 0;
	builder_section(&builder, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, BASE, data, size);
	builder.loads[0] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_offset = builder.sections[1].sh_offset,
		.p_vaddr = BASE,
		.p_filesz = size,
		.p_memsz = size};
	builder.loads[1] = builder.loads[0];
	builder.loads[1].p_type = PT_GNU_EH_FRAME;
	struct elf_image *image = builder_image(&builder, "eh_frame");
	for (size_t at = ROWS_AT; image && at + 4 <= size && at < ROWS_AT + 8 * ROWS; at += 8) {
		int32_t start;

		memcpy(&start, data + at, sizeof(start));
		check(image, (uint64_t)(BASE + (int64_t)start));
		check(image, (uint64_t)(BASE + (int64_t)start + 3));
	}
	elf_image_destroy(image);
	for (int i = 0; i < 4; i++)
		check_section(data, size, i & 1, i & 2);
	return 0;
}
