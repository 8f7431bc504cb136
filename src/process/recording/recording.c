// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/door.h"
#include "process/procfs.h"
#include "process/recording/process_record.h"
#include "process/recording/tasks.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/scan.h"
#include "util/stop.h"
#include "util/xalloc.h"

enum { FIRST_LINE_MAX = 64 /* bytes */ };
/*
 * Maximum time to wait for a running recorder, which writes a block each second, and the interval
 * at which to look for it.
 */
#define AWAIT_NS (2 * SECOND)
enum { AWAIT_MS = 20 };

void recording_destroy(struct recording *recording)
{
	if (!recording)
		return;
	process_records_forget(recording, NULL);
	recording_forget(recording);
	recorded_tasks_deinit(&recording->all);
	recorded_blocks_deinit(&recording->blocks);
	vec_deinit_each(&recording->mounts, text_deinit);
	vec_deinit_each(&recording->vdsos, text_deinit);
	vec_deinit(&recording->losses);
	vec_deinit(&recording->files);
	vec_deinit(&recording->kept_dirs);
	recorded_bpfs_deinit(&recording->bpfs);
	text_deinit(&recording->only);
	text_deinit(&recording->kallsyms);
	text_deinit(&recording->modules);
	text_deinit(&recording->module_sections);
	table_deinit(&recording->kernel_build_ids);
	table_deinit(&recording->file_by_number);
	table_deinit(&recording->file_by_build_id);
	table_deinit(&recording->mounts_by_namespace);
	table_deinit(&recording->record_by_task);
	arena_deinit(&recording->strings);
	free(recording->boot_id);
	free(recording->name);
	free(recording);
}

/* ---- opening and reading -------------------------------------------------------------------- */

/* Reads the rest of the last source, but only the index of blocks of processes. */
static void read_blocks(struct recording *recording)
{
	auto_text struct text bytes = {};
	struct recorded_row row;
	struct block_head head;
	enum block_next next;

	recording->source = (uint32_t)recording->blocks.sources.len - 1;
	while ((next = recorded_blocks_next(
			&recording->blocks, recording->source, &bytes, &head)) == BLOCK_READ) {
		struct rows rows = {.bytes = text_scan(&bytes)};

		while (rows_next(&rows, &row))
			recording->odd += !recording_read_row(recording, &row);
		recording->odd += scan_left(&rows.bytes) > 0;
		text_clear(&bytes);
		if (head.first && head.first < recording->begin)
			recording->begin = head.first;
		if (head.complete > recording->end)
			recording->end = head.complete;
	}
	recording->torn |= next == BLOCK_CUT;
}

/*
 * Reads a source. The time since the previous one counts as lost, unless that said there is no gap.
 */
static void read_source(struct recording *recording, const struct recorded_source *source)
{
	struct recorded_loss gap = {.since = recording->end};
	bool begins = !recording->blocks.sources.len || recording->continues;

	vec_push(&recording->blocks.sources, *source);
	recording->continues = recording->ended = false;
	recording->source_begin = 0;
	read_blocks(recording);
	gap.until = recording->source_begin;
	if (begins || gap.until <= gap.since)
		return;
	vec_push(&recording->losses, gap);
	vec_push(&recording->bpfs.losses, gap);
}

struct error *recording_source_open(const char *path, struct recorded_source *ret)
{
	auto_fd int fd = door_open(AT_FDCWD, path, 0, NULL);
	char first[FIRST_LINE_MAX];

	if (fd < 0)
		return file_error(errno, path);
	ssize_t n = pread(fd, first, sizeof(first), 0);
	if (n < 0)
		return error_errno(errno, "%s", path);
	struct scan all = {first, first + n}, line;
	uint64_t version;
	if (!scan_line(&all, &line) || !scan_literal(&line, RECORDING_MAGIC) ||
		!scan_decimal(&line, &version))
		return error_create(ERROR_INPUT, "%s: not a recording of stack2line", path);
	if (version != RECORDING_VERSION)
		return error_create(ERROR_INPUT,
			"%s: recording version %" PRIu64 " is not supported, only version %d: "
			"record again",
			path, version, RECORDING_VERSION);
	*ret = (struct recorded_source){.fd = take_fd(fd), .at = (uint64_t)(all.at - first)};
	return NULL;
}

/* Returns the boot ID at the start of SOURCE, malloc'ed, or NULL if unknown. */
static char *read_boot(const struct recorded_source *source)
{
	scope_guard(recorded_blocks_deinit) struct recorded_blocks blocks = {};
	auto_text struct text bytes = {};
	struct block_head head;
	struct recorded_row row;
	struct scan boot;

	vec_push(&blocks.sources, *source);
	(void)recorded_blocks_next(&blocks, 0, &bytes, &head);
	blocks.sources.data[0].fd = -1; /* owned by SOURCE */
	struct rows rows = {.bytes = text_scan(&bytes)};
	if (!rows_next(&rows, &row) || row.kind != ROW_HOST || !scan_word(&row.text, &boot) ||
		*boot.at == '-')
		return NULL;
	return xstrndup(boot.at, scan_left(&boot));
}

static bool is_read(const struct recorded_blocks *blocks, const struct stat *file)
{
	struct stat st;

	vec_each(source, &blocks->sources)
		if (!fstat(source->fd, &st) && st.st_ino == file->st_ino &&
			st.st_dev == file->st_dev)
			return true;
	return false;
}

/*
 * Reads PATH if it is a segment of this recording that was not read yet. Returns true if it was
 * read.
 */
static bool read_segment(struct recording *recording, const char *path)
{
	struct recorded_source source = {};
	struct stat named, st;

	if (lstat(path, &named) || !S_ISREG(named.st_mode) || is_read(&recording->blocks, &named))
		return false;
	auto_error struct error *error = recording_source_open(path, &source);
	if (error)
		return false;
	bool own = !fstat(source.fd, &st) && st.st_ino == named.st_ino &&
		   st.st_uid == recording->owner;
	auto_free char *boot = own ? read_boot(&source) : NULL;
	own = boot && !strcmp(boot, recording->boot_id);
	if (own)
		read_source(recording, &source);
	else
		close(source.fd);
	return own;
}

/* Reads the older segments, the oldest first. Returns true if any was read. */
static bool read_segments(struct recording *recording)
{
	scope_guard(segments_deinit) struct segments segments = {};
	bool changed = false;

	segments_list(recording->name, &segments);
	vec_each(segment, &segments)
		changed |= read_segment(recording, segment->path);
	return changed;
}

struct error *recording_open(const char *path, const char *proc_root, struct recording **ret)
{
	auto_free char *boot_id = procfs_boot_id(proc_root);
	struct recorded_source source = {};
	struct stat st = {};

	try(recording_source_open(path, &source));
	struct recording *recording = xnew(recording);
	recording->name = xstrdup(path);
	recording->boot_id = read_boot(&source);
	if (recording->boot_id && !fstat(source.fd, &st)) {
		recording->owner = st.st_uid;
		read_segments(recording);
	}
	/* the opened file may have been renamed to a segment, and read above */
	if (is_read(&recording->blocks, &st)) {
		close(source.fd);
		read_segment(recording, path);
	} else {
		read_source(recording, &source);
	}
	recorded_bpfs_finish(&recording->bpfs);
	recorded_losses_order(&recording->losses);
	recording->foreign =
		!boot_id || !recording->boot_id || strcmp(boot_id, recording->boot_id) != 0;
	*ret = recording;
	return NULL;
}

/*
 * Reads what was appended. If the name now belongs to another file, reads the new segments and that
 * file too. Returns true if anything was read.
 */
static bool read_more(struct recording *recording)
{
	struct recorded_blocks *blocks = &recording->blocks;
	uint64_t before = vec_last(&blocks->sources)->at;
	struct stat now;

	read_blocks(recording);
	bool changed = vec_last(&blocks->sources)->at > before;
	if (stat(recording->name, &now) || is_read(blocks, &now))
		return changed;
	read_blocks(recording); /* written between reading and renaming */
	changed |= read_segments(recording);
	return read_segment(recording, recording->name) || changed;
}

/* Returns true if a recorder is running: it locks its file, except between two segments. */
static bool is_running(const struct recording *recording)
{
	struct flock lock = {.l_type = F_WRLCK};

	return recording->continues ||
	       (!fcntl(vec_last(&recording->blocks.sources)->fd, F_OFD_GETLK, &lock) &&
		       lock.l_type != F_UNLCK);
}

bool recording_await(struct recording *recording, uint64_t time)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (time > now)
		time = now;
	if (time <= recording->end || !recording->boot_id)
		return false;
	bool changed = read_more(recording);
	while (recording->end < time && !stop_asked() && is_running(recording) &&
		clock_ns(CLOCK_MONOTONIC) - now < AWAIT_NS) {
		(void)poll(NULL, 0, AWAIT_MS);
		changed |= read_more(recording);
	}
	if (!changed)
		return false;
	recorded_bpfs_finish(&recording->bpfs);
	recorded_losses_order(&recording->losses);
	process_records_forget(recording, NULL);
	recorded_tasks_deinit(&recording->all);
	recording->all = (struct recorded_tasks){};
	recording->has_all = false;
	recording->scanned = recording->blocks.n_unpacked = 0;
	return true;
}

void recording_notes(const struct recording *recording, struct log *log)
{
	if (recording->lost)
		log_add(log, LOG_WARNING, 1,
			"%s: %" PRIu64 " event%s lost during recording: processes and mappings may "
			"be missing",
			recording->name, recording->lost, recording->lost == 1 ? " was" : "s were");
	if (recording->torn)
		log_add(log, LOG_WARNING, 1,
			"%s: the last record is truncated: the recorder was killed, or is still "
			"running",
			recording->name);
	log_add(log, LOG_WARNING, recording->blocks.damaged,
		"%s: a block is damaged: the processes in it have no names", recording->name);
	if (recording->odd)
		log_add(log, LOG_WARNING, 1, "%s: %" PRIu64 " record%s not understood",
			recording->name, recording->odd, recording->odd == 1 ? " was" : "s were");
}

/* ---- queries -------------------------------------------------------------------------------- */

#define FOUR_GIB (1ULL << 32)

const struct text *recording_mounts(const struct recording *recording, uint64_t namespace)
{
	uint64_t *index =
		table_find(&recording->mounts_by_namespace, &namespace, sizeof(namespace));

	return index ? &recording->mounts.data[*index] : NULL;
}

const struct recorded_file *recording_file_of(
	const struct recording *recording, const struct build_id *id)
{
	size_t len = id->len;
	uint64_t *index = table_find(&recording->file_by_build_id, id->bytes, len);

	/* bpf_stack_build_id pads short IDs with zeros to 20 bytes */
	while (!index && id->len == BUILD_ID_BPF_LEN && len > 1 && !id->bytes[len - 1])
		index = table_find(&recording->file_by_build_id, id->bytes, --len);
	return index ? recording->files.data[*index] : NULL;
}

struct build_id recording_kernel_build_id(const struct recording *recording, const char *name)
{
	const uint64_t *id = table_find(&recording->kernel_build_ids, name, strlen(name));

	return id ? *(const struct build_id *)(uintptr_t)*id : (struct build_id){};
}

const struct text *recording_vdso(const struct recording *recording, uint64_t start, uint64_t size)
{
	/* e_ident[EI_CLASS]: ELFCLASS32, ELFCLASS64 */
	char wanted = start < FOUR_GIB ? 1 : 2;

	vec_each(vdso, &recording->vdsos)
		if (vdso->len == size && vdso->data[4] == wanted)
			return vdso;
	return NULL;
}
