// SPDX-License-Identifier: GPL-2.0-or-later

#include "process/jit/files.h"
#include "process/procfs.h"
#include "record/record_state.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Limits: watched processes (three file descriptors each); recorded bytes for each and in all. */
enum { WATCHES_MAX = 256, PROCESS_MAX = 64 << 20, ALL_MAX = 256 << 20 };
#define UPDATE_NS 200000000ULL
#define LAST_NS 500000000ULL /* longest update of all watches once the end was requested */

struct record_watch {
	uint32_t pid;
	uint64_t since;	  /* ns: events before it are another program's */
	uint64_t written; /* `since` of the last symbol written; UINT64_MAX: unknown */
	struct jit_owner owner;
	/*
	 * The map of the perf map has what was not written yet, that of the jitdump everything, as
	 * later records may move code.
	 */
	struct jit_file perf_map, dump;
	uint64_t bytes; /* bytes written in this segment */
	bool closed;	/* nothing more is written */
};

static void watch_destroy(struct record_watch *watch)
{
	jit_owner_deinit(&watch->owner);
	jit_file_deinit(&watch->perf_map);
	jit_file_deinit(&watch->dump);
	free(watch);
}

void record_jit_deinit(struct record_state *state)
{
	vec_destroy(&state->watches, watch_destroy);
}

/* Returns the place of PID's watch in the list, or NULL. */
static struct record_watch **find_watch(const struct record_state *state, uint32_t pid)
{
	vec_each(watch, &state->watches)
		if ((*watch)->pid == pid)
			return watch;
	return NULL;
}

static void drop_watch(struct record_state *state, struct record_watch **watch)
{
	watch_destroy(*watch);
	*watch = state->watches.data[--state->watches.len];
}

/* Returns the watch of PID, new if necessary. NULL if there are too many or PID is inaccessible. */
static struct record_watch *watch_of(
	struct record_state *state, uint32_t pid, uint64_t time, int dir_fd)
{
	struct record_watch **found = find_watch(state, pid);
	struct jit_owner owner;

	if (found)
		return *found;
	if (state->watches.len == WATCHES_MAX) {
		state->unwatched++;
		return NULL;
	}
	auto_fd int opened = dir_fd >= 0 ? -1 : procfs_open_process(state->options->proc_root, pid);
	if (!jit_owner_read(dir_fd >= 0 ? dir_fd : opened, &owner))
		return NULL;
	struct record_watch *watch = xnew(watch);
	*watch = (struct record_watch){.pid = pid, .since = time, .owner = owner};
	/* a process found in /proc may have had its code for long */
	jit_file_init(&watch->perf_map, dir_fd >= 0 ? 0 : time);
	jit_file_init(&watch->dump, dir_fd >= 0 ? 0 : time);
	vec_push(&state->watches, watch);
	return watch;
}

void record_jit_mapping(struct record_state *state, uint32_t pid, uint64_t time, int dir_fd,
	const struct mapping *mapping)
{
	bool dump = jit_is_dump(mapping);
	struct record_watch *watch;

	if ((!dump && !jit_may_hold_code(mapping)) ||
		!(watch = watch_of(state, pid, time, dir_fd)) || !dump || watch->dump.fd >= 0)
		return;
	auto_text struct text refused = {};
	auto_fd int opened = dir_fd >= 0 ? -1 : procfs_open_process(state->options->proc_root, pid);
	jit_file_use(&watch->dump, jit_open_dump(dir_fd >= 0 ? dir_fd : opened, mapping, &refused),
		true);
}

/* Writes that all code is unknown from TIME on, as what is left out may have replaced it. */
static void write_no_more(struct record_state *state, struct record_watch *watch, uint64_t time)
{
	state->unwatched++;
	if (!watch->closed)
		recorder_row(&state->recorder, ROW_JIT, "", watch->pid, time, 0, UINT64_MAX);
	watch->closed = true;
}

static void write_symbols(struct record_state *state, struct record_watch *watch, uint64_t time,
	const struct jit_map *map, size_t first)
{
	struct recorder *recorder = &state->recorder;

	for (size_t i = first; i < map->symbols.len; i++) {
		const struct jit_symbol *symbol = &map->symbols.data[i];
		const struct history_span *span = &map->history.spans.data[i];
		bool exact = span->since == span->begin && span->begin <= time;
		uint64_t begin = span->begin < time ? span->begin : time;
		uint64_t before = recorder_given(recorder);

		if (watch->closed || watch->bytes >= PROCESS_MAX || state->jit_bytes >= ALL_MAX) {
			write_no_more(state, watch, time);
			return;
		}
		if (!exact && watch->written != span->since)
			recorder_row(recorder, ROW_JITLOOK, "", watch->pid, span->since);
		watch->written = exact ? watch->written : span->since;
		recorder_row(recorder, exact ? ROW_JITMADE : ROW_JIT, symbol->name, watch->pid,
			begin, span->start, span->end - span->start);
		for (size_t j = 0; j < symbol->n_lines; j++) {
			const struct jit_line *line = &map->lines.data[symbol->first_line + j];

			if (line->file)
				recorder_row(recorder, ROW_JITLINE, line->file, watch->pid, begin,
					line->address, line->line, line->column);
		}
		uint64_t bytes = recorder_given(recorder) - before;
		watch->bytes += bytes;
		state->jit_bytes += bytes;
	}
}

/*
 * Reads what was added to FILE and writes it. LOOKED is as in jit_file_read(), END and SAME as in
 * update(). The map of a dump keeps its earlier symbols.
 */
static void update_file(struct record_state *state, struct record_watch *watch,
	struct jit_file *file, uint64_t looked, uint64_t end, bool same)
{
	size_t first = file->map.symbols.len;
	enum jit_news news = jit_file_read(file, looked);
	uint64_t time = end ? end : clock_ns(CLOCK_MONOTONIC);

	if (news == JIT_MORE || (news == JIT_ANEW && !same))
		write_symbols(state, watch, time, &file->map, news == JIT_ANEW ? 0 : first);
	if (file->error && (first || !file->is_dump))
		write_no_more(state, watch, time);
}

/*
 * Writes what was added to the files of WATCH. END: ns, end of the program that wrote them; 0: it
 * runs. SAME: ignore files that were written anew, perhaps by another program.
 */
static void update(struct record_state *state, struct record_watch *watch, uint64_t end, bool same)
{
	uint64_t looked = clock_ns(CLOCK_MONOTONIC);

	if (!same && watch->dump.fd < 0) {
		/* another perf map may have been renamed over the open one */
		auto_text struct text refused = {};
		auto_fd int dir_fd = procfs_open_process(state->options->proc_root, watch->pid);

		jit_owner_refresh(dir_fd, &watch->owner);
		jit_file_use(&watch->perf_map, jit_owner_open_map(&watch->owner, &refused), false);
	}
	update_file(state, watch, &watch->dump, looked, end, same);
	/* a dump has more detail than the map */
	if (!watch->dump.map.symbols.len)
		update_file(state, watch, &watch->perf_map, looked, end, same);
	jit_map_deinit(&watch->perf_map.map);
	watch->perf_map.map = (struct jit_map){};
}

/* Writes symbols in the order in which they were made. */
void record_jit_again(struct record_state *state, uint64_t time)
{
	state->jit_bytes = 0;
	vec_each_value(watch, &state->watches) {
		watch->bytes = 0;
		watch->written = UINT64_MAX;
		if (watch->closed) {
			watch->closed = false;
			write_no_more(state, watch, time);
		}
		if (watch->dump.map.symbols.len)
			write_symbols(state, watch, time, &watch->dump.map, 0);
		else
			jit_file_rewind(&watch->perf_map);
	}
}

/* Writes what PID wrote until its program ended at TIME (ns), and stops watching it. */
static void end_watch(struct record_state *state, uint32_t pid, uint64_t time)
{
	struct record_watch **watch = find_watch(state, pid);

	if (!watch || (*watch)->since > time)
		return;
	/* if no file was opened yet, accept what is there now */
	update(state, *watch, time, (*watch)->perf_map.fd >= 0 || (*watch)->dump.fd >= 0);
	drop_watch(state, watch);
}

void record_jit_event(struct record_state *state, const struct task_event *task)
{
	struct record_watch **old;

	switch (task->kind) {
	case TASK_FORK:
		old = find_watch(state, task->pid);
		if (old && (*old)->since <= task->time)
			drop_watch(state, old);
		if (find_watch(state, task->parent))
			(void)watch_of(state, task->pid, task->time, -1);
		break;
	case TASK_EXEC:
		end_watch(state, task->pid, task->time - 1);
		break;
	case TASK_MAP:
		record_jit_mapping(state, task->pid, task->time, -1, &task->mapping);
		break;
	case TASK_EXIT:
		if (task->pid == task->tid)
			end_watch(state, task->pid, task->time);
		break;
	default:
		break;
	}
}

void record_jit_update(struct record_state *state, bool last)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!last && now - state->jit_updated < UPDATE_NS)
		return;
	state->jit_updated = now;
	vec_each_value(watch, &state->watches) {
		/* do not delay the end of recording */
		if (record_checkpoint(state) && clock_ns(CLOCK_MONOTONIC) - now >= LAST_NS) {
			state->unwatched++;
			break;
		}
		update(state, watch, 0, false);
	}
}
