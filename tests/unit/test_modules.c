// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/modules.h"
#include "object/unpack.h"
#include "run.h"

static void parse(struct modules *modules, const char *text)
{
	modules->tried = true;
	modules_parse(modules, text, strlen(text));
}

START_TEST(modules_are_found_by_address)
{
	struct modules modules = {};

	parse(&modules, "nf_tables 8192 35 nft_compat,nft_ct, Live 0xffffffffc0a10000 (E)\n"
			"loop 4096 0 - Live 0xffffffffc0900000\n"
			"hidden 4096 0 - Live 0x0000000000000000\n"
			"huge 99999999999999999999 0 - Live 0xffffffffc0000000\n"
			"edge 8192 0 - Live 0xfffffffffffff000\n"
			"../loop 4096 0 - Live 0xffffffffc0b00000\n"
			"short\n");
	ck_assert_uint_eq(modules.all.len, 4);
	ck_assert_str_eq(modules_at(&modules, 0xffffffffc0a10000)->name, "nf_tables");
	ck_assert_str_eq(modules_at(&modules, 0xffffffffc0a11fff)->name, "nf_tables");
	ck_assert_ptr_null(modules_at(&modules, 0xffffffffc0a12000));
	ck_assert_ptr_null(modules_at(&modules, 0xffffffffc08fffff));
	ck_assert_ptr_null(modules_at(&modules, 0));
	ck_assert_ptr_null(modules_at(&modules, 0xffffffffc0b00000));
	ck_assert_uint_eq(modules_named(&modules, "hidden")->start, 0);
	ck_assert_ptr_null(modules_named(&modules, "nft_ct"));
	modules_deinit(&modules);
}
END_TEST

START_TEST(sections_are_found_by_address)
{
	static const char lines[] = "loop .text ffffffffc0900000\n"
				    "loop .init.text ffffffffc0900100\n"
				    "loopback .text.hot ffffffffc0900180\n"
				    "loop .text.unlikely ffffffffc0900200\n"
				    "loop .hidden 0\nloop\nloop .text";
	struct modules modules = {};

	parse(&modules, "loop 4096 0 - Live 0xffffffffc0900000\n");
	struct module *module = modules.all.data[0];
	modules_parse_sections(&modules, module, lines, sizeof(lines) - 1);
	ck_assert_uint_eq(module->sections.len, 2);
	ck_assert_str_eq(module_section_at(module, 0xffffffffc0900190)->name, ".text");
	ck_assert_str_eq(module_section_at(module, 0xffffffffc0900200)->name, ".text.unlikely");
	ck_assert_ptr_null(module_section_at(module, 0xffffffffc08fffff));
	modules_deinit(&modules);
}
END_TEST

START_TEST(modules_deny_what_lies_elsewhere)
{
	struct modules modules = {};

	parse(&modules, "a 4096 0 - Live 0xffffffffc0900000\n"
			"b 4096 0 - Live 0xffffffffc0902000\n"
			"hidden 4096 0 - Live 0x0000000000000000\n");
	ck_assert(!modules_deny(&modules, "a", 0xffffffffc0900fff));
	ck_assert(!modules_deny(&modules, "a", 0xffffffffc0901000)); /* nobody else's */
	ck_assert(modules_deny(&modules, "a", 0xffffffffc0902000));
	ck_assert(!modules_deny(&modules, "hidden", 0xffffffffc0902000));
	ck_assert(modules_deny(&modules, "gone", 0xffffffffc0901000));
	modules_deinit(&modules);
	modules = (struct modules){};
	modules.tried = true;
	modules_parse(&modules, NULL, 0); /* no list */
	ck_assert(!modules_deny(&modules, "gone", 0xffffffffc0901000));
	modules_deinit(&modules);
}
END_TEST

/* "hello\n" as gzip, and what is left of it when it is cut. */
START_TEST(broken_packed_files_give_nothing)
{
	static const char packed[] =
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7"
		"\x02\x00\x20\x30\x3a\x36\x06\x00\x00\x00";
	int fd = memfd_create("packed", MFD_CLOEXEC);
	void *memory = NULL;
	size_t size = 7;

	ck_assert_int_eq(write(fd, packed, sizeof(packed) - 1), sizeof(packed) - 1);
	ck_assert(unpack_is_packed(fd));
	lseek(fd, 0, SEEK_SET);
	ck_assert(unpack_file(fd, &memory, &size));
	ck_assert_uint_eq(size, 6);
	ck_assert_mem_eq(memory, "hello\n", 6);
	free(memory);
	memory = NULL;
	for (off_t len = 0; len < (off_t)sizeof(packed) - 1; len++) {
		ck_assert_int_eq(ftruncate(fd, (off_t)sizeof(packed) - 2 - len), 0);
		lseek(fd, 0, SEEK_SET);
		ck_assert(!unpack_file(fd, &memory, &size));
	}
	ck_assert_ptr_null(memory);
	close(fd);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("modules");

	tcase_add_test(all, modules_are_found_by_address);
	tcase_add_test(all, modules_deny_what_lies_elsewhere);
	tcase_add_test(all, sections_are_found_by_address);
	tcase_add_test(all, broken_packed_files_give_nothing);
	return tests_run(all);
}
