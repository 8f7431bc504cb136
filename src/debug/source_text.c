// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "debug/files/open_file.h"
#include "util/cleanup.h"
#include "door/door.h"
#include "util/file.h"
#include "util/text.h"
#include "util/xalloc.h"

/* Limits: bytes of a file and of all files, columns of a line, number of files. */
enum { FILE_MAX = 16 << 20, BYTES_MAX = 256 << 20, WIDTH_MAX = 400, FILES_MAX = 1 << 16, TAB = 8 };

struct source_file {
	char *path;
	bool read;
	struct text text;
	struct VEC(size_t) lines; /* offset of each line */
	struct fetch *fetch;	  /* download, NULL if the file was found or downloads are off */
	const char *note;	  /* what is wrong with the source, NULL if nothing */
	const char *missing; /* why the file could not be opened, NULL if it was simply not found */
	struct table by_line; /* line → address of its excerpt */
};

static void file_destroy(struct source_file *file)
{
	fetch_release(file->fetch);
	free(file->path);
	text_deinit(&file->text);
	vec_deinit(&file->lines);
	table_deinit(&file->by_line);
	free(file);
}

void source_texts_deinit(struct source_texts *texts)
{
	for (size_t i = 0; i < texts->files.len; i++)
		file_destroy(texts->files.data[i]);
	vec_deinit(&texts->files);
	table_deinit(&texts->by_path);
	arena_deinit(&texts->arena);
}

/*
 * Reads the file and takes ownership of FD_TAKEN. Returns false, sets `note` and keeps no text if
 * the file cannot be read, is too large, or is not text.
 */
static bool file_read(struct source_texts *texts, struct source_file *file, int fd_taken)
{
	auto_fd int fd = fd_taken;

	file->read = true;
	if (texts->bytes > BYTES_MAX || file_read_all(fd, FILE_MAX, &file->text)) {
		text_deinit(&file->text);
		file->note = "source is too large";
		return false;
	}
	if (file->text.len && memchr(file->text.data, '\0', file->text.len)) {
		text_deinit(&file->text);
		file->text = (struct text){};
		file->note = "source is not a text file";
		return false;
	}
	texts->bytes += file->text.len;
	vec_push(&file->lines, 0);
	for (size_t i = 0; i < file->text.len; i++)
		if (file->text.data[i] == '\n' && i + 1 < file->text.len)
			vec_push(&file->lines, i + 1);
	return true;
}

/*
 * Opens PATH where a rule of the user maps it. If ".." in the rest of PATH leaves the rule's
 * directory, the image and not the user chose the file, which then needs the checks of any path
 * from the image.
 */
static int open_by_rules(const struct source_texts *texts, const char *root, const char *path,
	const struct elf_image *image)
{
	int fd = -1;

	for (size_t i = 0; i < texts->n_rules && fd < 0; i++) {
		const struct path_rule *rule = &texts->rules[i];
		size_t len = strlen(rule->from);

		if (strncmp(path, rule->from, len) != 0 ||
			(path[len] != '/' && len && rule->from[len - 1] != '/'))
			continue;
		auto_free char *other = xasprintf("%s/%s", rule->to, path + len);
		if (path_stays_below(path + len))
			fd = door_open(AT_FDCWD, other, 0, NULL);
		else if (!*root)
			fd = wanted_open(&(struct wanted_file){"", other, image, NULL}, NULL);
	}
	return fd;
}

/*
 * Opens PATH in ROOT, then where a rule of the user maps it. Without a ROOT, opens PATH itself
 * last: a program in another root must not name files of ours. Returns -1 with errno set on
 * failure.
 */
static int open_here(const struct source_texts *texts, const char *root, const char *path,
	const struct elf_image *image)
{
	const struct wanted_file named = {root, path, image, NULL};
	int fd = *root ? wanted_open(&named, NULL) : -1;

	if (fd < 0)
		fd = open_by_rules(texts, root, path, image);
	return fd < 0 && !*root ? wanted_open(&named, NULL) : fd;
}

static void source_find(struct source_texts *texts, struct source_file *file, const char *root,
	const struct elf_image *image)
{
	int fd = open_here(texts, root, file->path, image);
	bool denied = fd < 0 && (errno == EACCES || errno == EPERM);
	struct stat st;

	if (fd >= 0) {
		bool newer =
			!fstat(fd, &st) && !image->memory && st.st_mtime > image->stat.st_mtime;

		if (file_read(texts, file, fd) && newer)
			file->note = "source is newer than the program";
		return;
	}
	if (denied)
		file->missing = "source may not be read by the program's owner";
	if (*file->path == '/')
		file->fetch = fetch_hold(fetcher_start(texts->fetcher, DEBUGINFOD_SOURCE,
			&image->build_id, file->path, file->path));
}

struct source_file *source_text_open(struct source_texts *texts, const char *root, const char *path,
	const struct elf_image *image)
{
	scope_guard(text_deinit) struct text key = {};
	bool added;

	const uid_t owner = writers_rights(&image->writers);

	text_add(&key, (const char *)&owner, sizeof(owner));
	text_add(&key, root, strlen(root) + 1);
	text_add_string(&key, path);
	uint64_t *index = table_at(&texts->by_path, key.data, key.len, &added);
	if (added) {
		struct source_file *file = xcalloc(1, sizeof(*file));

		file->path = xstrdup(path);
		*index = texts->files.len;
		vec_push(&texts->files, file);
		if (texts->files.len <= FILES_MAX)
			source_find(texts, file, root, image);
	}
	return texts->files.data[*index];
}

static void file_wait(struct source_texts *texts, struct source_file *file)
{
	if (file->read)
		return;
	file->read = true;
	file->note = file->missing ? file->missing : "source not found";
	if (!file->fetch)
		return;
	fetcher_wait(texts->fetcher, file->fetch);
	if (fetch_failed(file->fetch))
		file->note = arena_printf(&texts->arena, "source not found, debuginfod: %s",
			fetch_outcome(file->fetch));
	int fd = file->fetch->path ? door_open(AT_FDCWD, file->fetch->path, 0, NULL) : -1;
	if (fd < 0)
		return;
	file->note = NULL;
	(void)file_read(texts, file, fd);
}

/* Copies line NUMBER (from 0), with tabs expanded, cut at WIDTH_MAX columns. */
static const char *copy_line(
	struct source_texts *texts, const struct source_file *file, size_t number)
{
	scope_guard(text_deinit) struct text line = {};
	const char *s = file->text.data + file->lines.data[number];
	const char *end = file->text.data + file->text.len;

	text_add_string(&line, "");
	for (; s < end && *s != '\n' && *s != '\r' && line.len < WIDTH_MAX; s++) {
		if (*s != '\t')
			text_add_char(&line, *s);
		else
			do
				text_add_char(&line, ' ');
			while (line.len % TAB);
	}
	return arena_copy(&texts->arena, line.data ? line.data : "", line.len);
}

static struct source_excerpt *make_excerpt(
	struct source_texts *texts, const struct source_file *file, uint32_t line)
{
	size_t first = line > texts->context ? line - texts->context : 1;
	size_t last = (size_t)line + texts->context;
	struct source_excerpt *excerpt = arena_alloc(&texts->arena, sizeof(*excerpt));

	*excerpt = (struct source_excerpt){.first = (uint32_t)first, .note = file->note};
	if (last > file->lines.len)
		last = file->lines.len;
	if (line > file->lines.len || !file->text.len)
		return excerpt;
	excerpt->n = last - first + 1;
	const char **lines = arena_alloc(&texts->arena, excerpt->n * sizeof(*lines));
	for (size_t i = 0; i < excerpt->n; i++)
		lines[i] = copy_line(texts, file, first - 1 + i);
	excerpt->lines = lines;
	return excerpt;
}

const struct source_excerpt *source_text_excerpt(
	struct source_texts *texts, struct source_file *file, uint32_t line)
{
	bool added;

	file_wait(texts, file);
	uint64_t *known = table_at(&file->by_line, &line, sizeof(line), &added);
	if (added)
		*known = (uintptr_t)make_excerpt(texts, file, line);
	const struct source_excerpt *excerpt = (struct source_excerpt *)(uintptr_t)*known;
	return excerpt->n || excerpt->note ? excerpt : NULL;
}
