// SPDX-License-Identifier: GPL-2.0-or-later
/* x86-64 and i386. */
#include <elf.h>
#include <string.h>

#include "arch/arch.h"

/* ---- probes and Go -------------------------------------------------------------------------- */

static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

static size_t probe_length(const uint8_t *memory, const uint8_t *file, size_t at)
{
	if (memory[at] == 0xcc)
		return 1;
	/* Linux 6.18 replaces a nop by a call. */
	return at + sizeof(nop5) <= ARCH_PAGE && memory[at] == 0xe8 &&
			       !memcmp(file + at, nop5, sizeof(nop5))
		       ? sizeof(nop5)
		       : 0;
}

static bool go_exit(const uint8_t code[8])
{
	return code[3] == 0x90 && code[4] == 0xe8;
}

static bool go_loads_fp(const uint8_t code[8])
{
	/* mov N(%rsp),%rbp, with N of 4 bytes and of 1 */
	static const uint8_t loads[][4] = {{0x48, 0x8b, 0xac, 0x24}, {0x48, 0x8b, 0x6c, 0x24}};

	return !memcmp(code, loads[0], 4) || !memcmp(code + 3, loads[1], 4);
}

/* glibc: lea disp32(%rip),%rdi or mov $imm32,%rdi */
static uint64_t find_main(const uint8_t *code, uint64_t address)
{
	for (size_t at = 0; at + 7 <= ENTRY_CODE_LEN; at++) {
		uint32_t word = arch_word(code + at) & 0xffffff;
		uint64_t number = (uint64_t)(int32_t)arch_word(code + at + 3);

		if (word == 0x3d8d48 || word == 0xc7c748)
			return word == 0x3d8d48 ? address + at + 7 + number : number;
	}
	return 0;
}

/* ---- PLT ------------------------------------------------------------------------------------ */

static size_t plt_stub(const struct plt_code *code, size_t at, struct plt_stub *ret)
{
	/* in static programs, which have no sh_entsize: just `jmp *disp32(%rip); xchg %ax,%ax` */
	bool is_short = code->len >= 8 && code->bytes[0] == 0xff && code->bytes[1] == 0x25 &&
			code->bytes[6] == 0x66 && code->bytes[7] == 0x90;
	size_t size = code->entry_size == 8 || (code->entry_size != 16 && is_short) ? 8 : 16;

	*ret = (struct plt_stub){.start = code->address + at};
	if (at + size > code->len)
		return 0;
	/*
	 * `[endbr64] [bnd] jmp *disp32(%rip)`, or the lazy half with IBT, `endbr64; push $index; …`,
	 * an index into .rela.plt
	 */
	const uint8_t *start = code->bytes + at, *p = start, *end = p + size;
	bool ibt = size >= 9 && arch_word(p) == 0xfa1e0ff3;
	if (ibt)
		p += 4;
	if (ibt && *p == 0x68) {
		ret->indexed = true;
		ret->slot = arch_word(p + 1);
		ret->end = ret->start + size;
		return size;
	}
	if (p < end && *p == 0xf2)
		p++;
	if (end - p < 6 || p[0] != 0xff || p[1] != 0x25)
		return size;
	uint64_t next = ret->start + (uint64_t)(p + 6 - start);
	ret->slot = next + (uint64_t)(int64_t)(int32_t)arch_word(p + 2);
	ret->end = ret->start + size;
	return size;
}

/* ---- the machines --------------------------------------------------------------------------- */

static const struct arch_relocation x86_64_relocations[] = {
	{R_X86_64_NONE, RELOCATION_NONE},
	{R_X86_64_64, RELOCATION_ABSOLUTE_64},
	{R_X86_64_32, RELOCATION_ABSOLUTE_32},
	{R_X86_64_32S, RELOCATION_ABSOLUTE_32},
	{R_X86_64_PC32, RELOCATION_RELATIVE_32},
	{R_X86_64_PC64, RELOCATION_RELATIVE_64},
	{R_X86_64_DTPOFF64, RELOCATION_NONE},
	{R_X86_64_DTPOFF32, RELOCATION_NONE},
	{},
};

static bool call_ends_x86(const uint8_t *code)
{
	const uint8_t *end = code + CALL_CODE_LEN;
	struct flow flow;

	/* a call with prefixes ends like one without */
	for (size_t length = 2; length <= 7; length++)
		if ((*(end - length) == 0xe8 || *(end - length) == 0xff) &&
			flow_x86_64(end - length, length, 0, &flow) == length &&
			flow.kind == FLOW_CALL)
			return true;
	return end[-7] == 0x9a; /* i386: far call */
}

const struct arch arch_x86_64 = {
	EM_X86_64,
	.kernel_min = KERNEL_HIGH,
	.relocations = x86_64_relocations,
	.relative = R_X86_64_RELATIVE,
	.jump_slot = R_X86_64_JUMP_SLOT,
	.glob_dat = R_X86_64_GLOB_DAT,
	.irelative = R_X86_64_IRELATIVE,
	/* mov $15,%rax; syscall */
	.sigreturn = {{9, {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05}}},
	.ends_with_call = call_ends_x86,
	.flow = flow_x86_64,
	.find_main = find_main,
	.go_exit = go_exit,
	.go_loads_fp = go_loads_fp,
	.probe_length = probe_length,
	.plt_stub = plt_stub,
};

static const struct arch_relocation i386_relocations[] = {
	{R_386_NONE, RELOCATION_NONE},
	{R_386_32, RELOCATION_ABSOLUTE_32},
	{R_386_PC32, RELOCATION_RELATIVE_32},
	{R_386_TLS_LDO_32, RELOCATION_NONE},
	{},
};

const struct arch arch_i386 = {
	EM_386,
	.kernel_min = 0x40000000,
	.relocations = i386_relocations,
	/* mov $173,%eax; int $0x80 */
	.sigreturn = {{7, {0xb8, 0xad, 0x00, 0x00, 0x00, 0xcd, 0x80}}},
	.ends_with_call = call_ends_x86,
	.flow = flow_i386,
	.go_exit = go_exit,
	.probe_length = probe_length,
};
