// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readers_agree FILE < ADDRESSES: resolves each address (hex, one a line) of FILE, which holds the
 * debug info itself, with the libdw reader and with our own, and prints where they differ and a
 * summary line "N addresses, D differ". Exit status 1 if any differ. For tests only.
 * -p (our own reader) or -P (libdw's) prints the answers of one reader instead, to time it.
 */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debug/dwarf/reader.h"
#include "libdw_reader.h"
#include "util/cleanup.h"
#include "util/vec.h"

struct addresses VEC(uint64_t);

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static struct addresses read_addresses(void)
{
	struct addresses addresses = {};
	char line[64];

	while (fgets(line, sizeof(line), stdin))
		vec_push(&addresses, strtoull(line, NULL, 16));
	vec_sort(&addresses, compare);
	return addresses;
}

static bool same_string(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* libdw puts a slash behind directories that end in one. */
static bool same_path(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	for (; *a == *b; a++, b++) {
		if (!*a)
			return true;
		while (*a == '/' && a[1] == '/')
			a++;
		while (*b == '/' && b[1] == '/')
			b++;
	}
	return false;
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return same_string(a->function, b->function) && same_string(a->linkage, b->linkage) &&
	       same_path(a->file, b->file) && a->line == b->line && a->column == b->column &&
	       a->inlined == b->inlined;
}

static bool same_answer(const struct reader_answer *a, const struct reader_answer *b)
{
	if (a->n_frames != b->n_frames || a->has_function != b->has_function ||
		a->entry != b->entry)
		return false;
	for (size_t i = 0; i < a->n_frames; i++)
		if (!same_frame(&a->frames[i], &b->frames[i]))
			return false;
	return true;
}

static const char *or_unknown(const char *s)
{
	return s ? s : "??";
}

static void print_answer(const char *who, uint64_t address, const struct reader_answer *answer)
{
	printf("%s 0x%" PRIx64 " entry 0x%" PRIx64 "\n", who, address, answer->entry);
	for (size_t i = 0; i < answer->n_frames; i++) {
		const struct frame *frame = &answer->frames[i];

		printf("  %s [%s] %s:%u:%u\n", or_unknown(frame->function),
			or_unknown(frame->linkage), or_unknown(frame->file), frame->line,
			frame->column);
	}
}

struct readers {
	struct libdw_reader *libdw;
	struct dwarf_reader *own;
	struct arena arena;
};

static void print_all(struct readers *readers, const struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->len; i++) {
		struct reader_answer answer = {};

		if (readers->own)
			dwarf_reader_find(
				readers->own, addresses->data[i], &readers->arena, &answer);
		else
			libdw_reader_find(
				readers->libdw, addresses->data[i], &readers->arena, &answer);
		print_answer("-", addresses->data[i], &answer);
	}
}

static size_t compare_all(struct readers *readers, const struct addresses *addresses)
{
	size_t differ = 0;

	for (size_t i = 0; i < addresses->len; i++) {
		struct reader_answer libdw, own;
		uint64_t address = addresses->data[i];

		dwarf_reader_find(readers->own, address, &readers->arena, &own);
		libdw_reader_find(readers->libdw, address, &readers->arena, &libdw);
		if (!same_answer(&libdw, &own)) {
			differ++;
			print_answer("libdw", address, &libdw);
			print_answer("own", address, &own);
		}
	}
	printf("%zu addresses, %zu differ\n", addresses->len, differ);
	return differ;
}

int main(int argc, char **argv)
{
	const char *dirs[] = {"/usr/lib/debug"};
	struct debug_options options = {.debug_dirs = {.data = dirs, .len = 1},
		.root = "",
		.inlines = true,
		.lines = true,
		.demangle = true,
		.separate = true};
	bool print_own = false, print_libdw = false;
	struct elf_image *image;
	const char *detail = NULL;

	for (int c; (c = getopt(argc, argv, "pP")) != -1;) {
		print_own |= c == 'p';
		print_libdw |= c == 'P';
	}
	int fd = optind < argc ? open(argv[optind], O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return 64;
	struct error *err = elf_image_open(fd, argv[optind], &image);
	if (err) {
		fprintf(stderr, "readers_agree: %s\n", error_message(err));
		error_destroy(err);
		return 2;
	}
	struct addresses addresses = read_addresses();
	struct readers readers = {};
	size_t differ = 0;
	if (!print_libdw)
		readers.own = dwarf_reader_create(image, image, &options, &readers.arena);
	if (!print_own)
		readers.libdw = libdw_reader_create(image, &options, &readers.arena, &detail);
	if ((!print_own && !readers.libdw) || (!print_libdw && !readers.own))
		printf("no DWARF: %s\n", or_unknown(detail));
	else if (print_own || print_libdw)
		print_all(&readers, &addresses);
	else
		differ = compare_all(&readers, &addresses);
	libdw_reader_destroy(readers.libdw);
	dwarf_reader_destroy(readers.own);
	vec_deinit(&addresses);
	arena_deinit(&readers.arena);
	elf_image_destroy(image);
	return differ != 0;
}
