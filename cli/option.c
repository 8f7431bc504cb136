// SPDX-License-Identifier: GPL-2.0-or-later
#include "option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#include "util/arena.h"
#include "util/limits.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* key of a row without a letter: KEY_FIRST plus its number */
enum { KEY_FIRST = 256 };

struct parse {
	const struct option_command *command;
	void *options;
	struct VEC(const struct option_row *) rows;
	struct VEC(struct argp_option) table; /* ROWS for argp */
	struct arena names;		      /* strings of TABLE */
	struct argp argp;
};

static void end_with_help(const struct argp_state *state, unsigned int flags)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	/* without memory argp(3) prints nothing, or leaves out what does not fit */
	argp_state_help(state, file, flags & ~(unsigned int)ARGP_HELP_EXIT_OK);
	if (!file || fclose(file) || !size)
		xalloc_failed();
	fputs(text, stdout);
	exit(0);
}

void option_print_help(void *options, const struct option_value *value)
{
	struct parse *parse = value->state->input;
	const char *short_doc = parse->command->short_doc;
	bool all = option_choice(value) || !short_doc;

	(void)options;
	for (size_t i = 0; i < parse->rows.len; i++) {
		struct argp_option *option = &parse->table.data[i];
		const char *doc = parse->rows.data[i]->doc, *end = doc ? strchr(doc, '\v') : NULL;

		/* the short help shows the part before the \v */
		if (end)
			doc = xasprintf("%.*s%s", (int)(end - doc), doc, all ? end + 1 : "");
		else if (!all)
			doc = NULL;
		if (!doc)
			option->flags |= OPTION_HIDDEN;
		*(option->flags & OPTION_DOC ? &option->name : &option->doc) = doc;
	}
	if (!all)
		parse->argp.doc = short_doc;
	/* "Mandatory or optional arguments to long options are …" */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", false);
	end_with_help(value->state, ARGP_HELP_STD_HELP);
}

static void print_usage(void *options, const struct option_value *value)
{
	(void)options;
	end_with_help(value->state, ARGP_HELP_USAGE);
}

void option_print_version(void *options, const struct option_value *value)
{
	(void)options;
	(void)value;
	puts(PACKAGE_STRING "\n" BUILT_WITH);
	exit(0);
}

/* Adds rows up to {}. Each is a group of its own, because argp sorts a group by name. */
static void add_table(struct parse *parse, const struct option_row *row)
{
	for (; row->option || row->doc; row++) {
		struct argp_option *option = vec_add(&parse->table);

		vec_push(&parse->rows, row);
		option->group = (int)parse->rows.len;
		if (!row->option) {
			option->name = row->doc;
			option->flags = OPTION_DOC | OPTION_NO_USAGE;
			continue;
		}
		char *name = strstr(arena_string(&parse->names, row->option), "--");
		char *arg = name ? strchr(name, '=') : NULL;
		option->doc = row->doc;
		option->flags = row->doc ? 0 : OPTION_HIDDEN;
		option->key = row->option[1] == '-' ? KEY_FIRST + option->group : row->option[1];
		option->name = name ? name + strlen("--") : NULL;
		if (!arg)
			continue;
		if (arg[-1] == '[') {
			option->flags |= OPTION_ARG_OPTIONAL;
			arg[-1] = '\0';
			arg[strlen(arg) - 1] = '\0';
		}
		*arg = '\0';
		option->arg = arg + 1;
	}
}

static const struct option_unit {
	char letter; /* '\0' ends a table */
	uint64_t factor;
} sizes[] = {{'K', 1ULL << 10}, {'M', 1ULL << 20}, {'G', 1ULL << 30}, {'T', 1ULL << 40}, {}},
  times[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {}};

/*
 * Reads ARG, with its unit, in units of factor 1. Returns false if it is no number, has no such
 * unit, or is too large.
 */
static bool read_scaled(const char *arg, const struct option_unit *units, uint64_t *ret)
{
	struct scan s = scan_of(arg);
	uint64_t factor = 1;

	if (!scan_decimal(&s, ret))
		return false;
	for (; scan_left(&s) == 1 && units->letter; units++)
		if (units->letter == *s.at) {
			factor = units->factor;
			s.at++;
		}
	return !scan_left(&s) && !__builtin_mul_overflow(*ret, factor, ret);
}

static void store(void *options, const struct option_value *value)
{
	const struct option_row *row = value->row;
	void *member = (char *)options + row->member;
	struct string_vec *list = member;
	int number = row->value;
	uint64_t min = (uint64_t)number;

	if (row->instead)
		argp_failure(value->state, argp_err_exit_status, 0,
			"--%s is not supported: use 'stack2line %s'", value->option->name,
			row->instead);
	switch (row->store) {
	case CALL:
		if (row->set)
			row->set(member, value);
		break;
	case STORE_TRUE:
	case STORE_FALSE:
		*(bool *)member = row->store == STORE_TRUE;
		break;
	case STORE_CHOICE:
		number = option_choice(value);
		/* fallthrough */
	case STORE_VALUE: /* an enum may be int or unsigned */
		memcpy(member, &number, sizeof(number));
		break;
	case STORE_PID:
		*(int64_t *)member = (int64_t)option_number(value, "a process ID", min, INT32_MAX);
		break;
	case STORE_SIZE:
		if (!read_scaled(value->arg, sizes, member) || *(uint64_t *)member < min)
			option_wrong(value, xasprintf("a size of at least %" PRIu64
						      " bytes, such as 500M or 2G",
						    min));
		break;
	case STORE_TIME:
		if (!read_scaled(value->arg, times, member) || *(uint64_t *)member < min ||
			*(uint64_t *)member > UINT32_MAX)
			option_wrong(value, xasprintf("a time of at least %" PRIu64
						      " seconds, such as 90s, 30m, 12h or 7d",
						    min));
		break;
	case STORE_TEXT:
		*(const char **)member = value->arg;
		break;
	case ADD_TEXT:
		vec_push(list, value->arg);
		break;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct parse *parse = state->input;

	if (key == ARGP_KEY_ARGS || key == ARGP_KEY_NO_ARGS) {
		const char *wrong = parse->command->finish(parse->options,
			state->argv + state->next, (size_t)(state->argc - state->next));

		if (wrong)
			argp_error(state, "%s", wrong);
		return 0;
	}
	for (size_t i = 0; i < parse->rows.len; i++) {
		const struct argp_option *option = &parse->table.data[i];

		if (key && option->key == key) {
			store(parse->options,
				&(struct option_value){parse->rows.data[i], option, arg, state});
			return 0;
		}
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct choice helps[] = {{"all", true}, {}};

static const struct option_row common_rows[] = {
	{"-?, --help[=all]", "Print this list, or with =all every option\v", .choices = helps,
		.set = option_print_help},
	{"-h", .set = option_print_help},
	{"--usage", "Print a short usage message", .set = print_usage},
	{"-V, --version", "Print the version\v", .set = option_print_version},
	{},
};

void option_parse(const struct option_command *command, int argc, char **argv, void *options)
{
	static struct parse parse; /* what it points to lives as long as the program */

	parse.command = command;
	parse.options = options;
	for (const struct option_row *const *table = command->tables; *table; table++)
		add_table(&parse, *table);
	add_table(&parse, common_rows);
	(void)vec_add(&parse.table);
	parse.argp = (struct argp){.options = parse.table.data,
		.parser = parse_option,
		.args_doc = command->args_doc,
		.doc = command->doc};
	limits_check(argp_parse(&parse.argp, argc, argv,
		ARGP_NO_HELP | (command->stops_at_argument ? ARGP_IN_ORDER : 0), NULL, &parse));
}

void option_print_words(void *options, const struct option_value *value)
{
	const struct parse *parse = value->state->input;

	(void)options;
	for (size_t i = 0; i < parse->rows.len; i++) {
		const struct choice *choice = parse->rows.data[i]->choices;

		if (choice && !strcmp(parse->table.data[i].name, value->arg))
			for (; choice->word; choice++)
				puts(choice->word);
	}
	exit(fflush(stdout) ? 2 : 0);
}

void option_wrong(const struct option_value *value, const char *expected)
{
	const struct argp_option *option = value->option;

	if (option->key < KEY_FIRST)
		argp_error(value->state, "-%c: '%s' is not %s", option->key, value->arg, expected);
	else
		argp_error(
			value->state, "--%s: '%s' is not %s", option->name, value->arg, expected);
}

int option_choice(const struct option_value *value)
{
	auto_text struct text words = {};

	if (!value->arg)
		return value->row->value;
	for (const struct choice *choice = value->row->choices; choice->word; choice++) {
		if (!strcmp(choice->word, value->arg))
			return choice->value;
		text_printf(&words, "%s%s", words.len ? ", " : "one of: ", choice->word);
	}
	option_wrong(value, words.data);
	return 0;
}

void option_set_reader(void *options, const struct option_value *value)
{
	(void)options;
	if (strcmp(value->arg, "own") != 0)
		argp_failure(value->state, argp_err_exit_status, 0,
			"--reader=%s is not supported: the built-in reader ('own') reads all DWARF; "
			"use 'eu-addr2line' to compare",
			value->arg);
}

uint64_t option_number(
	const struct option_value *value, const char *what, uint64_t min, uint64_t max)
{
	uint64_t number = 0;

	if (!scan_whole_number(value->arg, &number) || *value->arg == '-' || number < min ||
		number > max)
		option_wrong(value, xasprintf("%s (%" PRIu64 " to %" PRIu64 ")", what, min, max));
	return number;
}

struct error *option_directory(const char *option, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return error_errno(errno, "%s %s", option, path);
	return S_ISDIR(st.st_mode) ? NULL : error_errno(ENOTDIR, "%s %s", option, path);
}
