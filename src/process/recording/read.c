// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/recording.h"

#include <string.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

enum {
	VDSOS_MAX = 8,
	VDSO_MIN = 16, /* bytes */
	VDSO_MAX = 1 << 20,
	ONLY_MAX = 512,
	KEPT_DIRS_MAX = 8
};

static const char *copy_text(struct arena *arena, struct scan text)
{
	return arena_copy(arena, text.at, scan_left(&text));
}

/* Takes the first word of TEXT and the blank after it. */
static bool take_word(struct scan *text, struct scan *ret)
{
	return scan_word(text, ret) && scan_char(text, ' ');
}

/* Parses a build ID in hex or "-", a blank, and a name. */
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

/* ---- the system ----------------------------------------------------------------------------- */

/* Extends the range of the recording to TIME (ns). */
static bool note_time(struct recording *recording, uint64_t time)
{
	if (!recording->begin || time < recording->begin)
		recording->begin = time;
	if (time > recording->end)
		recording->end = time;
	return true;
}

/* Reads "only KIND NAME": which processes are recorded, if not all. A segment may have several. */
static bool read_only(struct text *only, bool first, struct scan text)
{
	size_t len = scan_left(&text);

	if (first)
		text_clear(only);
	/* keep it short: it is printed with frames */
	if (only->len > ONLY_MAX)
		return true;
	text_add_string(only, only->len ? ", " : "only this was recorded: ");
	text_add(only, text.at, len < ONLY_MAX ? len : ONLY_MAX);
	return true;
}

/* Reads "keeps DIR": a directory with copies of mapped files. */
static bool read_kept_dir(struct recording *recording, struct scan text)
{
	const char *dir = copy_text(&recording->strings, text);

	if (*dir != '/')
		return false;
	vec_each_value(kept_dir, &recording->kept_dirs)
		if (!strcmp(kept_dir, dir))
			return true;
	if (recording->kept_dirs.len < KEPT_DIRS_MAX)
		vec_push(&recording->kept_dirs, dir);
	return true;
}

/* Reads "file N MAJOR MINOR INODE SIZE MTIME CTIME DELETED BUILDID PATH". */
static bool read_file(struct recording *recording, const struct recorded_row *row)
{
	struct recorded_file *file = arena_alloc(&recording->strings, sizeof(*file));
	const uint64_t *n = row->numbers, key = n[0] | (uint64_t)recording->source << 32;
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

/*
 * Appends LINE to RET. FIRST: it is the first such line of a segment, which has all of them, and
 * replaces those of earlier segments.
 */
static bool read_line(struct scan line, bool first, struct text *ret)
{
	if (first)
		text_clear(ret);
	text_add_scan(ret, line);
	text_add_char(ret, '\n');
	return true;
}

static bool read_vdso(struct recording *recording, struct scan bytes)
{
	size_t len = scan_left(&bytes);

	if (len < VDSO_MIN || len > VDSO_MAX)
		return false;
	vec_each(vdso, &recording->vdsos)
		if (vdso->len == len && !memcmp(vdso->data, bytes.at, len))
			return true;
	if (recording->vdsos.len == VDSOS_MAX)
		return false;
	text_add_scan(vec_add(&recording->vdsos), bytes);
	return true;
}

/* Reads "kbuild BUILDID NAME". */
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
	struct scan text = row->text, boot;
	const uint64_t *n = row->numbers;
	bool first = recording->source_of[row->kind] != recording->source;
	struct text *mounts;

	recording->source_of[row->kind] = recording->source;
	switch (row->kind) {
	case ROW_HOST:
		/* host BOOT_ID MACHINE RELEASE: all segments have the same boot ID */
		if (!take_word(&text, &boot))
			return false;
		if (!recording->boot_id)
			recording->boot_id = xstrndup(boot.at, scan_left(&boot));
		return true;
	case ROW_BEGIN:
		/* begin NS REALTIME BOOTTIME */
		recording->real = n[1] > n[0] ? n[1] - n[0] : 0;
		recording->boottime = n[2];
		recording->slept = n[2] > n[0] ? n[2] - n[0] : 0;
		recording->source_begin = n[0];
		return note_time(recording, n[0]);
	case ROW_END:
		recording->ended = true;
		return note_time(recording, n[0]);
	case ROW_CONTINUES:
		recording->continues = true;
		return note_time(recording, n[0]);
	case ROW_LOST:
		/* lost NS COUNT SINCE: earlier events may follow, so no note_time() */
		recording->lost += n[1];
		vec_push(&recording->losses, (struct recorded_loss){n[2], n[0]});
		return true;
	case ROW_ONLY:
		return read_only(&recording->only, first, text);
	case ROW_KEEPS:
		return read_kept_dir(recording, text);
	case ROW_KBUILD:
		return read_kernel_build_id(recording, text);
	case ROW_KSYM:
		return read_line(text, first, &recording->kallsyms);
	case ROW_MODULE:
		return read_line(text, first, &recording->modules);
	case ROW_KSECT:
		return read_line(text, first, &recording->module_sections);
	case ROW_BPF:
	case ROW_BPFLINE:
	case ROW_BPFGONE:
	case ROW_BPFLOST:
		return recorded_bpfs_read(&recording->bpfs, &recording->strings,
			recording->source ? recording->source_begin : 0, row);
	case ROW_VDSO:
		return read_vdso(recording, text);
	case ROW_MOUNTS:
	case ROW_MOUNT:
		/* "mounts NAMESPACE" starts a new list; "mount NAMESPACE LINE" */
		mounts = vec_keyed(
			&recording->mounts, &recording->mounts_by_namespace, n, sizeof(*n));
		if (row->kind == ROW_MOUNT)
			return read_line(text, false, mounts);
		text_clear(mounts);
		return true;
	case ROW_FILE:
		return read_file(recording, row);
	default:
		return false;
	}
}
