// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/fetch/fetcher.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* ---- progress of downloads ------------------------------------------------------------------- */

enum { WIDTH_DEFAULT = 80, MEGABYTE = 1 << 20 };

/* Rewrites the line; NULL erases it. For fetch_options.progress; CONTEXT is not used. */
static void progress_show(void *context, const struct fetch_progress *progress)
{
	auto_text struct text line = {};
	struct winsize size = {};

	(void)context;
	if (!progress) {
		fputs("\r\033[K", stderr);
		return;
	}
	text_printf_escaped(&line, "debuginfod: %s", file_base_name(progress->name));
	if (progress->n_running + progress->n_waiting > 1)
		text_printf(&line, " and %zu more", progress->n_running + progress->n_waiting - 1);
	if (!progress->url) {
		text_add_string(&line, ": no answer yet");
	} else {
		text_printf(&line, ": %.1f", (double)progress->bytes / MEGABYTE);
		if (progress->total > 0)
			text_printf(&line, " of %.1f", (double)progress->total / MEGABYTE);
		text_printf_escaped(&line, " MB from %s", progress->url);
	}
	text_add_string(&line, " (Ctrl-C skips)");
	(void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	int left = (size.ws_col ?: WIDTH_DEFAULT) - 1, len = 0;
	/* whole characters */
	for (; line.data[len]; len++)
		if ((line.data[len] & 0xc0) != 0x80 && !left--)
			break;
	fprintf(stderr, "\r%.*s\033[K", len, line.data);
}

/* ---- options --------------------------------------------------------------------------------- */

#define FINDER_WORD(function, word, ...) " " word
#define FINDER_CHOICE(function, word, ...) {word, FINDER_##function},

static const struct choice trusts[] = {
	{"normal", TRUST_NORMAL}, {"strict", TRUST_STRICT}, {"any", TRUST_ANY}, {}};
static const struct choice finders[] = {FINDERS(FINDER_CHOICE){}};

/* Adds the rule FROM=TO. FROM ends at the first '='. */
static void add_rule(void *to, const struct option_value *value)
{
	struct options *options = to;
	char *equals = strchr(value->arg, '=');

	if (!equals || equals == value->arg) {
		option_wrong(value, "FROM=TO");
		return;
	}
	*equals = '\0';
	vec_push(&options->symbolize.find.rules, (struct path_rule){value->arg, equals + 1});
}

static void forbid_finder(void *to, const struct option_value *value)
{
	struct options *options = to;

	options->symbolize.find.forbidden |= (uint64_t)1 << option_choice(value);
}

/* Returns true if libdebuginfod supports URL. libcurl assumes http if it has no "://". */
static bool is_server(const char *url, size_t len)
{
	static const char *const schemes[] = {"http://", "https://", "file://"};

	array_each(scheme, schemes, array_len(schemes))
		if (!strncmp(url, *scheme, strlen(*scheme)))
			return true;
	return !memmem(url, len, "://", 3);
}

static void set_servers(void *to, const struct option_value *value)
{
	static const char blanks[] = " \t\n";
	struct options *options = to;
	const char *urls = value->arg ?: getenv("DEBUGINFOD_URLS") ?: "";

	if (!urls[strspn(urls, blanks)])
		argp_error(value->state,
			"--debuginfod requires URLS, because DEBUGINFOD_URLS is not set");
	options->symbolize.fetch.urls = urls;
	options->no_debuginfod = false;
	for (size_t len; *(urls += strspn(urls, blanks)); urls += len) {
		len = strcspn(urls, blanks);
		if (!is_server(urls, len))
			argp_error(value->state,
				"--debuginfod: '%.*s' is not a server: expected http://, https:// or "
				"file://",
				(int)len, urls);
	}
}

static void set_seconds(void *to, const struct option_value *value)
{
	*(unsigned *)to = (unsigned)option_number(value, "a number of seconds", 1, 86400);
}

const struct option_row finding_rows[] = {
	{.doc = "\n  Finding programs, debug info and symbols:\v"},
	{"--debug-dir=DIR", "Search DIR for debug files before /usr/lib/debug\v (repeatable)",
		ADDS_TO(symbolize.find.debug_dirs)},
	{"--sysroot=DIR", "Also look for files of processes below DIR\v",
		STORES_TEXT(symbolize.find.sysroot)},
	{"--substitute-path=FROM=TO",
		"Also look below TO for files that processes have below FROM (repeatable)",
		.set = add_rule},
	{"--trust=LEVEL",
		"Accept a file as the mapped one by: normal (default: build ID, or device and inode), "
		"strict (build ID, or the kernel's link), any (path is enough; frames are marked ?)",
		STORES_CHOICE(symbolize.find.trust, trusts)},
	{"--without-finder=NAME",
		"Do not look for files in this way (repeatable):" FINDERS(FINDER_WORD),
		.choices = finders, .set = forbid_finder},
	{"--kept-files=DIR",
		"Read the copies of record --keep-files from DIR, not from where the recording says",
		STORES_TEXT(symbolize.find.kept_dir)},
	{"--vmlinux=FILE", "Read kernel debug info from FILE (its build ID must match)",
		STORES_TEXT(symbolize.vmlinux)},
	{"--btf=FILE",
		"Read prototypes from FILE, a copy of a file in /sys/kernel/btf (repeatable)",
		ADDS_TO(symbolize.btf_files)},
	{.doc = "\n  Downloading debug files:"},
	{"--debuginfod[=URLS]",
		"Download missing files from these servers\v of debuginfod (default: $DEBUGINFOD_URLS)",
		.set = set_servers},
	{"--no-debuginfod", "Download nothing", STORES_TRUE(no_debuginfod)},
	{"--debuginfod-timeout=SECONDS", "Time limit for one file, in seconds (default 90)",
		OPTION_MEMBER(CALL, struct options, symbolize.fetch.timeout), .set = set_seconds},
	{"--debuginfod-budget=SECONDS",
		"Time limit for all downloads together, in seconds (default 300)",
		OPTION_MEMBER(CALL, struct options, symbolize.fetch.budget), .set = set_seconds},
	{"--debuginfod-max=SIZE",
		"Download only the sections needed of debug files larger than SIZE (default 256M)",
		STORES_SIZE(symbolize.fetch.max, 0)},
	{.doc = "\n  Containers and other machines:"},
	{"--pid-ns=PID", "Process IDs are those in the container of PID\v, its PID namespace",
		STORES_PID(symbolize.pid_namespace, 1)},
	{"--kallsyms=FILE", "Read kernel symbols from FILE, a copy of a /proc/kallsyms",
		STORES_TEXT(symbolize.kallsyms)},
	{"--modules=FILE",
		"Read the list of kernel modules from FILE, a copy of /proc/modules or of the tree "
		"/sys/module",
		STORES_TEXT(symbolize.modules)},
	{"--proc=DIR", "Read processes and kernel symbols from DIR instead of /proc",
		STORES_TEXT(symbolize.find.proc_root)},
	{"--sys=DIR", "Read kernel build IDs from DIR instead of /sys",
		STORES_TEXT(symbolize.find.sys_root)},
	{},
};

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/*
 * Returns true if CACHE is another user's, as in a HOME that sudo kept: its files cannot be
 * trusted, and files written to it may end up where its links point. A missing cache counts as
 * owned by the owner of the directory that it would be made in.
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

void finding_finish(struct options *options)
{
	struct find_options *find = &options->symbolize.find;
	struct fetch_options *fetch = &options->symbolize.fetch;
	const char *cache = variable("DEBUGINFOD_CACHE_PATH"), *xdg = variable("XDG_CACHE_HOME"),
		   *home = variable("HOME");
	auto_free char *perf_cache = home ? xasprintf("%s/.debug", home) : NULL;

	options->symbolize.prototypes |= options->symbolize.btf_files.len > 0;
	vec_push(&find->debug_dirs, "/usr/lib/debug");
	/* debuginfod-client's, see debuginfod_find_debuginfo(3) */
	if (!cache && xdg)
		cache = xasprintf("%s/debuginfod_client", xdg);
	else if (!cache && home)
		cache = xasprintf("%s/.cache/debuginfod_client", home);
	if (cache && is_others(cache))
		options->cache_of_others = cache;
	else
		find->debuginfod_cache = fetch->cache = cache;
	if (perf_cache && !is_others(perf_cache))
		find->perf_cache = take(perf_cache);
	if (options->no_debuginfod)
		fetch->urls = NULL;
	else if (!fetch->urls)
		fetch->urls = variable("DEBUGINFOD_URLS");
	if (!options->quiet && isatty(STDERR_FILENO))
		fetch->progress = progress_show;
}

static void warn_of_missing(
	struct log *log, const char *option, const char *directory, const char *hint)
{
	auto_error struct error *missing = option_directory(option, directory);

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
	for (size_t i = 0; i + 1 < find->debug_dirs.len; i++) /* without the default */
		warn_of_missing(log, "--debug-dir", find->debug_dirs.data[i],
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
