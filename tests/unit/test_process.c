// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/maps.h"
#include "process/procfs.h"
#include "process/space.h"
#include "run.h"
#include "util/cleanup.h"

static struct maps parse(const char *text, struct arena *strings, size_t *odd)
{
	struct maps maps = {};

	*odd = maps_parse(text, strlen(text), strings, &maps);
	return maps;
}

START_TEST(maps_line_gives_all_fields)
{
	struct arena strings = {};
	size_t odd;
	struct maps maps =
		parse("7f5e1c028000-7f5e1c17d000 r-xp 00028000 fe:1b 1182    /usr/lib/a b.so\n",
			&strings, &odd);

	ck_assert_uint_eq(odd, 0);
	ck_assert_uint_eq(maps.len, 1);
	ck_assert_uint_eq(maps.data[0].start, 0x7f5e1c028000);
	ck_assert_uint_eq(maps.data[0].end, 0x7f5e1c17d000);
	ck_assert_uint_eq(maps.data[0].file_offset, 0x28000);
	ck_assert_uint_eq(maps.data[0].dev_major, 0xfe);
	ck_assert_uint_eq(maps.data[0].dev_minor, 0x1b);
	ck_assert_uint_eq(maps.data[0].inode, 1182);
	ck_assert(maps.data[0].executable && maps.data[0].readable && !maps.data[0].writable);
	ck_assert_str_eq(maps.data[0].path, "/usr/lib/a b.so");
	vec_deinit(&maps);
	arena_deinit(&strings);
}
END_TEST

START_TEST(maps_unescape_only_newlines)
{
	struct arena strings = {};
	size_t odd;
	struct maps maps = parse("1000-2000 r-xp 0 00:01 5 /a\\012b\\134c\n"
				 "2000-3000 r-xp 0 00:01 6 /gone (deleted)\n"
				 "3000-4000 rw-p 0 00:00 0\n",
		&strings, &odd);

	ck_assert_uint_eq(odd, 0);
	ck_assert_str_eq(maps.data[0].path, "/a\nb\\134c");
	ck_assert_str_eq(maps.data[1].path, "/gone");
	ck_assert(maps.data[1].deleted);
	ck_assert_str_eq(maps.data[2].path, "");
	vec_deinit(&maps);
	arena_deinit(&strings);
}
END_TEST

START_TEST(maps_skip_lines_that_are_none)
{
	struct arena strings = {};
	size_t odd;
	struct maps maps = parse("garbage\n2000-1000 r-xp 0 00:00 0\n1000-2000 r-xp 0 00:00\n"
				 "1000-2000 r-xp 0 00:00 0 x\n1800-2800 r-xp 0 00:00 0 overlaps\n",
		&strings, &odd);

	ck_assert_uint_eq(odd, 4);
	ck_assert_uint_eq(maps.len, 1);
	vec_deinit(&maps);
	arena_deinit(&strings);
}
END_TEST

START_TEST(maps_find_is_half_open)
{
	struct arena strings = {};
	size_t odd;
	struct maps maps =
		parse("1000-2000 r-xp 0 00:00 0 a\n3000-4000 r-xp 0 00:00 0 b\n", &strings, &odd);

	ck_assert_ptr_null(maps_find(&maps, 0xfff));
	ck_assert_str_eq(maps_find(&maps, 0x1000)->path, "a");
	ck_assert_str_eq(maps_find(&maps, 0x1fff)->path, "a");
	ck_assert_ptr_null(maps_find(&maps, 0x2000));
	ck_assert_str_eq(maps_find(&maps, 0x3fff)->path, "b");
	ck_assert_ptr_null(maps_find(&maps, 0x4000));
	vec_deinit(&maps);
	arena_deinit(&strings);
}
END_TEST

START_TEST(space_of_this_process_is_read)
{
	struct space_cache cache = {.proc_root = "/proc"};
	struct space *space = space_of(&cache, getpid());

	ck_assert_int_eq(space->status, SPACE_READ);
	ck_assert_ptr_nonnull(maps_find(&space->maps, (uint64_t)(uintptr_t)&space_of));
	ck_assert_ptr_nonnull(space->comm);
	ck_assert_ptr_eq(space, space_of(&cache, getpid()));
	ck_assert_int_eq(space_of(&cache, INT32_MAX)->status, SPACE_GONE);
	space_cache_deinit(&cache);
}
END_TEST

/* A new file, mapped at AT, or anywhere. */
static void *map_file(void *at)
{
	char path[] = "/tmp/test_process.XXXXXX";
	auto_fd int fd = mkstemp(path);

	ck_assert(fd >= 0 && !unlink(path) && !ftruncate(fd, 4096));
	void *page =
		mmap(at, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	return page;
}

/* As dlclose() and dlopen() do, between the reading of maps and the opening of the link. */
START_TEST(link_to_another_file_is_refused)
{
	struct space_cache cache = {.proc_root = "/proc"};
	void *page = map_file(NULL);
	const struct space *space = space_of(&cache, getpid());
	const struct mapping *mapping = maps_find(&space->maps, (uintptr_t)page);
	int fd = procfs_open_mapped(space_dir(space), mapping);

	ck_assert(fd >= 0 || errno == EPERM);
	ck_assert(space_still_maps(space, mapping));
	if (fd >= 0)
		close(fd);
	if (fd >= 0) {
		(void)map_file(page);
		ck_assert_int_eq(procfs_open_mapped(space_dir(space), mapping), -1);
		ck_assert_int_eq(errno, ESTALE);
		ck_assert(!space_still_maps(space, mapping));
	}
	munmap(page, 4096);
	space_cache_deinit(&cache);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("process");

	tcase_add_test(all, maps_line_gives_all_fields);
	tcase_add_test(all, maps_unescape_only_newlines);
	tcase_add_test(all, maps_skip_lines_that_are_none);
	tcase_add_test(all, maps_find_is_half_open);
	tcase_add_test(all, space_of_this_process_is_read);
	tcase_add_test(all, link_to_another_file_is_refused);
	return tests_run(all);
}
