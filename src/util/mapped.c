// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/mapped.h"

#include <sys/mman.h>
#include <unistd.h>

/*
 * Variables of the file, though the rules know none: a signal handler gets nothing else. The signal
 * comes of reading a mapping, never while the list is being changed.
 */
static struct mapped *first;
static volatile sig_atomic_t cuts;

static bool is_anywhere(const struct mapped *mapped)
{
	return mapped->len == SIZE_MAX;
}

static struct mapped *mapped_at(uintptr_t address)
{
	for (struct mapped *mapped = first; mapped; mapped = mapped->next)
		if (address >= mapped->start && address - mapped->start < mapped->len)
			return mapped;
	return NULL;
}

/* Zeros from the page of ADDRESS on, so that a file can be missed only once for each cut. */
static bool fill(struct mapped *mapped, uintptr_t address)
{
	size_t page_size = (size_t)getpagesize();
	uintptr_t page = address - address % page_size;
	size_t len = is_anywhere(mapped) ? page_size : mapped->start + mapped->len - page;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;

	if (mmap((void *)page, len, PROT_READ, flags, -1, 0) == MAP_FAILED)
		return false;
	cuts += !mapped->cut;
	mapped->cut = true;
	return true;
}

/* getpagesize() and mmap() do no more than ask the kernel: they are safe here on Linux. */
static void on_bus(int signal_number, siginfo_t *info, void *context)
{
	uintptr_t address = (uintptr_t)info->si_addr;
	struct mapped *mapped = info->si_code == BUS_ADRERR ? mapped_at(address) : NULL;

	(void)context;
	if (mapped && fill(mapped, address))
		return;
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void insert(struct mapped *mapped)
{
	if (!first) {
		struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};

		sigemptyset(&action.sa_mask);
		sigaction(SIGBUS, &action, NULL);
	}
	mapped->next = first;
	mapped->link = &first;
	if (first)
		first->link = &mapped->next;
	first = mapped;
}

void mapped_add(struct mapped *mapped, const void *start, size_t len)
{
	mapped->start = (uintptr_t)start;
	mapped->len = len;
	insert(mapped);
}

void mapped_add_anywhere(struct mapped *mapped)
{
	mapped_add(mapped, NULL, SIZE_MAX);
}

void mapped_remove(struct mapped *mapped)
{
	if (!mapped->link)
		return;
	*mapped->link = mapped->next;
	if (mapped->next)
		mapped->next->link = mapped->link;
	mapped->link = NULL;
}

size_t mapped_cuts(void)
{
	return (size_t)cuts;
}
