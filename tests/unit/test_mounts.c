// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/mountinfo.h"
#include "process/overlay_lookup.h"
#include "process/procfs.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

START_TEST(mountinfo_line_gives_all_fields)
{
	static const char text[] =
		"36 35 0:39 /a\\040b /mnt\\134x rw,noatime master:1 propagate_from:2 - overlay "
		"over\\040lay rw,lowerdir=/l\n"
		"37 36 8:1 / / rw - ext4  rw\n";
	struct mountinfo mounts = {};

	ck_assert_uint_eq(mountinfo_parse(text, strlen(text), &mounts), 0);
	ck_assert_uint_eq(mounts.mounts.len, 2);
	const struct mount *mount = mountinfo_by_id(&mounts, 36);
	ck_assert_ptr_nonnull(mount);
	ck_assert_uint_eq(mount->dev_major, 0);
	ck_assert_uint_eq(mount->dev_minor, 39);
	ck_assert_str_eq(mount->root, "/a b");
	ck_assert_str_eq(mount->point, "/mnt\\x");
	ck_assert_str_eq(mount->type, "overlay");
	ck_assert_str_eq(mount->source, "over\\040lay");
	ck_assert_str_eq(mount->options, "rw,lowerdir=/l");
	/* an empty source leaves two blanks */
	ck_assert_str_eq(mounts.mounts.data[1].source, "");
	ck_assert_str_eq(mounts.mounts.data[1].options, "rw");
	ck_assert_ptr_null(mountinfo_by_id(&mounts, 35));
	mountinfo_deinit(&mounts);
}
END_TEST

START_TEST(mountinfo_skips_what_is_no_mount)
{
	static const char text[] =
		"\n1\n1 2 0:39 / /gone rw\n2 1 0:4294967296 / / rw - a b c\n"
		"3 1 0:4 relative / rw - a b c\n4 1 0:4 net:[1] /x rw - nsfs n rw\n"
		"5 1 0:5 /was/here//deleted /x rw - ext4 a rw\n"
		"6 1 0:6 / /x rw - tmpfs t rw\n";
	struct mountinfo mounts = {};

	ck_assert_uint_eq(mountinfo_parse(text, strlen(text), &mounts), 7);
	ck_assert_uint_eq(mounts.mounts.len, 1);
	ck_assert_uint_eq(mounts.mounts.data[0].id, 6);
	mountinfo_deinit(&mounts);
}
END_TEST

START_TEST(mountinfo_skips_cut_lines)
{
	static const char line[] = "36 35 0:39 / /mnt rw - overlay o rw";

	for (size_t len = 1; line + len <= strstr(line, "overlay"); len++) {
		struct mountinfo mounts = {};

		ck_assert_uint_eq(mountinfo_parse(line, len, &mounts), 1);
		ck_assert_uint_eq(mounts.mounts.len, 0);
		mountinfo_deinit(&mounts);
	}
}
END_TEST

START_TEST(mountinfo_below_goes_by_components)
{
	ck_assert_str_eq(mountinfo_below("/usr/lib/x", "/usr"), "lib/x");
	ck_assert_str_eq(mountinfo_below("/usr/lib", "/usr/"), "lib");
	ck_assert_str_eq(mountinfo_below("/usr", "/usr"), "");
	ck_assert_str_eq(mountinfo_below("/usr", "/"), "usr");
	ck_assert_str_eq(mountinfo_below("/", "/"), "");
	ck_assert_ptr_null(mountinfo_below("/usrlib", "/usr"));
	ck_assert_ptr_null(mountinfo_below("/us", "/usr"));
}
END_TEST

START_TEST(mountinfo_knows_types_by_device)
{
	scope_guard(text_deinit) struct text text = {};

	for (unsigned int n = 0; n < 40; n++) {
		struct mountinfo mounts = {};

		ck_assert_uint_eq(mountinfo_parse(text.data, text.len, &mounts), 0);
		ck_assert_uint_eq(mounts.mounts.len, n);
		for (unsigned int i = 0; i < n; i++) {
			auto_free char *type = xasprintf("type%u", i);

			ck_assert_str_eq(mountinfo_type(&mounts, 8, i), type);
		}
		ck_assert_str_eq(mountinfo_type(&mounts, 8, n), "");
		ck_assert_str_eq(mountinfo_type(&mounts, 9, 0), "");
		mountinfo_deinit(&mounts);
		text_printf(&text, "%u 1 8:%u / / rw - type%u a rw\n", n + 2, n, n);
	}
}
END_TEST

START_TEST(overlay_options_give_layers)
{
	struct overlay overlay = {};

	/* as Linux 6.18 shows -o 'lowerdir=/l\:1:/l2:/sp ace,upperdir=/u\,p' */
	overlay_parse("rw,lowerdir=/l\\134:1:/l2:/sp\\040ace,upperdir=/u\\134\\054p,workdir=/w",
		&overlay);
	ck_assert_uint_eq(overlay.layers.len, 4);
	ck_assert_str_eq(overlay.layers.data[0], "/u,p");
	ck_assert_str_eq(overlay.layers.data[1], "/l:1");
	ck_assert_str_eq(overlay.layers.data[2], "/l2");
	ck_assert_str_eq(overlay.layers.data[3], "/sp ace");
	ck_assert_uint_eq(overlay.n_data, 0);
	overlay_deinit(&overlay);
}
END_TEST

START_TEST(overlay_options_give_data_layers)
{
	struct overlay overlay = {};

	overlay_parse("ro,lowerdir=/a:/b::/c::/d", &overlay);
	ck_assert_uint_eq(overlay.layers.len, 4);
	ck_assert_uint_eq(overlay.n_data, 2);
	overlay_deinit(&overlay);
	overlay = (struct overlay){};
	/* as Linux 6.18 shows the directories a:x, b\, and c, given to fsconfig */
	overlay_parse("ro,lowerdir+=/a:x,lowerdir+=/b\\134\\054,datadir+=/c", &overlay);
	ck_assert_uint_eq(overlay.layers.len, 3);
	ck_assert_str_eq(overlay.layers.data[0], "/a:x");
	ck_assert_str_eq(overlay.layers.data[1], "/b\\,");
	ck_assert_uint_eq(overlay.n_data, 1);
	overlay_deinit(&overlay);
	overlay = (struct overlay){};
	overlay_parse("lowerdir,=,lowerdir=:::,upperdir=\\", &overlay);
	overlay_deinit(&overlay);
}
END_TEST

static void make(const char *dir, const char *path, bool directory)
{
	auto_free char *full = xasprintf("%s/%s", dir, path);
	auto_file FILE *file = NULL;

	if (directory) {
		ck_assert_int_eq(mkdir(full, 0700), 0);
		return;
	}
	file = fopen(full, "w");
	ck_assert_ptr_nonnull(file);
}

static int look_below(const char *options, const char *path, size_t below, char **found)
{
	scope_guard(overlay_deinit) struct overlay overlay = {};

	overlay_parse(options, &overlay);
	int fd = overlay_open(&overlay, path, below, found);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int look_up(const char *options, const char *path, char **found)
{
	return look_below(options, path, 0, found);
}

/* What needs attributes, and so root, is in tests/e2e/spaces.test. */
START_TEST(overlay_lookup_merges_and_stays_inside)
{
	char dir[] = "/tmp/test_mounts.XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(dir));
	make(dir, "up", true);
	make(dir, "up/d", true);
	make(dir, "up/d/upper", false);
	make(dir, "up/file", false);
	make(dir, "low", true);
	make(dir, "low/d", true);
	make(dir, "low/d/upper", false);
	make(dir, "low/d/lower", false);
	make(dir, "low/file", true);
	make(dir, "low/file/hidden", false);
	auto_free char *link = xasprintf("%s/up/link", dir);
	ck_assert_int_eq(symlink("d", link), 0);
	auto_free char *options = xasprintf("lowerdir=low,upperdir=%s/up", dir);
	auto_free char *upper = NULL, *lower = NULL, *none = NULL;
	auto_free char *upper_path = xasprintf("%s/up/d/upper", dir);
	auto_free char *lower_path = xasprintf("%s/low/d/lower", dir);
	auto_free char *hidden_path = xasprintf("%s/low/d/upper", dir), *hidden = NULL;

	ck_assert_int_eq(look_up(options, "d/upper", &upper), 0);
	ck_assert_str_eq(upper, upper_path);
	ck_assert_int_eq(look_up(options, "d/lower", &lower), 0);
	ck_assert_str_eq(lower, lower_path);
	ck_assert_int_eq(look_below(options, "d/upper", 1, &hidden), 0);
	ck_assert_str_eq(hidden, hidden_path);
	ck_assert_int_eq(look_below(options, "d/upper", 2, &none), -ENOENT);
	ck_assert_int_eq(look_below(options, "file/hidden", 1, &none), -ENOENT);
	ck_assert_int_eq(look_up(options, "file/hidden", &none), -ENOENT);
	ck_assert_int_eq(look_up(options, "d", &none), -EISDIR);
	ck_assert_int_ne(look_up(options, "link/upper", &none), 0);
	ck_assert_int_eq(look_up(options, "d/../d/upper", &none), -ENOENT);
	ck_assert_int_eq(look_up(options, "", &none), -ENOENT);
	ck_assert_int_eq(look_up("lowerdir=/nowhere/at/all", "d", &none), -ENOENT);
	ck_assert_ptr_null(none);
	auto_free char *remove = xasprintf("rm -rf %s", dir);
	ck_assert_int_eq(system(remove), 0);
}
END_TEST

/* A file that was removed in the upper layer does not come back from the lower one. */
START_TEST(overlay_lookup_honours_whiteouts)
{
	char dir[] = "/tmp/test_mounts.XXXXXX";
	auto_free char *before = NULL, *after = NULL, *kept = NULL;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	make(dir, "up", true);
	make(dir, "low", true);
	make(dir, "low/removed", false);
	make(dir, "low/kept", false);
	auto_free char *whiteout = xasprintf("%s/up/removed", dir);
	auto_free char *options = xasprintf("lowerdir=%s/low,upperdir=%s/up", dir, dir);
	ck_assert_int_eq(look_up(options, "removed", &before), 0);
	/* Since Linux 5.8 anybody may make one, but not in every container. */
	if (!mknod(whiteout, S_IFCHR, 0))
		ck_assert_int_eq(look_up(options, "removed", &after), -ENOENT);
	ck_assert_int_eq(look_up(options, "kept", &kept), 0);
	auto_free char *remove = xasprintf("rm -rf %s", dir);
	ck_assert_int_eq(system(remove), 0);
}
END_TEST

START_TEST(status_gives_numbers_of_all_namespaces)
{
	static const char text[] = "Name:\ta\nUid:\t1000\t1001\t0\t0\nNStgid:\t4711\t12\t1\n"
				   "NSpid:\t4712\t13\t2\n";
	struct status status;

	ck_assert(status_parse(text, strlen(text), &status));
	ck_assert_uint_eq(status.uid, 1001);
	ck_assert_uint_eq(status.process.n, 3);
	ck_assert_int_eq(status.process.pids[2], 1);
	ck_assert_int_eq(status.thread.pids[0], 4712);
	ck_assert(!status_parse(text, 20, &status));
	ck_assert(!status_parse(NULL, 0, &status));
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("mounts");

	tcase_add_test(all, mountinfo_line_gives_all_fields);
	tcase_add_test(all, mountinfo_skips_what_is_no_mount);
	tcase_add_test(all, mountinfo_skips_cut_lines);
	tcase_add_test(all, mountinfo_below_goes_by_components);
	tcase_add_test(all, mountinfo_knows_types_by_device);
	tcase_add_test(all, overlay_options_give_layers);
	tcase_add_test(all, overlay_options_give_data_layers);
	tcase_add_test(all, overlay_lookup_merges_and_stays_inside);
	tcase_add_test(all, overlay_lookup_honours_whiteouts);
	tcase_add_test(all, status_gives_numbers_of_all_namespaces);
	return tests_run(all);
}
