// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/lines.h"

#include <string.h>

#include "process/recording/field.h"
#include "process/recording/kept_dir.h"
#include "util/cleanup.h"
#include "util/order.h"
#include "util/xalloc.h"

enum {
	VDSOS_MAX = 8,
	VDSO_MAX = 1 << 20,
	JITS_MAX = 1 << 23,
	ONLY_MAX = 512,
	COPIES_MAX = 1 << 20,
	KEPT_DIRS_MAX = 8
};

void recording_note_time(struct recording *recording, uint64_t time)
{
	if (!recording->begin || time < recording->begin)
		recording->begin = time;
	if (time > recording->end)
		recording->end = time;
}

bool recording_file_number(const struct recording *recording, uint32_t number, uint32_t *ret)
{
	uint64_t key = number | (uint64_t)recording->source << 32;
	const uint64_t *index = table_find(&recording->file_by_number, &key, sizeof(key));

	if (index)
		*ret = (uint32_t)*index;
	return index;
}

/* host BOOT_ID MACHINE RELEASE: that of all segments, which others keep while more of them are read */
static bool read_host(struct recording *recording, struct scan s)
{
	struct scan boot;

	if (!field_word(&s, &boot))
		return false;
	if (!recording->boot_id)
		recording->boot_id = xstrndup(boot.at, scan_left(&boot));
	return true;
}

/* only KIND NAME: what is recorded, if not all processes; those of a segment add up */
static bool read_only(struct recording *recording, struct scan s)
{
	struct text *only = &recording->only;
	scope_guard(text_deinit) struct text name = {};
	struct scan kind;

	if (recording->only_source != recording->source)
		text_clear(only);
	recording->only_source = recording->source;
	if (!field_word(&s, &kind) || !field_string(&s, &name))
		return false;
	/* It is printed beside frames. */
	if (only->len > ONLY_MAX)
		return true;
	text_add_string(only, only->len ? ", " : "only this was recorded: ");
	text_printf(only, "%.*s %.*s",
		(int)(scan_left(&kind) < ONLY_MAX ? scan_left(&kind) : ONLY_MAX), kind.at, ONLY_MAX,
		name.len ? name.data : "");
	return true;
}

/* keeps DIR: where copies of mapped files are */
static bool read_kept_dir(struct recording *recording, struct scan s)
{
	const char *dir;

	if (!field_name(&s, &recording->strings, &dir) || *dir != '/')
		return false;
	for (size_t i = 0; i < recording->kept_dirs.len; i++)
		if (!strcmp(recording->kept_dirs.data[i], dir))
			return true;
	if (recording->kept_dirs.len < KEPT_DIRS_MAX)
		vec_push(&recording->kept_dirs, dir);
	return true;
}

/* file N BUILDID|- MAJOR:MINOR INODE SIZE MTIME d|-[CTIME] PATH */
static bool read_file(struct recording *recording, struct scan s)
{
	struct recorded_file file = {};
	uint64_t number, major, minor, mtime, ctime;
	struct scan flags;

	if (!field_decimal(&s, &number) || !field_build_id(&s, &file.build_id) ||
		!field_hex(&s, &major) || !scan_char(&s, ':') || !scan_hex(&s, &minor) ||
		!field_decimal(&s, &file.inode) || !field_decimal(&s, &file.size) ||
		!field_decimal(&s, &mtime) || !field_word(&s, &flags) ||
		!field_name(&s, &recording->strings, &file.path))
		return false;
	file.dev_major = (uint32_t)major;
	file.dev_minor = (uint32_t)minor;
	file.mtime = (int64_t)mtime;
	file.deleted = *flags.at++ == 'd';
	if (scan_decimal(&flags, &ctime))
		file.ctime = (int64_t)ctime;
	if (number > UINT32_MAX)
		return false;
	number |= (uint64_t)recording->source << 32;
	*table_at(&recording->file_by_number, &number, sizeof(number), NULL) = recording->files.len;
	if (file.build_id.len)
		*table_at(&recording->file_by_build_id, file.build_id.bytes, file.build_id.len,
			NULL) = recording->files.len;
	struct recorded_file *kept = arena_alloc(&recording->strings, sizeof(*kept));
	*kept = file;
	vec_push(&recording->files, kept);
	return true;
}

/* proc PID NS STARTED NAMESPACE NSPID,… COMM */
static bool read_proc(struct recorded_tasks *tasks, struct scan s, struct recorded_event *event)
{
	struct scan nspid;

	if (!field_decimal(&s, &event->started) || !field_decimal(&s, &event->offset) ||
		!field_word(&s, &nspid))
		return false;
	event->nspid = arena_copy(&tasks->strings, nspid.at, scan_left(&nspid));
	return field_name(&s, &tasks->strings, &event->comm);
}

/* map PID NS START END OFFSET N */
static bool read_map(struct recording *recording, struct scan s, struct recorded_event *event)
{
	uint64_t number;

	if (!field_hex(&s, &event->start) || !field_hex(&s, &event->end) ||
		!field_hex(&s, &event->offset) || !field_decimal(&s, &number) ||
		event->start >= event->end)
		return false;
	return number <= UINT32_MAX &&
	       recording_file_number(recording, (uint32_t)number, &event->other);
}

/* WORD PID NS …: what processes did. */
static bool read_event(struct recording *recording, struct recorded_tasks *tasks,
	enum recorded_kind kind, struct scan s)
{
	struct recorded_event event = {.kind = kind, .order = (uint32_t)tasks->events.len};
	bool good = field_pid(&s, &event.pid) && field_decimal(&s, &event.time);

	if (!good)
		return false;
	if (kind == RECORDED_PROC)
		good = read_proc(tasks, s, &event);
	else if (kind == RECORDED_MAP)
		good = read_map(recording, s, &event);
	else if (kind == RECORDED_FORK || kind == RECORDED_THREAD)
		good = field_pid(&s, &event.other);
	else if (kind == RECORDED_MOUNTS)
		good = field_decimal(&s, &event.offset);
	else if (kind != RECORDED_EXIT)
		good = field_name(&s, &tasks->strings, &event.comm);
	if (!good)
		return false;
	recording_note_time(recording, event.time);
	vec_push(&tasks->events, event);
	return true;
}

/* The third number of "begin" came later: without it, start times do not compare. */
static void read_clocks(struct recording *recording, struct scan s)
{
	uint64_t time, real, boot;

	if (!field_decimal(&s, &time) || !field_decimal(&s, &real))
		return;
	recording->real = real > time ? real - time : 0;
	if (!field_decimal(&s, &boot))
		return;
	recording->boottime = true;
	recording->slept = boot > time ? boot - time : 0;
}

/* begin NS REALTIME BOOTTIME, complete NS, end NS, continues NS: the next segment has what came then */
static bool read_time(struct recording *recording, struct scan s, uint64_t *ret)
{
	if (!field_decimal(&s, ret))
		return false;
	recording_note_time(recording, *ret);
	return true;
}

/* lost NS COUNT SINCE: earlier programs did not say since when. It may stand before what happened until then. */
static bool read_lost(struct recording *recording, struct scan s)
{
	struct recorded_loss loss = {};
	uint64_t count;

	if (!field_decimal(&s, &loss.until) || !field_decimal(&s, &count))
		return false;
	(void)field_decimal(&s, &loss.since);
	recording->lost += count;
	vec_push(&recording->losses, loss);
	return true;
}

COMPARE(compare_losses, struct recorded_loss, order_of(a->since, b->since))

void recording_order_losses(struct recording *recording)
{
	size_t n = 0;

	vec_sort(&recording->losses, compare_losses);
	for (size_t i = 0; i < recording->losses.len; i++) {
		const struct recorded_loss loss = recording->losses.data[i];

		if (n && loss.since <= recording->losses.data[n - 1].until) {
			if (loss.until > recording->losses.data[n - 1].until)
				recording->losses.data[n - 1].until = loss.until;
		} else {
			recording->losses.data[n++] = loss;
		}
	}
	recording->losses.len = n;
}

/*
 * ksym LINE, module LINE, ksect LINE: a line of text. A segment that has such lines has all of them,
 * in place of those of an earlier one.
 */
static bool read_text(
	struct recording *recording, struct scan s, uint32_t *source, struct text *ret)
{
	if (*source != recording->source)
		text_clear(ret);
	*source = recording->source;
	if (!field_string(&s, ret))
		return false;
	text_add_char(ret, '\n');
	return true;
}

/* mounts NAMESPACE begins a list anew; mount NAMESPACE LINE */
static bool read_mount(struct recording *recording, struct scan s, bool anew)
{
	uint64_t namespace;

	if (!field_decimal(&s, &namespace))
		return false;
	struct text *text = vec_keyed(
		&recording->mounts, &recording->mounts_by_namespace, &namespace, sizeof(namespace));
	if (anew)
		text_clear(text);
	return anew || read_text(recording, s, &recording->source, text);
}

/* vdso HEX */
static bool read_vdso(struct recording *recording, struct scan s)
{
	struct text image = {};
	struct scan hex;

	if (recording->vdsos.len == VDSOS_MAX || !field_word(&s, &hex) ||
		scan_left(&hex) > 2 * VDSO_MAX)
		return false;
	for (; hex.end - hex.at > 1; hex.at += 2) {
		int high = scan_hex_digit(hex.at[0]), low = scan_hex_digit(hex.at[1]);

		if (high < 0 || low < 0)
			break;
		text_add_char(&image, (char)(high << 4 | low));
	}
	if (scan_left(&hex) || image.len < 16) {
		text_deinit(&image);
		return false;
	}
	for (size_t i = 0; i < recording->vdsos.len; i++)
		if (text_equal(&recording->vdsos.data[i], &image)) {
			text_deinit(&image);
			return true;
		}
	vec_push(&recording->vdsos, image);
	return true;
}

/* kbuild HEX NAME */
static bool read_kernel_build_id(struct recording *recording, struct scan s)
{
	struct build_id id;
	const char *name;

	if (!field_build_id(&s, &id) || !field_name(&s, &recording->strings, &name))
		return false;
	struct build_id *kept = arena_alloc(&recording->strings, sizeof(*kept));
	*kept = id;
	*table_at(&recording->kernel_build_ids, name, strlen(name), NULL) = (uintptr_t)kept;
	return true;
}

/* jitlook PID NS */
static bool read_jit_look(struct recorded_tasks *tasks, struct scan s)
{
	uint32_t pid;
	uint64_t time;

	if (!field_pid(&s, &pid) || !field_decimal(&s, &time))
		return false;
	*table_at(&tasks->jit_looks, &pid, sizeof(pid), NULL) = time;
	return true;
}

/* jit or jitmade PID NS START SIZE NAME, jitline PID NS ADDRESS LINE COLUMN FILE */
static bool read_jit(struct recorded_tasks *tasks, struct scan s, bool is_line, bool exact)
{
	struct recorded_jit jit = {.is_line = is_line, .order = (uint32_t)tasks->jits.len};
	uint64_t line = 0, column = 0;
	bool good = tasks->jits.len < JITS_MAX && field_pid(&s, &jit.pid) &&
		    field_decimal(&s, &jit.time) && field_hex(&s, &jit.start);

	if (is_line)
		good = good && field_decimal(&s, &line) && field_decimal(&s, &column);
	else
		good = good && field_hex(&s, &jit.size);
	if (!good || line > UINT32_MAX || column > UINT32_MAX ||
		!field_name(&s, &tasks->strings, &jit.text))
		return false;
	jit.line = (uint32_t)line;
	jit.column = (uint32_t)column;
	const uint64_t *look = table_find(&tasks->jit_looks, &jit.pid, sizeof(jit.pid));
	jit.since = exact ? jit.time : look ? *look + 1 : 0;
	vec_push(&tasks->jits, jit);
	return true;
}

/* pids PID NS NAMESPACE:INNER,…: its number in each PID namespace, the outermost first */
static bool read_pids(struct recorded_tasks *tasks, struct scan s)
{
	struct recorded_pid pid = {};
	uint64_t inner;

	if (!field_pid(&s, &pid.outer) || !field_decimal(&s, &pid.time) || !scan_char(&s, ' '))
		return false;
	do {
		if (!scan_decimal(&s, &pid.namespace) || !scan_char(&s, ':') ||
			!scan_decimal(&s, &inner) || inner > INT32_MAX)
			return false;
		pid.inner = (uint32_t)inner;
		vec_push(&tasks->pids, pid);
	} while (scan_char(&s, ','));
	*table_at(&tasks->namespace_by_pid, &pid.outer, sizeof(pid.outer), NULL) = pid.namespace;
	return true;
}

/* kept PID NS SINCE START END OFFSET SIZE NAME */
static bool read_copy(struct recorded_tasks *tasks, struct scan s)
{
	struct recorded_copy copy = {};

	if (tasks->copies.len == COPIES_MAX || !field_pid(&s, &copy.pid) ||
		!field_decimal(&s, &copy.time) || !field_decimal(&s, &copy.since) ||
		!field_hex(&s, &copy.start) || !field_hex(&s, &copy.end) ||
		!field_hex(&s, &copy.offset) || !field_decimal(&s, &copy.size) ||
		!field_name(&s, &tasks->strings, &copy.name) || copy.start >= copy.end ||
		copy.since > copy.time || !kept_name_is(copy.name))
		return false;
	vec_push(&tasks->copies, copy);
	return true;
}

static const struct {
	const char *word;
	enum recorded_kind kind;
} event_words[] = {
	{"map", RECORDED_MAP},
	{"fork", RECORDED_FORK},
	{"exec", RECORDED_EXEC},
	{"exit", RECORDED_EXIT},
	{"comm", RECORDED_COMM},
	{"thread", RECORDED_THREAD},
	{"proc", RECORDED_PROC},
	{"ns", RECORDED_MOUNTS},
};

static bool is_word(struct scan word, const char *wanted)
{
	return scan_literal(&word, wanted) && !scan_left(&word);
}

/* Of processes, in the order of how many there are. RET_KNOWN false: of something else. */
static bool read_task_line(
	struct recorded_tasks *tasks, struct scan word, struct scan s, bool *ret_known)
{
	*ret_known = true;
	if (is_word(word, "jitline"))
		return read_jit(tasks, s, true, false);
	if (is_word(word, "jit"))
		return read_jit(tasks, s, false, false);
	if (is_word(word, "jitmade"))
		return read_jit(tasks, s, false, true);
	if (is_word(word, "jitlook"))
		return read_jit_look(tasks, s);
	if (is_word(word, "pids"))
		return read_pids(tasks, s);
	if (is_word(word, "kept"))
		return read_copy(tasks, s);
	*ret_known = false;
	return true;
}

/* A line with a word that is not known is of a later minor version: not odd, but of no use. */
static bool read_other(struct recording *recording, struct scan word, struct scan s)
{
	if (is_word(word, "file"))
		return read_file(recording, s);
	if (is_word(word, "ksym"))
		return read_text(recording, s, &recording->kallsyms_source, &recording->kallsyms);
	if (is_word(word, "mount"))
		return read_mount(recording, s, false);
	if (is_word(word, "mounts"))
		return read_mount(recording, s, true);
	if (is_word(word, "module"))
		return read_text(recording, s, &recording->modules_source, &recording->modules);
	if (is_word(word, "ksect"))
		return read_text(recording, s, &recording->module_sections_source,
			&recording->module_sections);
	if (is_word(word, "kbuild"))
		return read_kernel_build_id(recording, s);
	if (is_word(word, "vdso"))
		return read_vdso(recording, s);
	if (is_word(word, "only"))
		return read_only(recording, s);
	if (is_word(word, "keeps"))
		return read_kept_dir(recording, s);
	if (is_word(word, "host"))
		return read_host(recording, s);
	if (is_word(word, "lost"))
		return read_lost(recording, s);
	if (is_word(word, "bpf"))
		return recorded_bpfs_read(&recording->bpfs, &recording->strings,
			recording->source ? recording->source_begin : 0, s);
	if (is_word(word, "bpfline"))
		return recorded_bpfs_read_line(&recording->bpfs, &recording->strings, s);
	if (is_word(word, "bpfgone"))
		return recorded_bpfs_read_gone(&recording->bpfs, s);
	if (is_word(word, "bpflost"))
		return recorded_bpfs_read_lost(&recording->bpfs, s);
	if (is_word(word, "begin")) {
		read_clocks(recording, s);
		return read_time(recording, s, &recording->source_begin);
	}
	recording->ended = is_word(word, "end");
	recording->continues = is_word(word, "continues");
	if (recording->continues || recording->ended || is_word(word, "complete"))
		return read_time(recording, s, &(uint64_t){0});
	return true;
}

bool recording_read_line(struct recording *recording, struct recorded_tasks *tasks, struct scan s)
{
	struct scan word;
	bool known = false;

	if (!scan_word(&s, &word))
		return false;
	for (size_t i = 0; tasks && i < sizeof(event_words) / sizeof(event_words[0]); i++)
		if (is_word(word, event_words[i].word))
			return read_event(recording, tasks, event_words[i].kind, s);
	bool good = tasks ? read_task_line(tasks, word, s, &known) : true;
	return known ? good : read_other(recording, word, s);
}

bool recording_read_task_line(struct recorded_tasks *tasks, struct scan s, int64_t pid)
{
	struct scan word, fields;
	uint32_t of;
	bool known;

	if (!scan_word(&s, &word))
		return false;
	fields = s;
	if (!field_pid(&fields, &of))
		return false;
	return (pid >= 0 && (int64_t)of != pid) || read_task_line(tasks, word, s, &known);
}

/* ---- in order ------------------------------------------------------------------------------- */

COMPARE(compare_events, struct recorded_event,
	order_of(a->pid, b->pid) ?: order_of(a->time, b->time) ?: order_of(a->order, b->order))

COMPARE(compare_jits, struct recorded_jit,
	order_of(a->pid, b->pid) ?: order_of(a->time, b->time) ?: order_of(a->order, b->order))

/* Recordings of earlier programs do not say when they looked, but what they had found till then. */
static void date_jits(struct recorded_tasks *tasks)
{
	const struct recorded_jit *last = NULL;
	uint64_t before = 0;

	for (size_t i = 0; i < tasks->jits.len; i++) {
		struct recorded_jit *jit = &tasks->jits.data[i];

		if (jit->is_line || jit->since == jit->time)
			continue;
		if (!last || last->pid != jit->pid)
			before = 0;
		else if (last->time != jit->time)
			before = last->time + 1;
		jit->since = jit->since > before ? jit->since : before;
		last = jit;
	}
}

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
	date_jits(tasks);
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
