// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/names/name_path.h"

#include <stdbool.h>
#include <string.h>

#include "util/scan.h"
#include "util/vec.h"

enum { DEPTH_MAX = 64, DIGITS_MAX = 6 };

#define HASH_START 0xcbf29ce484222325ULL
#define HASH_FACTOR 0x9e3779b97f4a7c15ULL

/*
 * Each function below is named after a construct of the grammar. It consumes one from the front of
 * S, and returns false if there is none: then the path is not read on.
 */
struct path {
	struct scan s;
	uint64_t hash;
	/* last part with a name of its own, which constructors are called after */
	struct scan last;
	int depth, inner; /* INNER > 0: parts are not added to the path */
};

static bool skip_encoding(struct path *path);
static bool skip_type(struct path *path);
static bool take_name(struct path *path);

static char next_char(const struct path *path)
{
	return scan_left(&path->s) ? *path->s.at : '\0';
}

static char second_char(const struct path *path)
{
	return scan_left(&path->s) > 1 ? path->s.at[1] : '\0';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static void add_part(struct path *path, const char *part, size_t len)
{
	uint64_t hash = path->hash + len;

	if (path->inner)
		return;
	for (size_t n; len; part += n, len -= n) {
		uint64_t word = 0;

		n = len < sizeof(word) ? len : sizeof(word);
		memcpy(&word, part, n);
		hash = (hash ^ word) * HASH_FACTOR;
		hash ^= hash >> 32;
	}
	path->hash = hash * HASH_FACTOR;
}

static void add_string(struct path *path, const char *part)
{
	add_part(path, part, strlen(part));
}

static bool skip_number(struct path *path, size_t *ret)
{
	size_t number = 0;
	int digits = 0;

	for (; is_digit(next_char(path)) && digits < DIGITS_MAX; path->s.at++, digits++)
		number = number * 10 + (size_t)(*path->s.at - '0');
	*ret = number;
	return digits && !is_digit(next_char(path));
}

/* Skips capitals and digits, and the '_' that ends them. */
static bool skip_sequence_id(struct path *path)
{
	while (is_digit(next_char(path)) || (next_char(path) >= 'A' && next_char(path) <= 'Z'))
		path->s.at++;
	return scan_char(&path->s, '_');
}

static bool skip_source_name(struct path *path, struct scan *ret)
{
	size_t len;

	if (!skip_number(path, &len) || !len || len > scan_left(&path->s))
		return false;
	*ret = (struct scan){path->s.at, path->s.at + len};
	path->s.at += len;
	return true;
}

/*
 * Returns true for the hash at the end of legacy Rust names, which distinguishes generic functions
 * and closures of the same name.
 */
static bool is_rust_hash(struct scan name)
{
	if (scan_left(&name) != 17 || *name.at != 'h')
		return false;
	while (++name.at < name.end)
		if (scan_hex_digit(*name.at) < 0)
			return false;
	return true;
}

static bool take_source_name(struct path *path)
{
	struct scan name;

	if (!skip_source_name(path, &name))
		return false;
	/* anonymous namespace: "_GLOBAL__N_1", with any number */
	if (scan_left(&name) > 10 && !memcmp(name.at, "_GLOBAL_", 8) && name.at[9] == 'N') {
		add_string(path, "_GLOBAL__N");
		return true;
	}
	if (is_rust_hash(name) && next_char(path) == 'E')
		return true;
	if (!path->inner)
		path->last = name;
	add_part(path, name.at, scan_left(&name));
	return true;
}

static bool skip_literal(struct path *path)
{
	bool integer = is_lower(next_char(path));

	if (scan_literal(&path->s, "_Z"))
		return skip_encoding(path) && scan_char(&path->s, 'E');
	if (integer)
		path->s.at++;
	else if (!skip_type(path))
		return false;
	const char *end = memchr(path->s.at, 'E', scan_left(&path->s));
	for (const char *at = path->s.at; end && at < end; at++)
		if (!is_digit(*at) && !is_lower(*at) && *at != '_')
			return false;
	path->s.at = end ? end + 1 : path->s.end;
	return end;
}

/* Takes template arguments, after 'I' or 'J', with the final 'E'. */
static bool take_arguments(struct path *path)
{
	add_string(path, "<");
	if (path->depth++ >= DEPTH_MAX)
		return false;
	path->inner++;
	while (!scan_char(&path->s, 'E')) {
		bool fine = scan_char(&path->s, 'L')   ? skip_literal(path)
			    : scan_char(&path->s, 'J') ? take_arguments(path)
						       : skip_type(path);
		if (!fine)
			return false;
	}
	path->inner--;
	path->depth--;
	return true;
}

/* Skips the template arguments of a type, if it has any. */
static bool skip_type_arguments(struct path *path)
{
	return !scan_char(&path->s, 'I') || take_arguments(path);
}

/*
 * Takes a substitution, after 'S'. Adds each part if it abbreviates several. Other substitutions
 * refer to earlier text, and are not resolved: returns false if the path needs one.
 */
static bool take_substitution(struct path *path)
{
	static const struct {
		const char *name;
		char letter;
		bool arguments;
	} known[] = {{"allocator", 'a', false}, {"basic_string", 'b', false},
		{"basic_string", 's', true}, {"basic_istream", 'i', true},
		{"basic_ostream", 'o', true}, {"basic_iostream", 'd', true}};

	if (scan_char(&path->s, 't')) {
		add_string(path, "std");
		return true;
	}
	for (size_t i = 0; i < array_len(known); i++)
		if (scan_char(&path->s, known[i].letter)) {
			if (!path->inner)
				path->last = (struct scan){
					known[i].name, known[i].name + strlen(known[i].name)};
			add_string(path, "std");
			add_string(path, known[i].name);
			if (known[i].arguments)
				add_string(path, "<");
			return true;
		}
	return path->inner && skip_sequence_id(path);
}

/* Takes a sequence ID, as a part after NAME. */
static bool take_sequence_id(struct path *path, const char *name)
{
	const char *at = path->s.at;

	if (!skip_sequence_id(path))
		return false;
	add_string(path, name);
	add_part(path, at, (size_t)(path->s.at - at));
	return true;
}

/* Takes a lambda or unnamed type, after 'U': "Ul<types>E<number>_", "Ut<number>_". */
static bool take_unnamed(struct path *path)
{
	bool lambda = scan_char(&path->s, 'l');

	if (!lambda && !scan_char(&path->s, 't'))
		return false;
	path->inner++;
	while (lambda && !scan_char(&path->s, 'E'))
		if (!skip_type(path))
			return false;
	path->inner--;
	return take_sequence_id(path, lambda ? "{lambda}" : "{unnamed}");
}

static bool take_operator(struct path *path)
{
	/* unary and binary operators that are spelled alike */
	static const char *const same[] = {"ngmi", "adan", "deml", "pspl"};
	const char code[3] = {next_char(path), second_char(path)}, *key = code;

	if (!is_lower(code[0]) || (!is_lower(code[1]) && !(code[1] >= 'A' && code[1] <= 'Z')))
		return false;
	path->s.at += 2;
	array_each(pair, same, array_len(same))
		if (!memcmp(*pair, code, 2))
			key = *pair + 2;
	add_string(path, "operator");
	add_part(path, key, 2);
	if (!memcmp(code, "li", 2))
		return take_source_name(path);
	if (memcmp(code, "cv", 2) != 0)
		return true;
	path->inner++;
	bool fine = skip_type(path);
	path->inner--;
	return fine;
}

static bool take_part(struct path *path)
{
	char c = next_char(path);

	/* L: internal linkage, which demanglers do not show */
	if (scan_char(&path->s, 'L') || is_digit(c))
		return take_source_name(path);
	if (c == 'C' || c == 'D') { /* constructor or destructor */
		if (!is_digit(second_char(path)) || !scan_left(&path->last))
			return false;
		path->s.at += 2;
		add_string(path, c == 'D' ? "~" : "+");
		add_part(path, path->last.at, scan_left(&path->last));
		return true;
	}
	return scan_char(&path->s, 'U') ? take_unnamed(path) : take_operator(path);
}

/* Skips the ABI tags after a part. */
static bool skip_tags(struct path *path)
{
	struct scan tag;

	while (scan_char(&path->s, 'B'))
		if (!skip_source_name(path, &tag))
			return false;
	return true;
}

/* Takes a nested name, after 'N', with the final 'E'. */
static bool take_nested(struct path *path)
{
	while (next_char(path) == 'r' || next_char(path) == 'V' || next_char(path) == 'K')
		path->s.at++;
	if (next_char(path) == 'R' || next_char(path) == 'O')
		path->s.at++;
	while (!scan_char(&path->s, 'E')) {
		bool fine;

		if (scan_char(&path->s, 'S'))
			fine = take_substitution(path);
		else if (scan_char(&path->s, 'I'))
			fine = take_arguments(path);
		else if (scan_char(&path->s, 'M'))
			fine = scan_left(&path->s) > 0; /* initializer of a data member */
		else if (path->inner && scan_char(&path->s, 'T'))
			fine = skip_sequence_id(path);
		else
			fine = take_part(path);
		if (!fine || !skip_tags(path))
			return false;
	}
	return true;
}

/* Takes a name local to a function, after 'Z'. */
static bool take_local(struct path *path)
{
	size_t number;

	if (!skip_encoding(path) || !scan_char(&path->s, 'E') || next_char(path) == 's')
		return false;
	if (scan_char(&path->s, 'd') && !take_sequence_id(path, "{default arg}"))
		return false;
	if (!take_name(path))
		return false;
	/* a discriminator: "_<digit>" or "__<number>_" */
	if (scan_literal(&path->s, "__"))
		(void)(skip_number(path, &number) && scan_char(&path->s, '_'));
	else if (next_char(path) == '_' && is_digit(second_char(path)))
		path->s.at += 2;
	return true;
}

static bool take_unscoped(struct path *path)
{
	bool substituted = scan_char(&path->s, 'S');
	bool part = !substituted || next_char(path) == 't';

	if (substituted && !take_substitution(path))
		return false;
	if (part && (!take_part(path) || !skip_tags(path)))
		return false;
	return skip_type_arguments(path);
}

static bool take_name(struct path *path)
{
	if (path->depth++ >= DEPTH_MAX)
		return false;
	bool fine = scan_char(&path->s, 'N')   ? take_nested(path)
		    : scan_char(&path->s, 'Z') ? take_local(path)
					       : take_unscoped(path);
	path->depth--;
	return fine;
}

/*
 * Takes the encoding in a template argument or local name, before the final 'E': the name of a
 * function or variable, and its types, which are skipped.
 */
static bool skip_encoding(struct path *path)
{
	if (!take_name(path))
		return false;
	while (scan_left(&path->s) && next_char(path) != 'E')
		if (!skip_type(path))
			return false;
	return true;
}

/* Skips a function type, after 'F', with the final 'E'. */
static bool skip_function(struct path *path)
{
	(void)scan_char(&path->s, 'Y');
	while (!scan_char(&path->s, 'E')) {
		if ((next_char(path) == 'R' || next_char(path) == 'O') && second_char(path) == 'E')
			path->s.at++;
		else if (!skip_type(path))
			return false;
	}
	return true;
}

/*
 * Skips a type, after 'D'. Returns false for types of expressions (decltype), which are not read.
 */
static bool skip_d_type(struct path *path)
{
	char c = next_char(path);
	size_t number;

	if (!c)
		return false;
	path->s.at++;
	if (strchr("defhiusacn", c))
		return true;
	if (c == 'p')
		return skip_type(path);
	if (c == 'o')
		return scan_char(&path->s, 'F') && skip_function(path);
	return c == 'v' && skip_number(path, &number) && scan_char(&path->s, '_') &&
	       skip_type(path);
}

static bool skip_one_type(struct path *path)
{
	struct scan name;
	char c;

	for (c = next_char(path); c && strchr("rVKPROCGU", c); c = next_char(path)) {
		path->s.at++;
		if (c == 'U' && (!skip_source_name(path, &name) || !skip_type_arguments(path)))
			return false;
	}
	if (is_digit(c) || c == 'N' || c == 'Z' || (c == 'S' && second_char(path) == 't'))
		return take_name(path);
	if (!c)
		return false;
	path->s.at++;
	if (c == 'u')
		return skip_source_name(path, &name) && skip_type_arguments(path);
	if (is_lower(c))
		return true;
	switch (c) {
	case 'D':
		return skip_d_type(path);
	case 'F':
		return skip_function(path);
	case 'A':
		while (is_digit(next_char(path)))
			path->s.at++;
		return scan_char(&path->s, '_') && skip_type(path);
	case 'M': /* a class, and the type of a member */
		/* NOLINTNEXTLINE(misc-redundant-expression): each call skips one */
		return skip_type(path) && skip_type(path);
	case 'S':
		return take_substitution(path) && skip_type_arguments(path);
	case 'T':
		return skip_sequence_id(path) && skip_type_arguments(path);
	default:
		return false;
	}
}

static bool skip_type(struct path *path)
{
	if (path->depth++ >= DEPTH_MAX)
		return false;
	path->inner++;
	bool fine = skip_one_type(path);
	path->inner--;
	path->depth--;
	return fine;
}

uint64_t name_path(const char *name, size_t len)
{
	struct path path = {.s = {name, name + len}, .hash = HASH_START};

	/* thunks and the like have no short names */
	if (!scan_literal(&path.s, "_Z") || next_char(&path) == 'T' || next_char(&path) == 'G')
		add_part(&path, name, len);
	else if (!take_name(&path))
		return NAME_PATH_UNKNOWN;
	return path.hash | 1;
}
