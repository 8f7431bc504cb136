// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/read.h"

#include <string.h>

#include "process/recording/kept_dir.h"
#include "util/cleanup.h"
#include "util/order.h"
#include "util/xalloc.h"

enum {
	VDSOS_MAX = 8,
	VDSO_MIN = 16, /* bytes */
	VDSO_MAX = 1 << 20,
	JITS_MAX = 1 << 23,
	ONLY_MAX = 512,
	COPIES_MAX = 1 << 20,
	KEPT_DIRS_MAX = 8
};

static const char *copy_text(struct arena *arena, struct scan text)
{
	return arena_copy(arena, text.at, scan_left(&text));
}

/* Takes the first word of TEXT, and the blank behind it. */
static bool take_word(struct scan *text, struct scan *ret)
{
	return scan_word(text, ret) && scan_char(text, ' ');
}

/* A build ID in hex or "-", a blank, and a name. */
static bool read_identity(struct scan text, struct build_id *id_ret, struct scan *name_ret)
{
	struct scan word;

	*id_ret = (struct build_id){};
	if (!take_word(&text, &word))
		return false;
	*name_ret = text;
	return (scan_left(&word) == 1 && *word.at == '-') ||
	       build_id_parse(word.at, scan_left(&word), id_ret);
}

/* ---- the system ------------------------------------------------------------------------------- */

/* host BOOT_ID MACHINE RELEASE: that of all segments, which others keep while more of them are read */
static bool read_host(struct recording *recording, struct scan text)
{
	struct scan boot;

	if (!take_word(&text, &boot))
		return false;
	if (!recording->boot_id)
		recording->boot_id = xstrndup(boot.at, scan_left(&boot));
	return true;
}

/* TIME (ns) is within the recording. */
static bool note_time(struct recording *recording, uint64_t time)
{
	if (!recording->begin || time < recording->begin)
		recording->begin = time;
	if (time > recording->end)
		recording->end = time;
	return true;
}

/* begin NS REALTIME BOOTTIME */
static bool read_begin(struct recording *recording, const uint64_t *numbers)
{
	const uint64_t time = numbers[0], real = numbers[1], boot = numbers[2];

	recording->real = real > time ? real - time : 0;
	recording->boottime = boot;
	recording->slept = boot > time ? boot - time : 0;
	recording->source_begin = time;
	return note_time(recording, time);
}

/* only KIND NAME: what is recorded, if not all processes; those of a segment add up */
static bool read_only(struct recording *recording, struct scan text)
{
	struct text *only = &recording->only;
	size_t len = scan_left(&text);

	if (recording->only_source != recording->source)
		text_clear(only);
	recording->only_source = recording->source;
	/* It is printed beside frames. */
	if (only->len > ONLY_MAX)
		return true;
	text_add_string(only, only->len ? ", " : "only this was recorded: ");
	text_add(only, text.at, len < ONLY_MAX ? len : ONLY_MAX);
	return true;
}

/* keeps DIR: where copies of mapped files are */
static bool read_kept_dir(struct recording *recording, struct scan text)
{
	const char *dir = copy_text(&recording->strings, text);

	if (*dir != '/')
		return false;
	for (size_t i = 0; i < recording->kept_dirs.len; i++)
		if (!strcmp(recording->kept_dirs.data[i], dir))
			return true;
	if (recording->kept_dirs.len < KEPT_DIRS_MAX)
		vec_push(&recording->kept_dirs, dir);
	return true;
}

static uint64_t file_key(const struct recording *recording, uint64_t number)
{
	return number | (uint64_t)recording->source << 32;
}

/* file N MAJOR MINOR INODE SIZE MTIME CTIME DELETED BUILDID PATH */
static bool read_file(struct recording *recording, const struct recorded_row *row)
{
	struct recorded_file *file = arena_alloc(&recording->strings, sizeof(*file));
	const uint64_t *n = row->numbers, key = file_key(recording, n[0]);
	struct scan path;

	*file = (struct recorded_file){
		.dev_major = (uint32_t)n[1],
		.dev_minor = (uint32_t)n[2],
		.inode = n[3],
		.size = n[4],
		.mtime = (int64_t)n[5],
		.ctime = (int64_t)n[6],
		.deleted = n[7],
	};
	if (n[0] > UINT32_MAX || !read_identity(row->text, &file->build_id, &path))
		return false;
	file->path = copy_text(&recording->strings, path);
	*table_at(&recording->file_by_number, &key, sizeof(key), NULL) = recording->files.len;
	if (file->build_id.len)
		*table_at(&recording->file_by_build_id, file->build_id.bytes, file->build_id.len,
			NULL) = recording->files.len;
	vec_push(&recording->files, file);
	return true;
}

/* lost NS COUNT SINCE: it may stand before what happened until then */
static bool read_lost(struct recording *recording, const uint64_t *numbers)
{
	recording->lost += numbers[1];
	vec_push(&recording->losses, (struct recorded_loss){numbers[2], numbers[0]});
	return true;
}

/*
 * ksym LINE, module LINE, ksect LINE: a line of text. A segment that has such lines has all of them,
 * in place of those of an earlier one.
 */
static bool read_line(
	struct recording *recording, struct scan line, uint32_t *source, struct text *ret)
{
	if (*source != recording->source)
		text_clear(ret);
	*source = recording->source;
	text_add_scan(ret, line);
	text_add_char(ret, '\n');
	return true;
}

/* mounts NAMESPACE begins a list anew; mount NAMESPACE LINE */
static bool read_mount(struct recording *recording, const struct recorded_row *row)
{
	struct text *text = vec_keyed(&recording->mounts, &recording->mounts_by_namespace,
		&row->numbers[0], sizeof(row->numbers[0]));

	if (row->kind == ROW_MOUNTS)
		text_clear(text);
	return row->kind == ROW_MOUNTS || read_line(recording, row->text, &recording->source, text);
}

static bool read_vdso(struct recording *recording, struct scan bytes)
{
	size_t len = scan_left(&bytes);

	if (len < VDSO_MIN || len > VDSO_MAX)
		return false;
	for (size_t i = 0; i < recording->vdsos.len; i++)
		if (recording->vdsos.data[i].len == len &&
			!memcmp(recording->vdsos.data[i].data, bytes.at, len))
			return true;
	if (recording->vdsos.len == VDSOS_MAX)
		return false;
	text_add_scan(vec_add(&recording->vdsos), bytes);
	return true;
}

/* kbuild BUILDID NAME */
static bool read_kernel_build_id(struct recording *recording, struct scan text)
{
	struct build_id *id = arena_alloc(&recording->strings, sizeof(*id));
	struct scan name;

	if (!read_identity(text, id, &name))
		return false;
	*table_at(&recording->kernel_build_ids, name.at, scan_left(&name), NULL) = (uintptr_t)id;
	return true;
}

bool recording_read_row(struct recording *recording, const struct recorded_row *row)
{
	switch (row->kind) {
	case ROW_HOST:
		return read_host(recording, row->text);
	case ROW_BEGIN:
		return read_begin(recording, row->numbers);
	case ROW_END:
		recording->ended = true;
		return note_time(recording, row->numbers[0]);
	case ROW_CONTINUES:
		recording->continues = true;
		return note_time(recording, row->numbers[0]);
	case ROW_LOST:
		return read_lost(recording, row->numbers);
	case ROW_ONLY:
		return read_only(recording, row->text);
	case ROW_KEEPS:
		return read_kept_dir(recording, row->text);
	case ROW_KBUILD:
		return read_kernel_build_id(recording, row->text);
	case ROW_KSYM:
		return read_line(
			recording, row->text, &recording->kallsyms_source, &recording->kallsyms);
	case ROW_MODULE:
		return read_line(
			recording, row->text, &recording->modules_source, &recording->modules);
	case ROW_KSECT:
		return read_line(recording, row->text, &recording->module_sections_source,
			&recording->module_sections);
	case ROW_BPF:
	case ROW_BPFLINE:
	case ROW_BPFGONE:
	case ROW_BPFLOST:
		return recorded_bpfs_read(&recording->bpfs, &recording->strings,
			recording->source ? recording->source_begin : 0, row);
	case ROW_VDSO:
		return read_vdso(recording, row->text);
	case ROW_MOUNTS:
	case ROW_MOUNT:
		return read_mount(recording, row);
	case ROW_FILE:
		return read_file(recording, row);
	default:
		return false;
	}
}

/* ---- processes -------------------------------------------------------------------------------- */

/* jit or jitmade PID NS START SIZE NAME, jitline PID NS ADDRESS LINE COLUMN FILE */
static bool read_jit(struct recorded_tasks *tasks, const struct recorded_row *row)
{
	const uint64_t *n = row->numbers;
	struct recorded_jit jit = {
		.pid = (uint32_t)n[0],
		.time = n[1],
		.start = n[2],
		.order = (uint32_t)tasks->jits.len,
		.is_line = row->kind == ROW_JITLINE,
		.text = copy_text(&tasks->strings, row->text),
	};
	const uint64_t *look = table_find(&tasks->jit_looks, &jit.pid, sizeof(jit.pid));

	if (tasks->jits.len == JITS_MAX ||
		(jit.is_line && (n[3] > UINT32_MAX || n[4] > UINT32_MAX)))
		return false;
	jit.since = row->kind == ROW_JITMADE ? jit.time : look ? *look + 1 : 0;
	jit.size = jit.is_line ? 0 : n[3];
	jit.line = jit.is_line ? (uint32_t)n[3] : 0;
	jit.column = (uint32_t)n[4];
	vec_push(&tasks->jits, jit);
	return true;
}

/* pid PID NS NAMESPACE INNER: its number in a PID namespace; that of the innermost is the last */
static bool read_pid(struct recorded_tasks *tasks, const uint64_t *n)
{
	const struct recorded_pid pid = {n[2], n[1], (uint32_t)n[3], (uint32_t)n[0]};

	if (n[3] > INT32_MAX)
		return false;
	vec_push(&tasks->pids, pid);
	*table_at(&tasks->namespace_by_pid, &pid.outer, sizeof(pid.outer), NULL) = pid.namespace;
	return true;
}

/* kept PID NS SINCE START END OFFSET SIZE NAME */
static bool read_copy(struct recorded_tasks *tasks, const struct recorded_row *row)
{
	const uint64_t *n = row->numbers;
	const struct recorded_copy copy = {
		.pid = (uint32_t)n[0],
		.time = n[1],
		.since = n[2],
		.start = n[3],
		.end = n[4],
		.offset = n[5],
		.size = n[6],
		.name = copy_text(&tasks->strings, row->text),
	};

	if (tasks->copies.len == COPIES_MAX || copy.start >= copy.end || copy.since > copy.time ||
		!kept_name_is(copy.name))
		return false;
	vec_push(&tasks->copies, copy);
	return true;
}

/*
 * proc PID NS STARTED NAMESPACE LEVELS COMM, fork or thread PID NS OTHER, exec or comm PID NS COMM,
 * map PID NS START END OFFSET FILE, ns PID NS NAMESPACE, root PID NS PATH, exit PID NS
 */
static bool read_event(
	struct recording *recording, struct recorded_tasks *tasks, const struct recorded_row *row)
{
	const uint64_t *n = row->numbers, key = file_key(recording, n[5]);
	struct recorded_event event = {
		.kind = row->kind,
		.pid = (uint32_t)n[0],
		.time = n[1],
		.order = (uint32_t)tasks->events.len,
	};
	const uint64_t *file;

	if (row->kind == ROW_ROOT)
		event.root = copy_text(&tasks->strings, row->text);
	else if (row_form(row->kind)->has_text)
		event.comm = copy_text(&tasks->strings, row->text);
	switch (row->kind) {
	case ROW_FORK:
	case ROW_THREAD:
		if (n[2] > INT32_MAX)
			return false;
		event.other = (uint32_t)n[2];
		break;
	case ROW_PROC:
		event.started = n[2];
		event.offset = n[3];
		event.levels = (uint32_t)n[4];
		break;
	case ROW_NS:
		event.offset = n[2];
		break;
	case ROW_MAP:
		event.start = n[2];
		event.end = n[3];
		event.offset = n[4];
		file = table_find(&recording->file_by_number, &key, sizeof(key));
		if (event.start >= event.end || n[5] > UINT32_MAX || !file)
			return false;
		event.other = (uint32_t)*file;
		break;
	default:
		break;
	}
	vec_push(&tasks->events, event);
	return true;
}

bool recorded_tasks_read_row(
	struct recording *recording, struct recorded_tasks *tasks, const struct recorded_row *row)
{
	const uint32_t pid = (uint32_t)row->numbers[0];

	if (row->numbers[0] > INT32_MAX)
		return false;
	switch (row->kind) {
	case ROW_PID:
		return read_pid(tasks, row->numbers);
	case ROW_KEPT:
		return read_copy(tasks, row);
	case ROW_JIT:
	case ROW_JITMADE:
	case ROW_JITLINE:
		return read_jit(tasks, row);
	case ROW_JITLOOK:
		*table_at(&tasks->jit_looks, &pid, sizeof(pid), NULL) = row->numbers[1];
		return true;
	default:
		return read_event(recording, tasks, row);
	}
}

/* ---- in order ------------------------------------------------------------------------------- */

COMPARE(compare_events, struct recorded_event,
	order_of(a->pid, b->pid) ?: order_of(a->time, b->time) ?: order_of(a->order, b->order))

COMPARE(compare_jits, struct recorded_jit,
	order_of(a->pid, b->pid) ?: order_of(a->time, b->time) ?: order_of(a->order, b->order))

COMPARE(compare_pids, struct recorded_pid,
	order_of(a->namespace, b->namespace)
		?: order_of(a->inner, b->inner)
		?: order_of(a->time, b->time))

COMPARE(compare_copies, struct recorded_copy,
	order_of(a->pid, b->pid) ?: order_of(a->time, b->time))

void recorded_tasks_finish(struct recorded_tasks *tasks)
{
	vec_sort(&tasks->events, compare_events);
	vec_sort(&tasks->jits, compare_jits);
	vec_sort(&tasks->copies, compare_copies);
	vec_sort(&tasks->pids, compare_pids);
}

void recorded_tasks_deinit(struct recorded_tasks *tasks)
{
	vec_deinit(&tasks->events);
	vec_deinit(&tasks->jits);
	vec_deinit(&tasks->copies);
	vec_deinit(&tasks->pids);
	table_deinit(&tasks->namespace_by_pid);
	table_deinit(&tasks->jit_looks);
	arena_deinit(&tasks->strings);
}
