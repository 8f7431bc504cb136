// SPDX-License-Identifier: GPL-2.0-or-later
/* AArch64. Code is little-endian even if data is big-endian. */
#include <elf.h>
#include <string.h>

#include "arch/arch.h"

static size_t probe_length(const uint8_t *memory, const uint8_t *file, size_t at)
{
	static const uint8_t probe[] = {0xa0, 0x00, 0x20, 0xd4}; /* BRK_UPROBES */
	size_t word = at & ~(size_t)3;

	(void)file;
	return memcmp(memory + word, probe, sizeof(probe)) ? 0 : word + 4 - at;
}

/* mov x0,x0 or nop; bl */
static bool go_exit(const uint8_t code[8])
{
	uint32_t before = arch_word(code);

	return (before == 0xaa0003e0 || before == 0xd503201f) &&
	       (arch_word(code + 4) & 0xfc000000) == 0x94000000;
}

/* Returns the branch offset in bytes: a signed field of BITS bits at SHIFT, in instructions. */
static uint64_t branch_offset(uint32_t word, unsigned shift, unsigned bits)
{
	return (uint64_t)((int64_t)((uint64_t)(word >> shift) << (64 - bits)) >> (62 - bits));
}

/* Arm ARM, C4.1: branches, compare and branch, test and branch; BR, BLR, BRA*, BLRA*, RET*. */
static size_t flow_arm64(const uint8_t *code, size_t len, uint64_t address, struct flow *ret)
{
	if (len < 4)
		return 0;
	uint32_t word = arch_word(code);
	*ret = (struct flow){};
	if ((word & 0xff000000) == 0x54000000 || (word & 0x7c000000) == 0x34000000) {
		/* b.cond, cbz, cbnz; bit 25: tbz, tbnz */
		ret->kind = FLOW_JUMP;
		ret->target = address + branch_offset(word, 5, word & 0x02000000 ? 14 : 19);
		return 4;
	}
	if ((word & 0x7c000000) == 0x14000000) { /* b, bl */
		ret->kind = word >> 31 ? FLOW_CALL : FLOW_JUMP;
		ret->target = address + branch_offset(word, 0, 26);
	} else if ((word & 0xfedff000) == 0xd61f0000) { /* bit 21: branch with link */
		ret->kind = word & 0x00200000 ? FLOW_CALL : FLOW_JUMP;
		ret->indirect = true;
	} else if ((word & 0xfffff000) == 0xd65f0000) { /* ret, retaa, retab */
		ret->kind = FLOW_RETURN;
	}
	ret->ends = ret->kind >= FLOW_JUMP || (word & 0xffe0001f) == 0xd4200000; /* brk */
	return 4;
}

static bool call_ends_arm64(const uint8_t *code)
{
	struct flow flow;

	return flow_arm64(code + CALL_CODE_LEN - 4, 4, 0, &flow) && flow.kind == FLOW_CALL;
}

/* `[bti c]; adrp x16, PAGE; ldr x17, [x16, #OFFSET]; add …; br x17`. */
static size_t plt_stub(const struct plt_code *code, size_t at, struct plt_stub *ret)
{
	const uint8_t *p = code->bytes + at;

	*ret = (struct plt_stub){};
	if (at + 16 > code->len)
		return 0;
	uint32_t adrp = arch_word(p), ldr = arch_word(p + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 4;
	uint64_t start = code->address + at;
	uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	uint64_t page = (start & ~(uint64_t)0xfff) + (uint64_t)((int64_t)(pages << 43) >> 31);
	bool bti = at >= 4 && arch_word(p - 4) == 0xd503245f;
	*ret = (struct plt_stub){.start = bti ? start - 4 : start,
		.end = start + 16,
		.slot = page + (uint64_t)(ldr >> 10 & 0xfff) * 8};
	return 4;
}

static const struct arch_relocation relocations[] = {
	{R_AARCH64_NONE, RELOCATION_NONE},
	{R_AARCH64_ABS64, RELOCATION_ABSOLUTE_64},
	{R_AARCH64_ABS32, RELOCATION_ABSOLUTE_32},
	{R_AARCH64_PREL64, RELOCATION_RELATIVE_64},
	{R_AARCH64_PREL32, RELOCATION_RELATIVE_32},
	{R_AARCH64_TLS_DTPREL, RELOCATION_NONE},
	{},
};

const struct arch arch_arm64 = {
	EM_AARCH64,
	.kernel_min = KERNEL_HIGH,
	.relocations = relocations,
	.relative = R_AARCH64_RELATIVE,
	.jump_slot = R_AARCH64_JUMP_SLOT,
	.glob_dat = R_AARCH64_GLOB_DAT,
	.irelative = R_AARCH64_IRELATIVE,
	/* mov x8,#139; svc #0 */
	.sigreturn = {{8, {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}}},
	.ends_with_call = call_ends_arm64,
	.flow = flow_arm64,
	.go_exit = go_exit,
	.probe_length = probe_length,
	.plt_stub = plt_stub,
};
