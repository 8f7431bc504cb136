// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/maps.h"

#include "util/text.h"
#include "util/scan.h"

/*
 * Copies RAW to STRINGS. The kernel escapes only newlines, as \012 (seq_path() with "\n");
 * backslashes stay as they are.
 */
static char *unescape_path(struct arena *strings, struct scan raw)
{
	char *path = arena_copy(strings, raw.at, scan_left(&raw)), *to = path;

	for (const char *from = path; *from; to++) {
		if (!strncmp(from, "\\012", 4)) {
			*to = '\n';
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return path;
}

bool maps_same_code(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->file_offset == b->file_offset &&
	       mapping_same_file(a, b) && !strcmp(a->path, b->path);
}

bool maps_cut_deleted(char *path)
{
	static const char mark[] = " (deleted)";

	if (!text_ends_with(path, mark))
		return false;
	path[strlen(path) - strlen(mark)] = '\0';
	return true;
}

/*
 * 7f5e1c028000-7f5e1c17d000 r-xp 00028000 fe:00 1182           /usr/lib/libc.so.6
 * (1)                       (2)  (3)      (4)   (5)            (6)
 * start-end, permissions, offset (hex), device major:minor (hex), inode (decimal), path
 */
static bool parse_line(
	struct scan s, struct arena *strings, const struct mapping *last, struct mapping *ret)
{
	struct mapping mapping = {.path = ""};
	uint64_t major, minor;

	if (!scan_hex(&s, &mapping.start) || !scan_char(&s, '-') || !scan_hex(&s, &mapping.end) ||
		!scan_char(&s, ' ') || mapping.start >= mapping.end || scan_left(&s) < 5 ||
		s.at[4] != ' ')
		return false;
	mapping.readable = s.at[0] == 'r';
	mapping.writable = s.at[1] == 'w';
	mapping.executable = s.at[2] == 'x';
	s.at += 5;
	if (!scan_hex(&s, &mapping.file_offset) || !scan_char(&s, ' ') || !scan_hex(&s, &major) ||
		!scan_char(&s, ':') || !scan_hex(&s, &minor) || !scan_char(&s, ' ') ||
		!scan_decimal(&s, &mapping.inode))
		return false;
	mapping.dev_major = (uint32_t)major;
	mapping.dev_minor = (uint32_t)minor;
	scan_blanks(&s);
	/* adjacent mappings of a file share the string */
	if (last && !last->deleted && last->inode == mapping.inode && scan_equals(s, last->path)) {
		mapping.path = last->path;
	} else if (scan_left(&s)) {
		char *path = unescape_path(strings, s);

		/* only files: "[heap]" and anonymous memory have no inode */
		mapping.deleted = mapping.inode && maps_cut_deleted(path);
		mapping.path = path;
	}
	*ret = mapping;
	return true;
}

size_t maps_parse(const char *text, size_t len, struct arena *strings, struct maps *ret)
{
	struct scan all = {text, len ? text + len : text}, line;
	size_t odd = 0;

	while (scan_line(&all, &line)) {
		const struct mapping *last = ret->len ? &ret->data[ret->len - 1] : NULL;
		struct mapping mapping;

		if (parse_line(line, strings, last, &mapping) &&
			mapping.start >= (last ? last->end : 0))
			/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): data is set if len is */
			vec_push(ret, mapping);
		else
			odd++;
	}
	return odd;
}

const struct mapping *maps_find(const struct maps *maps, uint64_t address)
{
	size_t i = sorted_count(maps->data, maps->len, .end <= address);

	return i < maps->len && maps->data[i].start <= address ? &maps->data[i] : NULL;
}

/*
 * maximum number of adjacent anonymous mappings to cross: text may be remapped in pieces, but a
 * process may have thousands of unrelated ones
 */
enum { PIECES_MAX = 256 };

/*
 * Returns the nearest file mapping on one side (STEP 1 or -1), or NULL if there is anything but
 * code in between.
 */
static const struct mapping *neighbour(
	const struct maps *maps, const struct mapping *anonymous, ptrdiff_t step)
{
	const struct mapping *first = maps->data, *last = maps->data + maps->len - 1;
	const struct mapping *edge = step < 0 ? first : last;

	for (size_t pieces = 0; anonymous != edge && pieces < PIECES_MAX; pieces++) {
		const struct mapping *at = anonymous;
		const struct mapping *next = at + step;

		if (step < 0 ? next->end != at->start : at->end != next->start)
			return NULL;
		if (next->inode)
			return next;
		if (!next->executable)
			return NULL;
		anonymous = next;
	}
	return NULL;
}

const struct mapping *remapped_file(const struct maps *maps, const struct mapping *anonymous)
{
	const struct mapping *below = neighbour(maps, anonymous, -1);
	const struct mapping *above = neighbour(maps, anonymous, 1);

	if (!below || !above || !mapping_same_file(below, above) ||
		above->file_offset - below->file_offset != above->start - below->start)
		return NULL;
	return below;
}
