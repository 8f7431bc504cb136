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

#include "process/recording/block.h"
#include "process/recording/print.h"
#include "util/scan.h"

/*
 * Files are forgotten (and numbered anew) when they are so many. Blocks end with so many records or
 * bytes, or when the first of them has waited for so long (ns).
 */
enum { FILES_MAX = 1 << 20, RECORDS_MAX = 1 << 16, BYTES_MAX = 1 << 22 };
#define WAIT_MAX 1000000000ULL
enum { LAST_MS = 500, POLL_MS = 100 };

void recorder_deinit(struct recorder *recorder)
{
	text_deinit(&recorder->out);
	text_deinit(&recorder->lines);
	recorded_columns_deinit(&recorder->columns);
	table_deinit(&recorder->files);
}

/* Readers see by the lock that the recorder runs (recording_await()). */
static void look_at_file(struct recorder *recorder)
{
	struct flock lock = {.l_type = F_WRLCK};
	struct stat st;

	recorder->regular = !fstat(recorder->fd, &st) && S_ISREG(st.st_mode);
	if (recorder->regular)
		(void)fcntl(recorder->fd, F_OFD_SETLK, &lock);
	recorder->looked = true;
}

/* Waits until a pipe takes something. False: the recorder is to end, and there is no reader. */
static bool wait_for_reader(const struct recorder *recorder)
{
	struct pollfd out = {.fd = recorder->fd, .events = POLLOUT};

	for (int waited = 0; waited < LAST_MS;
		waited += recorder->stop && *recorder->stop ? POLL_MS : 0)
		if (poll(&out, 1, POLL_MS) > 0)
			return true;
	return false;
}

/* Up to LEN bytes, as many as can be written without waiting for long. */
static ssize_t write_some(const struct recorder *recorder, const char *data, size_t len)
{
	if (recorder->regular)
		return write(recorder->fd, data, len);
	if (!wait_for_reader(recorder)) {
		errno = ETIMEDOUT;
		return -1;
	}
	return write(recorder->fd, data, len < PIPE_BUF ? len : PIPE_BUF);
}

/* A disk that is full leaves a block cut, of which DONE bytes were written: it is taken back. */
static void cut_last(const struct recorder *recorder, size_t done)
{
	off_t at = lseek(recorder->fd, 0, SEEK_CUR);

	if (recorder->regular && done && at >= (off_t)done &&
		!ftruncate(recorder->fd, at - (off_t)done))
		(void)lseek(recorder->fd, 0, SEEK_END);
}

static void write_out(struct recorder *recorder)
{
	struct text *out = &recorder->out;
	size_t done = 0;

	if (!recorder->looked)
		look_at_file(recorder);
	while (done < out->len && !recorder->errnum) {
		ssize_t n = write_some(recorder, out->data + done, out->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR)
			recorder->errnum = errno;
	}
	recorder->written += done;
	if (recorder->errnum)
		cut_last(recorder, done);
	text_clear(out);
}

/* What the records of processes name stands before them. The last block of several is the one that COMPLETEs. */
static void write_lines(struct recorder *recorder, uint64_t complete)
{
	const struct block_head head = {.kind = BLOCK_LINES, .complete = complete};
	const struct text index = {};

	if (!recorder->lines.len && !complete)
		return;
	block_add(&recorder->out, &head, &index, &recorder->lines);
	recorder->bytes += recorder->lines.len;
	text_clear(&recorder->lines);
	write_out(recorder);
}

static void write_events(struct recorder *recorder)
{
	struct recorded_columns *columns = &recorder->columns;
	const struct block_head head = {
		.kind = BLOCK_EVENTS,
		.records = (uint32_t)columns->records,
		.first = columns->first,
		.complete = recorder->complete,
	};
	struct text index = {}, unpacked = {};

	recorded_columns_take(columns, &index, &unpacked);
	recorder->bytes += unpacked.len;
	block_add(&recorder->out, &head, &index, &unpacked);
	text_deinit(&index);
	text_deinit(&unpacked);
	write_out(recorder);
}

static void write_blocks(struct recorder *recorder)
{
	if (recorder->out.len) /* the first line */
		write_out(recorder);
	bool events = recorded_columns_bytes(&recorder->columns);
	write_lines(recorder, events ? 0 : recorder->complete);
	if (events)
		write_events(recorder);
	recorder->since = 0;
}

struct error *recorder_flush(struct recorder *recorder)
{
	write_blocks(recorder);
	return recorder->errnum ? error_errno(recorder->errnum, "cannot write the recording")
				: NULL;
}

uint64_t recorder_given(const struct recorder *recorder)
{
	return recorder->bytes + recorder->lines.len + recorded_columns_bytes(&recorder->columns);
}

struct error *recorder_poll(struct recorder *recorder, uint64_t now)
{
	if (!recorder->since)
		recorder->since = now;
	return recorder->errnum || now - recorder->since >= WAIT_MAX ? recorder_flush(recorder)
								     : NULL;
}

/* ---- fields --------------------------------------------------------------------------------- */

static void add_number(struct text *text, uint64_t number)
{
	text_add_char(text, ' ');
	text_add_decimal(text, number);
}

static void add_hex(struct text *text, uint64_t number)
{
	char digits[17];
	size_t at = sizeof(digits);

	do
		digits[--at] = "0123456789abcdef"[number & 15];
	while (number >>= 4);
	digits[--at] = ' ';
	text_add(text, digits + at, sizeof(digits) - at);
}

static void add_string(struct text *text, const char *s)
{
	recorded_string_add(text, s, strlen(s));
}

/* Ends a line of LINES, those of the system or of processes. */
static void end_line(struct recorder *recorder, struct text *lines)
{
	text_add_char(lines, '\n');
	if (lines->len >= BYTES_MAX)
		write_blocks(recorder);
}

/* Records of PID that are lines as well stand in the block with what it did. */
static struct text *begin_process_line(struct recorder *recorder, const char *word, uint32_t pid)
{
	struct text *lines = &recorder->columns.columns[COLUMN_LINES];

	ids_add(&recorder->columns.ids, pid);
	text_add_string(lines, word);
	add_number(lines, pid);
	return lines;
}

static void add_build_id(struct text *text, const struct build_id *id)
{
	text_add_char(text, ' ');
	text_add_string(text, id->len ? build_id_hex(id).digits : "-");
}

void recorder_renew(struct recorder *recorder, int fd)
{
	table_deinit(&recorder->files);
	recorder->n_files = recorder->written = 0;
	recorder->looked = false;
	recorder->fd = fd;
}

/* ---- records -------------------------------------------------------------------------------- */

void recorder_begin(struct recorder *recorder, const char *boot_id, const char *machine,
	const char *release, const struct recorder_clocks *clocks)
{
	text_printf(&recorder->out, RECORDING_MAGIC "%d\n", RECORDING_VERSION);
	text_printf(&recorder->lines, "host %s %s %s\n", boot_id, machine, release);
	text_printf(&recorder->lines, "begin %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		clocks->monotonic, clocks->realtime, clocks->boottime);
}

void recorder_only(struct recorder *recorder, const char *kind, const char *name)
{
	text_printf(&recorder->lines, "only %s", kind);
	add_string(&recorder->lines, name);
	end_line(recorder, &recorder->lines);
}

void recorder_keeps(struct recorder *recorder, const char *dir)
{
	text_add_string(&recorder->lines, "keeps");
	add_string(&recorder->lines, dir);
	end_line(recorder, &recorder->lines);
}

void recorder_kept(struct recorder *recorder, const struct recorded_copy *copy)
{
	struct text *lines = begin_process_line(recorder, "kept", copy->pid);

	add_number(lines, copy->time);
	add_number(lines, copy->since);
	add_hex(lines, copy->start);
	add_hex(lines, copy->end);
	add_hex(lines, copy->offset);
	add_number(lines, copy->size);
	add_string(lines, copy->name);
	end_line(recorder, lines);
}

static void write_file(struct recorder *recorder, const struct recorded_file *file)
{
	struct text *text = &recorder->lines;

	text_add_string(text, "file");
	add_number(text, recorder->n_files);
	add_build_id(text, &file->build_id);
	add_hex(text, file->dev_major);
	text_printf(text, ":%x", file->dev_minor);
	add_number(text, file->inode);
	add_number(text, file->size);
	add_number(text, (uint64_t)file->mtime);
	text_add_string(text, file->deleted ? " d" : " -");
	if (file->ctime)
		text_printf(text, "%" PRId64, file->ctime);
	add_string(text, file->path);
	end_line(recorder, text);
}

uint32_t recorder_file(struct recorder *recorder, const struct recorded_file *file)
{
	struct text key = {};
	bool added;

	if (recorder->files.len >= FILES_MAX)
		table_deinit(&recorder->files);
	const uint64_t numbers[] = {file->dev_major, file->dev_minor, file->inode, file->size,
		(uint64_t)file->mtime, (uint64_t)file->ctime, file->deleted, file->build_id.len};
	text_add(&key, (const char *)numbers, sizeof(numbers));
	text_add(&key, (const char *)file->build_id.bytes, file->build_id.len);
	text_add_string(&key, file->path);
	uint64_t *number = table_at(&recorder->files, key.data, key.len, &added);
	text_deinit(&key);
	if (added) {
		*number = ++recorder->n_files;
		write_file(recorder, file);
	}
	return (uint32_t)*number;
}

void recorder_event(struct recorder *recorder, const struct recorded_event *event)
{
	recorded_columns_add(&recorder->columns, event);
	recorder->n_events[event->kind]++;
	if (recorder->columns.records >= RECORDS_MAX)
		write_blocks(recorder);
}

void recorder_lines(struct recorder *recorder, const char *word, const struct text *text)
{
	const char *at = text->len ? text->data : "";
	struct scan all = {at, at + text->len}, line;

	while (scan_line(&all, &line)) {
		text_add_string(&recorder->lines, word);
		recorded_string_add(&recorder->lines, line.at, scan_left(&line));
		end_line(recorder, &recorder->lines);
	}
}

void recorder_mounts(struct recorder *recorder, uint64_t namespace, const struct text *text)
{
	char word[32];

	snprintf(word, sizeof(word), "mount %" PRIu64, namespace);
	text_printf(&recorder->lines, "mounts %" PRIu64 "\n", namespace);
	recorder_lines(recorder, word, text);
}

/* The numbers are looked for, too. */
static void add_inner_ids(struct recorder *recorder, const char *numbers)
{
	struct scan s = {numbers, numbers + strlen(numbers)};
	uint64_t namespace, inner;

	while (scan_decimal(&s, &namespace) && scan_char(&s, ':') && scan_decimal(&s, &inner)) {
		ids_add(&recorder->columns.others, (uint32_t)inner);
		if (!scan_char(&s, ','))
			break;
	}
}

void recorder_pids(struct recorder *recorder, uint32_t pid, uint64_t time, const char *numbers)
{
	struct text *lines = begin_process_line(recorder, "pids", pid);

	add_number(lines, time);
	text_add_char(lines, ' ');
	text_add_string(lines, numbers);
	add_inner_ids(recorder, numbers);
	end_line(recorder, lines);
}

static void write_jit_line(
	struct recorder *recorder, uint32_t pid, uint64_t time, const struct jit_line *line)
{
	struct text *lines = begin_process_line(recorder, "jitline", pid);

	add_number(lines, time);
	add_hex(lines, line->address);
	add_number(lines, line->line);
	add_number(lines, line->column);
	add_string(lines, line->file);
	end_line(recorder, lines);
}

void recorder_jit_look(struct recorder *recorder, uint32_t pid, uint64_t time)
{
	struct text *lines = begin_process_line(recorder, "jitlook", pid);

	add_number(lines, time);
	end_line(recorder, lines);
}

void recorder_jit(struct recorder *recorder, uint32_t pid, uint64_t time, bool exact,
	const struct jit_map *map, const struct jit_symbol *symbol)
{
	struct text *lines = begin_process_line(recorder, exact ? "jitmade" : "jit", pid);

	add_number(lines, time);
	add_hex(lines, symbol->start);
	add_hex(lines, symbol->end - symbol->start);
	add_string(lines, symbol->name);
	end_line(recorder, lines);
	for (size_t i = 0; i < symbol->n_lines; i++)
		if (map->lines.data[symbol->first_line + i].file)
			write_jit_line(
				recorder, pid, time, &map->lines.data[symbol->first_line + i]);
}

void recorder_bpf(
	struct recorder *recorder, uint64_t time, uint64_t start, uint64_t end, const char *name)
{
	struct text *text = &recorder->lines;

	text_printf(text, "bpf %" PRIu64 " %" PRIx64 " %" PRIx64, time, start, end - start);
	add_string(text, name);
	end_line(recorder, text);
}

void recorder_bpf_line(struct recorder *recorder, uint64_t address, uint32_t line, uint32_t column,
	const char *file)
{
	struct text *text = &recorder->lines;

	text_add_string(text, "bpfline");
	add_hex(text, address);
	add_number(text, line);
	add_number(text, column);
	add_string(text, file);
	end_line(recorder, text);
}

void recorder_bpf_gone(struct recorder *recorder, uint64_t time, uint64_t start)
{
	text_printf(&recorder->lines, "bpfgone %" PRIu64 " %" PRIx64, time, start);
	end_line(recorder, &recorder->lines);
}

void recorder_bpf_lost(struct recorder *recorder, uint64_t time, uint64_t since)
{
	text_printf(&recorder->lines, "bpflost %" PRIu64 " %" PRIu64, time, since);
	end_line(recorder, &recorder->lines);
}

void recorder_vdso(struct recorder *recorder, const char *image, size_t size)
{
	text_add_string(&recorder->lines, "vdso ");
	for (size_t i = 0; i < size; i++) {
		text_add_char(&recorder->lines, "0123456789abcdef"[(unsigned char)image[i] >> 4]);
		text_add_char(&recorder->lines, "0123456789abcdef"[image[i] & 15]);
	}
	end_line(recorder, &recorder->lines);
}

void recorder_kernel_build_id(
	struct recorder *recorder, const char *name, const struct build_id *id)
{
	text_add_string(&recorder->lines, "kbuild");
	add_build_id(&recorder->lines, id);
	add_string(&recorder->lines, name);
	end_line(recorder, &recorder->lines);
}

void recorder_lost(struct recorder *recorder, uint64_t time, uint64_t count, uint64_t since)
{
	recorder->lost += count;
	text_printf(&recorder->lines, "lost %" PRIu64 " %" PRIu64 " %" PRIu64, time, count, since);
	end_line(recorder, &recorder->lines);
}

void recorder_end(struct recorder *recorder, uint64_t time, bool continues)
{
	write_blocks(recorder); /* the record is the last one */
	recorder->complete = 0;
	text_printf(&recorder->lines, "%s %" PRIu64 "\n", continues ? "continues" : "end", time);
}
