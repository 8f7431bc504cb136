// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/fetch/fetcher.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "object/fetch/interrupt.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/stop.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum {
	ATTEMPTS_MAX = 6,      /* children at the same time */
	HEDGE_MS = 1000,       /* silence after which the next server is asked as well */
	SILENCE_MS = 30000,    /* silence after which a server counts as dead */
	PROGRESS_MS = 200,     /* between two calls of the progress function */
	ID_MIN = 8,	       /* minimum length of a build ID in bytes, to be unique worldwide */
	SOURCE_MAX = 16 << 20, /* bytes of a source file */
	FETCHES_MAX = 4096,
};

/* bytes of one section, for files that are too large to download as a whole */
static const uint64_t SECTION_MAX = 4ULL << 30;

struct fetch_server {
	char *url;
	bool answered;	   /* it has answered at least once */
	unsigned silences; /* number of downloads given up without any answer */
	char *dropped;	   /* why it is no longer asked; NULL: it is */
};

/* A request to one server, made by a child. */
struct attempt {
	struct fetch *fetch;
	size_t server;
	pid_t pid;
	int socket; /* -1: the child was told to end, and the fetch may be freed */
	int64_t started_ms;
	bool receiving;
	int64_t bytes, total; /* valid if receiving; total -1: unknown */
};

struct fetcher {
	const struct fetch_options *options;
	struct VEC(struct fetch_server) servers;
	struct VEC(struct fetch *) fetches;
	size_t fetches_max; /* limit, see fetcher_is_full() */
	uint64_t forgotten;
	struct VEC(struct attempt) attempts;
	size_t running; /* attempts that were not told to end */
	struct interrupt interrupt;
	int64_t active_ms; /* start of the current downloads, ms; 0: there are none */
	int64_t spent_ms;  /* time spent on earlier downloads */
	int64_t shown_ms;  /* when progress was last shown, ms */
	bool shown;
};

static int64_t now_ms(void)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000);
}

/* ---- creating and destroying ---------------------------------------------------------------- */

/* Adds the servers of URLS. "ima:…" sets a policy of newer clients (elfutils 0.192). */
static void add_servers(struct fetcher *fetcher, const char *urls)
{
	for (size_t len; *(urls += strspn(urls, " \t\n")); urls += len) {
		len = strcspn(urls, " \t\n");
		if (strncmp(urls, "ima:", 4) != 0)
			vec_push(&fetcher->servers,
				(struct fetch_server){.url = xstrndup(urls, len)});
	}
}

struct fetcher *fetcher_create(const struct fetch_options *options)
{
	if (!options->urls || !options->cache)
		return NULL;
	struct fetcher *fetcher = xcalloc(1, sizeof(*fetcher));
	fetcher->options = options;
	fetcher->fetches_max = FETCHES_MAX;
	interrupt_init(&fetcher->interrupt);
	add_servers(fetcher, options->urls);
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

/* Tells the child to end. */
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
	for (size_t i = 0; i < fetcher->attempts.len; i++)
		end_attempt(fetcher, &fetcher->attempts.data[i]);
	interrupt_release(&fetcher->interrupt);
	if (fetcher->shown)
		fetcher->options->progress(fetcher->options->context, NULL);
	reap(fetcher);
	vec_destroy(&fetcher->fetches, fetch_destroy);
	for (size_t i = 0; i < fetcher->servers.len; i++) {
		free(fetcher->servers.data[i].url);
		free(fetcher->servers.data[i].dropped);
	}
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
	for (size_t i = 0; i < fetcher->fetches.len; i++)
		if (fetch_is(fetcher->fetches.data[i], kind, id, name))
			return fetcher->fetches.data[i];
	struct fetch *fetch = fetch_create(kind, id, name, label);

	vec_push(&fetcher->fetches, fetch);
	fetcher_poll(fetcher);
	return fetch;
}

static uint64_t max_of(const struct fetcher *fetcher, enum debuginfod_kind kind)
{
	return kind == DEBUGINFOD_SOURCE    ? SOURCE_MAX
	       : kind == DEBUGINFOD_SECTION ? SECTION_MAX
					    : fetcher->options->max;
}

static void start_attempt(struct fetcher *fetcher, struct fetch *fetch)
{
	size_t server = fetch->next++;
	const char *url = fetcher->servers.data[server].url;
	struct debuginfod_question question = {.url = url,
		.servers = fetcher->options->urls,
		.cache = fetcher->options->cache,
		.kind = fetch->kind,
		.id = fetch->id,
		.name = fetch->name,
		.max = max_of(fetcher, fetch->kind),
		.timeout = fetcher->options->timeout,
		.forget_before = server > 0,
		.forget_after =
			fetch->hard || fetch->running || fetch->next < fetcher->servers.len};
	struct attempt attempt = {.fetch = fetch, .server = server, .started_ms = now_ms()};

	attempt.pid = debuginfod_ask(&question, &attempt.socket);
	if (attempt.pid < 0) {
		fetch_fail(fetch, url, strerror(errno), "try again");
		return;
	}
	if (!fetcher->active_ms) {
		fetcher->active_ms = attempt.started_ms;
		interrupt_catch(&fetcher->interrupt);
	}
	fetch->asked_ms = attempt.started_ms;
	fetch->running++;
	fetcher->running++;
	vec_push(&fetcher->attempts, attempt);
}

static bool is_heard(const struct fetcher *fetcher, const struct fetch *fetch)
{
	for (size_t i = 0; i < fetcher->attempts.len; i++) {
		const struct attempt *attempt = &fetcher->attempts.data[i];

		if (attempt->socket >= 0 && attempt->fetch == fetch && attempt->receiving)
			return true;
	}
	return false;
}

/* Returns true if there is a server left to ask. Dropped servers are skipped, with the reason. */
static bool has_next(const struct fetcher *fetcher, struct fetch *fetch)
{
	for (; fetch->next < fetcher->servers.len; fetch->next++) {
		const struct fetch_server *server = &fetcher->servers.data[fetch->next];

		if (!server->dropped)
			return true;
		fetch_fail(fetch, server->url, server->dropped, fetch_fix_servers);
	}
	return false;
}

/* Asks one server after another, but the next one at once if the last one is silent. */
static void advance(struct fetcher *fetcher, struct fetch *fetch, int64_t now)
{
	while (!fetch->done && fetcher->running < ATTEMPTS_MAX) {
		if (fetch->running &&
			(now - fetch->asked_ms < HEDGE_MS || is_heard(fetcher, fetch)))
			return;
		if (!has_next(fetcher, fetch)) {
			fetch->done = !fetch->running;
			return;
		}
		start_attempt(fetcher, fetch);
	}
}

/* ---- answers -------------------------------------------------------------------------------- */

static void end_attempts_of(struct fetcher *fetcher, const struct fetch *fetch)
{
	for (size_t i = 0; i < fetcher->attempts.len; i++)
		if (fetcher->attempts.data[i].fetch == fetch)
			end_attempt(fetcher, &fetcher->attempts.data[i]);
}

static void take_file(
	struct fetcher *fetcher, struct fetch *fetch, const char *url, const char *path)
{
	if (!fetch_is_right(fetch, path)) {
		unlink(path);
		fetch_fail(fetch, url, "it sent a file of another build", fetch_fix_servers);
		return;
	}
	fetch_say(fetch, url, "found");
	fetch->path = xstrdup(path);
	fetch->done = true;
	end_attempts_of(fetcher, fetch);
}

/* What the cache remembers as missing is on no server, so the others are not asked. */
static void take_miss(
	struct fetcher *fetcher, struct fetch *fetch, const char *url, bool remembered)
{
	fetch_say(fetch, remembered ? NULL : url,
		remembered ? "not found on any server some minutes ago" : "not found");
	if (remembered)
		fetch->next = fetcher->servers.len;
}

static void drop_server(struct fetch_server *server, const char *why)
{
	if (!server->dropped)
		server->dropped = xasprintf("%s; it is not asked again", why);
}

static void take_answer(struct fetcher *fetcher, const struct attempt *attempt,
	const struct debuginfod_message *message)
{
	struct fetch *fetch = attempt->fetch;
	struct fetch_server *server = &fetcher->servers.data[attempt->server];

	server->answered = server->answered || message->receiving ||
			   (message->answer == DEBUGINFOD_ABSENT && !message->remembered);
	switch (message->answer) {
	case DEBUGINFOD_FOUND:
		take_file(fetcher, fetch, server->url, message->text);
		break;
	case DEBUGINFOD_ABSENT:
		take_miss(fetcher, fetch, server->url, message->remembered);
		break;
	case DEBUGINFOD_TOO_LARGE:
		fetch_fail(fetch, server->url, "larger than --debuginfod-max",
			"--debuginfod-max=SIZE");
		fetch->too_large =
			message->total > 0 ? (uint64_t)message->total : (uint64_t)message->bytes;
		break;
	case DEBUGINFOD_UNREACHABLE:
		drop_server(server, message->text);
		fetch_fail(fetch, server->url, server->dropped, fetch_fix_servers);
		break;
	case DEBUGINFOD_PROGRESS:
	case DEBUGINFOD_FAILED:
		fetch_fail(fetch, server->url, message->text, "try again");
	}
}

/* Receives a message of the child. Returns false if there are no more at present. */
static bool receive(struct fetcher *fetcher, struct attempt *attempt)
{
	struct debuginfod_message message = {};

	if (attempt->socket < 0)
		return false;
	ssize_t n = recv(attempt->socket, &message, sizeof(message), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	message.text[sizeof(message.text) - 1] = '\0';
	if (n != sizeof(message)) {
		message = (struct debuginfod_message){.answer = DEBUGINFOD_FAILED};
		strcpy(message.text, "the download was interrupted");
	}
	if (message.answer == DEBUGINFOD_PROGRESS) {
		attempt->receiving = message.receiving;
		attempt->bytes = message.bytes;
		attempt->total = message.total;
		return true;
	}
	take_answer(fetcher, attempt, &message);
	end_attempt(fetcher, attempt);
	return false;
}

/* ---- timeouts ------------------------------------------------------------------------------- */

static int64_t timeout_ms(const struct fetcher *fetcher, const struct attempt *attempt)
{
	int64_t timeout = (int64_t)fetcher->options->timeout * 1000;

	return attempt->receiving || timeout < SILENCE_MS ? timeout : SILENCE_MS;
}

static void give_up(struct fetcher *fetcher, const struct attempt *attempt)
{
	struct fetch_server *server = &fetcher->servers.data[attempt->server];
	long long seconds = (long long)(timeout_ms(fetcher, attempt) / 1000);
	auto_free char *silence = xasprintf("no answer in %lld s", seconds);
	auto_free char *slow = xasprintf("not finished in %lld s", seconds);

	if (attempt->receiving) {
		fetch_fail(attempt->fetch, server->url, slow, "--debuginfod-timeout=SECONDS");
		return;
	}
	/* a server that has answered before may be silent once */
	if (!server->answered || ++server->silences > 1)
		drop_server(server, silence);
	fetch_fail(attempt->fetch, server->url, server->dropped ? server->dropped : silence,
		"--debuginfod-timeout=SECONDS");
}

static void check_timeouts(struct fetcher *fetcher, int64_t now)
{
	for (size_t i = 0; i < fetcher->attempts.len; i++) {
		struct attempt *attempt = &fetcher->attempts.data[i];
		const struct fetch_server *server = &fetcher->servers.data[attempt->server];

		if (attempt->socket < 0)
			continue;
		if (now - attempt->started_ms >= timeout_ms(fetcher, attempt))
			give_up(fetcher, attempt);
		else if (server->dropped && !attempt->receiving)
			fetch_fail(attempt->fetch, server->url, server->dropped, fetch_fix_servers);
		else
			continue;
		end_attempt(fetcher, attempt);
	}
}

/* Ends the downloads in progress, and with WAITING also those that have not begun. */
static void give_up_all(struct fetcher *fetcher, bool waiting, const char *why, const char *fix)
{
	for (size_t i = 0; i < fetcher->fetches.len; i++) {
		struct fetch *fetch = fetcher->fetches.data[i];

		if (fetch->done || (!fetch->running && !waiting))
			continue;
		fetch_fail(fetch, NULL, why, fix);
		fetch->done = true;
		end_attempts_of(fetcher, fetch);
	}
}

static int64_t spent_ms(const struct fetcher *fetcher, int64_t now)
{
	return fetcher->spent_ms + (fetcher->active_ms ? now - fetcher->active_ms : 0);
}

static void check_budget(struct fetcher *fetcher, int64_t now)
{
	if (spent_ms(fetcher, now) >= (int64_t)fetcher->options->budget * 1000)
		give_up_all(fetcher, true,
			"the time for downloads (--debuginfod-budget) is "
			"used up",
			"--debuginfod-budget=SECONDS");
}

static void check_interrupt(struct fetcher *fetcher)
{
	if (interrupt_seen(&fetcher->interrupt))
		give_up_all(fetcher, false, "skipped by Ctrl-C", "try again");
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void show_progress(struct fetcher *fetcher, int64_t now)
{
	const struct fetch_options *options = fetcher->options;
	struct fetch_progress progress = {.n_running = fetcher->running};

	if (!options->progress || now - fetcher->shown_ms < PROGRESS_MS || !fetcher->running)
		return;
	for (size_t i = 0; i < fetcher->attempts.len; i++) {
		const struct attempt *attempt = &fetcher->attempts.data[i];

		if (attempt->socket < 0)
			continue;
		if (!progress.name || (attempt->receiving && !progress.url)) {
			progress.name = attempt->fetch->label;
			progress.url = attempt->receiving
					       ? fetcher->servers.data[attempt->server].url
					       : NULL;
		}
		if (!attempt->receiving)
			continue;
		progress.bytes += attempt->bytes;
		progress.total = attempt->total < 0 || progress.total < 0
					 ? -1
					 : progress.total + attempt->total;
	}
	for (size_t i = 0; i < fetcher->fetches.len; i++)
		progress.n_waiting +=
			!fetcher->fetches.data[i]->done && !fetcher->fetches.data[i]->running;
	options->progress(options->context, &progress);
	fetcher->shown = true;
	fetcher->shown_ms = now;
}

static void rest(struct fetcher *fetcher, int64_t now)
{
	if (fetcher->running || !fetcher->active_ms)
		return;
	fetcher->spent_ms = spent_ms(fetcher, now);
	fetcher->active_ms = 0;
	interrupt_release(&fetcher->interrupt);
	if (fetcher->shown)
		fetcher->options->progress(fetcher->options->context, NULL);
	fetcher->shown = false;
}

void fetcher_poll(struct fetcher *fetcher)
{
	if (!fetcher)
		return;
	for (size_t i = 0; i < fetcher->attempts.len; i++)
		while (receive(fetcher, &fetcher->attempts.data[i]))
			;
	int64_t now = now_ms();
	check_interrupt(fetcher);
	check_timeouts(fetcher, now);
	check_budget(fetcher, now);
	for (size_t i = 0; i < fetcher->fetches.len; i++)
		if (!fetcher->fetches.data[i]->done)
			advance(fetcher, fetcher->fetches.data[i], now);
	reap(fetcher);
	show_progress(fetcher, now);
	rest(fetcher, now);
}

/* Waits for a message or Ctrl-C, but at most PROGRESS_MS, because timeouts must be checked. */
static void sleep_on(struct fetcher *fetcher)
{
	struct pollfd fds[ATTEMPTS_MAX + 1];
	nfds_t n = 0;

	for (size_t i = 0; i < fetcher->attempts.len; i++)
		if (fetcher->attempts.data[i].socket >= 0)
			fds[n++] = (struct pollfd){
				.fd = fetcher->attempts.data[i].socket, .events = POLLIN};
	fds[n++] = (struct pollfd){.fd = fetcher->interrupt.fd, .events = POLLIN};
	(void)poll(fds, n, PROGRESS_MS);
}

void fetcher_sleep(struct fetcher *fetcher)
{
	if (fetcher->running)
		sleep_on(fetcher);
	fetcher_poll(fetcher);
}

void fetcher_wait(struct fetcher *fetcher, const struct fetch *fetch)
{
	for (fetcher_poll(fetcher); !fetch->done && !stop_asked();)
		fetcher_sleep(fetcher);
}

bool fetcher_is_full(const struct fetcher *fetcher)
{
	return fetcher && fetcher->fetches.len > fetcher->fetches_max;
}

void fetcher_forget(struct fetcher *fetcher)
{
	size_t kept = 0;

	for (size_t i = 0; i < fetcher->fetches.len; i++) {
		struct fetch *fetch = fetcher->fetches.data[i];

		if (fetch->holders || !fetch->done || fetch->running)
			fetcher->fetches.data[kept++] = fetch;
		else
			fetch_destroy(fetch);
	}
	fetcher->forgotten += fetcher->fetches.len - kept;
	fetcher->fetches.len = kept;
	/* Sets the limit, at least to twice the number of those held. */
	fetcher->fetches_max = kept > FETCHES_MAX / 2 ? 2 * kept : FETCHES_MAX;
}

static bool is_told(const struct fetcher *fetcher, const char *url)
{
	for (size_t i = 0; i < fetcher->fetches.len; i++)
		if (fetch_tells(fetcher->fetches.data[i], url))
			return true;
	return false;
}

void fetcher_notes(const struct fetcher *fetcher, struct log *log)
{
	if (!fetcher)
		return;
	for (size_t i = 0; i < fetcher->servers.len; i++) {
		const struct fetch_server *server = &fetcher->servers.data[i];

		if (server->dropped)
			log_add(log, is_told(fetcher, server->url) ? LOG_LOSS : LOG_WARNING, 1,
				"debuginfod: %s: %s; fix: --no-debuginfod, or --debuginfod=URLS of "
				"other servers",
				server->url, server->dropped);
	}
	for (size_t i = 0; i < fetcher->fetches.len; i++)
		fetch_note(fetcher->fetches.data[i], log);
	log_add(log, LOG_DETAIL, fetcher->forgotten,
		"debuginfod: a download was forgotten before it was used");
}
