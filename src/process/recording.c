// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "process/field.h"
#include "process/procfs.h"
#include "process/recorded_life.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/order.h"
#include "util/scan.h"
#include "util/xalloc.h"

enum { RECORDING_MAX = 1 << 30, VDSOS_MAX = 8, VDSO_MAX = 1 << 20, JITS_MAX = 1 << 23 };

void recording_destroy(struct recording *recording)
{
	if (!recording)
		return;
	recorded_lives_forget(recording, NULL, 0);
	vec_deinit(&recording->lives);
	vec_deinit(&recording->ids);
	for (size_t i = 0; i < recording->mounts.len; i++)
		text_deinit(&recording->mounts.data[i]);
	for (size_t i = 0; i < recording->vdsos.len; i++)
		text_deinit(&recording->vdsos.data[i]);
	vec_deinit(&recording->files);
	vec_deinit(&recording->events);
	vec_deinit(&recording->jits);
	vec_deinit(&recording->pids);
	vec_deinit(&recording->mounts);
	vec_deinit(&recording->vdsos);
	recorded_bpfs_deinit(&recording->bpfs);
	text_deinit(&recording->kallsyms);
	text_deinit(&recording->modules);
	text_deinit(&recording->module_sections);
	table_deinit(&recording->kernel_build_ids);
	table_deinit(&recording->namespace_by_pid);
	table_deinit(&recording->file_by_number);
	table_deinit(&recording->file_by_build_id);
	table_deinit(&recording->mounts_by_namespace);
	table_deinit(&recording->id_by_number);
	table_deinit(&recording->life_by_task);
	table_deinit(&recording->jit_looks);
	arena_deinit(&recording->strings);
	free(recording->boot_id);
	free(recording->name);
	free(recording);
}

/* ---- records -------------------------------------------------------------------------------- */

/* host BOOT_ID MACHINE RELEASE */
static bool read_host(struct recording *recording, struct scan s)
{
	struct scan boot;

	if (!field_word(&s, &boot))
		return false;
	free(recording->boot_id);
	recording->boot_id = xstrndup(boot.at, scan_left(&boot));
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
	*table_at(&recording->file_by_number, &number, sizeof(number), NULL) =
		recording->files.len;
	if (file.build_id.len)
		*table_at(&recording->file_by_build_id, file.build_id.bytes, file.build_id.len,
			NULL) = recording->files.len;
	vec_push(&recording->files, file);
	return true;
}

/* proc PID NS STARTED NAMESPACE NSPID,… COMM */
static bool read_proc(struct recording *recording, struct scan s, struct recorded_event *event)
{
	struct scan nspid;

	if (!field_decimal(&s, &event->started) || !field_decimal(&s, &event->offset) ||
		!field_word(&s, &nspid))
		return false;
	event->nspid = arena_copy(&recording->strings, nspid.at, scan_left(&nspid));
	return field_name(&s, &recording->strings, &event->comm);
}

/* map PID NS START END OFFSET N */
static bool read_map(struct recording *recording, struct scan s, struct recorded_event *event)
{
	uint64_t number;

	if (!field_hex(&s, &event->start) || !field_hex(&s, &event->end) ||
		!field_hex(&s, &event->offset) || !field_decimal(&s, &number) ||
		event->start >= event->end)
		return false;
	uint64_t *index = table_find(&recording->file_by_number, &number, sizeof(number));
	if (!index)
		return false;
	event->other = (uint32_t)*index;
	return true;
}

/* WORD PID NS …: what processes did. */
static bool read_event(struct recording *recording, enum recorded_kind kind, struct scan s)
{
	struct recorded_event event = {
		.kind = kind, .order = (uint32_t)recording->events.len};
	bool good = field_pid(&s, &event.pid) && field_decimal(&s, &event.time);

	if (!good)
		return false;
	if (kind == RECORDED_PROC)
		good = read_proc(recording, s, &event);
	else if (kind == RECORDED_MAP)
		good = read_map(recording, s, &event);
	else if (kind == RECORDED_FORK || kind == RECORDED_THREAD)
		good = field_pid(&s, &event.other);
	else if (kind == RECORDED_MOUNTS)
		good = field_decimal(&s, &event.offset);
	else if (kind != RECORDED_EXIT)
		good = field_name(&s, &recording->strings, &event.comm);
	if (!good)
		return false;
	if (!recording->begin || event.time < recording->begin)
		recording->begin = event.time;
	if (event.time > recording->end)
		recording->end = event.time;
	vec_push(&recording->events, event);
	return true;
}

/* The third number of "begin" came later: without it, start times do not compare. */
static void read_boottime(struct recording *recording, struct scan s)
{
	uint64_t time, real, boot;

	if (!field_decimal(&s, &time) || !field_decimal(&s, &real) || !field_decimal(&s, &boot))
		return;
	recording->boottime = true;
	recording->slept = boot > time ? boot - time : 0;
}

/* begin NS REALTIME BOOTTIME, end NS, lost NS COUNT */
static bool read_time(struct recording *recording, struct scan s, bool lost)
{
	uint64_t time, count = 0;

	if (!field_decimal(&s, &time) || (lost && !field_decimal(&s, &count)))
		return false;
	if (!recording->begin || time < recording->begin)
		recording->begin = time;
	if (time > recording->end)
		recording->end = time;
	recording->lost += count;
	return true;
}

/* ksym LINE, module LINE, ksect LINE: a line of text */
static bool read_text(struct scan s, struct text *ret)
{
	if (!field_string(&s, ret))
		return false;
	text_add_char(ret, '\n');
	return true;
}

/* mounts NAMESPACE begins a list anew; mount NAMESPACE LINE */
static bool read_mount(struct recording *recording, struct scan s, bool anew)
{
	uint64_t namespace;
	bool added;

	if (!field_decimal(&s, &namespace))
		return false;
	uint64_t *index = table_at(
		&recording->mounts_by_namespace, &namespace, sizeof(namespace), &added);
	if (added) {
		*index = recording->mounts.len;
		(void)vec_add(&recording->mounts);
	}
	struct text *text = &recording->mounts.data[*index];
	if (anew)
		text_clear(text);
	return anew || read_text(s, text);
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
static bool read_jit_look(struct recording *recording, struct scan s)
{
	uint32_t pid;
	uint64_t time;

	if (!field_pid(&s, &pid) || !field_decimal(&s, &time))
		return false;
	*table_at(&recording->jit_looks, &pid, sizeof(pid), NULL) = time;
	return true;
}

/* jit or jitmade PID NS START SIZE NAME, jitline PID NS ADDRESS LINE COLUMN FILE */
static bool read_jit(struct recording *recording, struct scan s, bool is_line, bool exact)
{
	struct recorded_jit jit = {.is_line = is_line, .order = (uint32_t)recording->jits.len};
	uint64_t line = 0, column = 0;
	bool good = recording->jits.len < JITS_MAX && field_pid(&s, &jit.pid) &&
		    field_decimal(&s, &jit.time) && field_hex(&s, &jit.start);

	if (is_line)
		good = good && field_decimal(&s, &line) && field_decimal(&s, &column);
	else
		good = good && field_hex(&s, &jit.size);
	if (!good || line > UINT32_MAX || column > UINT32_MAX ||
		!field_name(&s, &recording->strings, &jit.text))
		return false;
	jit.line = (uint32_t)line;
	jit.column = (uint32_t)column;
	const uint64_t *look = table_find(&recording->jit_looks, &jit.pid, sizeof(jit.pid));
	jit.since = exact ? jit.time : look ? *look + 1 : 0;
	vec_push(&recording->jits, jit);
	return true;
}

/* pids PID NS NAMESPACE:INNER,…: its number in each PID namespace, the outermost first */
static bool read_pids(struct recording *recording, struct scan s)
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
		vec_push(&recording->pids, pid);
	} while (scan_char(&s, ','));
	*table_at(&recording->namespace_by_pid, &pid.outer, sizeof(pid.outer), NULL) =
		pid.namespace;
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

/* A line with a word that is not known is of a later minor version: not odd, but of no use. */
static bool read_other(struct recording *recording, struct scan word, struct scan s)
{
	if (is_word(word, "file"))
		return read_file(recording, s);
	if (is_word(word, "ksym"))
		return read_text(s, &recording->kallsyms);
	if (is_word(word, "mount"))
		return read_mount(recording, s, false);
	if (is_word(word, "mounts"))
		return read_mount(recording, s, true);
	if (is_word(word, "module"))
		return read_text(s, &recording->modules);
	if (is_word(word, "ksect"))
		return read_text(s, &recording->module_sections);
	if (is_word(word, "kbuild"))
		return read_kernel_build_id(recording, s);
	if (is_word(word, "vdso"))
		return read_vdso(recording, s);
	if (is_word(word, "host"))
		return read_host(recording, s);
	if (is_word(word, "lost"))
		return read_time(recording, s, true);
	if (is_word(word, "jit"))
		return read_jit(recording, s, false, false);
	if (is_word(word, "jitmade"))
		return read_jit(recording, s, false, true);
	if (is_word(word, "jitlook"))
		return read_jit_look(recording, s);
	if (is_word(word, "jitline"))
		return read_jit(recording, s, true, false);
	if (is_word(word, "bpf"))
		return recorded_bpfs_read(&recording->bpfs, &recording->strings, s);
	if (is_word(word, "bpfline"))
		return recorded_bpfs_read_line(&recording->bpfs, &recording->strings, s);
	if (is_word(word, "bpfgone"))
		return recorded_bpfs_read_gone(&recording->bpfs, s);
	if (is_word(word, "pids"))
		return read_pids(recording, s);
	if (is_word(word, "begin"))
		read_boottime(recording, s);
	if (is_word(word, "begin") || is_word(word, "end"))
		return read_time(recording, s, false);
	return true;
}

static bool read_line(struct recording *recording, struct scan s)
{
	struct scan word;

	if (!scan_word(&s, &word))
		return false;
	for (size_t i = 0; i < sizeof(event_words) / sizeof(event_words[0]); i++)
		if (is_word(word, event_words[i].word))
			return read_event(recording, event_words[i].kind, s);
	return read_other(recording, word, s);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int compare_events(const void *a_ptr, const void *b_ptr)
{
	const struct recorded_event *a = a_ptr, *b = b_ptr;

	return order_of(a->pid, b->pid)
	       ?: order_of(a->time, b->time)
	       ?: order_of(a->order, b->order);
}

static int compare_jits(const void *a_ptr, const void *b_ptr)
{
	const struct recorded_jit *a = a_ptr, *b = b_ptr;

	return order_of(a->pid, b->pid)
	       ?: order_of(a->time, b->time)
	       ?: order_of(a->order, b->order);
}

/* Recordings of earlier programs do not say when they looked, but what they had found till then. */
static void date_jits(struct recording *recording)
{
	const struct recorded_jit *last = NULL;
	uint64_t before = 0;

	for (size_t i = 0; i < recording->jits.len; i++) {
		struct recorded_jit *jit = &recording->jits.data[i];

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

static int compare_pids(const void *a_ptr, const void *b_ptr)
{
	const struct recorded_pid *a = a_ptr, *b = b_ptr;

	return order_of(a->namespace, b->namespace)
	       ?: order_of(a->inner, b->inner)
	       ?: order_of(a->time, b->time);
}

static struct error *check_header(const char *name, struct scan *all)
{
	uint64_t version;
	struct scan line;

	if (!scan_line(all, &line) || !scan_literal(&line, RECORDING_MAGIC) ||
		!scan_decimal(&line, &version))
		return error_create(ERROR_INPUT, "%s: not a recording of stack2line", name);
	if (version != RECORDING_VERSION)
		return error_create(ERROR_INPUT,
			"%s: a recording of version %" PRIu64 "; this program reads version %d",
			name, version, RECORDING_VERSION);
	return NULL;
}

struct error *recording_parse(const char *name, const char *text, size_t len,
	const char *boot_id, struct recording **ret)
{
	struct scan all = {text, text + len}, line;

	try(check_header(name, &all));
	struct recording *recording = xcalloc(1, sizeof(*recording));
	recording->name = xstrdup(name);
	/* A line without its newline was being written when the recorder was killed. */
	if (scan_left(&all) && all.end[-1] != '\n') {
		const char *newline = memrchr(all.at, '\n', scan_left(&all));

		all.end = newline ? newline + 1 : all.at;
		recording->torn = 1;
	}
	while (scan_line(&all, &line))
		recording->odd += !read_line(recording, line);
	vec_sort(&recording->events, compare_events);
	vec_sort(&recording->jits, compare_jits);
	date_jits(recording);
	vec_sort(&recording->pids, compare_pids);
	recorded_bpfs_finish(&recording->bpfs);
	recording->foreign =
		!boot_id || !recording->boot_id || strcmp(boot_id, recording->boot_id) != 0;
	*ret = recording;
	return NULL;
}

struct error *recording_open(
	const char *path, const char *proc_root, struct recording **ret)
{
	auto_fd int fd = file_open_regular(AT_FDCWD, path);
	auto_free char *boot_id = procfs_boot_id(proc_root);
	struct text text = {};

	if (fd < 0 && errno == EINVAL)
		return error_create(ERROR_INPUT, "%s: not a regular file", path);
	int err = fd < 0 ? -errno : file_read_all(fd, RECORDING_MAX, &text);
	struct error *error =
		err ? error_errno(-err, "%s", path)
		    : recording_parse(path, text.data ? text.data : "", text.len, boot_id, ret);
	text_deinit(&text);
	return error;
}

void recording_notes(const struct recording *recording, struct log *log)
{
	if (recording->lost)
		log_add(log, LOG_WARNING, 1,
			"%s: %" PRIu64 " events were lost while it was made: processes and "
			"mappings may be missing",
			recording->name, recording->lost);
	if (recording->torn)
		log_add(log, LOG_WARNING, 1,
			"%s: the last record is cut: the recorder was killed, or is still running",
			recording->name);
	if (recording->odd)
		log_add(log, LOG_WARNING, 1, "%s: %" PRIu64 " lines were not understood",
			recording->name, recording->odd);
}
