// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/scan.h"

/* Written when so much is there; files are forgotten (and numbered anew) when they are so many. */
enum { WRITE_BYTES = 1 << 18, FILES_MAX = 1 << 20 };
enum { LAST_MS = 500, POLL_MS = 100 };

void recorder_deinit(struct recorder *recorder)
{
	text_deinit(&recorder->text);
	table_deinit(&recorder->files);
}

static void look_at_file(struct recorder *recorder)
{
	struct stat st;

	recorder->regular = !fstat(recorder->fd, &st) && S_ISREG(st.st_mode);
	recorder->looked = true;
}

/* Waits until a pipe takes something. False: the end was asked for, and nobody reads. */
static bool wait_for_reader(const struct recorder *recorder)
{
	struct pollfd out = {.fd = recorder->fd, .events = POLLOUT};

	for (int waited = 0; waited < LAST_MS; waited += recorder->stop && *recorder->stop ? POLL_MS : 0)
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

/* A disk that is full leaves the last record cut: DONE bytes of the text were written. */
static void cut_last(const struct recorder *recorder, size_t done)
{
	const struct text *text = &recorder->text;
	const char *end = done ? memrchr(text->data, '\n', done) : NULL;
	size_t whole = end ? (size_t)(end + 1 - text->data) : 0;
	off_t at = lseek(recorder->fd, 0, SEEK_CUR);

	if (recorder->regular && at >= (off_t)(done - whole) && whole < done &&
		!ftruncate(recorder->fd, at - (off_t)(done - whole)))
		(void)lseek(recorder->fd, 0, SEEK_END);
}

static void write_text(struct recorder *recorder)
{
	struct text *text = &recorder->text;
	size_t done = 0;

	if (!recorder->looked)
		look_at_file(recorder);
	while (done < text->len && !recorder->errnum) {
		ssize_t n = write_some(recorder, text->data + done, text->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR)
			recorder->errnum = errno;
	}
	if (recorder->errnum)
		cut_last(recorder, done);
	recorder->bytes += text->len;
	text_clear(text);
}

struct error *recorder_flush(struct recorder *recorder)
{
	write_text(recorder);
	return recorder->errnum ? error_errno(recorder->errnum, "cannot write the recording")
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

/* The last field of a line: whatever could end the line or be taken for an escape is %HH. */
static void add_string(struct text *text, const char *s, size_t len)
{
	text_add_char(text, ' ');
	for (size_t i = 0, plain; i < len; i += plain + 1) {
		for (plain = 0; i + plain < len; plain++) {
			unsigned char c = (unsigned char)s[i + plain];

			if (c < 0x20 || c >= 0x7f || c == '%')
				break;
		}
		text_add(text, s + i, plain);
		if (i + plain < len)
			text_printf(text, "%%%02x", (unsigned char)s[i + plain]);
	}
}

static void end_line(struct recorder *recorder)
{
	text_add_char(&recorder->text, '\n');
	if (recorder->text.len >= WRITE_BYTES)
		write_text(recorder);
}

static void add_build_id(struct text *text, const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1];

	build_id_format(id, hex);
	text_add_char(text, ' ');
	text_add_string(text, id->len ? hex : "-");
}

/* ---- records -------------------------------------------------------------------------------- */

void recorder_begin(struct recorder *recorder, const char *boot_id, const char *machine,
	const char *release, const struct recorder_clocks *clocks)
{
	text_printf(&recorder->text, RECORDING_MAGIC "%d\nhost %s %s %s\n", RECORDING_VERSION,
		boot_id, machine, release);
	text_printf(&recorder->text, "begin %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		clocks->monotonic, clocks->realtime, clocks->boottime);
}

static void write_file(struct recorder *recorder, const struct recorded_file *file)
{
	struct text *text = &recorder->text;

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
	add_string(text, file->path, strlen(file->path));
	end_line(recorder);
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
	static const char *const words[] = {
		[RECORDED_PROC] = "proc",
		[RECORDED_FORK] = "fork",
		[RECORDED_THREAD] = "thread",
		[RECORDED_EXEC] = "exec",
		[RECORDED_COMM] = "comm",
		[RECORDED_MAP] = "map",
		[RECORDED_MOUNTS] = "ns",
		[RECORDED_EXIT] = "exit",
	};
	struct text *text = &recorder->text;

	text_add_string(text, words[event->kind]);
	add_number(text, event->pid);
	add_number(text, event->time);
	if (event->kind == RECORDED_MAP) {
		add_hex(text, event->start);
		add_hex(text, event->end);
		add_hex(text, event->offset);
	}
	if (event->kind == RECORDED_PROC)
		add_number(text, event->started);
	if (event->kind == RECORDED_PROC || event->kind == RECORDED_MOUNTS)
		add_number(text, event->offset);
	if (event->kind == RECORDED_PROC)
		text_printf(text, " %s", event->nspid);
	if (event->kind == RECORDED_MAP || event->kind == RECORDED_FORK ||
		event->kind == RECORDED_THREAD)
		add_number(text, event->other);
	if (event->comm)
		add_string(text, event->comm, strlen(event->comm));
	recorder->n_events[event->kind]++;
	end_line(recorder);
}

void recorder_lines(struct recorder *recorder, const char *word, const char *text, size_t len)
{
	struct scan all = {text, text + len}, line;

	while (scan_line(&all, &line)) {
		text_add_string(&recorder->text, word);
		add_string(&recorder->text, line.at, scan_left(&line));
		end_line(recorder);
	}
}

void recorder_mounts(struct recorder *recorder, uint64_t namespace, const struct text *text)
{
	char word[32];

	snprintf(word, sizeof(word), "mount %" PRIu64, namespace);
	text_printf(&recorder->text, "mounts %" PRIu64 "\n", namespace);
	recorder_lines(recorder, word, text->data ? text->data : "", text->len);
}

void recorder_pids(
	struct recorder *recorder, uint32_t pid, uint64_t time, const char *numbers)
{
	text_printf(&recorder->text, "pids %" PRIu32 " %" PRIu64 " %s", pid, time, numbers);
	end_line(recorder);
}

static void write_jit_line(
	struct recorder *recorder, uint32_t pid, uint64_t time, const struct jit_line *line)
{
	struct text *text = &recorder->text;

	text_add_string(text, "jitline");
	add_number(text, pid);
	add_number(text, time);
	add_hex(text, line->address);
	add_number(text, line->line);
	add_number(text, line->column);
	add_string(text, line->file, strlen(line->file));
	end_line(recorder);
}

void recorder_jit_look(struct recorder *recorder, uint32_t pid, uint64_t time)
{
	text_add_string(&recorder->text, "jitlook");
	add_number(&recorder->text, pid);
	add_number(&recorder->text, time);
	end_line(recorder);
}

void recorder_jit(struct recorder *recorder, uint32_t pid, uint64_t time, bool exact,
	const struct jit_map *map, const struct jit_symbol *symbol)
{
	struct text *text = &recorder->text;

	text_add_string(text, exact ? "jitmade" : "jit");
	add_number(text, pid);
	add_number(text, time);
	add_hex(text, symbol->start);
	add_hex(text, symbol->end - symbol->start);
	add_string(text, symbol->name, strlen(symbol->name));
	end_line(recorder);
	for (size_t i = 0; i < symbol->n_lines; i++)
		if (map->lines.data[symbol->first_line + i].file)
			write_jit_line(
				recorder, pid, time, &map->lines.data[symbol->first_line + i]);
}

void recorder_bpf(struct recorder *recorder, uint64_t time, uint64_t start, uint64_t end,
	const char *name)
{
	struct text *text = &recorder->text;

	text_add_string(text, "bpf");
	add_number(text, time);
	add_hex(text, start);
	add_hex(text, end - start);
	add_string(text, name, strlen(name));
	end_line(recorder);
}

void recorder_bpf_line(struct recorder *recorder, uint64_t address, uint32_t line,
	uint32_t column, const char *file)
{
	struct text *text = &recorder->text;

	text_add_string(text, "bpfline");
	add_hex(text, address);
	add_number(text, line);
	add_number(text, column);
	add_string(text, file, strlen(file));
	end_line(recorder);
}

void recorder_bpf_gone(struct recorder *recorder, uint64_t time, uint64_t start)
{
	text_add_string(&recorder->text, "bpfgone");
	add_number(&recorder->text, time);
	add_hex(&recorder->text, start);
	end_line(recorder);
}

void recorder_vdso(struct recorder *recorder, const char *image, size_t size)
{
	text_add_string(&recorder->text, "vdso ");
	for (size_t i = 0; i < size; i++) {
		text_add_char(&recorder->text, "0123456789abcdef"[(unsigned char)image[i] >> 4]);
		text_add_char(&recorder->text, "0123456789abcdef"[image[i] & 15]);
	}
	end_line(recorder);
}

void recorder_kernel_build_id(
	struct recorder *recorder, const char *name, const struct build_id *id)
{
	text_add_string(&recorder->text, "kbuild");
	add_build_id(&recorder->text, id);
	add_string(&recorder->text, name, strlen(name));
	end_line(recorder);
}

void recorder_lost(struct recorder *recorder, uint64_t time, uint64_t count)
{
	recorder->lost += count;
	text_printf(&recorder->text, "lost %" PRIu64 " %" PRIu64, time, count);
	end_line(recorder);
}

void recorder_end(struct recorder *recorder, uint64_t time)
{
	text_printf(&recorder->text, "end %" PRIu64, time);
	end_line(recorder);
}
