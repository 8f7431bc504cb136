// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind rules by CFI: against libdw's of each row of the C library, of this program, and of the vdso; and of what no
 * compiler here writes.
 */
#include <check.h>
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "bytes.h"
#include "debug/debug.h"
#include "debug/unwind/cfi.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define auto_image scope_guard(elf_image_cleanup)

static const struct debug_options options = {.root = ""};

/* Registers and memory with a different value in each word. */
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

/* The rule of register REG in libdw: 'u'ndefined, 's'ame, or 'v'alue. */
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

	/* If CFI has no rule, libdw 0.188 confuses rax with rbx, which calls preserve. */
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
	/* The vdso of qemu-user only returns from signals. */
	ck_assert_uint_gt(check_rows(image, cfi, UNWIND_EH_FRAME), is_emulated() ? 0 : 3);
	dwarf_cfi_end(cfi);
	elf_image_destroy(image);
}
END_TEST

/* ---- made by hand --------------------------------------------------------------------------- */

/*
 * .debug_frame with a CIE for AArch64 and one FDE, of 64 bytes at 0x1000, with these instructions.
 */
static const char *hand_made(
	const uint8_t *instructions, size_t len, uint64_t address, struct unwind_rule *ret)
{
	scope_guard(text_deinit) struct text bytes = {};
	struct cfi_fde fde;

	/* Version 1, no augmentation, factors 4 and -8, x30; the CFA is sp. */
	add_number(&bytes, 0, 4);
	add_number(&bytes, UINT32_MAX, 4);
	add_bytes(&bytes, 1, 0, 4, 0x78, 30, DW_CFA_def_cfa, 31, 0);
	set_length(&bytes, 0);
	size_t at = bytes.len;
	add_number(&bytes, 0, 4);
	add_number(&bytes, 0, 4);
	add_number(&bytes, 0x1000, 8);
	add_number(&bytes, 64, 8);
	text_add(&bytes, (const char *)instructions, len);
	set_length(&bytes, at);
	const struct cfi cfi = {slice_of(&bytes), 0, false, 8};
	ck_assert(cfi_fde(&cfi, at, &fde));
	const char *reason = cfi_rule(&fde, EM_AARCH64, address, ret);
	return reason ? reason : "";
}

#define hand_made(address, ret, ...)                                                               \
	hand_made((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), address, \
		ret)

START_TEST(aarch64)
{
	struct unwind_rule rule;

#define FUNCTION                                                                                   \
	DW_CFA_advance_loc | 1, 0x2d, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 32,           \
		DW_CFA_offset | 29, 4, DW_CFA_offset | 30, 3, DW_CFA_advance_loc | 1,              \
		DW_CFA_def_cfa_register, 29, DW_CFA_advance_loc | 8, DW_CFA_remember_state,        \
		DW_CFA_restore | 30, DW_CFA_restore | 29, DW_CFA_def_cfa, 31, 0, 0x2d,             \
		DW_CFA_advance_loc | 1, DW_CFA_restore_state
	ck_assert_str_eq(hand_made(0x1000, &rule, FUNCTION), "");
	ck_assert_int_eq(rule.ra.kind, UNWIND_SAME);
	ck_assert(!rule.mangled_ra && rule.end == 0x1004);
	ck_assert_str_eq(hand_made(0x1004, &rule, FUNCTION), "");
	ck_assert(rule.mangled_ra && rule.ra.kind == UNWIND_SAME);
	ck_assert_int_eq(unwind_fp_walk(&rule), UNWIND_FP_LOST);
	ck_assert_str_eq(hand_made(0x1010, &rule, FUNCTION), "");
	ck_assert(rule.mangled_ra && rule.cfa.base == 29 && rule.cfa.offset == 32);
	ck_assert_int_eq(unwind_fp_walk(&rule), UNWIND_FP_RIGHT);
	ck_assert_str_eq(hand_made(0x102c, &rule, FUNCTION), "");
	ck_assert(!rule.mangled_ra && rule.cfa.base == 31 && rule.ra.kind == UNWIND_SAME);
	ck_assert_str_eq(hand_made(0x103f, &rule, FUNCTION), "");
	ck_assert(rule.mangled_ra && rule.cfa.base == 29 && rule.end == 0x1040);
	/* Registers that calls preserve, and others. */
	ck_assert_int_eq(rule.registers[19].kind, UNWIND_SAME);
	ck_assert_int_eq(rule.registers[0].kind, UNWIND_UNDEFINED);
}
END_TEST

/* Of s390x, where the caller's SP is 160 bytes below the CFA: numbers of more than one byte. */
START_TEST(big_endian)
{
	static const uint8_t bytes[] = {0, 0, 0, 13, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 14,
		DW_CFA_def_cfa, 15, 0xa0, 1, /* the FDE: */ 0, 0, 0, 39, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0x10, 0, 0, 0, 0, 0, 0, 0, 3, 0, DW_CFA_advance_loc2, 1, 0,
		DW_CFA_def_cfa_offset, 0xc0, 2, DW_CFA_advance_loc4, 0, 0, 0, 0x80,
		DW_CFA_def_cfa_expression, 6, DW_OP_breg15, 0, DW_OP_const2u, 1, 2, DW_OP_plus};
	const struct cfi cfi = {{bytes, sizeof(bytes), true}, 0, false, 8};
	struct cfi_index index = {};
	struct unwind_rule rule;
	struct cfi_fde fde;
	uint64_t cfa, sp;

	cfi_index_fill(&index, &cfi);
	ck_assert_uint_eq(index.len, 1);
	ck_assert(cfi_fde(&cfi, index.data[0].offset, &fde));
	ck_assert(fde.start == 0x1000 && fde.end == 0x1300);
	ck_assert_ptr_null(cfi_rule(&fde, EM_S390, 0x1000, &rule));
	ck_assert(rule.end == 0x1100 && rule.cfa.base == 15 && rule.cfa.offset == 160);
	ck_assert_int_eq(rule.ra.kind, UNWIND_SAME);
	ck_assert_ptr_null(cfi_rule(&fde, EM_S390, 0x1100, &rule));
	ck_assert(rule.start == 0x1100 && rule.end == 0x1180 && rule.cfa.offset == 320);
	ck_assert_ptr_null(cfi_rule(&fde, EM_S390, 0x1180, &rule));
	ck_assert(unwind_value(&rule, &rule.cfa, 0, 0, &frame, &cfa));
	get_register(NULL, 15, &sp);
	ck_assert_uint_eq(cfa, sp + 0x102);
	ck_assert(unwind_value(&rule, &rule.registers[15], 15, cfa, &frame, &sp));
	ck_assert_uint_eq(sp, cfa - 160);
	vec_deinit(&index);
}
END_TEST

START_TEST(broken)
{
	static const char wrong[] = "its CFI is broken or of an unknown kind";
	static const char odd[] = "its CFI has an expression that is not understood";
	struct unwind_rule rule;

	ck_assert_str_eq(hand_made(0x1000, &rule, DW_CFA_restore_state), wrong);
	ck_assert_str_eq(hand_made(0x1000, &rule, 0x3f), wrong);
	ck_assert_str_eq(hand_made(0x1000, &rule, DW_CFA_offset_extended, 0x80), wrong);
	ck_assert_str_eq(hand_made(0x1000, &rule, DW_CFA_def_cfa, 200, 1, 0), wrong);
	ck_assert_str_eq(
		hand_made(0x1000, &rule, DW_CFA_remember_state, DW_CFA_remember_state,
			DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_remember_state,
			DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_remember_state,
			DW_CFA_remember_state),
		wrong);
	ck_assert_str_eq(hand_made(0x1000, &rule, DW_CFA_expression, 30, 1, DW_OP_fbreg), odd);
	ck_assert_str_eq(hand_made(0x1000, &rule, DW_CFA_val_expression, 30, 0), odd);
	ck_assert_str_eq(
		hand_made(0x1000, &rule, DW_CFA_offset | 30, 0xff, 0xff, 0xff, 0xff, 0xf), "");
	ck_assert_int_eq(rule.ra.offset, -8LL * UINT32_MAX);
	/* Registers that are not unwound are ignored, however high their numbers are. */
	ck_assert_str_eq(hand_made(0x1000, &rule, DW_CFA_offset_extended, 0xff, 0xff, 0xff, 0x7f, 1,
				 DW_CFA_offset | 30, 1),
		"");
	ck_assert_int_eq(rule.ra.offset, -8);
	/* Instructions for later addresses are not read. */
	ck_assert_str_eq(hand_made(0x1000, &rule, DW_CFA_advance_loc | 1, 0x3f), "");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("cfi");

	tcase_add_test(tests, c_library);
	tcase_add_test(tests, program);
	tcase_add_test(tests, vdso);
	tcase_add_test(tests, aarch64);
	tcase_add_test(tests, big_endian);
	tcase_add_test(tests, broken);
	return tests_run(tests);
}
