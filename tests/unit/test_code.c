// SPDX-License-Identifier: GPL-2.0-or-later
/* What the code of functions does to the frame pointer, instruction by instruction. */
#include <check.h>
#include <elf.h>
#include <string.h>

#include "elf_builder.h"
#include "health/code.h"
#include "run.h"

enum { BASE = 0x401000, LONG = 400 };

/* A file that has only CODE, at BASE. */
static struct elf_image *image_of(const void *code, size_t size)
{
	struct elf_builder builder = {};
	size_t index = builder_section(
		&builder, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, BASE, code, size);

	builder.loads[0] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = builder.sections[index].sh_offset,
		.p_vaddr = BASE,
		.p_filesz = size,
		.p_memsz = size};
	struct elf_image *image = builder_image(&builder, "code");
	ck_assert_ptr_nonnull(image);
	return image;
}

/*
 * Checks the answer for each byte of CODE, a letter each in WANTED: k (kept), f (frame), d (data),
 * ? (unknown), also after the function before it was asked for.
 */
static void check_uses(uint16_t machine, const uint8_t *bytes, size_t size, const char *wanted)
{
	static const char letters[] = {
		[FP_UNKNOWN] = '?', [FP_KEPT] = 'k', [FP_FRAME] = 'f', [FP_DATA] = 'd'};
	struct elf_image *image = image_of(bytes, size);
	struct object_code code = {.image = image, .arch = arch_of(machine)};
	char got[LONG + 1] = "";

	for (size_t i = 0; wanted[i]; i++) {
		got[i] = letters[code_fp_use(&code, BASE, BASE + i)];
		(void)code_fp_use(&code, BASE + 1, BASE + 1);
	}
	ck_assert_str_eq(got, wanted);
	ck_assert_int_eq(code_fp_use(&code, BASE, BASE - 1), FP_UNKNOWN);
	code_deinit(&code);
	elf_image_destroy(image);
}

START_TEST(functions)
{
	static const struct {
		uint16_t machine;
		size_t size;
		const char *wanted;
		uint8_t code[24];
	} all[] = {
		/* push %rbp; mov %rsp,%rbp; nop; ret */
		{EM_X86_64, 6, "kkkkffff", {0x55, 0x48, 0x89, 0xe5, 0x90, 0xc3}},
		/* push %ebp; mov %esp,%ebp; ret */
		{EM_386, 4, "kkkff", {0x55, 0x89, 0xe5, 0xc3}},
		{EM_AARCH64, 4, "?????", {0x55, 0x89, 0xe5, 0xc3}},
		{EM_S390, 4, "?????", {0x55, 0x89, 0xe5, 0xc3}},
		/* push %r13 beside it: data then */
		{EM_X86_64, 8, "kkkkkkddd", {0x41, 0x55, 0x55, 0x48, 0x89, 0xe5, 0x90, 0xc3}},
		/* push %rbp; mov %rdi,%rbp; nop; pop %rbp; ret */
		{EM_X86_64, 7, "kkkkdddd", {0x55, 0x48, 0x89, 0xfd, 0x90, 0x5d, 0xc3}},
		/* je +4; mov %rdi,%rbp; nop; (its target) nop; mov %rdi,%rbp; nop: kept on one of two paths */
		{EM_X86_64, 11, "kkkkkdkkkkdd",
			{0x74, 0x04, 0x48, 0x89, 0xfd, 0x90, 0x90, 0x48, 0x89, 0xfd, 0x90}},
		/* jmp over what is not decoded on */
		{EM_X86_64, 4, "kk??", {0xeb, 0x00, 0x06, 0x90}},
		/* push %rbp; je +1; nop; mov %rsp,%rbp; nop: a jump before, so that nothing is sure */
		{EM_X86_64, 8, "kkkkkkkdd", {0x55, 0x74, 0x01, 0x90, 0x48, 0x89, 0xe5, 0x90}},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		check_uses(all[i].machine, all[i].code, all[i].size, all[i].wanted);
}
END_TEST

/* Only the beginning is read, but what it says of the rest holds up to where a jump from it leads. */
START_TEST(long_functions)
{
	uint8_t bytes[LONG];
	char wanted[LONG + 1] = "";

	memset(bytes, 0x90, sizeof(bytes));
	memset(wanted, 'k', FP_CODE_MAX);
	memset(wanted + FP_CODE_MAX, '?', sizeof(bytes) - FP_CODE_MAX);
	check_uses(EM_X86_64, bytes, sizeof(bytes), wanted);

	/* je to 320; mov %rdi,%rbp */
	memcpy(bytes, "\x0f\x84\x3a\x01\x00\x00\x48\x89\xfd", 9);
	memset(wanted, 'd', sizeof(bytes));
	memset(wanted, 'k', 9);
	memset(wanted + 320, '?', sizeof(bytes) - 320);
	check_uses(EM_X86_64, bytes, sizeof(bytes), wanted);
}
END_TEST

START_TEST(instructions_in_files)
{
	static const uint8_t bytes[] = {0x90, 0xe8, 1, 0, 0, 0, 0xc3};
	struct elf_image *image = image_of(bytes, sizeof(bytes));
	struct object_code code = {.image = image, .arch = arch_of(EM_X86_64)};
	struct flow flow;

	ck_assert_uint_eq(code_flow_at(&code, BASE + 1, &flow), 5);
	ck_assert_int_eq(flow.kind, FLOW_CALL);
	ck_assert_uint_eq(flow.target, BASE + 7);
	/* the last byte of the file's code */
	ck_assert_uint_eq(code_flow_at(&code, BASE + 6, &flow), 1);
	ck_assert_int_eq(flow.kind, FLOW_RETURN);
	ck_assert_uint_eq(code_flow_at(&code, BASE + 7, &flow), 0);
	ck_assert_int_eq(flow.kind, FLOW_NEXT);
	code.arch = arch_of(EM_S390);
	ck_assert_uint_eq(code_flow_at(&code, BASE, &flow), 0);
	elf_image_destroy(image);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("code");

	tcase_add_test(tests, functions);
	tcase_add_test(tests, long_functions);
	tcase_add_test(tests, instructions_in_files);
	return tests_run(tests);
}
