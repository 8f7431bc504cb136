// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/fetch/fetcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "door/door.h"
#include "object/elf_image.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/stop.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum {
	ATTEMPTS_MAX = 6,      /* children at the same time */
	HEDGE_MS = 1000,       /* silence after which the next server is asked as well */
	SILENCE_S = 30,	       /* seconds of silence after which a server counts as dead */
	PROGRESS_MS = 200,     /* between two calls of the progress function */
	ID_MIN = 8,	       /* minimum length of a build ID in bytes, to be unique worldwide */
	SOURCE_MAX = 16 << 20, /* bytes of a source file */
	FETCHES_MAX = 16384,   /* downloads of one run */
};

/* bytes of one section, for files that are too large to download as a whole */
static const uint64_t SECTION_MAX = 4ULL << 30;

struct fetch_server {
	char *url;
	bool answered;	   /* it has answered at least once */
	unsigned silences; /* number of downloads given up without any answer */
	char *dropped;	   /* why it is no longer asked; NULL: it may be asked */
};

/* A request to one server, made by a child. */
struct attempt {
	struct fetch *fetch;
	struct fetch_server *server;
	pid_t pid;
	int socket; /* -1: the child was told to end, and the fetch may be freed */
	int64_t started_ms;
	struct debuginfod_message message; /* the last one that was received */
};

/*
 * Catches Ctrl-C (SIGINT) as an event. The first one while it is caught is reported; the second
 * ends the program.
 */
struct interrupt {
	int fd;	       /* signalfd, readable after SIGINT; -1: not caught */
	sigset_t mask; /* the program's signal mask to restore, valid while FD is not -1 */
	bool seen;     /* the first SIGINT was received: the next one ends the program */
};

struct fetcher {
	const struct fetch_options *options;
	struct VEC(struct fetch_server) servers;
	struct VEC(struct fetch *) fetches;
	struct VEC(struct attempt) attempts;
	size_t running; /* attempts that were not told to end */
	struct interrupt interrupt;
	int64_t polled_ms; /* time of the last fetcher_poll(), ms */
	int64_t spent_ms;  /* time spent on downloads until then */
	int64_t shown_ms;  /* when progress was last shown, ms */
	bool shown;
};

/* ---- one download --------------------------------------------------------------------------- */

/* the remedy if a server cannot be reached */
static const char fix_servers[] = "--debuginfod=URLS of servers that answer";

static void fetch_destroy(struct fetch *fetch)
{
	free(fetch->name);
	free(fetch->label);
	free(fetch->path);
	text_deinit(&fetch->outcome);
	free(fetch);
}

/* Adds what the server URL answered. With URL NULL the text is about no server. */
static void fetch_say(struct fetch *fetch, const char *url, const char *outcome)
{
	text_printf(&fetch->outcome, "%s%s%s%s", fetch->outcome.len ? "; " : "", url ? url : "",
		url ? ": " : "", outcome);
}

/* Does the same for a failure. FIX is what would help, a constant. */
static void fetch_fail(struct fetch *fetch, const char *url, const char *outcome, const char *fix)
{
	fetch_say(fetch, url, outcome);
	fetch->hard = true;
	/* Another remedy is more important than one about servers. */
	if (!fetch->fix || fix != fix_servers)
		fetch->fix = fix;
}

const char *fetch_outcome(const struct fetch *fetch)
{
	return fetch->done && fetch->outcome.data ? fetch->outcome.data : "";
}

bool fetch_failed(const struct fetch *fetch)
{
	return fetch->done && !fetch->path && !fetch->sections && fetch->hard;
}

const char *fetch_lost(struct fetch *fetch, const char **fix_ret)
{
	if (!fetch || !fetch->done || fetch->path || fetch->sections)
		return NULL;
	fetch->told = true;
	*fix_ret = fetch->fix;
	return fetch_outcome(fetch);
}

/* ---- Ctrl-C --------------------------------------------------------------------------------- */

/* Blocks SIGINT from here on, unless the program ignores it or one was seen before. */
static void interrupt_catch(struct interrupt *interrupt)
{
	struct sigaction action;
	sigset_t mask;

	if (interrupt->fd >= 0 || interrupt->seen ||
		(!sigaction(SIGINT, NULL, &action) && action.sa_handler == SIG_IGN))
		return;
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	interrupt->fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (interrupt->fd >= 0)
		sigprocmask(SIG_BLOCK, &mask, &interrupt->mask);
}

/* Restores the handling of SIGINT. One that is pending takes effect now. */
static void interrupt_release(struct interrupt *interrupt)
{
	if (interrupt->fd < 0)
		return;
	sigprocmask(SIG_SETMASK, &interrupt->mask, NULL);
	close(take_fd(interrupt->fd));
}

/* Returns true if SIGINT was received since interrupt_catch(). The next one ends the program. */
static bool interrupt_seen(struct interrupt *interrupt)
{
	struct signalfd_siginfo info;

	if (interrupt->fd < 0 || read(interrupt->fd, &info, sizeof(info)) != sizeof(info))
		return false;
	signal(SIGINT, SIG_DFL);
	interrupt->seen = true;
	interrupt_release(interrupt);
	return true;
}

/* ---- creating and destroying ---------------------------------------------------------------- */

struct fetcher *fetcher_create(const struct fetch_options *options)
{
	const char *urls = options->urls;

	if (!urls || !options->cache)
		return NULL;
	struct fetcher *fetcher = xnew(fetcher);
	fetcher->options = options;
	fetcher->interrupt.fd = -1;
	for (size_t len; *(urls += strspn(urls, " \t\n")); urls += len) {
		len = strcspn(urls, " \t\n");
		/* "ima:…" sets a policy of newer clients (elfutils 0.192) */
		if (strncmp(urls, "ima:", 4) != 0)
			vec_push(&fetcher->servers,
				(struct fetch_server){.url = xstrndup(urls, len)});
	}
	if (fetcher->servers.len)
		return fetcher;
	fetcher_destroy(fetcher);
	return NULL;
}

/* Removes attempts whose children have ended. */
static void reap(struct fetcher *fetcher)
{
	for (size_t i = fetcher->attempts.len; i-- > 0;) {
		struct attempt *attempt = &fetcher->attempts.data[i];

		if (attempt->socket < 0 && waitpid(attempt->pid, NULL, WNOHANG))
			*attempt = fetcher->attempts.data[--fetcher->attempts.len];
	}
}

/* Asks the child to end. */
static void end_attempt(struct fetcher *fetcher, struct attempt *attempt)
{
	if (attempt->socket < 0)
		return;
	shutdown(attempt->socket, SHUT_RDWR);
	close(take_fd(attempt->socket));
	attempt->fetch->running--;
	fetcher->running--;
}

void fetcher_destroy(struct fetcher *fetcher)
{
	if (!fetcher)
		return;
	vec_each(attempt, &fetcher->attempts)
		end_attempt(fetcher, attempt);
	interrupt_release(&fetcher->interrupt);
	if (fetcher->shown)
		fetcher->options->progress(fetcher->options->context, NULL);
	reap(fetcher);
	vec_destroy(&fetcher->fetches, fetch_destroy);
	vec_free_each(&fetcher->servers, url);
	vec_free_each(&fetcher->servers, dropped);
	vec_deinit(&fetcher->servers);
	vec_deinit(&fetcher->attempts);
	free(fetcher);
}

/* ---- asking --------------------------------------------------------------------------------- */

struct fetch *fetcher_start(struct fetcher *fetcher, enum debuginfod_kind kind,
	const struct build_id *id, const char *name, const char *label)
{
	if (!fetcher || id->len < ID_MIN)
		return NULL;
	const char *known_name = name ? name : "";
	vec_each_value(known, &fetcher->fetches)
		if (known->kind == kind && build_id_equal(&known->id, id) &&
			!strcmp(known->name, known_name))
			return known;
	if (fetcher->fetches.len > FETCHES_MAX)
		return *vec_last(&fetcher->fetches);
	struct fetch *fetch = xnew(fetch);
	*fetch = (struct fetch){
		.kind = kind, .id = *id, .name = xstrdup(known_name), .label = xstrdup(label)};
	vec_push(&fetcher->fetches, fetch);
	if (fetcher->fetches.len > FETCHES_MAX) {
		fetch_fail(fetch, NULL, "too many files to download in one run",
			"fewer stacks in one run");
		fetch->done = true;
	}
	fetcher_poll(fetcher);
	return fetch;
}

static void start_attempt(struct fetcher *fetcher, struct fetch *fetch)
{
	const size_t number = fetch->next++;
	struct fetch_server *server = &fetcher->servers.data[number];
	struct debuginfod_question question = {.url = server->url,
		.servers = fetcher->options->urls,
		.cache = fetcher->options->cache,
		.kind = fetch->kind,
		.id = fetch->id,
		.name = fetch->name,
		.max = fetch->kind == DEBUGINFOD_SOURCE	   ? SOURCE_MAX
		       : fetch->kind == DEBUGINFOD_SECTION ? SECTION_MAX
							   : fetcher->options->max,
		.timeout = fetcher->options->timeout,
		.forget_before = number > 0,
		.forget_after =
			fetch->hard || fetch->running || fetch->next < fetcher->servers.len};
	struct attempt attempt = {.fetch = fetch, .server = server, .started_ms = clock_ms()};

	attempt.pid = debuginfod_ask(&question, &attempt.socket);
	if (attempt.pid < 0) {
		fetch_fail(fetch, server->url, strerror(errno), "try again");
		return;
	}
	interrupt_catch(&fetcher->interrupt);
	fetch->asked_ms = attempt.started_ms;
	fetch->running++;
	fetcher->running++;
	vec_push(&fetcher->attempts, attempt);
}

/*
 * Asks one server after another, but the next one at once if the last one is silent. Skips dropped
 * servers, with the reason.
 */
static void advance(struct fetcher *fetcher, struct fetch *fetch, int64_t now)
{
	while (!fetch->done && fetcher->running < ATTEMPTS_MAX) {
		bool heard = false;

		vec_each(attempt, &fetcher->attempts)
			heard |= attempt->socket >= 0 && attempt->fetch == fetch &&
				 attempt->message.receiving;
		if (fetch->running && (heard || now - fetch->asked_ms < HEDGE_MS))
			return;
		for (; fetch->next < fetcher->servers.len; fetch->next++) {
			const struct fetch_server *server = &fetcher->servers.data[fetch->next];

			if (!server->dropped)
				break;
			fetch_fail(fetch, server->url, server->dropped, fix_servers);
		}
		if (fetch->next == fetcher->servers.len) {
			fetch->done = !fetch->running;
			return;
		}
		start_attempt(fetcher, fetch);
	}
}

/* ---- answers -------------------------------------------------------------------------------- */

static void end_attempts_of(struct fetcher *fetcher, const struct fetch *fetch)
{
	vec_each(attempt, &fetcher->attempts)
		if (attempt->fetch == fetch)
			end_attempt(fetcher, attempt);
}

/* Returns false if the file at PATH has another build ID. Sources and sections have none. */
static bool is_right(const struct fetch *fetch, const char *path)
{
	scope_guard(elf_image_cleanup) struct elf_image *image = NULL;

	if (fetch->kind == DEBUGINFOD_SOURCE || fetch->kind == DEBUGINFOD_SECTION)
		return true;
	int fd = door_open(AT_FDCWD, path, 0, NULL);
	if (fd < 0)
		return false;
	auto_error struct error *error = elf_image_open(fd, path, &image);
	return !error && build_id_equal(&image->build_id, &fetch->id);
}

static void take_file(
	struct fetcher *fetcher, struct fetch *fetch, const char *url, const char *path)
{
	if (!is_right(fetch, path)) {
		unlink(path);
		fetch_fail(fetch, url, "it sent a file of another build", fix_servers);
		return;
	}
	fetch_say(fetch, url, "found");
	fetch->path = xstrdup(path);
	fetch->done = true;
	end_attempts_of(fetcher, fetch);
}

static void drop_server(struct fetch_server *server, const char *why)
{
	if (!server->dropped)
		server->dropped = xasprintf("%s; it is not asked again", why);
}

static void take_answer(struct fetcher *fetcher, const struct attempt *attempt)
{
	const struct debuginfod_message *message = &attempt->message;
	struct fetch *fetch = attempt->fetch;
	struct fetch_server *server = attempt->server;

	server->answered = server->answered || message->receiving ||
			   (message->answer == DEBUGINFOD_ABSENT && !message->remembered);
	switch (message->answer) {
	case DEBUGINFOD_FOUND:
		take_file(fetcher, fetch, server->url, message->text);
		break;
	case DEBUGINFOD_ABSENT:
		if (!message->remembered) {
			fetch_say(fetch, server->url, "not found");
			break;
		}
		/* it is on no server, so the others are not asked */
		fetch_say(fetch, NULL, "not found on any server some minutes ago");
		fetch->next = fetcher->servers.len;
		break;
	case DEBUGINFOD_TOO_LARGE:
		fetch_fail(fetch, server->url, "larger than --debuginfod-max",
			"--debuginfod-max=SIZE");
		fetch->too_large =
			message->total > 0 ? (uint64_t)message->total : (uint64_t)message->bytes;
		break;
	case DEBUGINFOD_UNREACHABLE:
		drop_server(server, message->text);
		fetch_fail(fetch, server->url, server->dropped, fix_servers);
		break;
	case DEBUGINFOD_PROGRESS:
	case DEBUGINFOD_FAILED:
		fetch_fail(fetch, server->url, message->text, "try again");
	}
}

/* Receives a message of the child. Returns false if there are no more at present. */
static bool receive(struct fetcher *fetcher, struct attempt *attempt)
{
	struct debuginfod_message *message = &attempt->message;

	if (attempt->socket < 0)
		return false;
	ssize_t n = recv(attempt->socket, message, sizeof(*message), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	message->text[sizeof(message->text) - 1] = '\0';
	if (n != sizeof(*message)) {
		*message = (struct debuginfod_message){.answer = DEBUGINFOD_FAILED};
		strcpy(message->text, "the download was interrupted");
	}
	if (message->answer == DEBUGINFOD_PROGRESS)
		return true;
	take_answer(fetcher, attempt);
	end_attempt(fetcher, attempt);
	return false;
}

/* ---- timeouts ------------------------------------------------------------------------------- */

static void check_timeouts(struct fetcher *fetcher, int64_t now)
{
	vec_each(attempt, &fetcher->attempts) {
		struct fetch_server *server = attempt->server;
		const bool receiving = attempt->message.receiving;
		unsigned timeout = fetcher->options->timeout;

		if (attempt->socket < 0)
			continue;
		if (!receiving && timeout > SILENCE_S)
			timeout = SILENCE_S;
		if (now - attempt->started_ms >= (int64_t)timeout * 1000) {
			auto_free char *why = xasprintf(
				"%s in %u s", receiving ? "not finished" : "no answer", timeout);

			/* a server that has answered before may be silent once */
			if (!receiving && (!server->answered || ++server->silences > 1))
				drop_server(server, why);
			fetch_fail(attempt->fetch, server->url,
				!receiving && server->dropped ? server->dropped : why,
				"--debuginfod-timeout=SECONDS");
		} else if (server->dropped && !receiving) {
			fetch_fail(attempt->fetch, server->url, server->dropped, fix_servers);
		} else {
			continue;
		}
		end_attempt(fetcher, attempt);
	}
}

/* Ends the downloads in progress, and with WAITING also those that have not begun. */
static void give_up_all(struct fetcher *fetcher, bool waiting, const char *why, const char *fix)
{
	vec_each_value(fetch, &fetcher->fetches) {
		if (fetch->done || (!fetch->running && !waiting))
			continue;
		fetch_fail(fetch, NULL, why, fix);
		fetch->done = true;
		end_attempts_of(fetcher, fetch);
	}
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void show_progress(struct fetcher *fetcher, int64_t now)
{
	const struct fetch_options *options = fetcher->options;
	struct fetch_progress progress = {.n_running = fetcher->running};

	if (!options->progress || now - fetcher->shown_ms < PROGRESS_MS || !fetcher->running)
		return;
	vec_each(attempt, &fetcher->attempts) {
		const struct debuginfod_message *message = &attempt->message;

		if (attempt->socket < 0)
			continue;
		if (!progress.name || (message->receiving && !progress.url)) {
			progress.name = attempt->fetch->label;
			progress.url = message->receiving ? attempt->server->url : NULL;
		}
		if (!message->receiving)
			continue;
		progress.bytes += message->bytes;
		progress.total = message->total < 0 || progress.total < 0
					 ? -1
					 : progress.total + message->total;
	}
	vec_each_value(fetch, &fetcher->fetches)
		progress.n_waiting += !fetch->done && !fetch->running;
	options->progress(options->context, &progress);
	fetcher->shown = true;
	fetcher->shown_ms = now;
}

void fetcher_poll(struct fetcher *fetcher)
{
	if (!fetcher)
		return;
	int64_t now = clock_ms();
	if (fetcher->running)
		fetcher->spent_ms += now - fetcher->polled_ms;
	fetcher->polled_ms = now;
	vec_each(attempt, &fetcher->attempts)
		while (receive(fetcher, attempt))
			;
	if (interrupt_seen(&fetcher->interrupt))
		give_up_all(fetcher, false, "skipped by Ctrl-C", "try again");
	check_timeouts(fetcher, now);
	if (fetcher->spent_ms >= (int64_t)fetcher->options->budget * 1000)
		give_up_all(fetcher, true,
			"the time for downloads (--debuginfod-budget) is used up",
			"--debuginfod-budget=SECONDS");
	vec_each_value(fetch, &fetcher->fetches)
		if (!fetch->done)
			advance(fetcher, fetch, now);
	reap(fetcher);
	show_progress(fetcher, now);
	if (fetcher->running)
		return;
	interrupt_release(&fetcher->interrupt);
	if (fetcher->shown)
		fetcher->options->progress(fetcher->options->context, NULL);
	fetcher->shown = false;
}

/* Waits for a message or Ctrl-C, but at most PROGRESS_MS, because timeouts must be checked. */
void fetcher_sleep(struct fetcher *fetcher)
{
	struct pollfd fds[ATTEMPTS_MAX + 1];
	nfds_t n = 0;

	vec_each(attempt, &fetcher->attempts)
		if (attempt->socket >= 0)
			fds[n++] = (struct pollfd){.fd = attempt->socket, .events = POLLIN};
	fds[n++] = (struct pollfd){.fd = fetcher->interrupt.fd, .events = POLLIN};
	if (fetcher->running)
		(void)poll(fds, n, PROGRESS_MS);
	fetcher_poll(fetcher);
}

void fetcher_wait(struct fetcher *fetcher, const struct fetch *fetch)
{
	for (fetcher_poll(fetcher); !fetch->done && !stop_asked();)
		fetcher_sleep(fetcher);
}

/* Returns true if the summary reports a failure that the server URL took part in. */
static bool is_told(const struct fetcher *fetcher, const char *url)
{
	vec_each_value(fetch, &fetcher->fetches)
		if (fetch->told && fetch_failed(fetch) && strstr(fetch_outcome(fetch), url))
			return true;
	return false;
}

void fetcher_notes(const struct fetcher *fetcher, struct log *log)
{
	if (!fetcher)
		return;
	vec_each(server, &fetcher->servers)
		if (server->dropped)
			log_add(log, is_told(fetcher, server->url) ? LOG_LOSS : LOG_WARNING, 1,
				"debuginfod: %s: %s; fix: --no-debuginfod, or --debuginfod=URLS of "
				"other servers",
				server->url, server->dropped);
	vec_each_value(fetch, &fetcher->fetches) {
		/* For each unreachable server, reports only once that it is, and how to use another. */
		bool warn = !fetch->path && fetch->fix && fetch->fix != fix_servers;
		enum log_level level = !warn ? LOG_DETAIL : fetch->told ? LOG_LOSS : LOG_WARNING;

		if (!fetch->done || fetch->kind == DEBUGINFOD_SECTION ||
			(fetch->told && !warn && fetch_failed(fetch)))
			continue;
		if (fetch->sections)
			log_add(log, LOG_DETAIL, 1,
				"debuginfod: %s: sections fetched: %.1f MB of %.1f, %.1f MB saved",
				fetch->label, (double)fetch->sections / 1e6,
				(double)fetch->too_large / 1e6,
				(double)(fetch->too_large - fetch->sections) / 1e6);
		else
			log_add(log, level, 1, "debuginfod: %s: %s%s%s", fetch->label,
				fetch_outcome(fetch), warn ? "; fix: " : "",
				warn ? fetch->fix : "");
	}
}
