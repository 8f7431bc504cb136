// SPDX-License-Identifier: GPL-2.0-or-later
#include "finding.h"

#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/xalloc.h"

enum {
	OPT_DEBUG_DIR = 512,
	OPT_PID_NS,
	OPT_PROC,
	OPT_SUBSTITUTE_PATH,
	OPT_SYSROOT,
	OPT_TRUST,
	OPT_WITHOUT_FINDER,
	OPT_SYS,
	OPT_MODULES,
	OPT_VMLINUX,
	OPT_KALLSYMS,
};

static const struct argp_option option_table[] = {
	{"debug-dir", OPT_DEBUG_DIR, "DIR", 0,
		"Look for debug files in DIR before /usr/lib/debug (repeatable)", 0},
	{"modules", OPT_MODULES, "FILE", 0,
		"Kernel modules are in FILE, a copy of /proc/modules or of the tree /sys/module", 0},
	{"vmlinux", OPT_VMLINUX, "FILE", 0,
		"Debug info of the kernel is in FILE, if it is of the same build", 0},
	{"proc", OPT_PROC, "DIR", 0, "Read processes from DIR instead of /proc", 0},
	{"sys", OPT_SYS, "DIR", 0, "Read what the kernel says of itself from DIR instead of /sys", 0},
	{"kallsyms", OPT_KALLSYMS, "FILE", 0,
		"Kernel symbols are in FILE, a copy of another kernel's /proc/kallsyms", 0},
	{"pid-ns", OPT_PID_NS, "PID", 0,
		"Process IDs are those of the PID namespace (container) of process PID", 0},
	{"substitute-path", OPT_SUBSTITUTE_PATH, "FROM=TO", 0,
		"Look for files of processes below TO if they are below FROM (repeatable)", 0},
	{"sysroot", OPT_SYSROOT, "DIR", 0, "Look for files of processes below DIR", 0},
	{"trust", OPT_TRUST, "LEVEL", 0,
		"What makes a file the right one: normal (default: build ID, or device and inode), "
		"strict (build ID, or the kernel's link), any (its frames are marked ?)",
		0},
	{"without-finder", OPT_WITHOUT_FINDER, "NAME", 0,
		"Do not look for files this way: map_files, root, exe, path, mountinfo, overlay, "
		"substitute, sysroot, debug-dir, perf-cache, debuginfod-cache (repeatable)",
		0},
	{},
};

static const struct choice trusts[] = {
	{"normal", TRUST_NORMAL}, {"strict", TRUST_STRICT}, {"any", TRUST_ANY}, {}};

/* FROM is everything before the first '='. */
static void add_rule(struct options *options, char *arg, struct argp_state *state)
{
	char *equals = strchr(arg, '=');

	if (!equals || equals == arg) {
		argp_error(state, "--substitute-path: '%s' is not FROM=TO", arg);
		return;
	}
	*equals = '\0';
	vec_push(&options->rules, (struct path_rule){arg, equals + 1});
}

static void forbid_finder(struct options *options, const char *name, struct argp_state *state)
{
	uint64_t bit = symbolize_finder_bit(name);
	struct text names = {};

	options->symbolize.find.forbidden |= bit;
	if (bit)
		return;
	for (size_t i = 0; symbolize_finder_name(i); i++)
		text_printf(&names, "%s%s", i ? ", " : "", symbolize_finder_name(i));
	auto_free char *list = text_take(&names);
	argp_error(state, "--without-finder: '%s' is none of %s", name, list);
}

static void set_namespace(struct options *options, const char *arg, struct argp_state *state)
{
	uint64_t pid;

	if (!scan_whole_number(arg, &pid) || !pid || pid > INT32_MAX)
		argp_error(state, "--pid-ns: '%s' is not a process ID", arg);
	else
		options->symbolize.pid_namespace = (int64_t)pid;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;
	struct find_options *find = &options->symbolize.find;

	switch (key) {
	case OPT_DEBUG_DIR:
		vec_push(&options->debug_dirs, arg);
		break;
	case OPT_MODULES:
		options->symbolize.modules = arg;
		break;
	case OPT_VMLINUX:
		options->symbolize.vmlinux = arg;
		break;
	case OPT_PROC:
		find->proc_root = arg;
		break;
	case OPT_SYS:
		find->sys_root = arg;
		break;
	case OPT_KALLSYMS:
		options->symbolize.kallsyms = arg;
		break;
	case OPT_PID_NS:
		set_namespace(options, arg, state);
		break;
	case OPT_SUBSTITUTE_PATH:
		add_rule(options, arg, state);
		break;
	case OPT_SYSROOT:
		find->sysroot = arg;
		break;
	case OPT_TRUST:
		find->trust = (enum trust)choice_parse(state, "--trust", trusts, arg);
		break;
	case OPT_WITHOUT_FINDER:
		forbid_finder(options, arg, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp finding_argp = {.options = option_table, .parser = parse_option};

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* As debuginfod-client has it (debuginfod_find_debuginfo(3)). */
static char *debuginfod_cache(void)
{
	const char *own = variable("DEBUGINFOD_CACHE_PATH"), *xdg = variable("XDG_CACHE_HOME"),
		   *home = variable("HOME");

	if (own)
		return xstrdup(own);
	if (xdg)
		return xasprintf("%s/debuginfod_client", xdg);
	return home ? xasprintf("%s/.cache/debuginfod_client", home) : NULL;
}

void finding_finish(struct options *options)
{
	struct find_options *find = &options->symbolize.find;
	const char *home = variable("HOME");

	vec_push(&options->debug_dirs, "/usr/lib/debug");
	vec_push(&options->debug_dirs, NULL);
	find->debug_dirs = options->debug_dirs.data;
	find->rules = options->rules.data;
	find->n_rules = options->rules.len;
	options->debuginfod_cache = debuginfod_cache();
	options->perf_cache = home ? xasprintf("%s/.debug", home) : NULL;
	find->debuginfod_cache = options->debuginfod_cache;
	find->perf_cache = options->perf_cache;
}
