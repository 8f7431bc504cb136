// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

/* Returns true if a call ends after CODE; the bytes before CODE are no call by themselves. */
static bool ends(uint16_t machine, const void *code, size_t len)
{
	uint8_t bytes[CALL_CODE_LEN] = {};

	memcpy(bytes + sizeof(bytes) - len, code, len);
	return arch_of(machine)->ends_with_call(bytes);
}

static bool word_ends(uint16_t machine, uint32_t word)
{
	return ends(machine, &word, sizeof(word));
}

/* Bytes of ModRM, SIB and displacement (Intel SDM volume 2, tables 2-2 and 2-3). */
static size_t operand_length(uint8_t modrm, uint8_t sib)
{
	static const size_t displacement[] = {0, 1, 4, 0};
	bool has_sib = modrm >> 6 != 3 && (modrm & 7) == 4;
	bool disp32 = modrm >> 6 == 0 && ((modrm & 7) == 5 || (has_sib && (sib & 7) == 5));

	return 1 + has_sib + (disp32 ? 4 : displacement[modrm >> 6]);
}

START_TEST(all_operands_of_indirect_calls)
{
	for (unsigned modrm = 0; modrm < 256; modrm++)
		for (unsigned sib = 0; sib < 256; sib++) {
			unsigned operation = modrm >> 3 & 7;
			uint8_t code[] = {
				0xff, (uint8_t)modrm, (uint8_t)sib, 0x11, 0x11, 0x11, 0x11};
			size_t len = 1 + operand_length((uint8_t)modrm, (uint8_t)sib);
			bool call = operation == 2 || (operation == 3 && modrm >> 6 != 3);

			/* The last bytes of a longer call may be a shorter one. */
			if (len == 3 && modrm >> 6 == 1)
				code[2] = 0x11;
			ck_assert(!call || ends(EM_X86_64, code, len));
			if (!call && sib == 0x24)
				ck_assert(!ends(EM_X86_64, code, len));
		}
}
END_TEST

START_TEST(calls_of_x86)
{
	const uint8_t direct[] = {0xe8, 0x10, 0, 0, 0}, far[] = {0x9a, 0, 0, 0, 0, 7, 0};
	const uint8_t syscall[] = {0x65, 0xff, 0x15, 0x10, 0, 0, 0}, push[] = {0x55};
	const uint8_t jump[] = {0xe9, 0x10, 0, 0, 0}, nop[] = {0x66, 0x90}, ret[] = {0xc3};

	ck_assert(ends(EM_386, direct, sizeof(direct)));
	ck_assert(ends(EM_386, far, sizeof(far)));
	ck_assert(ends(EM_386, syscall, sizeof(syscall)));
	ck_assert(!ends(EM_X86_64, push, sizeof(push)));
	ck_assert(!ends(EM_X86_64, jump, sizeof(jump)));
	ck_assert(!ends(EM_X86_64, nop, sizeof(nop)));
	ck_assert(!ends(EM_X86_64, ret, sizeof(ret)));
}
END_TEST

/* As llvm-mc encodes them. */
START_TEST(calls_of_arm64)
{
	static const uint32_t calls[] = {0x94000010, 0x97ffffff, /* bl */
		0xd63f0060,					 /* blr x3 */
		0xd63f087f, 0xd63f0d3f,				 /* blraaz x3, blrabz x9 */
		0xd73f087f, 0xd73f0fd0};			 /* blraa x3, sp; blrab x30, x16 */
	static const uint32_t others[] = {0x14000002, 0xd61f0200, 0xd65f03c0, 0xd65f0bff,
		0xd71f0864, 0x54000040, 0xd503201f}; /* b, br, ret, retaa, braa, b.eq, nop */

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		ck_assert(word_ends(EM_AARCH64, calls[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert(!word_ends(EM_AARCH64, others[i]));
}
END_TEST

START_TEST(calls_of_arm)
{
	static const uint32_t calls[] = {0xeb000010, 0x1bffffee, /* bl, blne */
		0xfa000010, 0xfbfffff0,				 /* blx, to an odd halfword too */
		0xe12fff33, 0x012fff3c};			 /* blx r3, blxeq ip */
	static const uint32_t others[] = {0xea000000, 0xe8bd8010, 0xe5910000, 0xe1a00000};
	/* mov lr, pc; bx r3, and ldr pc, [r4, #8] in its place */
	static const uint32_t old[] = {0xe1a0e00f, 0xe12fff13}, load[] = {0xe1a0e00f, 0xe594f008};
	/* bl, blx; blx r3, blx ip */
	static const uint16_t thumb[][2] = {
		{0xf000, 0xf820}, {0xf7ff, 0xeffe}, {0xbf00, 0x4798}, {0xbf00, 0x47e0}};
	/* b.w, bx lr, ldr.w r0, [r1] */
	static const uint16_t none[][2] = {{0xf000, 0xb832}, {0xbf00, 0x4770}, {0xf8d1, 0x0000}};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		ck_assert(word_ends(EM_ARM, calls[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert(!word_ends(EM_ARM, others[i]));
	ck_assert(ends(EM_ARM, old, sizeof(old)));
	ck_assert(ends(EM_ARM, load, sizeof(load)));
	for (size_t i = 0; i < sizeof(thumb) / sizeof(*thumb); i++)
		ck_assert(ends(EM_ARM, thumb[i], sizeof(*thumb)));
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		ck_assert(!ends(EM_ARM, none[i], sizeof(*none)));
}
END_TEST

START_TEST(other_machines_are_not_known)
{
	ck_assert(!arch_of(EM_S390)->ends_with_call);
	ck_assert(!arch_of(EM_RISCV)->ends_with_call);
	ck_assert(!arch_of(EM_NONE)->ends_with_call);
}
END_TEST

/*
 * A line of `objdump -d`: "  401000:\te8 10 00 00 00       \tcall   401015 <f>", or with words, as of
 * "  1f94:\t940001b8 \tbl\t2674 <f>". LAST gets the last bytes of code.
 */
static bool parse_line(char *line, uint8_t *last, char **name)
{
	char *bytes = strchr(line, '\t'), *end;

	if (!bytes || !(*name = strchr(bytes + 1, '\t')))
		return false;
	for (bytes++;; bytes = end) {
		unsigned long word = strtoul(bytes, &end, 16);

		if (end == bytes || end > *name)
			break;
		for (bytes += strspn(bytes, " "); bytes < end; bytes += 2, word >>= 8) {
			memmove(last, last + 1, CALL_CODE_LEN - 1);
			last[CALL_CODE_LEN - 1] = (uint8_t)word;
		}
	}
	++*name;
	return true;
}

/* Each call of a real program, and few of its other instructions. */
START_TEST(agrees_with_objdump)
{
	/* By its path: an emulator's children do not see the program in /proc. */
	auto_free char *self = realpath("/proc/self/exe", NULL);
	auto_free char *command = xasprintf("objdump -dw '%s' 2>/dev/null", self);
	FILE *dump = popen(command, "r");
	uint8_t last[CALL_CODE_LEN] = {};
	size_t calls = 0, others = 0, taken = 0;
	char line[1024];
	char *name;

	ck_assert_ptr_nonnull(dump);
	while (fgets(line, sizeof(line), dump)) {
		if (!parse_line(line, last, &name))
			continue;

		name[strcspn(name, "<")] = 0;
		bool call = strstr(name, "call") && !strstr(name, "syscall");

#if defined(__x86_64__) || defined(__i386__)
		ck_assert_msg(!call || arch_x86_64.ends_with_call(last), "%s", line);
		others += !call;
		taken += !call && arch_x86_64.ends_with_call(last);
#elif defined(__aarch64__)
		call = !strncmp(name, "bl\t", 3) || !strncmp(name, "blr", 3);
		ck_assert_msg(call == arch_arm64.ends_with_call(last), "%s", line);
#endif
		calls += call;
	}
	pclose(dump);
	printf("# %zu calls, %zu of %zu others look like one\n", calls, taken, others);
	ck_assert_uint_le(taken, others / 50);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("calls");

	tcase_add_test(tests, all_operands_of_indirect_calls);
	tcase_add_test(tests, calls_of_x86);
	tcase_add_test(tests, calls_of_arm64);
	tcase_add_test(tests, calls_of_arm);
	tcase_add_test(tests, other_machines_are_not_known);
	tcase_add_test(tests, agrees_with_objdump);
	return tests_run(tests);
}
