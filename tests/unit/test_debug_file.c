// SPDX-License-Identifier: GPL-2.0-or-later
/* Which of several possible debug files is used. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug/files/debug_file.h"
#include "elf_builder.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

#define auto_image scope_guard(elf_image_cleanup)

/* A new directory, which is removed with everything in it. */
static char *make_directory(void)
{
	char template[] = "/tmp/test_debug_file.XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(template));
	return xstrdup(template);
}

static void remove_directory(char **dir)
{
	auto_free char *command = xasprintf("rm -rf '%s'", *dir);

	ck_assert_int_eq(system(command), 0);
	free(*dir);
}

#define auto_directory scope_guard(remove_directory)

static void make_parents(const char *path)
{
	auto_free char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
}

/* Writes a debug file with a build ID of 8 bytes ID (0: none) to DIR/NAME. */
static void write_debug_file(const char *dir, const char *name, uint8_t id)
{
	struct elf_builder builder = {};
	auto_free char *path = xasprintf("%s/%s", dir, name);
	size_t size;

	builder_section(&builder, ".debug_info", SHT_PROGBITS, 0, 0, "x", 1);
	if (id)
		builder_build_id(&builder, id, 8);
	auto_free void *data = builder_finish(&builder, &size);
	make_parents(path);
	auto_file FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
}

/* An image at DIR/program that refers to prog.debug, with build ID ID (0: none). */
static struct elf_image *linked_image(const char *dir, const char *link, uint8_t id)
{
	struct elf_builder builder = {};
	auto_free char *path = xasprintf("%s/program", dir);

	builder_debuglink(&builder, link, 0x12345678);
	if (id)
		builder_build_id(&builder, id, 8);
	return builder_image(&builder, path);
}

static void check_found(const struct elf_image *image, const char *root, const char *debug_dir,
	const char *dir, const char *expected)
{
	const char *dirs[] = {debug_dir};
	struct debug_options options = {.debug_dirs = {.data = dirs, .len = debug_dir != NULL},
		.root = root,
		.separate = true};
	auto_image struct elf_image *found = debug_file_find(image, &options, NULL);

	if (!expected) {
		ck_assert_ptr_null(found);
		return;
	}
	auto_free char *path = xasprintf("%s/%s", dir, expected);
	ck_assert_ptr_nonnull(found);
	ck_assert_str_eq(found->path, path);
}

START_TEST(debug_file_passes_over_wrong_ones)
{
	auto_directory char *dir = make_directory();
	auto_image struct elf_image *image = linked_image(dir, "prog.debug", 1);
	auto_free char *fifo = xasprintf("%s/prog.debug", dir);

	check_found(image, "", "/nonexistent", dir, NULL);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	check_found(image, "", "/nonexistent", dir, NULL);
	ck_assert_int_eq(unlink(fifo), 0);
	write_debug_file(dir, "prog.debug", 2);
	check_found(image, "", "/nonexistent", dir, NULL);
	auto_free char *below = xasprintf("dirs%s/prog.debug", dir);
	auto_free char *dirs = xasprintf("%s/dirs", dir);
	write_debug_file(dir, below, 1);
	check_found(image, "", dirs, dir, below);
	write_debug_file(dir, ".debug/prog.debug", 1);
	check_found(image, "", dirs, dir, ".debug/prog.debug");
	write_debug_file(dir, "dirs/.build-id/01/01010101010101.debug", 3);
	check_found(image, "", dirs, dir, ".debug/prog.debug");
	write_debug_file(dir, "dirs/.build-id/01/01010101010101.debug", 1);
	check_found(image, "", dirs, dir, "dirs/.build-id/01/01010101010101.debug");
}
END_TEST

START_TEST(debug_file_prefers_the_targets_root)
{
	auto_directory char *dir = make_directory();
	auto_free char *root = xasprintf("%s/root", dir);
	auto_free char *ours = xasprintf("%s/d", dir);
	auto_free char *here = xasprintf("d/.build-id/01/01010101010101.debug");
	auto_free char *there = xasprintf("root%s/.build-id/01/01010101010101.debug", ours);
	auto_image struct elf_image *image = linked_image(dir, "prog.debug", 1);

	check_found(image, root, ours, dir, NULL);
	write_debug_file(dir, here, 1);
	check_found(image, root, ours, dir, here);
	write_debug_file(dir, there, 2);
	check_found(image, root, ours, dir, here);
	write_debug_file(dir, there, 1);
	check_found(image, root, ours, dir, there);
}
END_TEST

START_TEST(debug_file_says_what_it_tried)
{
	auto_directory char *dir = make_directory();
	auto_image struct elf_image *image = linked_image(dir, "prog.debug", 1);
	const char *dirs[] = {"/nonexistent"};
	auto_free char *cache = xasprintf("%s/cache", dir);
	struct debug_options options = {
		.debug_dirs = {.data = dirs, .len = 1}, .root = "", .cache = cache};
	scope_guard(text_deinit) struct text tried = {};

	write_debug_file(dir, "prog.debug", 2);
	ck_assert_ptr_null(debug_file_find(image, &options, &tried));
	auto_free char *expected = xasprintf(
		"/nonexistent/.build-id/01/01010101010101.debug: not there; "
		"%s/prog.debug: of another build; %s/.debug/prog.debug: not there; "
		"/nonexistent%s/prog.debug: not there; %s/0101010101010101/debuginfo: not there",
		dir, dir, dir, cache);
	ck_assert_str_eq(tried.data, expected);
	write_debug_file(dir, "cache/0101010101010101/debuginfo", 1);
	auto_image struct elf_image *found = debug_file_find(image, &options, NULL);
	ck_assert_ptr_nonnull(found);
}
END_TEST

START_TEST(debug_file_checks_the_crc_without_build_id)
{
	auto_directory char *dir = make_directory();
	auto_image struct elf_image *image = linked_image(dir, "prog.debug", 0);

	write_debug_file(dir, "prog.debug", 0);
	check_found(image, "", "/nonexistent", dir, NULL);
}
END_TEST

START_TEST(debug_file_refuses_paths_as_link)
{
	auto_directory char *dir = make_directory();
	auto_image struct elf_image *image = linked_image(dir, "../prog.debug", 1);
	auto_free char *sub = xasprintf("%s/sub", dir);

	write_debug_file(dir, "prog.debug", 1);
	free(image->path);
	image->path = xasprintf("%s/sub/program", dir);
	ck_assert_int_eq(mkdir(sub, 0700), 0);
	check_found(image, "", "/nonexistent", dir, NULL);
}
END_TEST

START_TEST(debug_file_stays_below_the_root)
{
	auto_directory char *dir = make_directory();
	auto_free char *root = xasprintf("%s/root", dir);
	auto_free char *link = xasprintf("%s/root/usr/prog.debug", dir);
	auto_free char *outside = xasprintf("%s/outside.debug", dir);
	auto_image struct elf_image *image = linked_image("/usr", "prog.debug", 1);

	write_debug_file(dir, "outside.debug", 1);
	make_parents(link);
	ck_assert_int_eq(symlink(outside, link), 0);
	check_found(image, root, "/nonexistent", root, NULL);
	ck_assert_int_eq(unlink(link), 0);
	ck_assert_int_eq(symlink("../../outside.debug", link), 0);
	check_found(image, root, "/nonexistent", root, NULL);
	ck_assert_int_eq(unlink(link), 0);
	write_debug_file(root, "usr/prog.debug", 1);
	check_found(image, root, "/nonexistent", root, "usr/prog.debug");
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("debug_file");

	tcase_add_test(tc, debug_file_passes_over_wrong_ones);
	tcase_add_test(tc, debug_file_prefers_the_targets_root);
	tcase_add_test(tc, debug_file_says_what_it_tried);
	tcase_add_test(tc, debug_file_checks_the_crc_without_build_id);
	tcase_add_test(tc, debug_file_refuses_paths_as_link);
	tcase_add_test(tc, debug_file_stays_below_the_root);
	return tests_run(tc);
}
