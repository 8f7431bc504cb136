// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/fetch/debuginfod.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/xalloc.h"

/* characters that mkstemp() uses in names */
#define ALNUM "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* minimum time between messages; time until the child is killed; bytes of the log that are read */
enum { INTERVAL_MS = 100, GRACE_S = 10, LOG_MAX_LEN = 1 << 14 };

/* retries; time before the first one, which grows by as much each time */
enum { AGAIN_MAX = 10, AGAIN_NS = 700000 };

/* The child's state while the library works. */
struct talk {
	const struct debuginfod_question *question;
	int socket;
	pid_t parent;
	int64_t sent_ms; /* time of the last message, ms of CLOCK_MONOTONIC */
	struct debuginfod_message message;
	bool asked; /* servers were asked, so the file is not from the cache */
	bool cancelled, too_large, whole_file;
};

/* The functions of libdebuginfod that are used, declared here so that its header is not needed. */
typedef struct debuginfod_client debuginfod_client;
typedef int debuginfod_find(debuginfod_client *, const unsigned char *id, int len, char **path);
typedef int debuginfod_find_in(
	debuginfod_client *, const unsigned char *id, int len, const char *name, char **path);
debuginfod_client *debuginfod_begin(void);
const char *debuginfod_get_url(debuginfod_client *);
void *debuginfod_get_user_data(debuginfod_client *);
void debuginfod_set_user_data(debuginfod_client *, void *);
void debuginfod_set_verbose_fd(debuginfod_client *, int fd);
void debuginfod_set_progressfn(
	debuginfod_client *, int (*)(debuginfod_client *, long bytes, long total));

#define SONAME "libdebuginfod.so.1"

/* Yields a function of the loaded library; NULL if this version does not have it. */
#define library(function)                                                                          \
	((__typeof__(debuginfod_##function) *)dlsym(RTLD_DEFAULT, "debuginfod_" #function))

/* The library's words for the kinds of files, in the names of its functions and in its cache. */
static const char *const kind_words[] = {"debuginfo", "executable", "source", "section"};

/* Sets the text of MESSAGE. */
#define say(message, ...) snprintf((message)->text, sizeof((message)->text), __VA_ARGS__)

static void tell(struct talk *talk, enum debuginfod_answer answer)
{
	talk->message.answer = answer;
	talk->sent_ms = clock_ms();
	(void)send(talk->socket, &talk->message, sizeof(talk->message), MSG_NOSIGNAL);
}

/*
 * Called by the library once a second, or when data arrives. TOTAL is 0 until a server sends the
 * file; until then BYTES only counts the calls. Returns non-zero to stop the library.
 */
static int on_progress(debuginfod_client *client, long bytes, long total)
{
	struct talk *talk = library(get_user_data)(client);
	__typeof__(debuginfod_get_url) *get_url = library(get_url);
	char byte;

	talk->asked = true;
	if (total) {
		talk->message.receiving = true;
		talk->message.bytes = bytes;
		talk->message.total = total < 0 ? -1 : total;
		talk->too_large = (uint64_t)bytes > talk->question->max ||
				  (total > 0 && (uint64_t)total > talk->question->max);
		/* a server that does not serve sections would send the whole file instead of one */
		const char *url = get_url ? get_url(client) : NULL;
		talk->whole_file = talk->question->kind == DEBUGINFOD_SECTION && url &&
				   !strstr(url, "/section/");
	}
	talk->cancelled = getppid() != talk->parent || !recv(talk->socket, &byte, 1, MSG_DONTWAIT);
	if (clock_ms() - talk->sent_ms >= INTERVAL_MS)
		tell(talk, DEBUGINFOD_PROGRESS);
	return talk->cancelled || talk->too_large || talk->whole_file;
}

static void set_environment(const struct debuginfod_question *question)
{
	auto_free char *timeout = xasprintf("%u", question->timeout + GRACE_S);

	setenv("DEBUGINFOD_URLS", question->url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", question->cache, 1);
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 1);
	setenv("DEBUGINFOD_TIMEOUT", timeout, 1);
	unsetenv("DEBUGINFOD_PROGRESS");
	unsetenv("DEBUGINFOD_VERBOSE");
	unsetenv("DEBUGINFOD_MAXSIZE");
	unsetenv("DEBUGINFOD_MAXTIME");
}

static int ask_library(
	debuginfod_client *client, const struct debuginfod_question *question, char **path)
{
	const struct build_id *id = &question->id;
	auto_free char *name = xasprintf("debuginfod_find_%s", kind_words[question->kind]);
	void *find = dlsym(RTLD_DEFAULT, name);

	if (!find)
		return -ENOSYS; /* find_section is of 0.188 */
	if (question->kind == DEBUGINFOD_SOURCE || question->kind == DEBUGINFOD_SECTION)
		return ((debuginfod_find_in *)find)(
			client, id->bytes, id->len, question->name, path);
	return ((debuginfod_find *)find)(client, id->bytes, id->len, path);
}

/* Returns what follows the last WORD in LOG, up to the end of its line, malloc'ed, or NULL. */
static char *last_line(const char *log, const char *word)
{
	const char *found = NULL;

	for (const char *at = log; (at = strstr(at, word)); at += strlen(word))
		found = at + strlen(word);
	return found ? xstrndup(found, strcspn(found, "\n")) : NULL;
}

/*
 * Returns what went wrong, according to the library's log: its error is ENOENT for nearly
 * everything (debuginfod-client.c of 0.188).
 */
static enum debuginfod_answer answer_of(struct talk *talk, int error, const char *log)
{
	struct debuginfod_message *message = &talk->message;
	auto_free char *response = last_line(log, "server response ");
	auto_free char *status = last_line(log, "returned error: ");

	if (talk->too_large || error == EFBIG)
		return DEBUGINFOD_TOO_LARGE;
	if (redirects_refused()) {
		say(message, "redirected to %.1000s, which is not one of the servers",
			redirects_refused());
		return DEBUGINFOD_FAILED;
	}
	if (talk->whole_file || (error == ENOSYS && talk->question->kind == DEBUGINFOD_SECTION)) {
		say(message, "it does not serve single sections");
		return DEBUGINFOD_FAILED;
	}
	message->remembered = error == ENOENT && !response;
	/* a directory (file:) gives no status */
	bool absent = status ? !strcmp(status, "404")
			     : error == ENOENT && !strncmp(talk->question->url, "file:", 5);
	if (message->remembered || absent)
		return DEBUGINFOD_ABSENT;
	if (status)
		say(message, "HTTP status %s", status);
	else if (response && strcmp(response, "No error") != 0)
		say(message, "%s%s", message->receiving ? "the connection was cut: " : "",
			response);
	else /* complete, or nothing came: the library could not store it */
		say(message, "%s", strerror(error));
	return error == ECONNREFUSED || error == EHOSTUNREACH ? DEBUGINFOD_UNREACHABLE
							      : DEBUGINFOD_FAILED;
}

/*
 * Returns true if NAME is a download that another client has just begun, NAME.a1B2c3 by mkstemp().
 * The name of a section has its dot directly after the hyphen ("section-.symtab").
 */
static bool is_temporary(const char *name)
{
	enum { RANDOM_LEN = 6 };
	const char *dot = strrchr(name, '.');

	return dot && dot > name && dot[-1] != '-' && strlen(dot + 1) == RANDOM_LEN &&
	       strspn(dot + 1, ALNUM) == RANDOM_LEN;
}

/* Removes the empty files by which the cache remembers that no server has the file. */
static void forget_miss(const struct debuginfod_question *question)
{
	const char *word = kind_words[question->kind];
	struct dirent *entry;

	auto_free char *path =
		xasprintf("%s/%s", question->cache, build_id_hex(&question->id).digits);
	DIR *dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		struct stat st;

		if (!strncmp(entry->d_name, word, strlen(word)) && !is_temporary(entry->d_name) &&
			!fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
			S_ISREG(st.st_mode) && !st.st_size)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

/* Creates the parents of the cache, such as ~/.cache; the library creates only the cache itself. */
static void make_parents(const char *cache)
{
	auto_free char *path = xstrdup(cache);

	for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
}

/* Asks the library. Returns the last message's answer. */
static enum debuginfod_answer converse(struct talk *talk)
{
	const struct debuginfod_question *question = talk->question;
	char log[LOG_MAX_LEN];
	struct stat st;
	auto_free char *path = NULL;
	auto_fd int log_fd = memfd_create("debuginfod", MFD_CLOEXEC);

	redirects_guard(question->servers);
	/* set_verbose_fd() is the newest function that is needed (0.183) */
	if (!dlopen(SONAME, RTLD_NOW | RTLD_GLOBAL) || !library(set_verbose_fd)) {
		say(&talk->message, "%s cannot be loaded", SONAME);
		return DEBUGINFOD_UNREACHABLE;
	}
	set_environment(question);
	make_parents(question->cache);
	if (question->forget_before)
		forget_miss(question);
	debuginfod_client *client = library(begin)();
	library(set_user_data)(client, talk);
	library(set_progressfn)(client, on_progress);
	library(set_verbose_fd)(client, log_fd);
	int fd = ask_library(client, question, &path);
	/*
	 * Another client removes the build ID's directory from the cache after finding nothing.
	 * Then mkstemp() fails, and the second time with EINVAL, as its template is used up
	 * (debuginfod-client.c of 0.188).
	 */
	for (int i = 1; i <= AGAIN_MAX && fd == -EINVAL && !talk->asked; i++) {
		nanosleep(&(struct timespec){.tv_nsec = i * AGAIN_NS}, NULL);
		fd = ask_library(client, question, &path);
	}
	if (fd >= 0 && path) {
		/*
		 * A small file is complete before the library reports its size. Files that were in
		 * the cache are exempt from the limit.
		 */
		if (talk->asked && !fstat(fd, &st) && (uint64_t)st.st_size > question->max) {
			unlink(path);
			return DEBUGINFOD_TOO_LARGE;
		}
		say(&talk->message, "%s", path);
		return DEBUGINFOD_FOUND;
	}
	log[file_read_at(log_fd, log, sizeof(log) - 1, 0)] = '\0';
	enum debuginfod_answer answer = answer_of(talk, -fd, log);
	if (talk->cancelled || answer != DEBUGINFOD_ABSENT || question->forget_after)
		forget_miss(question);
	return answer;
}

/* Leaves Ctrl-C to the parent, and closes the standard streams, which others may wait for. */
static void detach(void)
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	signal(SIGINT, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
}

pid_t debuginfod_ask(const struct debuginfod_question *question, int *socket_ret)
{
	int pair[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		struct talk talk = {.question = question, .socket = pair[1], .parent = parent};

		detach();
		/* ends the child even if libcurl hangs */
		alarm(question->timeout + GRACE_S);
		tell(&talk, converse(&talk));
		_exit(0);
	}
	int error = errno;
	close(pair[1]);
	if (pid < 0)
		close(pair[0]);
	else
		*socket_ret = pair[0];
	errno = error;
	return pid;
}
