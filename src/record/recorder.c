// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/scan.h"
#include "util/xalloc.h"

/*
 * Known files are forgotten, and numbered again, when there are FILES_MAX. A block ends at
 * RECORDS_MAX rows or BYTES_MAX bytes, or after WAIT_MAX ns.
 */
enum { FILES_MAX = 1 << 20, RECORDS_MAX = 1 << 16, BYTES_MAX = 1 << 22 };
#define WAIT_MAX 1000000000ULL
enum { LAST_MS = 500, POLL_MS = 100 };

void recorder_deinit(struct recorder *recorder)
{
	text_deinit(&recorder->out);
	text_deinit(&recorder->system.bytes);
	text_deinit(&recorder->processes.bytes);
	vec_deinit(&recorder->ids);
	vec_deinit(&recorder->others);
	table_deinit(&recorder->files);
}

/*
 * Writes up to LEN bytes without blocking for long. Fails with ETIMEDOUT if the recorder is to stop
 * and nobody reads from the pipe.
 */
static ssize_t write_some(const struct recorder *recorder, const char *data, size_t len)
{
	struct pollfd out = {.fd = recorder->fd, .events = POLLOUT};
	int waited = 0;

	while (!recorder->regular && poll(&out, 1, POLL_MS) <= 0) {
		waited += recorder->stop && *recorder->stop ? POLL_MS : 0;
		if (waited >= LAST_MS) {
			errno = ETIMEDOUT;
			return -1;
		}
	}
	return write(recorder->fd, data, recorder->regular || len < PIPE_BUF ? len : PIPE_BUF);
}

static void write_out(struct recorder *recorder)
{
	struct text *out = &recorder->out;
	size_t done = 0;

	while (done < out->len && !recorder->errnum) {
		ssize_t n = write_some(recorder, out->data + done, out->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR)
			recorder->errnum = errno;
	}
	recorder->written += done;
	/* remove the part of a block that was written before the disk was full */
	if (recorder->errnum && recorder->regular && done) {
		off_t at = lseek(recorder->fd, 0, SEEK_CUR);

		if (at >= (off_t)done && !ftruncate(recorder->fd, at - (off_t)done))
			(void)lseek(recorder->fd, 0, SEEK_END);
	}
	text_clear(out);
}

static void write_block(
	struct recorder *recorder, struct recorder_rows *rows, const struct block_head *head)
{
	struct text index = {};

	if (head->kind == BLOCK_PROCESSES)
		block_index_add(&index, &recorder->ids, &recorder->others);
	block_add(&recorder->out, head, &index, &rows->bytes);
	recorder->bytes += rows->bytes.len;
	text_clear(&rows->bytes);
	rows->state = (struct row_state){};
	text_deinit(&index);
	write_out(recorder);
}

/*
 * Writes system rows first, because process rows refer to them. Only the last block has the time up
 * to which the recording is complete.
 */
static void write_blocks(struct recorder *recorder)
{
	const uint64_t complete = recorder->complete;
	const struct block_head system = {
		.kind = BLOCK_SYSTEM, .complete = recorder->records ? 0 : complete};
	const struct block_head processes = {.kind = BLOCK_PROCESSES,
		.records = recorder->records,
		.first = recorder->first,
		.complete = complete};

	if (recorder->out.len) /* the magic line */
		write_out(recorder);
	if (recorder->system.bytes.len || system.complete)
		write_block(recorder, &recorder->system, &system);
	if (recorder->records)
		write_block(recorder, &recorder->processes, &processes);
	recorder->ids.len = recorder->others.len = recorder->records = 0;
	recorder->first = recorder->since = 0;
}

struct error *recorder_flush(struct recorder *recorder)
{
	write_blocks(recorder);
	return recorder->errnum ? error_errno(recorder->errnum, "cannot write the recording")
				: NULL;
}

uint64_t recorder_given(const struct recorder *recorder)
{
	return recorder->bytes + recorder->system.bytes.len + recorder->processes.bytes.len;
}

struct error *recorder_poll(struct recorder *recorder, uint64_t now)
{
	if (!recorder->since)
		recorder->since = now;
	return recorder->errnum || now - recorder->since >= WAIT_MAX ? recorder_flush(recorder)
								     : NULL;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void note_id(struct ids *ids, uint64_t id)
{
	if (!ids->len || *vec_last(ids) != id)
		vec_push(ids, (uint32_t)id);
}

void recorder_add(struct recorder *recorder, const struct recorded_row *row)
{
	struct recorder_rows *rows =
		row->kind < ROW_SYSTEM ? &recorder->processes : &recorder->system;

	row_add(&rows->bytes, &rows->state, row);
	if (row->kind < ROW_SYSTEM) { /* for the index and head of the block */
		note_id(&recorder->ids, row->numbers[0]);
		if (row->kind == ROW_FORK || row->kind == ROW_THREAD)
			note_id(&recorder->others, row->numbers[2]);
		if (row->kind == ROW_PID)
			note_id(&recorder->others, row->numbers[3]);
		recorder->records++;
		if (row->kind <= ROW_EXIT &&
			(!recorder->first || row->numbers[1] < recorder->first))
			recorder->first = row->numbers[1];
	}
	recorder->mappings += row->kind == ROW_MAP;
	recorder->lost += row->kind == ROW_LOST ? row->numbers[1] : 0;
	if (rows->bytes.len >= BYTES_MAX || recorder->records >= RECORDS_MAX)
		write_blocks(recorder);
}

void recorder_begin(struct recorder *recorder, const char *boot_id, const char *machine,
	const char *release, const struct recorder_clocks *clocks)
{
	auto_free char *host = xasprintf("%s %s %s", boot_id, machine, release);
	struct flock lock = {.l_type = F_WRLCK};
	struct stat st;

	table_deinit(&recorder->files);
	recorder->n_files = recorder->written = 0;
	recorder->regular = !fstat(recorder->fd, &st) && S_ISREG(st.st_mode);
	/* the lock shows readers that the recorder runs (recording_await()) */
	if (recorder->regular)
		(void)fcntl(recorder->fd, F_OFD_SETLK, &lock);
	text_printf(&recorder->out, RECORDING_MAGIC "%d\n", RECORDING_VERSION);
	recorder_row(recorder, ROW_HOST, host);
	recorder_row(
		recorder, ROW_BEGIN, "", clocks->monotonic, clocks->realtime, clocks->boottime);
}

/* Returns "BUILDID NAME", for the caller to free. */
static char *identity(const struct build_id *id, const char *name)
{
	return xasprintf("%s %s", id->len ? build_id_hex(id).digits : "-", name);
}

uint32_t recorder_file(struct recorder *recorder, const struct recorded_file *file)
{
	struct recorded_row row = {
		.kind = ROW_FILE,
		.numbers = {0, file->dev_major, file->dev_minor, file->inode, file->size,
			(uint64_t)file->mtime, (uint64_t)file->ctime, file->deleted},
	};
	auto_text struct text key = {};
	bool added;

	if (recorder->files.len >= FILES_MAX)
		table_deinit(&recorder->files);
	text_add(&key, (const char *)row.numbers, sizeof(row.numbers));
	text_add(&key, (const char *)&file->build_id, sizeof(file->build_id));
	text_add_string(&key, file->path);
	uint64_t *number = table_at(&recorder->files, key.data, key.len, &added);
	if (added) {
		auto_free char *text = identity(&file->build_id, file->path);

		row.numbers[0] = *number = ++recorder->n_files;
		row.text = scan_of(text);
		recorder_add(recorder, &row);
	}
	return (uint32_t)*number;
}

void recorder_lines(struct recorder *recorder, enum row_kind kind, const struct text *text)
{
	struct scan all = text_scan(text);
	struct recorded_row row = {.kind = kind};

	while (scan_line(&all, &row.text))
		recorder_add(recorder, &row);
}

void recorder_mounts(struct recorder *recorder, uint64_t namespace, const struct text *text)
{
	struct scan all = text_scan(text);
	struct recorded_row row = {.kind = ROW_MOUNT, .numbers = {namespace}};

	recorder_row(recorder, ROW_MOUNTS, "", namespace);
	while (scan_line(&all, &row.text))
		recorder_add(recorder, &row);
}

void recorder_kernel_build_id(
	struct recorder *recorder, const char *name, const struct build_id *id)
{
	auto_free char *text = identity(id, name);

	recorder_row(recorder, ROW_KBUILD, text);
}

void recorder_end(struct recorder *recorder, uint64_t time, bool continues)
{
	write_blocks(recorder); /* so that the row is the last one */
	recorder->complete = 0;
	recorder_row(recorder, continues ? ROW_CONTINUES : ROW_END, "", time);
}
