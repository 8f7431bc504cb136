// SPDX-License-Identifier: GPL-2.0-or-later
#include "finding.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"
#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/xalloc.h"
#include "value.h"

enum {
	OPT_DEBUG_DIR = 512,
	OPT_PID_NS,
	OPT_SUBSTITUTE_PATH,
	OPT_TRUST,
	OPT_WITHOUT_FINDER,
	OPT_DEBUGINFOD,
	OPT_DEBUGINFOD_TIMEOUT,
	OPT_DEBUGINFOD_BUDGET,
	OPT_DEBUGINFOD_MAX,
	OPT_BTF,
};

#define FINDER_WORD(function, word, ...) " " word
#define FINDER_CHOICE(function, word, ...) {word, FINDER_##function},

static const struct argp_option option_table[] = {
	HELP_HEADING(HELP_FILES, "\n  Finding programs, debug info and symbols:"),
	OPTION(HELP_FILES, "debug-dir", OPT_DEBUG_DIR, "DIR",
		"Search DIR for debug files before /usr/lib/debug (repeatable)"),
	OPTION(HELP_FILES, "sysroot", STORES_TEXT(symbolize.find.sysroot), "DIR",
		"Also look for files of processes below DIR"),
	OPTION(HELP_FILES, "substitute-path", OPT_SUBSTITUTE_PATH, "FROM=TO",
		"Also look below TO for files that processes have below FROM (repeatable)"),
	OPTION(HELP_FILES, "trust", OPT_TRUST, "LEVEL",
		"Accept a file as the mapped one by: normal (default: build ID, or device and inode), "
		"strict (build ID, or the kernel's link), any (path is enough; frames are marked ?)"),
	OPTION(HELP_FILES, "without-finder", OPT_WITHOUT_FINDER, "NAME",
		"Do not look for files in this way (repeatable):" FINDERS(FINDER_WORD)),
	OPTION(HELP_FILES, "kept-files", STORES_TEXT(symbolize.find.kept_dir), "DIR",
		"Read the copies of record --keep-files from DIR, not from where the recording says"),
	OPTION(HELP_FILES, "vmlinux", STORES_TEXT(symbolize.vmlinux), "FILE",
		"Read kernel debug info from FILE (its build ID must match)"),
	OPTION(HELP_FILES, "btf", OPT_BTF, "FILE",
		"Read prototypes from FILE, a copy of a file in /sys/kernel/btf (repeatable)"),

	HELP_HEADING(HELP_DEBUGINFOD, "\n  Downloading debug files:"),
	{"debuginfod", OPT_DEBUGINFOD, "URLS", OPTION_ARG_OPTIONAL,
		"Download missing files from these debuginfod servers (default: $DEBUGINFOD_URLS)",
		HELP_AT(HELP_DEBUGINFOD)},
	OPTION(HELP_DEBUGINFOD, "no-debuginfod", STORES_TRUE(no_debuginfod), NULL,
		"Download nothing"),
	OPTION(HELP_DEBUGINFOD, "debuginfod-timeout", OPT_DEBUGINFOD_TIMEOUT, "SECONDS",
		"Time limit for one file, in seconds (default 90)"),
	OPTION(HELP_DEBUGINFOD, "debuginfod-budget", OPT_DEBUGINFOD_BUDGET, "SECONDS",
		"Time limit for all downloads together, in seconds (default 300)"),
	OPTION(HELP_DEBUGINFOD, "debuginfod-max", OPT_DEBUGINFOD_MAX, "SIZE",
		"Download only the sections needed of debug files larger than SIZE (default 256M)"),

	HELP_HEADING(HELP_SYSTEM, "\n  Containers and other machines:"),
	OPTION(HELP_SYSTEM, "pid-ns", OPT_PID_NS, "PID",
		"Read process IDs as those of the PID namespace (container) of process PID"),
	OPTION(HELP_SYSTEM, "kallsyms", STORES_TEXT(symbolize.kallsyms), "FILE",
		"Read kernel symbols from FILE, a copy of a /proc/kallsyms"),
	OPTION(HELP_SYSTEM, "modules", STORES_TEXT(symbolize.modules), "FILE",
		"Read the list of kernel modules from FILE, a copy of /proc/modules or of the tree "
		"/sys/module"),
	OPTION(HELP_SYSTEM, "proc", STORES_TEXT(symbolize.find.proc_root), "DIR",
		"Read processes and kernel symbols from DIR instead of /proc"),
	OPTION(HELP_SYSTEM, "sys", STORES_TEXT(symbolize.find.sys_root), "DIR",
		"Read kernel build IDs from DIR instead of /sys"),
	{},
};

static const struct choice trusts[] = {
	{"normal", TRUST_NORMAL}, {"strict", TRUST_STRICT}, {"any", TRUST_ANY}, {}};
static const struct choice finder_choices[] = {FINDERS(FINDER_CHOICE){}};

const struct choices finding_choices[] = {
	{"trust", trusts}, {"without-finder", finder_choices}, {}};

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

/* What libdebuginfod can speak; of a word without "://" libcurl makes http. */
static bool is_server(const char *url, size_t len)
{
	static const char *const schemes[] = {"http://", "https://", "file://"};

	for (size_t i = 0; i < array_len(schemes); i++)
		if (!strncmp(url, schemes[i], strlen(schemes[i])))
			return true;
	return !memmem(url, len, "://", 3);
}

static void check_servers(const char *urls, struct argp_state *state)
{
	static const char blanks[] = " \t\n";

	for (size_t len; *(urls += strspn(urls, blanks)); urls += len) {
		len = strcspn(urls, blanks);
		if (!is_server(urls, len))
			argp_error(state,
				"--debuginfod: '%.*s' is not a server: expected http://, https:// or "
				"file://",
				(int)len, urls);
	}
}

static void set_servers(struct options *options, const char *urls, struct argp_state *state)
{
	const char *known = urls ?: getenv("DEBUGINFOD_URLS");

	if (!known || !known[strspn(known, " \t\n")]) {
		argp_error(state, "--debuginfod requires URLS, because DEBUGINFOD_URLS is not set");
		return;
	}
	check_servers(known, state);
	free(options->debuginfod_urls);
	options->debuginfod_urls = xstrdup(known);
	options->no_debuginfod = false;
}

static unsigned parse_seconds(const char *option, const char *arg, struct argp_state *state)
{
	return (unsigned)value_number(state, option, "a number of seconds", arg, 1, 86400);
}

/* Bytes, or with K, M or G after them multiples of 1024. */
static uint64_t parse_size(const char *arg, struct argp_state *state)
{
	struct scan s = scan_of(arg);
	uint64_t size = 0;
	unsigned shift = 0;

	if (scan_decimal(&s, &size) && size < UINT32_MAX) {
		shift = scan_char(&s, 'K')   ? 10
			: scan_char(&s, 'M') ? 20
			: scan_char(&s, 'G') ? 30
					     : 0;
		if (!scan_left(&s))
			return size << shift;
	}
	argp_error(state, "--debuginfod-max: '%s' is not a size like 256M", arg);
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;
	struct find_options *find = &options->symbolize.find;
	struct fetch_options *fetch = &options->symbolize.fetch;

	switch (key) {
	case OPT_DEBUG_DIR:
		vec_push(&options->debug_dirs, arg);
		break;
	case OPT_BTF:
		vec_push(&options->btf_files, arg);
		options->symbolize.prototypes = true;
		break;
	case OPT_PID_NS:
		options->symbolize.pid_namespace =
			(int64_t)value_number(state, "--pid-ns", "a process ID", arg, 1, INT32_MAX);
		break;
	case OPT_SUBSTITUTE_PATH:
		add_rule(options, arg, state);
		break;
	case OPT_TRUST:
		find->trust = (enum trust)value_choice(state, "--trust", trusts, arg);
		break;
	case OPT_WITHOUT_FINDER:
		find->forbidden |= (uint64_t)1
				   << value_choice(state, "--without-finder", finder_choices, arg);
		break;
	case OPT_DEBUGINFOD:
		set_servers(options, arg, state);
		break;
	case OPT_DEBUGINFOD_TIMEOUT:
		fetch->timeout = parse_seconds("--debuginfod-timeout", arg, state);
		break;
	case OPT_DEBUGINFOD_BUDGET:
		fetch->budget = parse_seconds("--debuginfod-budget", arg, state);
		break;
	case OPT_DEBUGINFOD_MAX:
		fetch->max = parse_size(arg, state);
		break;
	default:
		return options_store(options, key, arg);
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

/*
 * Another user's cache, as in a HOME that sudo kept: its files cannot be trusted, and what is put there
 * goes where its links lead. A missing cache belongs to the owner of the directory it would be made in.
 */
static bool is_others(const char *cache)
{
	auto_free char *path = xstrdup(cache);
	struct stat st;

	while (stat(path, &st)) {
		char *slash = strrchr(path, '/');

		if (!slash || slash == path)
			return false;
		*slash = '\0';
	}
	return st.st_uid != geteuid() && st.st_uid;
}

/* libdw would go to servers by itself if it saw the variable. */
static void finish_debuginfod(struct options *options)
{
	struct fetch_options *fetch = &options->symbolize.fetch;
	const char *urls = variable("DEBUGINFOD_URLS");

	if (!options->debuginfod_urls && urls)
		options->debuginfod_urls = xstrdup(urls);
	unsetenv("DEBUGINFOD_URLS");
	fetch->urls = options->no_debuginfod ? NULL : options->debuginfod_urls;
	fetch->cache = options->debuginfod_cache;
	if (!options->quiet && isatty(STDERR_FILENO))
		fetch->progress = progress_show;
}

void finding_finish(struct options *options)
{
	struct find_options *find = &options->symbolize.find;
	const char *home = variable("HOME");

	vec_push(&options->debug_dirs, "/usr/lib/debug");
	vec_push(&options->debug_dirs, NULL);
	find->debug_dirs = options->debug_dirs.data;
	vec_push(&options->btf_files, NULL);
	options->symbolize.btf_files = options->btf_files.data;
	find->rules = options->rules.data;
	find->n_rules = options->rules.len;
	options->debuginfod_cache = debuginfod_cache();
	if (options->debuginfod_cache && is_others(options->debuginfod_cache))
		options->cache_of_others = take(options->debuginfod_cache);
	options->perf_cache = home ? xasprintf("%s/.debug", home) : NULL;
	if (options->perf_cache && is_others(options->perf_cache))
		free(take(options->perf_cache));
	find->debuginfod_cache = options->debuginfod_cache;
	find->perf_cache = options->perf_cache;
	finish_debuginfod(options);
}

static void warn_of_missing(
	struct log *log, const char *option, const char *directory, const char *hint)
{
	auto_error struct error *missing = value_directory(option, directory);

	if (missing)
		log_add(log, LOG_WARNING, 1, "%s%s", error_message(missing), hint);
}

void finding_check(const struct options *options, struct log *log)
{
	const struct find_options *find = &options->symbolize.find;

	if (options->cache_of_others)
		log_add(log, options->symbolize.fetch.urls ? LOG_WARNING : LOG_DETAIL, 1,
			"%s: debuginfod's cache belongs to another user and is not used: set "
			"DEBUGINFOD_CACHE_PATH",
			options->cache_of_others);
	for (size_t i = 0; i + 2 < options->debug_dirs.len; i++) /* the default and NULL end it */
		warn_of_missing(log, "--debug-dir", options->debug_dirs.data[i],
			"; it is searched in the root directories of processes only");
	if (strcmp(find->proc_root, "/proc") != 0)
		warn_of_missing(log, "--proc", find->proc_root, "");
	if (strcmp(find->sys_root, "/sys") != 0)
		warn_of_missing(log, "--sys", find->sys_root, "");
	if (find->kept_dir)
		warn_of_missing(log, "--kept-files", find->kept_dir, "");
	if (find->sysroot)
		warn_of_missing(log, "--sysroot", find->sysroot, "");
}
