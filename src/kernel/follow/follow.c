// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "door/door.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/xalloc.h"

#define KEEP (5 * SECOND) /* older samples rarely still arrive */
enum {
	GONE_MAX = 1 << 14, /* if more code than this was unloaded, it is kept for a second only */
	/* if more old code than this is left, symbols are read again to get rid of it */
	LEFT_MAX = 1 << 11,
	/* limit on successive readings that are discarded because modules changed meanwhile */
	RETRIES = 5,
	MISS_DELAY_MAX = 64, /* in intervals */
};

struct follow *follow_create(
	const char *path, int uevents, struct ksymbols *ksymbols, uint64_t interval)
{
	struct follow *follow = xnew(follow);

	follow->path = xstrdup(path);
	follow->uevents = uevents;
	follow->ksymbols = ksymbols;
	follow->interval = follow->miss_delay = interval;
	follow->last_read = clock_ns(CLOCK_MONOTONIC);
	return follow;
}

void follow_destroy(struct follow *follow)
{
	if (!follow)
		return;
	cleanup_fd(&follow->uevents);
	ksymbols_close(follow->ksymbols);
	code_history_deinit(&follow->history);
	table_deinit(&follow->modules);
	free(follow->path);
	free(follow);
}

/* ---- reports of the kernel ------------------------------------------------------------------ */

static uint64_t note(struct follow *follow, unsigned int what)
{
	follow->heard |= what;
	return follow->seq = follow->now;
}

static void hear_module(void *context, const char *module)
{
	struct follow *follow = context;

	*table_at(&follow->modules, module, strlen(module), NULL) = note(follow, FOLLOW_MODULES);
}

static void hear_ksymbol(void *context, const struct ksymbol_event *event)
{
	struct follow *follow = context;
	uint64_t seq = note(follow, FOLLOW_PROGRAMS);

	if (event->kind == KSYMBOL_LOST || !code_history_add(&follow->history, event, seq))
		follow->programs_lost = note(follow, FOLLOW_LOST);
}

/*
 * Changes of programs do not make the symbols stale, because the history has them unless some were
 * lost.
 */
unsigned int follow_hear(struct follow *follow)
{
	unsigned int before = follow->heard, heard;
	size_t left = 0;

	follow->heard = 0;
	follow->now = follow->seq + 1;
	if (follow->uevents >= 0 && !uevent_read(follow->uevents, hear_module, follow)) {
		/* after another error, later changes of modules are unknown */
		if (errno != ENOBUFS)
			close(take_fd(follow->uevents));
		follow->modules_lost = note(follow, FOLLOW_MODULES);
	}
	if (follow->ksymbols)
		ksymbols_read(follow->ksymbols, hear_ksymbol, follow);
	heard = follow->heard;
	follow->heard |= before;
	const uint64_t time = clock_ns(CLOCK_MONOTONIC);
	if (time - follow->pruned >= SECOND && follow->history.n_gone) {
		uint64_t keep = follow->history.n_gone > GONE_MAX ? SECOND : KEEP;

		follow->pruned = time;
		left = code_history_prune(
			&follow->history, follow->settled, time > keep ? time - keep : 0);
	}
	/* old code that is left cannot be forgotten unless the symbols are read again */
	if (left > LEFT_MAX || heard & (FOLLOW_MODULES | FOLLOW_LOST)) {
		follow->stale = true;
		follow->missed = false;
	}
	return heard;
}

/* ---- reading again -------------------------------------------------------------------------- */

static bool misses_changes(const struct follow *follow)
{
	return follow->uevents < 0 || !follow->ksymbols;
}

/*
 * Reads the symbols again. /proc/kallsyms counts entries to find a reader's position, so that a
 * module loaded or unloaded meanwhile makes it skip or repeat some. In that case, discards what was
 * read; the symbols stay stale.
 */
static enum kernel_news read_again(struct follow *follow, struct kallsyms *symbols)
{
	scope_guard(kallsyms_deinit) struct kallsyms fresh = {};
	uint64_t seq = follow->seq;
	bool missed = follow->missed;
	auto_fd int fd = door_open(AT_FDCWD, follow->path, 0, NULL);
	int failed = fd < 0 ? errno : kallsyms_read(fd, &fresh);

	follow->stale = follow->missed = false;
	if (failed || fresh.status != KALLSYMS_READ) {
		follow->failed = failed ?: -1;
		follow->tries = 0;
		return KERNEL_AS_BEFORE;
	}
	if (follow_hear(follow) & FOLLOW_MODULES && ++follow->tries < RETRIES)
		return KERNEL_AS_BEFORE;
	follow->tries = 0;
	bool settled = follow->settled != seq;
	bool changed =
		fresh.text_len != symbols->text_len || fresh.symbols.len != symbols->symbols.len ||
		/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): set if the length is */
		memcmp(fresh.text, symbols->text, fresh.text_len) != 0 ||
		memcmp(fresh.symbols.data, symbols->symbols.data,
			fresh.symbols.len * sizeof(*fresh.symbols.data)) != 0;
	/* the symbols have all changes up to SEQ; the history before a loss of reports is useless */
	follow->settled = seq;
	if (follow->programs_lost && follow->programs_lost <= seq) {
		code_history_forget(&follow->history, follow->programs_lost);
		follow->programs_lost = 0;
		follow->known_since = clock_ns(CLOCK_MONOTONIC);
	}
	/* readings for misses become rarer as long as they find nothing */
	if (changed || !missed)
		follow->miss_delay = follow->interval;
	else if (follow->miss_delay < MISS_DELAY_MAX * follow->interval)
		follow->miss_delay *= 2;
	if (!changed)
		return settled ? KERNEL_CODE_CHANGED : KERNEL_AS_BEFORE;
	const struct kallsyms old = *symbols;
	*symbols = fresh;
	fresh = old;
	return KERNEL_SYMBOLS_READ;
}

/*
 * If changes are not reported, the first call after an interval reads the symbols, to find what
 * changed since the start.
 */
enum kernel_news follow_read(struct follow *follow, struct kallsyms *symbols)
{
	uint64_t time = clock_ns(CLOCK_MONOTONIC);
	uint64_t delay = follow->missed ? follow->miss_delay : follow->interval;
	enum kernel_news news = KERNEL_AS_BEFORE;

	if (time - follow->last_read < delay)
		return news;
	if (!follow->running) {
		follow->running = true;
		follow->stale |= misses_changes(follow);
		if (!follow->ksymbols) /* from now on, names of programs are doubtful */
			news = KERNEL_CODE_CHANGED;
	}
	if (!follow->stale)
		return news;
	follow->last_read = time;
	return read_again(follow, symbols) ?: news;
}

void follow_miss(struct follow *follow)
{
	if (follow->running && !follow->stale && misses_changes(follow))
		follow->stale = follow->missed = true;
}

void follow_notes(const struct follow *follow, struct log *log)
{
	if (follow->failed)
		log_add(log, LOG_WARNING, 1,
			"cannot read kernel symbols again (%s): frames are named by those read "
			"at the start",
			follow->failed < 0 ? "no addresses in it" : strerror(follow->failed));
	if (follow->running && !follow->ksymbols)
		log_add(log, LOG_DETAIL, 1,
			"without CAP_PERFMON the kernel does not report new BPF programs: they "
			"were searched for now and then, and their names are marked as doubtful");
	if (follow->running && follow->uevents < 0)
		log_add(log, LOG_DETAIL, 1,
			"the kernel does not report new modules here: they were searched for "
			"when a frame had no name");
}

/* ---- outdated symbols ----------------------------------------------------------------------- */

bool follow_is_made(const char *module)
{
	return module && (!strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11));
}

bool follow_doubts(const struct follow *follow, const char *module)
{
	if (follow_is_made(module))
		return follow->programs_lost > follow->settled;
	const uint64_t *seq = table_find(&follow->modules, module, strlen(module));
	return follow->modules_lost > follow->settled || (seq && *seq > follow->settled);
}

bool follow_doubts_since(const struct follow *follow, uint64_t seq)
{
	return follow->programs_lost > follow->settled && seq <= follow->programs_lost;
}
