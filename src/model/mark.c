// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/mark.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/table.h"
#include "util/text.h"
#include "util/xalloc.h"

size_t mark_offset(const char *name)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *mark = strrchr(name, '#');

	if (!mark || strspn(mark + 1, digits) != MARK_LEN - 1 ||
		(mark[MARK_LEN] && mark[MARK_LEN] != '.'))
		return 0;
	return (size_t)(mark - name);
}

/* Limits: bytes of a part that replaces a mark, and number of names compared to find it. */
enum { PART_MAX = 40, COMPARED_MAX = 32 };

/* Returns NAME with PART instead of its mark. */
static const char *with_part(
	const struct marked_name *name, const struct text *part, struct arena *memory)
{
	auto_text struct text text = {};

	if (!name->mark)
		return *name->name;
	text_printf(&text, "%.*s%s%s", (int)name->mark, *name->name, part->len ? part->data : "",
		*name->name + name->mark + MARK_LEN);
	return arena_string(memory, text.data);
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Limits START and END to the bytes that A and B have in common at their beginnings and ends. */
static void compare_whole(const char *a, const char *b, size_t *start, size_t *end)
{
	size_t len = strlen(a), other = strlen(b), shorter = len < other ? len : other, n = 0;

	while (n < shorter && a[n] == b[n])
		n++;
	*start = n < *start ? n : *start;
	for (n = 0; n < shorter && a[len - 1 - n] == b[other - 1 - n];)
		n++;
	*end = n < *end ? n : *end;
}

/*
 * Adds "{...}", the words of NAMES[I]'s whole name that distinguish it from others of its name.
 * Adds nothing if they are too long, or also occur in another one's whole name. NEXT: index of the
 * next one with the same name, as a ring.
 */
static void add_part(
	struct text *text, const struct marked_name *names, size_t i, const size_t *next)
{
	const char *whole = names[i].whole;
	size_t start = SIZE_MAX, end = SIZE_MAX, n = 0;

	if (!whole)
		return;
	for (size_t j = next[i]; j != i; j = next[j]) {
		if (!names[j].mark || !names[j].whole || ++n > COMPARED_MAX)
			return;
		compare_whole(whole, names[j].whole, &start, &end);
	}
	size_t len = strlen(whole);
	if (start + end >= len)
		return;
	end = len - end;
	while (start && is_word(whole[start - 1]) && is_word(whole[start]))
		start--;
	while (end < len && is_word(whole[end - 1]) && is_word(whole[end]))
		end++;
	auto_free char *part = xstrndup(whole + start, end - start);
	for (size_t j = next[i]; j != i; j = next[j])
		if (end - start > PART_MAX || strstr(names[j].whole, part))
			return;
	text_printf_escaped(text, "{%s}", part);
}

void marks_shorten(struct marked_name *names, size_t n, struct arena *memory)
{
	scope_guard(table_deinit) struct table last = {};
	auto_free size_t *next = xcalloc(n, sizeof(*next));
	auto_free const char **bare = xcalloc(n, sizeof(*bare));

	for (size_t i = 0; i < n; i++) {
		bool added;

		bare[i] = with_part(&names[i], &(struct text){}, memory);
		uint64_t *at = table_at(&last, bare[i], strlen(bare[i]), &added);
		next[i] = added ? i : next[*at];
		if (!added)
			next[*at] = i;
		*at = i;
	}
	scope_guard(table_deinit) struct table shown = {};
	for (size_t i = 0; i < n; i++) {
		auto_text struct text part = {};

		if (names[i].mark && next[i] != i)
			add_part(&part, names, i, next);
		if (next[i] != i)
			bare[i] = part.len ? with_part(&names[i], &part, memory) : *names[i].name;
		(*table_at(&shown, bare[i], strlen(bare[i]), NULL))++;
	}
	for (size_t i = 0; i < n; i++)
		if (*table_find(&shown, bare[i], strlen(bare[i])) == 1)
			*names[i].name = bare[i];
}
