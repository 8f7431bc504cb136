// SPDX-License-Identifier: GPL-2.0-or-later
/* A stream forgets what it has read when that becomes too much, and reads it again correctly. */
#include <check.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "object/object_cache.h"
#include "process/space.h"
#include "process/space_stream.h"
#include "resolve/targets.h"
#include "run.h"
#include "util/cleanup.h"

/* Above all of Linux's (PID_MAX_LIMIT). */
#define NOBODY (1LL << 23)

START_TEST(spaces_of_the_gone_are_forgotten)
{
	struct space_cache cache = {.proc_root = "/proc"};
	int64_t self = getpid();

	ck_assert_int_eq(space_of(&cache, self)->status, SPACE_READ);
	uint64_t first = space_of(&cache, NOBODY)->version;
	for (int64_t i = 0; i < 50000; i++) {
		if (i % 1000 == 0) {
			(void)space_cache_refresh(&cache, 0);
			if (space_cache_is_full(&cache))
				space_cache_forget(&cache);
			ck_assert_uint_le(cache.spaces.len, 1 << 14);
		}
		ck_assert_int_eq(space_of(&cache, NOBODY + i)->status, SPACE_GONE);
		ck_assert_int_eq(space_of(&cache, NOBODY + i)->pid, NOBODY + i);
	}
	/* A running process is kept longer than those, even if it was not requested. */
	bool added;
	const uint64_t *index = space_index(&cache, self, NULL, SPACE_READ, &added);
	ck_assert(!added);
	ck_assert_int_eq(cache.spaces.data[*index]->status, SPACE_READ);
	/*
	 * What was kept by process and version is not taken for that of a later process with its
	 * ID.
	 */
	ck_assert_int_eq(space_of(&cache, NOBODY)->status, SPACE_GONE);
	ck_assert_uint_gt(space_of(&cache, NOBODY)->version, first);
	space_cache_deinit(&cache);
}
END_TEST

static struct object *absent(struct object_cache *cache, unsigned number)
{
	auto_free char *path = xasprintf("/nowhere/%u", number);

	return object_without_image(cache, path, FRAME_FILE_ABSENT, "not there");
}

static void drop(struct object_cache *objects, struct targets *targets)
{
	object_cache_choose(objects);
	targets_drop(targets, objects);
	object_cache_drop(objects);
}

START_TEST(objects_are_forgotten_and_found_again)
{
	const struct find_options find = {};
	struct object_cache cache = {.find = &find};
	struct symbolize_options options = {};
	struct targets targets = {.options = &options};
	struct object *file = NULL, *given = absent(&cache, 1 << 30);
	unsigned rounds = 0;

	given->given = true;
	struct error *error = object_of_file(&cache, "/proc/self/exe", NULL, &file);
	ck_assert_ptr_null(error);
	struct target *target = target_of(&targets, file);
	for (unsigned i = 0; i < 100000; i++) {
		struct object *object = absent(&cache, i);

		(void)target_of(&targets, object);
		file->used = true;
		if (!object_cache_is_full(&cache))
			continue;
		drop(&cache, &targets);
		ck_assert(!targets_are_full(&targets));
		rounds++;
		ck_assert(!object_cache_is_full(&cache));
		ck_assert_ptr_eq(absent(&cache, i), object); /* used lately */
		ck_assert_str_eq(absent(&cache, 0)->label.path, "/nowhere/0");
		ck_assert_ptr_eq(absent(&cache, 1 << 30), given);
		for (size_t j = 0; j < cache.objects.len; j++)
			ck_assert_uint_eq(cache.objects.data[j]->number, j);
	}
	ck_assert_uint_gt(rounds, 5);
	/* This one was in use, and so was everything that it refers to. */
	struct object *again = NULL;
	error = object_of_file(&cache, "/proc/self/exe", NULL, &again);
	ck_assert_ptr_null(error);
	ck_assert_ptr_eq(again, file);
	ck_assert_ptr_eq(target_of(&targets, file), target);
	/* Without its object an image is closed, and opened again when it is needed. */
	file->used = false;
	drop(&cache, &targets);
	ck_assert_uint_eq(cache.images.len, 0);
	error = object_of_file(&cache, "/proc/self/exe", NULL, &again);
	ck_assert_ptr_null(error);
	ck_assert_uint_eq(cache.images.len, 1);
	ck_assert_ptr_nonnull(again->image);
	targets_deinit(&targets);
	object_cache_deinit(&cache);
}
END_TEST

START_TEST(source_texts_are_forgotten)
{
	const struct symbolize_options options = {};
	struct targets targets = {.options = &options};
	struct object_cache cache = {};

	ck_assert(!targets_are_full(&targets));
	targets.sources.bytes = UINT32_MAX;
	ck_assert(targets_are_full(&targets));
	targets_drop(&targets, &cache);
	ck_assert(!targets_are_full(&targets));
	targets_deinit(&targets);
}
END_TEST

/* A process that sees another directory as its root, until its standard input ends. */
static pid_t start_elsewhere(int *end_ret)
{
	int ready[2], end[2];
	char byte;

	ck_assert_int_eq(pipe(ready), 0);
	ck_assert_int_eq(pipe(end), 0);
	pid_t pid = fork();
	if (!pid) {
		close(end[1]);
		if ((geteuid() && unshare(CLONE_NEWUSER)) || chroot("/usr"))
			_exit(1);
		(void)!write(ready[1], "", 1);
		(void)!read(end[0], &byte, 1);
		_exit(0);
	}
	close(ready[1]);
	close(end[0]);
	bool is_ready = read(ready[0], &byte, 1) == 1;
	close(ready[0]);
	*end_ret = end[1];
	return is_ready ? pid : -1;
}

START_TEST(domains_are_forgotten_but_not_their_numbers)
{
	struct space_cache spaces = {.proc_root = "/proc"};
	struct domains domains = {};
	int end;
	pid_t pid = start_elsewhere(&end);

	if (pid < 0)
		return; /* no user namespaces here */
	const struct space *space = space_of(&spaces, pid), *self = space_of(&spaces, getpid());
	ck_assert_uint_eq(domain_of(&domains, self)->number, 0);
	struct domain *domain = domain_of(&domains, space);
	ck_assert_uint_eq(domain->number, 1);
	domain_find_root(domain, space);
	ck_assert_ptr_nonnull(domain->root);
	domain->used = true;
	domains_keep_used(&domains);
	ck_assert_ptr_eq(domain_of(&domains, space), domain);
	domain->used = false;
	domains_keep_used(&domains);
	ck_assert_uint_eq(domains.all.len, 1);
	/* What was found in it then is not taken for its own, nor for that of the next. */
	ck_assert_uint_eq(domain_of(&domains, space)->number, 2);
	ck_assert_uint_eq(domain_of(&domains, self)->number, 0);
	close(end);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	domains_deinit(&domains);
	space_cache_deinit(&spaces);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("forget");

	tcase_add_test(all, spaces_of_the_gone_are_forgotten);
	tcase_add_test(all, objects_are_forgotten_and_found_again);
	tcase_add_test(all, source_texts_are_forgotten);
	tcase_add_test(all, domains_are_forgotten_but_not_their_numbers);
	return tests_run(all);
}
