// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/mark.h"

#include <stdbool.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/table.h"
#include "util/text.h"
#include "util/xalloc.h"

enum { HASH_LEN = 8 }; /* letters and digits */
/* Limits: bytes of a part, bytes of a name that is searched for one, and compared names. */
enum { PART_MAX = 40, WHOLE_MAX = 1024, COMPARED_MAX = 32, COMPARED_LEN_MAX = 2048 };

struct mark mark_find(const char *name)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *mark = strrchr(name, '#'), *end = mark ? mark + 1 + HASH_LEN : NULL;

	if (!mark || strspn(mark + 1, digits) != HASH_LEN || (*end && *end != '.'))
		return (struct mark){};
	return (struct mark){(size_t)(mark - name), (size_t)(end - name)};
}

/* ---- parts ---------------------------------------------------------------------------------- */

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* Returns true if one of OTHERS has the part. */
static bool is_in_any(const char *part, size_t len, const char *const *others, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (memmem(others[i], strlen(others[i]), part, len))
			return true;
	return false;
}

/*
 * Returns the length of the shortest part at AT that is in none of OTHERS: whole words with closed
 * brackets. 0 if none is shorter than LIMIT.
 */
static size_t part_length(const char *at, size_t limit, const char *const *others, size_t n)
{
	size_t depth = 0;

	for (size_t len = 1; len < limit && at[len - 1]; len++) {
		const char c = at[len - 1];
		bool closing = strchr(">)]", c);

		if (c == '{' || c == '}' || (closing && !depth))
			return 0;
		depth += strchr("<([", c) != NULL;
		depth -= closing;
		if (!depth && (is_word(c) ? !is_word(at[len]) : closing || c == '*' || c == '&') &&
			!is_in_any(at, len, others, n))
			return len;
	}
	return 0;
}

/*
 * Adds "{...}", the shortest part of WHOLE that is in none of N OTHERS. Returns false, and adds
 * nothing, if there is none.
 */
static bool add_part(struct text *text, const char *whole, const char *const *others, size_t n)
{
	const char *part = NULL;
	size_t len = PART_MAX + 1;

	for (const char *at = strlen(whole) > WHOLE_MAX ? "" : whole; *at; at++) {
		bool begins = is_word(*at) && (at == whole || !is_word(at[-1]));
		size_t found = begins ? part_length(at, len, others, n) : 0;

		part = found ? at : part;
		len = found ?: len;
	}
	if (part)
		text_printf_escaped(text, "{%.*s}", (int)len, part);
	return part;
}

/* ---- names in an output --------------------------------------------------------------------- */

/*
 * Returns what is printed for NAMES[I]. NEXT: the next one with the same name without mark, by
 * index, as a ring.
 */
static const char *shorter_name(
	const struct marked_name *names, size_t i, const size_t *next, struct arena *memory)
{
	const struct marked_name *own = &names[i];
	const char *others[COMPARED_MAX];
	auto_text struct text text = {};
	size_t n = 0;

	for (size_t j = next[i]; own->mark.end && j != i; j = next[j]) {
		if (!strcmp(names[j].name, own->name))
			continue; /* the same function */
		const char *other = names[j].whole ?: names[j].name;
		if (n == COMPARED_MAX || strlen(other) > COMPARED_LEN_MAX)
			return own->name;
		others[n++] = other;
	}
	text_add(&text, own->name, own->mark.start);
	if (!own->mark.end || (n && !(own->whole && add_part(&text, own->whole, others, n))))
		return own->name;
	text_add_string(&text, own->name + own->mark.end);
	return arena_string(memory, text.data);
}

void names_distinguish(
	struct marked_name *names, size_t n, struct object_names *objects, struct arena *memory)
{
	scope_guard(table_deinit) struct table last = {};
	auto_free const char **known = xcalloc(objects->all.len + 1, sizeof(*known));
	auto_free size_t *next = xcalloc(n, sizeof(*next));
	auto_free const char **shorter = xcalloc(n, sizeof(*shorter));
	auto_text struct text key = {};

	known[0] = "";
	for (size_t i = 0; i < n; i++) {
		struct marked_name *name = &names[i];
		bool added;

		if (!known[name->number])
			known[name->number] = object_names_distinct(objects, name->number);
		name->object = known[name->number];
		/* the name without its mark, a NUL, and the number of the object */
		text_clear(&key);
		text_add(&key, name->name, name->mark.start);
		text_add_string(&key, name->name + name->mark.end);
		text_add(&key, "", 1);
		text_add(&key, (const char *)&name->number, sizeof(name->number));
		uint64_t *at = table_at(&last, key.data, key.len, &added);
		next[i] = added ? i : next[*at];
		if (!added)
			next[*at] = i;
		*at = i;
	}
	for (size_t i = 0; i < n; i++)
		shorter[i] = shorter_name(names, i, next, memory);
	for (size_t i = 0; i < n; i++)
		names[i].name = shorter[i];
}
