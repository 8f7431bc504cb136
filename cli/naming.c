// SPDX-License-Identifier: GPL-2.0-or-later
#include "naming.h"

enum {
	OPT_NAMES = 1536,
	OPT_NO_DEMANGLE,
	OPT_QUALIFY,
};

static const struct argp_option option_table[] = {
	OPTION(HELP_PRINT, "names", OPT_NAMES, "HOW",
		"Print names of functions short (default of folded stacks, graphs and --top), plain "
		"(without arguments), full (default of annotated stacks and JSON) or mangled"),
	OPTION(HELP_PRINT, "no-demangle", OPT_NO_DEMANGLE, NULL,
		"Print symbols as they are in the file: --names=mangled"),
	OPTION(HELP_PRINT, "qualify", OPT_QUALIFY, "WHEN",
		"Add file, module or address to function names: auto (default: where several functions "
		"of an object have the name), always, never"),
	{},
};

#define NAMES_CHOICE(name, word) {#word, NAMES_##name},
static const struct choice names[] = {NAME_STYLES(NAMES_CHOICE){}};
static const struct choice qualifies[] = {
	{"auto", QUALIFY_AUTO}, {"always", QUALIFY_ALWAYS}, {"never", QUALIFY_NEVER}, {}};
const struct choices naming_choices[] = {{"names", names}, {"qualify", qualifies}, {}};

static void set_names(struct options *options, enum name_style style)
{
	options->names_given = true;
	options->names = style;
	options->symbolize.demangle = style != NAMES_MANGLED;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPT_NAMES:
		set_names(options, (enum name_style)value_choice(state, "--names", names, arg));
		break;
	case OPT_NO_DEMANGLE:
		set_names(options, NAMES_MANGLED);
		break;
	case OPT_QUALIFY:
		options->symbolize.qualify =
			(enum qualify)value_choice(state, "--qualify", qualifies, arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp naming_argp = {.options = option_table, .parser = parse_option};
