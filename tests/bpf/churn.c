// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads and unloads BPF programs while a stream asks whose code addresses are, and compares the
 * answers with what it knows itself.
 *
 *	churn MODE RATE SECONDS SPINNERS -- COMMAND…
 *	churn beside RATE SPINNERS -- COMMAND…
 *	churn said RATE SECONDS FILE
 *
 * RATE programs are loaded a second, as many unloaded, 64 are alive, each with a name of its own;
 * SPINNERS processes keep the CPUs busy. The COMMAND gets on stdin, by MODE,
 *
 *	address   bare addresses, one at a time: the answer must have been right between question and answer
 *	field     events of bpftool, "u64 time; u64 kstack[2]", up to 200 ms after their time
 *	head      the same with time 0: the event's own head has it, by perf's clock
 *	untimed   the same without any time, at once: a name that is marked must have been right between
 *		  question and answer, as nobody can know more of it
 *
 * and answers with "0xADDRESS NAME+0xOFFSET [?]" in each line that has an address. Prints
 * "asked N right N doubtful N dead N wrong N unnamed N": RIGHT names are not marked as doubtful,
 * DOUBTFUL ones are right too, DEAD ones are wrong but marked, WRONG ones are not marked. Then
 * nothing is loaded any more, and a second later come 64 further questions: "silence", the same again.
 * "beside" asks nothing: it loads and spins while the COMMAND runs, and ends with its status. "said" adds
 * to FILE, some 200 times a second, which program is where: "PID ADDRESS TIME NAME" (ns, CLOCK_MONOTONIC).
 */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/follow/reports.h"

#define SECOND 1000000000ULL
enum { ALIVE = 64, INSNS_MAX = 300, LATE_MAX_MS = 200, SILENT_QUESTIONS = 64, SPINNERS_MAX = 64 };

enum mode { MODE_ADDRESS, MODE_FIELD, MODE_HEAD, MODE_UNTIMED };
static const char *const modes[] = {"address", "field", "head", "untimed"};

/* A program. It may be there from FROM up to TO. */
struct program {
	int fd;
	uint64_t start, end;
	uint64_t from, to; /* ns; TO 0: it is there */
	char name[64];
};

struct question {
	uint64_t address, time, due;
	char name[64];
};

struct results {
	unsigned asked, right, doubtful, dead, wrong, unnamed;
};

struct churn {
	enum mode mode;
	unsigned rate;
	pthread_mutex_t lock; /* of the next two */
	struct program alive[ALIVE];
	struct program *log; /* those that went */
	size_t n_log, log_cap;
	bool stop;
	unsigned numbers;
	FILE *ask, *answer;
	struct s2l_perf_clock *clock;
};

static void die(const char *what) __attribute__((noreturn));

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static void sleep_until(uint64_t time)
{
	const struct timespec at = {(time_t)(time / SECOND), (long)(time % SECOND)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* ---- programs ------------------------------------------------------------------------------- */

/* NUMBER makes instructions, and so the tag, others than those of any program before. */
static struct program load(unsigned number)
{
	struct bpf_insn insns[INSNS_MAX];
	struct program program = {.from = now()};
	struct bpf_prog_info info = {};
	__u32 size = 0, len = sizeof(info);
	int n = 20 + (int)(number * 37 % (INSNS_MAX - 20));
	char name[16];

	snprintf(name, sizeof(name), "churn_%u", number);
	for (int i = 0; i < n; i++)
		insns[i] = (struct bpf_insn){.code = BPF_ALU64 | (i ? BPF_ADD : BPF_MOV) | BPF_K,
			.dst_reg = BPF_REG_0,
			.imm = (int)number};
	insns[n - 1] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
	program.fd =
		bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, name, "GPL", insns, (size_t)n, NULL);
	if (program.fd < 0)
		die("load");
	info.nr_jited_ksyms = info.nr_jited_func_lens = 1;
	info.jited_ksyms = (uintptr_t)&program.start;
	info.jited_func_lens = (uintptr_t)&size;
	if (bpf_obj_get_info_by_fd(program.fd, &info, &len) || !program.start)
		die("info");
	program.end = program.start + size;
	strcpy(program.name, "bpf_prog_");
	for (int i = 0; i < BPF_TAG_SIZE; i++)
		sprintf(program.name + 9 + 2 * i, "%02x", info.tag[i]);
	sprintf(program.name + 9 + 2 * BPF_TAG_SIZE, "_%s", name);
	return program;
}

/* What goes may be asked for until then: it is logged before it goes. */
static void replace(struct churn *churn)
{
	struct program *slot = &churn->alive[(unsigned)rand() % ALIVE], old;

	pthread_mutex_lock(&churn->lock);
	old = *slot;
	old.to = now();
	slot->start = slot->end = 0;
	if (churn->n_log == churn->log_cap) {
		churn->log_cap = churn->log_cap * 2 + 1024;
		churn->log = realloc(churn->log, churn->log_cap * sizeof(*churn->log));
	}
	churn->log[churn->n_log++] = old;
	pthread_mutex_unlock(&churn->lock);
	close(old.fd);
	struct program next = load(++churn->numbers);
	pthread_mutex_lock(&churn->lock);
	*slot = next;
	pthread_mutex_unlock(&churn->lock);
}

static void *run_loads(void *context)
{
	struct churn *churn = context;
	uint64_t due = now();

	while (!__atomic_load_n(&churn->stop, __ATOMIC_RELAXED)) {
		replace(churn);
		due += SECOND / churn->rate;
		if (due < now()) /* what was missed is not made up for */
			due = now();
		sleep_until(due);
	}
	return NULL;
}

/* ---- questions ------------------------------------------------------------------------------ */

/* A program that is there at question->time. */
static void choose(struct churn *churn, struct question *ret)
{
	const struct program *program;

	pthread_mutex_lock(&churn->lock);
	do
		program = &churn->alive[(unsigned)rand() % ALIVE];
	while (!program->start);
	ret->address = program->start + (uint64_t)rand() % (program->end - program->start);
	ret->time = now();
	memcpy(ret->name, program->name, sizeof(ret->name));
	pthread_mutex_unlock(&churn->lock);
}

static void ask(struct churn *churn, const struct question *question)
{
	uint64_t words[3] = {churn->mode == MODE_FIELD ? question->time : 0, question->address, 0};
	uint64_t head = question->time;
	unsigned char bytes[sizeof(words)];
	int64_t ahead = 0;

	if (churn->mode == MODE_ADDRESS) {
		fprintf(churn->ask, "0x%llx\n", (unsigned long long)question->address);
		fflush(churn->ask);
		return;
	}
	if (churn->mode == MODE_HEAD && perf_clock_ahead(churn->clock, &ahead))
		head += (uint64_t)ahead;
	if (churn->mode != MODE_HEAD)
		head = 0;
	fprintf(churn->ask, "== @%llu.%09llu CPU: 0 index: 0 =====\n",
		(unsigned long long)(head / SECOND), (unsigned long long)(head % SECOND));
	memcpy(bytes, words, sizeof(words));
	for (size_t i = 0; i < sizeof(words); i++)
		fprintf(churn->ask, "%02x%c", bytes[i],
			i % 16 == 15 || i + 1 == sizeof(words) ? '\n' : ' ');
	fflush(churn->ask);
}

/* Whether the program NAME may have lain at ADDRESS between FROM and TO. */
static bool lay_there(
	const struct churn *churn, const char *name, uint64_t address, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < churn->n_log + ALIVE; i++) {
		const struct program *program =
			i < ALIVE ? &churn->alive[i] : &churn->log[churn->n_log - 1 - (i - ALIVE)];

		if (address >= program->start && address < program->end && program->from <= to &&
			(!program->to || program->to >= from) && !strcmp(program->name, name))
			return true;
	}
	return false;
}

/* LINE is "… 0xADDRESS NAME+0xOFFSET [?] …". */
static void judge(struct churn *churn, const struct question *question, const char *line,
	struct results *results)
{
	char name[256] = "", mark[256] = "";
	uint64_t address = 0;
	const char *at = strstr(line, "0x");

	sscanf(at ? at : "", "%lx %255s %255s", &address, name, mark);
	if (address != question->address) {
		fprintf(stderr, "churn: no answer to 0x%lx: %s", question->address, line);
		exit(1);
	}
	bool named = !strncmp(name, "bpf_prog_", 9), doubtful = !strcmp(mark, "?");
	name[strcspn(name, "+")] = '\0';
	pthread_mutex_lock(&churn->lock);
	bool meanwhile = churn->mode == MODE_ADDRESS || (churn->mode == MODE_UNTIMED && doubtful);
	bool right = meanwhile ? lay_there(churn, name, address, question->time, now())
			       : !strcmp(name, question->name);
	pthread_mutex_unlock(&churn->lock);
	results->asked++;
	results->unnamed += !named;
	results->right += named && right && !doubtful;
	results->doubtful += named && right && doubtful;
	results->dead += named && !right && doubtful;
	results->wrong += named && !right && !doubtful;
	if (named && !right)
		fprintf(stderr, "churn: wanted %s: %s", question->name, line);
}

static void hear(struct churn *churn, const struct question *question, struct results *results)
{
	char line[4096];

	do
		if (!fgets(line, sizeof(line), churn->answer)) {
			fputs("churn: no answer\n", stderr);
			exit(1);
		}
	while (!strstr(line, "0x"));
	judge(churn, question, line, results);
}

/* Each question is asked late by a time of its own, but in the order of their times. */
static void question(struct churn *churn, bool late, struct results *results)
{
	enum { AT_ONCE = 8 };
	struct question questions[AT_ONCE];
	size_t n = churn->mode == MODE_ADDRESS || churn->mode == MODE_UNTIMED ? 1 : AT_ONCE;

	for (size_t i = 0; i < n; i++) {
		choose(churn, &questions[i]);
		if (n > 1)
			sleep_until(now() + SECOND / 500);
	}
	if (n > 1 && late)
		sleep_until(now() + (uint64_t)(rand() % LATE_MAX_MS) * (SECOND / 1000));
	for (size_t i = 0; i < n; i++)
		ask(churn, &questions[i]);
	for (size_t i = 0; i < n; i++)
		hear(churn, &questions[i], results);
	sleep_until(now() + SECOND / 500);
}

static void print(const char *what, const struct results *results)
{
	printf("%s %u right %u doubtful %u dead %u wrong %u unnamed %u\n", what, results->asked,
		results->right, results->doubtful, results->dead, results->wrong, results->unnamed);
	fflush(stdout);
}

/* ---- processes ------------------------------------------------------------------------------ */

static void start_command(struct churn *churn, char **argv)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die("pipe");
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execvp(argv[0], argv);
		die(argv[0]);
	}
	close(in[0]);
	close(out[1]);
	churn->ask = fdopen(in[1], "w");
	churn->answer = fdopen(out[0], "r");
}

static void start_spinner(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		__asm__ volatile("");
}

/* ALIVE programs, and then RATE others a second. */
static void start_loads(struct churn *churn, unsigned rate)
{
	churn->rate = rate ? rate : 1;
	for (int i = 0; i < ALIVE; i++)
		churn->alive[i] = load(++churn->numbers);
}

static void start_spinners(int n)
{
	for (int i = 0; i < n && i < SPINNERS_MAX; i++)
		start_spinner();
}

/* ---- what is done --------------------------------------------------------------------------- */

/* argv as in "churn beside RATE SPINNERS -- COMMAND…". Returns the COMMAND's status. */
static int beside(struct churn *churn, char **argv)
{
	pthread_t loads;
	int status;
	pid_t pid;

	start_loads(churn, (unsigned)atoi(argv[2]));
	start_spinners(atoi(argv[3]));
	if (pthread_create(&loads, NULL, run_loads, churn))
		die("thread");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execvp(argv[5], argv + 5);
		die(argv[5]);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("wait");
	churn->stop = true;
	pthread_join(loads, NULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* argv as in "churn said RATE SECONDS FILE". */
static int said(struct churn *churn, char **argv)
{
	FILE *file = fopen(argv[4], "a");
	struct question question;
	pthread_t loads;

	if (!file)
		die(argv[4]);
	start_loads(churn, (unsigned)atoi(argv[2]));
	if (pthread_create(&loads, NULL, run_loads, churn))
		die("thread");
	for (uint64_t end = now() + (uint64_t)atoi(argv[3]) * SECOND; now() < end;) {
		choose(churn, &question);
		fprintf(file, "%d 0x%lx %lu %s\n", (int)getpid(), question.address, question.time,
			question.name);
		sleep_until(now() + SECOND / 200);
	}
	churn->stop = true;
	pthread_join(loads, NULL);
	if (fclose(file))
		die(argv[4]);
	return 0;
}

int main(int argc, char **argv)
{
	struct churn churn = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct results results = {}, silence = {};
	pthread_t loads;

	if (argc > 5 && !strcmp(argv[1], "beside") && !strcmp(argv[4], "--"))
		return beside(&churn, argv);
	if (argc == 5 && !strcmp(argv[1], "said"))
		return said(&churn, argv);
	if (argc < 7 || strcmp(argv[5], "--") != 0) {
		fputs("usage: churn MODE RATE SECONDS SPINNERS -- COMMAND…\n"
		      "       churn beside RATE SPINNERS -- COMMAND…\n"
		      "       churn said RATE SECONDS FILE\n",
			stderr);
		return 64;
	}
	while (churn.mode < MODE_UNTIMED && strcmp(modes[churn.mode], argv[1]) != 0)
		churn.mode++;
	churn.clock = perf_clock_open();
	if (!churn.clock)
		die("perf events");
	start_loads(&churn, (unsigned)atoi(argv[2]));
	start_command(&churn, argv + 6);
	start_spinners(atoi(argv[4]));
	question(&churn, false, &(struct results){}); /* from here on it listens */
	if (pthread_create(&loads, NULL, run_loads, &churn))
		die("thread");
	for (uint64_t end = now() + (uint64_t)atoi(argv[3]) * SECOND; now() < end;)
		question(&churn, true, &results);
	churn.stop = true;
	pthread_join(loads, NULL);
	print("asked", &results);
	printf("loaded %u\n", churn.numbers);
	sleep_until(now() + SECOND);
	while (silence.asked < SILENT_QUESTIONS)
		question(&churn, false, &silence);
	print("silence", &silence);
	fclose(churn.ask);
	return 0;
}
