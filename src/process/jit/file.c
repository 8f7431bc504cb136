// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/jit/perf_map.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

/*
 * limit of bytes read from a rewritten file, in multiples of JIT_FILE_MAX: old names stay in memory
 */
enum { READ_AGAIN_MAX = 2 };

void jit_file_init(struct jit_file *file, int fd_taken, bool is_dump)
{
	struct stat st;

	*file = (struct jit_file){.fd = fd_taken, .is_dump = is_dump};
	if (fd_taken >= 0 && !fstat(fd_taken, &st)) {
		file->device = st.st_dev;
		file->inode = st.st_ino;
	}
}

void jit_file_deinit(struct jit_file *file)
{
	cleanup_fd(&file->fd);
	jitdump_deinit(&file->dump);
}

void jit_file_rewind(struct jit_file *file)
{
	int fd = file->fd;

	if (file->is_dump)
		return;
	file->fd = -1;
	jit_file_deinit(file);
	jit_file_init(file, fd, false);
}

static bool has_changed(struct jit_file *file, const struct stat *st)
{
	bool changed = file->size != (uint64_t)st->st_size || file->mtime_s != st->st_mtim.tv_sec ||
		       file->mtime_ns != st->st_mtim.tv_nsec;

	file->size = (uint64_t)st->st_size;
	file->mtime_s = st->st_mtim.tv_sec;
	file->mtime_ns = st->st_mtim.tv_nsec;
	return changed;
}

/* Returns true if the bytes read before are no longer in the file. */
static bool was_rewritten(const struct jit_file *file)
{
	char tail[JIT_TAIL];

	return file->size < file->read ||
	       file_read_at(file->fd, tail, file->tail_len, file->read - file->tail_len) !=
		       file->tail_len ||
	       memcmp(tail, file->tail, file->tail_len) != 0;
}

static void forget(struct jit_file *file, struct jit_map *map)
{
	file->read = file->tail_len = 0;
	jitdump_deinit(&file->dump);
	file->dump = (struct jitdump){};
	jit_map_clear(map);
}

static size_t parse_lines(const char *bytes, size_t len, struct jit_map *map)
{
	const char *newline = len ? memrchr(bytes, '\n', len) : NULL;
	size_t used = newline ? (size_t)(newline - bytes) + 1 : 0;

	(void)perf_map_parse(bytes, used, map);
	return used;
}

static void keep_tail(struct jit_file *file, const char *bytes, size_t used)
{
	size_t len = used < JIT_TAIL ? used : JIT_TAIL;

	memcpy(file->tail, bytes + used - len, len);
	file->tail_len = len;
	file->read += used;
}

static void read_new(struct jit_file *file, struct jit_map *map)
{
	uint64_t left = file->size - file->read;
	auto_free char *bytes = xmalloc(left + 1);
	size_t len = file_read_at(file->fd, bytes, left, file->read), used = 0;

	file->effort += len;
	if (!file->is_dump)
		used = parse_lines(bytes, len, map);
	else if (!jitdump_read(&file->dump, bytes, len, map, &used))
		file->error = "not a jitdump";
	if (used)
		keep_tail(file, bytes, used);
}

static void limit(struct jit_file *file, const char *error)
{
	file->error = error;
	file->limited = true;
}

enum jit_news jit_file_read(struct jit_file *file, struct jit_map *map)
{
	size_t before = map->symbols.len;
	enum jit_news news = JIT_SAME;
	struct stat st;

	if (file->fd < 0 || fstat(file->fd, &st) || !has_changed(file, &st))
		return JIT_SAME;
	if (file->read && was_rewritten(file)) {
		forget(file, map);
		before = 0;
		news = JIT_ANEW;
	}
	file->error = NULL;
	file->limited = false;
	if (file->size > JIT_FILE_MAX || file->effort > (uint64_t)READ_AGAIN_MAX * JIT_FILE_MAX) {
		/* unread symbols may have replaced the ones that were read */
		limit(file, "too large");
		forget(file, map);
		return before ? JIT_ANEW : news;
	}
	if (file->size > file->read)
		read_new(file, map);
	if (map->symbols.len >= JIT_SYMBOLS_MAX)
		limit(file, "has more symbols than are read (1,048,576)");
	return news == JIT_SAME && map->symbols.len > before ? JIT_MORE : news;
}
