// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "kernel/kernel.h"

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
	kernel_name(&kernel, location.address, &location, &frame);
	ck_assert_int_eq(location.status, FRAME_NAMED);
	ck_assert_int_eq(location.kind, LOCATION_BPF);
	ck_assert_str_eq(location.object->path, "[bpf]");
	ck_assert_uint_eq(frame.offset, 0x10);
	location = (struct location){.address = 0x1234};
	kernel_name(&kernel, location.address, &location, &frame);
	ck_assert_int_eq(location.status, FRAME_NOT_AN_ADDRESS);
	kernel_deinit(&kernel);
	kernel = (struct kernel){.proc_root = "/nowhere", .sys_root = "/nowhere"};
	location = (struct location){.address = 0xffffffff81000100};
	kernel_name(&kernel, location.address, &location, &frame);
	ck_assert_int_eq(location.status, FRAME_KALLSYMS_ABSENT);
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
	Suite *suite = suite_create("kernel");
	TCase *all = tcase_create("all");

	tcase_add_test(all, kallsyms_symbols_end_at_the_next);
	tcase_add_test(all, kallsyms_names_do_not_reach_into_other_modules);
	tcase_add_test(all, kallsyms_of_zeros_are_hidden);
	tcase_add_test(all, kernel_names_bpf_programs_and_says_why_not);
	tcase_add_test(all, kernel_knows_interrupt_entries);
	suite_add_tcase(suite, all);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
