// SPDX-License-Identifier: GPL-2.0-or-later
/* Mapped files that are cut short while they are read. */
#include <check.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run.h"
#include "util/fault_guard.h"

enum { PAGES = 8 };

/* A file of PAGES pages of ones. */
static int make_file(size_t size)
{
	int fd = memfd_create("mapped", MFD_CLOEXEC);

	for (size_t i = 0; i < size; i++)
		ck_assert_int_eq(write(fd, "\1", 1), 1);
	return fd;
}

static volatile const char *map(int fd, size_t size)
{
	void *start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	ck_assert_ptr_ne(start, MAP_FAILED);
	return start;
}

START_TEST(cut_reads_as_zeros)
{
	size_t page = (size_t)getpagesize(), size = PAGES * page;
	struct fault_guard mapped = {}, other = {};
	int fd = make_file(size), other_fd = make_file(size);
	volatile const char *bytes = map(fd, size), *others = map(other_fd, size);

	fault_guard_add(&mapped, (const void *)bytes, size);
	fault_guard_add(&other, (const void *)others, size);
	ck_assert_int_eq(bytes[size - 1], 1);
	ck_assert_int_eq(ftruncate(fd, (off_t)(3 * page + 10)), 0);
	ck_assert_int_eq(bytes[3 * page + 9], 1);
	ck_assert(!mapped.cut);
	ck_assert_int_eq(bytes[5 * page + 7], 0);
	ck_assert(mapped.cut);
	ck_assert_int_eq(bytes[4 * page], 0); /* missed only now */
	ck_assert_int_eq(bytes[size - 1], 0);
	ck_assert_int_eq(bytes[0], 1);
	ck_assert_uint_eq(fault_guard_cuts(), 1);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(bytes[0], 0);
	ck_assert_uint_eq(fault_guard_cuts(), 1);
	ck_assert(!other.cut);
	ck_assert_int_eq(others[size - 1], 1);
	fault_guard_remove(&mapped);
	fault_guard_remove(&mapped);
	ck_assert_int_eq(ftruncate(other_fd, 0), 0);
	ck_assert_int_eq(others[size - 1], 0);
	ck_assert(other.cut);
	ck_assert_uint_eq(fault_guard_cuts(), 2);
	fault_guard_remove(&other);
	munmap((void *)(uintptr_t)bytes, size);
	munmap((void *)(uintptr_t)others, size);
	close(fd);
	close(other_fd);
}
END_TEST

START_TEST(anywhere)
{
	size_t page = (size_t)getpagesize();
	struct fault_guard mapped = {};
	int fd = make_file(2 * page);

	fault_guard_add(&mapped, NULL, SIZE_MAX);
	volatile const char *bytes = map(fd, 2 * page);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(bytes[page], 0);
	ck_assert_int_eq(bytes[0], 0);
	ck_assert(mapped.cut);
	fault_guard_remove(&mapped);
	munmap((void *)(uintptr_t)bytes, 2 * page);
	close(fd);
}
END_TEST

/* Faults in memory that is not registered, or no longer, end the program as usual. */
START_TEST(not_registered)
{
	size_t page = (size_t)getpagesize();
	struct fault_guard mapped = {};
	int fd = make_file(page);
	volatile const char *bytes = map(fd, page);

	fault_guard_add(&mapped, (const void *)bytes, page);
	fault_guard_remove(&mapped);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(bytes[0], 0);
}
END_TEST

START_TEST(signal_of_another)
{
	struct fault_guard mapped = {};

	fault_guard_add(&mapped, NULL, SIZE_MAX);
	raise(SIGBUS);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("mapped");

	tcase_add_test(tests, cut_reads_as_zeros);
	tcase_add_test(tests, anywhere);
	tcase_add_test_raise_signal(tests, not_registered, SIGBUS);
	tcase_add_test_raise_signal(tests, signal_of_another, SIGBUS);
	setenv("CK_FORK", "yes", 1); /* signals end these tests */
	return tests_run(tests);
}
