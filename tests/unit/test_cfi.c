// SPDX-License-Identifier: GPL-2.0-or-later
/* Unwind rules by CFI, against libdw's: of each row of the C library, of this program, and of the vdso. */
#include <check.h>
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "debug/debug.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

#define auto_image scope_guard(elf_image_cleanup)

static const struct debug_options options = {.root = ""};

/* Registers and memory of which each word is another. */
static bool get_register(void *context, unsigned number, uint64_t *ret)
{
	(void)context;
	*ret = 0x7f0000000000 + number * 0x10001;
	return true;
}

static bool get_memory(void *context, uint64_t address, unsigned size, uint64_t *ret)
{
	(void)context;
	*ret = (address * 0x9e3779b97f4a7c15) >> (64 - 8 * size);
	return true;
}

static const struct unwind_frame frame = {NULL, get_register, get_memory};

/* ---- libdw's ops, evaluated on their own ---------------------------------------------------- */

static uint64_t arithmetic(uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_ge:
		return (int64_t)a >= (int64_t)b;
	default:
		ck_abort_msg("operation 0x%x", op);
	}
	return 0;
}

/* True: the result is the value, false: its address. */
static bool run_ops(const Dwarf_Op *ops, size_t n, uint64_t cfa, uint64_t *ret)
{
	uint64_t stack[65] = {}, *top = stack;
	bool value = false;

	for (size_t i = 0; i < n; i++) {
		uint8_t op = ops[i].atom;

		if (op == DW_OP_call_frame_cfa)
			*++top = cfa;
		else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
			get_register(NULL, op - DW_OP_breg0, ++top);
			*top += ops[i].number;
		} else if (op == DW_OP_bregx) {
			get_register(NULL, (unsigned)ops[i].number, ++top);
			*top += ops[i].number2;
		} else if (op == DW_OP_regx) {
			get_register(NULL, (unsigned)ops[i].number, ++top);
			value = true;
		} else if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
			get_register(NULL, op - DW_OP_reg0, ++top);
			value = true;
		} else if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
			*++top = op - DW_OP_lit0;
		else if (op == DW_OP_plus_uconst)
			*top += ops[i].number;
		else if (op == DW_OP_deref)
			get_memory(NULL, *top, 8, top);
		else if (op == DW_OP_stack_value)
			value = true;
		else {
			top--;
			*top = arithmetic(op, top[0], top[1]);
		}
	}
	*ret = *top;
	return value;
}

/* ---- comparisons ---------------------------------------------------------------------------- */

/* What libdw says of register REG: 'u'ndefined, 's'ame, or 'v'alue. */
static char libdw_register(Dwarf_Frame *theirs, unsigned reg, uint64_t cfa, uint64_t *ret)
{
	Dwarf_Op memory[3], *ops;
	size_t n;

	ck_assert_int_eq(dwarf_frame_register(theirs, (int)reg, memory, &ops, &n), 0);
	if (!n)
		return ops ? 'u' : 's';
	if (!run_ops(ops, n, cfa, ret))
		get_memory(NULL, *ret, 8, ret);
	return 'v';
}

static void check_register(const struct unwind_rule *rule, const struct unwind_place *place,
	Dwarf_Frame *theirs, unsigned reg, uint64_t cfa)
{
	uint64_t own = 0, other = 0;
	char kind = libdw_register(theirs, reg, cfa, &other);

	/* Where CFI is silent libdw 0.188 takes rax for rbx, which calls keep. */
	bool unchanged = place->kind == UNWIND_SAME || place->kind == UNWIND_UNDEFINED;
	ck_assert_msg(unchanged == (kind != 'v'), "register %u at 0x%llx", reg,
		(unsigned long long)rule->start);
	if (place == &rule->ra)
		ck_assert_int_eq(kind == 'u', place->kind == UNWIND_UNDEFINED);
	if (unchanged)
		return;
	ck_assert(unwind_value(rule, place, reg, cfa, &frame, &own));
	ck_assert_msg(own == other, "register %u at 0x%llx", reg, (unsigned long long)rule->start);
}

static void check_rule(const struct unwind_rule *rule, Dwarf_Frame *theirs)
{
	Dwarf_Addr start, end;
	Dwarf_Op *ops;
	size_t n;
	bool signal;
	uint64_t own = 0, other = 0;

	ck_assert_int_ge(dwarf_frame_info(theirs, &start, &end, &signal), 0);
	/* libdw 0.188 restores a state with the address where it was remembered. */
	ck_assert_uint_ge(rule->start, start);
	ck_assert_uint_eq(rule->end, end);
	ck_assert_int_eq(rule->signal_frame, signal);
	ck_assert_int_eq(dwarf_frame_cfa(theirs, &ops, &n), 0);
	run_ops(ops, n, 0, &other);
	ck_assert(unwind_value(rule, &rule->cfa, 0, 0, &frame, &own));
	ck_assert_uint_eq(own, other);
	for (unsigned reg = 0; reg < 16; reg++)
		check_register(rule, &rule->registers[reg], theirs, reg, other);
	check_register(rule, &rule->ra, theirs, unwind_machine(rule->machine)->ra, other);
}

/* All rows in the code of IMAGE, by CFI; returns how many there are. */
static size_t check_rows(struct elf_image *image, Dwarf_CFI *cfi, enum unwind_source wanted)
{
	struct debug *debug = debug_create(image, &options);
	struct unwind_rule rule;
	size_t n = 0;

	for (size_t i = 0; i < image->n_loads; i++) {
		const GElf_Phdr *load = &image->loads[i];

		if (!(load->p_flags & PF_X))
			continue;
		for (uint64_t at = load->p_vaddr; at < load->p_vaddr + load->p_filesz;) {
			Dwarf_Frame *theirs = NULL;
			bool found = debug_unwind_rule(debug, at, wanted, &rule, NULL);

			ck_assert_msg(found == !dwarf_cfi_addrframe(cfi, at, &theirs), "%s 0x%llx",
				image->path, (unsigned long long)at);
			if (found)
				check_rule(&rule, theirs);
			ck_assert(!found || rule.start == at);
			free(theirs);
			n += found;
			at = found ? rule.end : at + 1;
		}
	}
	debug_destroy(debug);
	return n;
}

static struct elf_image *open_image(const char *path)
{
	struct elf_image *image = NULL;
	auto_error struct error *error = elf_image_open(open(path, O_RDONLY), path, &image);

	ck_assert_ptr_null(error);
	return image;
}

static size_t check_file(const char *path)
{
	auto_image struct elf_image *image = open_image(path);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(image->elf);

	ck_assert_ptr_nonnull(cfi);
	size_t n = check_rows(image, cfi, UNWIND_EH_FRAME);
	dwarf_cfi_end(cfi);
	return n;
}

START_TEST(c_library)
{
	Dl_info info;

	ck_assert(dladdr((void *)printf, &info));
	ck_assert_uint_gt(check_file(info.dli_fname), 10000);
}
END_TEST

START_TEST(program)
{
	ck_assert_uint_gt(check_file("/proc/self/exe"), 100);
}
END_TEST

START_TEST(vdso)
{
	const uint8_t *start = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct elf_image *image = NULL;
	size_t len = 4096;

	if (!start)
		return;
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)start;
	len = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	uint8_t *copy = xmalloc(len);
	memcpy(copy, start, len);
	auto_error struct error *error = elf_image_from_memory(copy, len, "[vdso]", &image);
	ck_assert_ptr_null(error);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(image->elf);
	ck_assert_uint_gt(check_rows(image, cfi, UNWIND_EH_FRAME), 3);
	dwarf_cfi_end(cfi);
	elf_image_destroy(image);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("cfi");

	tcase_add_test(tests, c_library);
	tcase_add_test(tests, program);
	tcase_add_test(tests, vdso);
	return tests_run(tests);
}
