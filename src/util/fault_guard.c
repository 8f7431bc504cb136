// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/fault_guard.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * These are at file scope, against the rules, because a signal handler has no context argument. The
 * list never changes while the signal arrives, as SIGBUS comes only from reading a mapping.
 */
static struct fault_guard *first;
static volatile sig_atomic_t cuts;

/*
 * Maps zeros from the page of ADDRESS to the end of the mapping, so that a truncated file raises
 * SIGBUS only once. If the extent is unknown, maps one page only.
 */
static bool fill(struct fault_guard *guard, uintptr_t address)
{
	size_t page_size = (size_t)getpagesize();
	uintptr_t page = address - address % page_size;
	size_t len = guard->len == SIZE_MAX ? page_size : guard->start + guard->len - page;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;

	if (mmap((void *)page, len, PROT_READ, flags, -1, 0) == MAP_FAILED)
		return false;
	cuts += !guard->cut;
	guard->cut = true;
	return true;
}

/*
 * getpagesize() and mmap() are safe in a signal handler on Linux: they use neither locks nor the
 * heap.
 */
static void on_bus(int signal_number, siginfo_t *info, void *context)
{
	uintptr_t address = (uintptr_t)info->si_addr;
	struct fault_guard *guard = info->si_code == BUS_ADRERR ? first : NULL;

	(void)context;
	while (guard && (address < guard->start || address - guard->start >= guard->len))
		guard = guard->next;
	if (guard && fill(guard, address))
		return;
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void fault_guard_add(struct fault_guard *guard, const void *start, size_t len)
{
	if (!first) {
		struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};

		sigaction(SIGBUS, &action, NULL);
	}
	guard->start = (uintptr_t)start;
	guard->len = len;
	guard->next = first;
	guard->link = &first;
	if (first)
		first->link = &guard->next;
	first = guard;
}

void fault_guard_remove(struct fault_guard *guard)
{
	if (!guard->link)
		return;
	*guard->link = guard->next;
	if (guard->next)
		guard->next->link = guard->link;
	guard->link = NULL;
}

size_t fault_guard_cuts(void)
{
	return (size_t)cuts;
}
