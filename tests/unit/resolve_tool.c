// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve_tool [-1] [-o] FILE < ADDRESSES: what src/debug answers, printed as
 * `addr2line -a -f -i -C` does it. -1: one address a call, as when a program drives addr2line through a pipe. -o: also the
 * offset, source, and detail. For tests only.
 */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debug/debug.h"
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
	uint64_t address;

	while (scanf("%" SCNx64, &address) == 1)
		vec_push(&addresses, address);
	return addresses;
}

static void print_answer(uint64_t address, const struct debug_answer *answer, bool more)
{
	printf("0x%016" PRIx64 "\n", address);
	for (size_t i = 0; i < answer->n_frames; i++) {
		const struct frame *frame = &answer->frames[i];

		printf("%s\n%s:", frame->function ? frame->function : "??",
			frame->file ? frame->file : "??");
		if (frame->line)
			printf("%u\n", frame->line);
		else
			printf(frame->file ? "?\n" : "0\n");
	}
	const struct frame *last = &answer->frames[answer->n_frames - 1];
	if (more)
		printf("+0x%" PRIx64 " %s %s: %s\n", last->offset, frame_source_key(answer->source),
			frame_status_key(answer->status), answer->detail ? answer->detail : "");
}

static void resolve(struct debug *debug, const struct addresses *asked, bool singly, bool more)
{
	struct addresses sorted = {};
	size_t n = 0;

	vec_append(&sorted, asked->data, asked->len);
	vec_sort(&sorted, compare);
	for (size_t i = 0; i < sorted.len; i++)
		if (!i || sorted.data[i] != sorted.data[n - 1])
			sorted.data[n++] = sorted.data[i];
	struct debug_answer *answers = xcalloc(n, sizeof(*answers));
	if (!singly)
		debug_resolve(debug, sorted.data, n, answers);
	for (size_t i = 0; i < asked->len; i++) {
		uint64_t *at = bsearch(
			&asked->data[i], sorted.data, n, sizeof(*sorted.data), compare);

		if (singly)
			debug_resolve(debug, at, 1, &answers[at - sorted.data]);
		print_answer(*at, &answers[at - sorted.data], more);
	}
	free(answers);
	vec_deinit(&sorted);
}

int main(int argc, char **argv)
{
	static const char *const dirs[] = {"/usr/lib/debug", NULL};
	struct debug_options options = {dirs, "", true, true, true, true};
	bool singly = false, more = false;
	struct elf_image *image;

	for (int c; (c = getopt(argc, argv, "1o")) != -1;) {
		singly |= c == '1';
		more |= c == 'o';
	}
	int fd = optind < argc ? open(argv[optind], O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return 64;
	struct error *err = elf_image_open(fd, argv[optind], &image);
	if (err) {
		fprintf(stderr, "resolve_tool: %s\n", error_message(err));
		error_destroy(err);
		return 2;
	}
	struct debug *debug = debug_create(image, &options);
	struct addresses addresses = read_addresses();
	resolve(debug, &addresses, singly, more);
	vec_deinit(&addresses);
	debug_destroy(debug);
	elf_image_destroy(image);
	return 0;
}
