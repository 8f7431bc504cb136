// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "kernel/bpf/bpf_trampoline.h"
#include "kernel/kallsyms/kallsyms.h"
#include "kernel/kernel.h"
#include "run.h"

static const char sample[] = "ffffffff81000000 t _stext\n"
			     "ffffffff81000000 T _text\n"
			     "ffffffff81000100 T alpha\n"
			     "ffffffff81000100 W weak_alias\n"
			     "ffffffff81000100 T __alpha_alias\n"
			     "ffffffff81000200 d some_data\n"
			     "ffffffff81000300 T omega\n"
			     "ffffffff81000400 T _etext\n"
			     "ffffffffc0001000 t first\t[mod_a]\n"
			     "ffffffffc0001080 t last\t[mod_a]\n"
			     "ffffffffc0010000 t other\t[mod_b]\n"
			     "ffffffffc0020000 t bpf_prog_0011223344556677_hello\t[bpf]\n"
			     "not a line\n";

static struct kallsyms parsed(const char *text)
{
	struct kallsyms kallsyms = {};

	kallsyms_parse(text, strlen(text), &kallsyms);
	return kallsyms;
}

static const char *name_at(const struct kallsyms *kallsyms, uint64_t address)
{
	struct kallsyms_answer answer;

	return kallsyms_find(kallsyms, address, &answer) ? answer.name : "none";
}

START_TEST(kallsyms_symbols_end_at_the_next)
{
	struct kallsyms kallsyms = parsed(sample);

	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff80ffffff), "none");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000100), "alpha");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff810001ff), "alpha");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000200), "none");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff810003ff), "omega");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000400), "none");
	kallsyms_deinit(&kallsyms);
}
END_TEST

START_TEST(kallsyms_names_do_not_reach_into_other_modules)
{
	struct kallsyms kallsyms = parsed(sample);
	struct kallsyms_answer answer;

	ck_assert(kallsyms_find(&kallsyms, 0xffffffffc00010ff, &answer));
	ck_assert_str_eq(answer.name, "last");
	ck_assert_str_eq(answer.module, "mod_a");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffffc0002080), "none");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffffc000ffff), "none");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffffc0010010), "other");
	kallsyms_deinit(&kallsyms);
}
END_TEST

START_TEST(kallsyms_choose_among_aliases)
{
	struct kallsyms kallsyms = parsed("ffffffff81000000 T __pfx_f\n"
					  "ffffffff81000000 t f\n"
					  "ffffffff81000010 T __cfi_g\n"
					  "ffffffff81000010 t __g\n"
					  "ffffffff81000020 t h.llvm.123\n"
					  "ffffffff81000020 t h\n"
					  "ffffffff81000030 T .dot\n"
					  "ffffffff81000030 T dot\n"
					  "ffffffff81000040 t same\n"
					  "ffffffff81000040 t same\n"
					  "ffffffff81000050 D data\n"
					  "ffffffff81000050 t code\n"
					  "ffffffff81000060 t alone.llvm.9\n"
					  "ffffffff81000070 t $x\n"
					  "ffffffff81000074 t .Lloop\n"
					  "ffffffff81000078 A absolute\n"
					  "ffffffff81000080 T __pi___thunk\n"
					  "ffffffff81000080 T __thunk\n"
					  "ffffffff81000090 T __ia32_sys_getpid\n"
					  "ffffffff81000090 T __x64_sys_getpid\n"
					  "ffffffff810000a0 t end\n");

	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000090), "__x64_sys_getpid");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000000), "f");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000080), "__thunk");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000010), "__g");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000020), "h");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000030), "dot");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000040), "same");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000050), "code");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff8100007f), "alone.llvm.9");
	kallsyms_deinit(&kallsyms);
}
END_TEST

START_TEST(kallsyms_of_other_machines_in_any_order)
{
	struct kallsyms kallsyms = parsed("c0008200 T third\r\n"
					  "c0008000 T first\r\n"
					  "c0008100 t $a\n"
					  "c0008280 T $swift\n"
					  "c0008100 T second\n"
					  "00000000 A zero\n"
					  "bf000000 t in_module [mod]\n"
					  "7fc0000000000000 t far_away\n"
					  "c0008300 T cut_na");

	ck_assert_str_eq(name_at(&kallsyms, 0xc0008004), "first");
	ck_assert_str_eq(name_at(&kallsyms, 0xc0008100), "second");
	ck_assert_str_eq(name_at(&kallsyms, 0xc000827f), "third");
	ck_assert_str_eq(name_at(&kallsyms, 0xc0008280), "$swift");
	ck_assert_str_eq(name_at(&kallsyms, 0xc0008300), "none");
	ck_assert_str_eq(name_at(&kallsyms, 0xbf000008), "in_module");
	ck_assert_str_eq(name_at(&kallsyms, 0x7fc0000000000000), "far_away");
	ck_assert_uint_eq(kallsyms.floor, 0xbf000000);
	kallsyms_deinit(&kallsyms);
}
END_TEST

/* Functions are small: where the next symbol is far away, there is a gap between. */
START_TEST(kallsyms_gaps_have_no_name)
{
	struct kallsyms kallsyms = parsed("ffffffffc0000000 t bpf_prog_1\t[bpf]\n"
					  "ffffffffc0000800 t in_a\t[a]\n"
					  "ffffffffc0100000 t bpf_prog_2\t[bpf]\n"
					  "ffffffffc0100800 t more_in_a\t[a]\n");

	ck_assert_str_eq(name_at(&kallsyms, 0xffffffffc00007ff), "bpf_prog_1");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffffc0000fff), "in_a");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffffc0001fff), "none");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffffc0100000), "bpf_prog_2");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffffc0100800), "more_in_a");
	kallsyms_deinit(&kallsyms);
}
END_TEST

START_TEST(kallsyms_names_have_any_length)
{
	struct text text = {};
	struct kallsyms_answer answer;

	for (size_t len = 1; len < 2000; len = len * 3 / 2 + 1) {
		text_printf(&text, "ffffffff81%06zx t ", len << 8);
		for (size_t i = 0; i < len; i++)
			text_add_char(&text, (char)('a' + i % 26));
		text_add_char(&text, '\n');
	}
	struct kallsyms kallsyms = parsed(text.data);
	for (size_t len = 1; len < 2000; len = len * 3 / 2 + 1) {
		ck_assert(kallsyms_find(&kallsyms, 0xffffffff81000000 + (len << 8), &answer));
		ck_assert_uint_eq(strlen(answer.name), len);
		uint64_t found;
		ck_assert(kallsyms_find_name(&kallsyms, answer.name, &found));
		ck_assert_uint_eq(found, answer.start);
	}
	text_deinit(&text);
	kallsyms_deinit(&kallsyms);
}
END_TEST

START_TEST(kallsyms_skip_lines_that_never_end)
{
	struct text text = {};

	text_add_string(&text, "ffffffff81000000 t before\nffffffff81000100 t ");
	for (size_t i = 0; i < 2 << 20; i++)
		text_add_char(&text, 'x');
	text_add_string(&text, "\nffffffff81000200 t after\n");
	struct kallsyms kallsyms = parsed(text.data);
	ck_assert_uint_eq(kallsyms.skipped, 1);
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000000), "before");
	ck_assert_str_eq(name_at(&kallsyms, 0xffffffff81000200), "after");
	text_deinit(&text);
	kallsyms_deinit(&kallsyms);
}
END_TEST

START_TEST(kallsyms_of_zeros_are_hidden)
{
	struct kallsyms kallsyms = parsed("0000000000000000 T a\n0000000000000000 T b\n");

	ck_assert_int_eq(kallsyms.status, KALLSYMS_HIDDEN);
	ck_assert_str_eq(name_at(&kallsyms, 0), "none");
	kallsyms_deinit(&kallsyms);
	kallsyms = parsed("");
	ck_assert_int_eq(kallsyms.status, KALLSYMS_ABSENT);
	kallsyms_deinit(&kallsyms);
}
END_TEST

START_TEST(kernel_names_bpf_programs_and_says_why_not)
{
	struct kernel kernel = {.proc_root = "/nowhere", .sys_root = "/nowhere", .tried = true};
	struct location location = {.address = 0xffffffffc0020010};
	struct frame frame;

	kallsyms_parse(sample, strlen(sample), &kernel.kallsyms);
	kernel_name(&kernel, location.address, &(struct code_choice){}, &location, &frame);
	ck_assert_int_eq(location.status, FRAME_NAMED);
	ck_assert_int_eq(location.kind, LOCATION_BPF);
	ck_assert_str_eq(location.object->path, "[bpf]");
	ck_assert_uint_eq(frame.offset, 0x10);
	location = (struct location){.address = 0x1234};
	kernel_name(&kernel, location.address, &(struct code_choice){}, &location, &frame);
	ck_assert_int_eq(location.status, FRAME_NOT_AN_ADDRESS);
	kernel_deinit(&kernel);
	kernel = (struct kernel){.proc_root = "/nowhere", .sys_root = "/nowhere"};
	location = (struct location){.address = 0xffffffff81000100};
	kernel_name(&kernel, location.address, &(struct code_choice){}, &location, &frame);
	ck_assert_int_eq(location.status, FRAME_KALLSYMS_ABSENT);
	kernel_deinit(&kernel);
}
END_TEST

/* ftrace remembers a's init code, where b lies now, and all of a module that is gone. */
START_TEST(trampolines_hold_ids)
{
	struct s2l_bpf_trampoline_key key;

	ck_assert(bpf_trampoline_key("bpf_trampoline_6442494949", &key));
	ck_assert(!key.of_program);
	ck_assert_uint_eq(key.object, 1);
	ck_assert_uint_eq(key.type, 0xabe5);
	ck_assert(bpf_trampoline_key("bpf_trampoline_42949672965_1", &key));
	ck_assert(key.of_program);
	ck_assert_uint_eq(key.object, 10);
	ck_assert_uint_eq(key.type, 5);
	ck_assert(!bpf_trampoline_key("bpf_trampoline_", &key));
	ck_assert(!bpf_trampoline_key("bpf_trampoline_5", &key));
	ck_assert(!bpf_trampoline_key("bpf_trampoline_6442494949x", &key));
	ck_assert(!bpf_trampoline_key("bpf_trampoline_99999999999999999999", &key));
	ck_assert(!bpf_trampoline_key("bpf_dispatcher_xdp", &key));
}
END_TEST

/* By this system's own BTF, which may be hidden. */
START_TEST(trampolines_of_this_kernel)
{
	struct kernel kernel = {.proc_root = "/proc", .sys_root = "/sys", .tried = true};
	struct prototypes prototypes = {};
	const struct btf *btf = prototypes_btf(&prototypes, &kernel, "");
	size_t first;
	char name[64];

	if (btf && btf_functions_named(btf, "vfs_read", &first)) {
		struct frame frame = {.function = name, .linkage = name};

		snprintf(name, sizeof(name), "bpf_trampoline_%llu",
			1ULL << 32 | 1ULL << 31 | btf->functions.data[first]);
		bpf_trampoline_describe(&prototypes, &kernel, &frame);
		ck_assert_str_eq(frame.qualifier, "(vfs_read)");
	}
	prototypes_deinit(&prototypes);
	kernel_deinit(&kernel);
}
END_TEST

START_TEST(kernel_ignores_symbols_that_modules_left)
{
	static const char symbols[] = "ffffffffc0900000 t a_work\t[a]\n"
				      "ffffffffc0902000 t b_work\t[b]\n"
				      "ffffffffc0902100 t a_init\t[a]\n"
				      "ffffffffc0902300 t b_end\t[b]\n"
				      "ffffffffc0a00000 t gone\t[gone]\n";
	static const char list[] = "a 4096 0 - Live 0xffffffffc0900000\n"
				   "b 4096 0 - Live 0xffffffffc0902000\n";
	static const struct {
		uint64_t address;
		const char *name, *object;
	} wanted[] = {{0xffffffffc0900010, "a_work", "[a]"}, {0xffffffffc0902010, "b_work", "[b]"},
		{0xffffffffc0902110, "b_work", "[b]"}, {0xffffffffc0902310, "b_end", "[b]"},
		{0xffffffffc0a00010, NULL, NULL}};
	struct kernel kernel = {.proc_root = "/nowhere", .sys_root = "/nowhere", .tried = true};

	kallsyms_parse(symbols, strlen(symbols), &kernel.kallsyms);
	kernel.modules.tried = kernel.modules_tried = true;
	modules_parse(&kernel.modules, list, strlen(list));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct location location = {.address = wanted[i].address};
		struct frame frame;

		kernel_name(&kernel, location.address, &(struct code_choice){}, &location, &frame);
		ck_assert_pstr_eq(frame.function, wanted[i].name);
		ck_assert_pstr_eq(location.object ? location.object->name : NULL, wanted[i].object);
		ck_assert(frame.function || location.detail);
	}
	kernel_deinit(&kernel);
}
END_TEST

START_TEST(kernel_knows_interrupt_entries)
{
	ck_assert(kernel_is_interrupt_entry("asm_sysvec_apic_timer_interrupt"));
	ck_assert(kernel_is_interrupt_entry("asm_exc_page_fault"));
	ck_assert(!kernel_is_interrupt_entry("sysvec_apic_timer_interrupt"));
	ck_assert(!kernel_is_interrupt_entry("entry_SYSCALL_64_after_hwframe"));
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("kernel");

	tcase_add_test(all, kallsyms_symbols_end_at_the_next);
	tcase_add_test(all, kallsyms_names_do_not_reach_into_other_modules);
	tcase_add_test(all, kallsyms_choose_among_aliases);
	tcase_add_test(all, kallsyms_of_other_machines_in_any_order);
	tcase_add_test(all, kallsyms_gaps_have_no_name);
	tcase_add_test(all, kallsyms_names_have_any_length);
	tcase_add_test(all, kallsyms_skip_lines_that_never_end);
	tcase_add_test(all, kallsyms_of_zeros_are_hidden);
	tcase_add_test(all, kernel_names_bpf_programs_and_says_why_not);
	tcase_add_test(all, trampolines_hold_ids);
	tcase_add_test(all, trampolines_of_this_kernel);
	tcase_add_test(all, kernel_ignores_symbols_that_modules_left);
	tcase_add_test(all, kernel_knows_interrupt_entries);
	return tests_run(all);
}
