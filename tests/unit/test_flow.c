// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "run.h"

enum { ADDRESS = 0x401000 };

struct vector {
	const char *bytes; /* hexadecimal */
	size_t length;	   /* 0: not known */
	enum flow_kind kind;
	bool indirect;
	uint64_t target;
};

/* Reads up to the first byte that is no instruction. */
static size_t parse_bytes(const char *text, uint8_t ret[32])
{
	size_t n = 0;
	char *end;

	for (; n < 32; text = end) {
		unsigned long byte = strtoul(text, &end, 16);

		if (end == text || memchr(text, '\t', (size_t)(end - text)))
			break;
		ret[n++] = (uint8_t)byte;
	}
	return n;
}

static void check_vector(uint16_t machine, const struct vector *vector)
{
	uint8_t code[32];
	size_t n = parse_bytes(vector->bytes, code);
	struct flow flow = {};
	size_t length = arch_of(machine)->flow(code, n, ADDRESS, &flow);

	ck_assert_msg(length == vector->length, "%s: %zu", vector->bytes, length);
	if (!length)
		return;
	ck_assert_msg(flow.kind == vector->kind, "%s", vector->bytes);
	ck_assert_msg(flow.indirect == vector->indirect, "%s", vector->bytes);
	ck_assert_msg(flow.target == vector->target, "%s", vector->bytes);
	/* A truncated instruction is not recognized. */
	for (size_t cut = 0; cut < length; cut++)
		ck_assert_uint_eq(arch_of(machine)->flow(code, cut, ADDRESS, &flow), 0);
}

START_TEST(instructions_of_x86_64)
{
	static const struct vector vectors[] = {
		{"e8 10 00 00 00", 5, FLOW_CALL, false, ADDRESS + 0x15},
		{"f2 e8 f0 ff ff ff", 6, FLOW_CALL, false, ADDRESS - 10},
		{"66 66 48 e8 00 00 00 00", 8, FLOW_CALL, false, ADDRESS + 8},
		{"66 e8 00 00 00 00", 0, FLOW_NEXT, false, 0}, /* Intel: 6 bytes, AMD: 4 */
		{"e9 00 01 00 00", 5, FLOW_JUMP, false, ADDRESS + 0x105},
		{"eb fe", 2, FLOW_JUMP, false, ADDRESS},
		{"74 80", 2, FLOW_JUMP, false, ADDRESS + 2 - 128},
		{"e3 7f", 2, FLOW_JUMP, false, ADDRESS + 2 + 127},
		{"0f 85 00 00 00 80", 6, FLOW_JUMP, false, ADDRESS + 6 - 0x80000000ULL},
		{"c7 f8 04 00 00 00", 6, FLOW_NEXT, false, 0}, /* xbegin: to its own function */
		{"66 c7 f8 04 00", 5, FLOW_NEXT, false, 0},
		{"66 48 c7 f8 04 00 00 00", 8, FLOW_NEXT, false, 0},
		{"c7 c0 04 00 00 00", 6, FLOW_NEXT, false, 0},
		{"ff d0", 2, FLOW_CALL, true, 0},
		{"41 ff 54 24 08", 5, FLOW_CALL, true, 0},
		{"ff 94 e8 01 02 03 04", 7, FLOW_CALL, true, 0}, /* has e8 5 bytes before its end */
		{"3e ff e0", 3, FLOW_JUMP, true, 0},
		{"ff 25 00 00 00 00", 6, FLOW_JUMP, true, 0},
		{"f3 c3", 2, FLOW_RETURN, false, 0},
		{"ca 08 00", 3, FLOW_RETURN, false, 0},
		{"0f c3 07", 3, FLOW_NEXT, false, 0}, /* movnti */
		{"ff 75 e8", 3, FLOW_NEXT, false, 0}, /* push -0x18(%rbp) */
		{"48 8b 45 e8", 4, FLOW_NEXT, false, 0},
		{"48 b8 e8 00 00 00 00 00 00 00", 10, FLOW_NEXT, false, 0},
		{"66 b8 e8 00", 4, FLOW_NEXT, false, 0},
		{"48 a1 00 00 00 00 00 00 00 00", 10, FLOW_NEXT, false, 0},
		{"67 a1 00 00 00 00", 6, FLOW_NEXT, false, 0},
		{"f6 00 e8", 3, FLOW_NEXT, false, 0},
		{"f6 10", 2, FLOW_NEXT, false, 0},
		{"66 f7 04 25 00 00 00 00 e8 00", 10, FLOW_NEXT, false, 0},
		{"c8 00 00 00", 4, FLOW_NEXT, false, 0},
		{"0f 38 00 c0", 4, FLOW_NEXT, false, 0},
		{"66 0f 3a 0f c0 e8", 6, FLOW_NEXT, false, 0},
		{"c5 f8 77", 3, FLOW_NEXT, false, 0},
		{"c5 f9 70 c0 e8", 5, FLOW_NEXT, false, 0},
		{"c4 e3 79 0f c0 e8", 6, FLOW_NEXT, false, 0},
		{"62 f1 7c 48 10 40 01", 7, FLOW_NEXT, false, 0},
		{"62 f3 fd 48 25 c0 ff", 7, FLOW_NEXT, false, 0},
		{"62 f5 7c 48 58 c1", 6, FLOW_NEXT, false, 0},
		{"06", 0, FLOW_NEXT, false, 0},
		{"d5 10 58", 0, FLOW_NEXT, false, 0},	 /* APX */
		{"8f e8 78 c0", 0, FLOW_NEXT, false, 0}, /* XOP */
		{"8f 00", 2, FLOW_NEXT, false, 0},
		{"66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", 0, FLOW_NEXT, false, 0},
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		check_vector(EM_X86_64, &vectors[i]);
}
END_TEST

START_TEST(instructions_of_i386)
{
	static const struct vector vectors[] = {
		{"e8 10 00 00 00", 5, FLOW_CALL, false, ADDRESS + 0x15},
		{"e8 f0 ff ff ff", 5, FLOW_CALL, false, ADDRESS - 11},
		{"45", 1, FLOW_NEXT, false, 0}, /* inc %ebp */
		{"48 8b 45 e8", 1, FLOW_NEXT, false, 0}, {"a1 00 00 00 00", 5, FLOW_NEXT, false, 0},
		{"ff d0", 2, FLOW_CALL, true, 0},
		{"c5 f8 77", 3, FLOW_NEXT, false, 0},	 /* vzeroupper */
		{"c5 44 24 08", 0, FLOW_NEXT, false, 0}, /* lds */
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		check_vector(EM_386, &vectors[i]);
}
END_TEST

/* RBP gets a new value, or is computed with. */
START_TEST(changes_of_the_frame_pointer)
{
	static const struct {
		uint8_t code[5], len;
		enum flow_fp fp;
	} all[] = {
		{{0x48, 0x89, 0xfd}, 3, FLOW_FP_SET},		/* mov %rdi,%rbp */
		{{0x48, 0x89, 0xef}, 3, FLOW_FP_KEPT},		/* mov %rbp,%rdi */
		{{0x49, 0x89, 0xfd}, 3, FLOW_FP_KEPT},		/* mov %rdi,%r13 */
		{{0x48, 0x89, 0xe5}, 3, FLOW_FP_FRAMED},	/* mov %rsp,%rbp */
		{{0x49, 0x89, 0xe5}, 3, FLOW_FP_KEPT},		/* mov %rsp,%r13 */
		{{0x4c, 0x89, 0xe5}, 3, FLOW_FP_SET},		/* mov %r12,%rbp */
		{{0x89, 0xe5}, 2, FLOW_FP_SET},			/* mov %esp,%ebp */
		{{0x48, 0x89, 0x6c, 0x24, 8}, 5, FLOW_FP_KEPT}, /* mov %rbp,8(%rsp) */
		{{0x8b, 0x2f}, 2, FLOW_FP_SET},			/* mov (%rdi),%ebp */
		{{0x44, 0x8b, 0x2f}, 3, FLOW_FP_KEPT},		/* mov (%rdi),%r13d */
		{{0x31, 0xed}, 2, FLOW_FP_SET},			/* xor %ebp,%ebp */
		{{0x39, 0xed}, 2, FLOW_FP_KEPT},		/* cmp %ebp,%ebp */
		{{0x83, 0xc5, 1}, 3, FLOW_FP_KEPT},		/* add $1,%ebp */
		{{0x83, 0xfd, 1}, 3, FLOW_FP_KEPT},		/* cmp $1,%ebp */
		{{0x5d}, 1, FLOW_FP_SET},			/* pop %rbp */
		{{0x55}, 1, FLOW_FP_PUSHED},			/* push %rbp */
		{{0x53}, 1, FLOW_FP_BURIED},			/* push %rbx */
		{{0x41, 0x55}, 2, FLOW_FP_BURIED},		/* push %r13 */
		{{0x41, 0x5d}, 2, FLOW_FP_KEPT},		/* pop %r13 */
		{{0xc9}, 1, FLOW_FP_SET},			/* leave */
		{{0xbd, 1, 0, 0, 0}, 5, FLOW_FP_SET},		/* mov $1,%ebp */
		{{0xb5, 1}, 2, FLOW_FP_KEPT},			/* mov $1,%ch */
		{{0x0f, 0xb6, 0x2f}, 3, FLOW_FP_SET},		/* movzbl (%rdi),%ebp */
		{{0x0f, 0x44, 0xe8}, 3, FLOW_FP_KEPT},		/* cmove %eax,%ebp */
		{{0x0f, 0x28, 0x2f}, 3, FLOW_FP_KEPT},		/* movaps (%rdi),%xmm5 */
		{{0xd1, 0xed}, 2, FLOW_FP_KEPT},		/* shr %ebp */
	};
	static const uint8_t narrow[] = {0x89, 0xe5}; /* mov %esp,%ebp */
	struct flow flow;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		ck_assert_uint_eq(flow_x86_64(all[i].code, all[i].len, ADDRESS, &flow), all[i].len);
		ck_assert_msg(flow.fp == all[i].fp, "%zu", i);
	}
	ck_assert_uint_eq(flow_i386(narrow, 2, ADDRESS, &flow), 2);
	ck_assert_int_eq(flow.fp, FLOW_FP_FRAMED);
}
END_TEST

/* Returns and jumps without condition, of both machines. */
START_TEST(ends)
{
	static const struct {
		uint16_t machine;
		uint8_t code[6], len;
		bool ends;
	} all[] = {
		{EM_X86_64, {0xc3}, 1, true}, {EM_X86_64, {0xf3, 0xc3}, 2, true}, /* rep ret */
		{EM_X86_64, {0xc2, 8, 0}, 3, true},				  /* ret $8 */
		{EM_X86_64, {0xf2, 0xe9}, 6, true},				  /* bnd jmp */
		{EM_X86_64, {0xeb, 0}, 2, true},				  /* jmp */
		{EM_X86_64, {0xff, 0xe0}, 2, true},				  /* jmp *%rax */
		{EM_X86_64, {0x74, 0}, 2, false},				  /* je */
		{EM_X86_64, {0xe8}, 5, false},					  /* call */
		{EM_X86_64, {0xff, 0xd0}, 2, false},				  /* call *%rax */
		{EM_X86_64, {0x0f, 0xc3, 0}, 3, false},				  /* movnti */
		{EM_X86_64, {0x0f, 0x0b}, 2, true},				  /* ud2 */
		{EM_AARCH64, {0, 0, 0, 0x14}, 4, true},				  /* b */
		{EM_AARCH64, {0, 2, 0x1f, 0xd6}, 4, true},			  /* br */
		{EM_AARCH64, {0xc0, 3, 0x5f, 0xd6}, 4, true},
		{EM_AARCH64, {0xff, 0x0f, 0x5f, 0xd6}, 4, true}, /* retab */
		{EM_AARCH64, {0xc3, 0, 0, 0x54}, 4, false},	 /* b.lo */
		{EM_AARCH64, {0xe9, 3, 0, 0xaa}, 4, false},	 /* mov x9, x0 */
		{EM_AARCH64, {0, 0x7d, 0x20, 0xd4}, 4, true},	 /* brk #0x3e8 */
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct flow flow;

		ck_assert_uint_eq(
			arch_of(all[i].machine)->flow(all[i].code, all[i].len, ADDRESS, &flow),
			all[i].len);
		ck_assert_msg(flow.ends == all[i].ends, "%zu", i);
	}
}
END_TEST

START_TEST(instructions_of_arm64)
{
	static const struct vector vectors[] = {
		{"04 00 00 94", 4, FLOW_CALL, false, ADDRESS + 16},
		{"ff ff ff 97", 4, FLOW_CALL, false, ADDRESS - 4},
		{"00 00 00 14", 4, FLOW_JUMP, false, ADDRESS},
		{"41 00 00 54", 4, FLOW_JUMP, false, ADDRESS + 8}, /* b.ne */
		{"c0 ff ff b4", 4, FLOW_JUMP, false, ADDRESS - 8}, /* cbz */
		{"40 00 00 36", 4, FLOW_JUMP, false, ADDRESS + 8}, /* tbz */
		{"e0 ff 07 37", 4, FLOW_JUMP, false, ADDRESS - 4}, /* tbnz */
		{"60 00 3f d6", 4, FLOW_CALL, true, 0},		   /* blr */
		{"00 02 1f d6", 4, FLOW_JUMP, true, 0},		   /* br */
		{"1f 08 3f d6", 4, FLOW_CALL, true, 0},		   /* blraaz */
		{"01 08 1f d7", 4, FLOW_JUMP, true, 0},		   /* braa */
		{"c0 03 5f d6", 4, FLOW_RETURN, false, 0},	   /* ret */
		{"fd 7b bf a9", 4, FLOW_NEXT, false, 0},
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		check_vector(EM_AARCH64, &vectors[i]);
	ck_assert_ptr_null(arch_of(EM_S390)->flow);
}
END_TEST

#if defined(__x86_64__)
/* A line of `objdump -dw`: "  401000:\te8 10 00 00 00       \tcall   401015 <f>". */
static void check_line(const char *line, size_t *checked)
{
	const char *bytes = strchr(line, '\t'), *name = bytes ? strchr(bytes + 1, '\t') : NULL;
	uint8_t code[32];
	struct flow flow;

	/* A prefix before nothing, and fwait, are instructions of their own. */
	if (!name || strstr(name, "(bad)") || strstr(name, "rex") || bytes[1] == '9')
		return;
	size_t n = parse_bytes(bytes + 1, code);
	ck_assert_msg(flow_x86_64(code, n, strtoull(line, NULL, 16), &flow) == n, "%s", line);
	bool call = strstr(name, "call ") && !strstr(name, "syscall");
	ck_assert_msg(call == (flow.kind == FLOW_CALL), "%s", line);
	if (call && !flow.indirect)
		ck_assert_msg(
			strtoull(strstr(name, "call ") + 5, NULL, 16) == flow.target, "%s", line);
	++*checked;
}

START_TEST(agrees_with_objdump)
{
	FILE *dump = popen("objdump -dw /proc/$PPID/exe 2>/dev/null", "r");
	char line[1024];
	size_t checked = 0;

	ck_assert_ptr_nonnull(dump);
	while (fgets(line, sizeof(line), dump))
		check_line(line, &checked);
	pclose(dump);
	printf("# %zu instructions\n", checked);
}
END_TEST
#endif

int main(void)
{
	TCase *tests = tcase_create("flow");

	tcase_add_test(tests, instructions_of_x86_64);
	tcase_add_test(tests, instructions_of_i386);
	tcase_add_test(tests, changes_of_the_frame_pointer);
	tcase_add_test(tests, ends);
	tcase_add_test(tests, instructions_of_arm64);
#if defined(__x86_64__)
	tcase_add_test(tests, agrees_with_objdump);
#endif
	return tests_run(tests);
}
