// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares saved kallsyms with those of the running system, as far as these are visible. */
#include <fcntl.h>
#include <unistd.h>

#include "kernel/origin.h"

#include "door/door.h"
#include "util/cleanup.h"
#include "util/scan.h"
#include "util/xalloc.h"

/* compares every EVERY'th function in the first lines of the system's kallsyms */
enum { HEAD_BYTES = 1 << 16, EVERY = 16, COMPARED_MAX = 24 };

struct votes {
	size_t same, other;
};

/* Parses a line of a global function of the kernel itself: "ffffffff81000000 T _text". */
static bool is_function_line(struct scan line, uint64_t *address_ret, struct scan *name_ret)
{
	struct scan type;

	if (!scan_hex(&line, address_ret))
		return false;
	scan_blanks(&line);
	if (!scan_word(&line, &type) || scan_left(&type) != 1 || *type.at != 'T')
		return false;
	scan_blanks(&line);
	if (!scan_word(&line, name_ret))
		return false;
	scan_blanks(&line);
	return !scan_left(&line); /* not in a module */
}

/* Compares one function. If its address is hidden (0), only its presence counts. */
static void compare(struct kernel *kernel, uint64_t address, struct scan name, struct votes *votes)
{
	auto_free char *copy = xstrndup(name.at, scan_left(&name));
	uint64_t there;

	if (kernel_find_symbol(kernel, copy, &there) && (!address || there == address))
		votes->same++;
	else
		votes->other++;
}

static void compare_lines(struct kernel *kernel, struct scan text, struct votes *votes)
{
	struct scan line, name;
	uint64_t address, n = 0;

	while (scan_line(&text, &line) && votes->same + votes->other < COMPARED_MAX)
		if (is_function_line(line, &address, &name) && n++ % EVERY == 0)
			compare(kernel, address, name, votes);
}

bool kernel_saved_elsewhere(struct kernel *kernel)
{
	struct votes votes = {};

	if (!kernel->saved || kernel_symbols(kernel)->status != KALLSYMS_READ)
		return false;
	auto_free char *path = xasprintf("%s/kallsyms", kernel->proc_root);
	auto_free char *head = xmalloc(HEAD_BYTES);
	auto_fd int fd = door_open(AT_FDCWD, path, 0, NULL);
	ssize_t len = 0, n = 1;

	while (fd >= 0 && len < HEAD_BYTES && n > 0)
		if ((n = read(fd, head + len, (size_t)(HEAD_BYTES - len))) > 0)
			len += n;
	compare_lines(kernel, (struct scan){head, head + len}, &votes);
	return votes.other > votes.same;
}
