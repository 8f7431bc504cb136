// SPDX-License-Identifier: GPL-2.0-or-later
#include "raw_map.h"

#include <check.h>
#include <string.h>

#include "collector_fixture.h"

#define N_PROCESSES 6
#define FIRST_PID 4000 /* leaders: 4000, 4010, …; their second thread: + 1 */
#define PARENT 3000    /* of all; runs another program */
#define FORKED 4050    /* the last one has the code of its parent, FORKED - 10 */
#define SHELL 1000     /* a process's own shell has its ID + SHELL */
#define WIDOW 4020     /* has had children that have ended */
#define CODE 0x7f3a00000000ULL
#define KEY_MAX 256
#define ENTRIES 24

struct machine machine;

/* The true content of one entry. */
struct truth {
	int64_t pid, tid;
	int32_t user, kernel;
	uint64_t weight;
	char comm[16];
};

static uint64_t code_of(int64_t pid)
{
	int64_t leader = pid - pid % 10;

	/* A child that was forked without exec has the addresses of its parent. */
	return CODE + 0x1000000 * (uint64_t)(leader == FORKED ? leader - 10 : leader);
}

static int64_t pid_of(unsigned int process)
{
	return process == INIT ? 1 : FIRST_PID + 10 * (int64_t)process;
}

static bool is_alive(int64_t number)
{
	if (machine.ended && number - number % 10 == machine.ended)
		return false;
	return number == PARENT || number == 1 ||
	       (number >= FIRST_PID && number < FIRST_PID + 10 * N_PROCESSES && number % 10 < 2);
}

static enum process_fit fit(
	void *context, int64_t number, const struct stack *user, const char *comm)
{
	char name[16];

	(void)context;
	if (number == 2 || (machine.shells && number >= FIRST_PID + SHELL))
		return PROCESS_MISFIT; /* a kernel thread, a shell */
	if (!is_alive(number))
		return PROCESS_UNKNOWN;
	snprintf(name, sizeof(name), "worker%u",
		number == 1 ? INIT : (unsigned int)(number - FIRST_PID) / 10);
	if ((machine.changed && number - number % 10 == machine.changed) ||
		(comm && strcmp(comm, name) != 0))
		return PROCESS_MISFIT;
	if (machine.fixed && !comm)
		return PROCESS_POSSIBLE;
	return user->values[0] - code_of(number) < 0x1000000 ? PROCESS_FITS : PROCESS_MISFIT;
}

static int64_t fitting_child(
	void *context, int64_t number, const struct stack *user, const char *comm)
{
	if (machine.shells && number >= FIRST_PID + SHELL)
		return fit(context, number - SHELL, user, comm) == PROCESS_FITS ? number - SHELL
										: -1;
	return number - number % 10 == FORKED - 10 &&
			       fit(context, FORKED, user, comm) == PROCESS_FITS
		       ? FORKED
		       : -1;
}

static bool had_children(void *context, int64_t number)
{
	(void)context;
	return number == PARENT || number - number % 10 == WIDOW;
}

static int64_t of_thread(void *context, int64_t number)
{
	(void)context;
	if (number == 1 || (machine.shells && number >= FIRST_PID + SHELL))
		return number;
	return is_alive(number) ? number - number % 10 : -1;
}

static bool has_comm(void *context, const char *comm)
{
	(void)context;
	return !strncmp(comm, "worker", 6);
}

static const struct input_processes asked = {
	fit, fitting_child, had_children, of_thread, NULL, has_comm, NULL};

/* Entry I of the map: processes and threads take turns; some have no kernel or user stack. */
static struct truth truth_of(unsigned int i, unsigned int first, unsigned int n)
{
	unsigned int process = first + i % n;
	struct truth truth = {.pid = pid_of(process), .weight = 1ULL << i};

	/* Some threads have ended; of one process all but the first. */
	truth.tid = truth.pid;
	if (process != INIT)
		truth.tid += i % 11 == 4 || truth.pid == machine.ended ? 5
			     : n > 1				       ? i / N_PROCESSES % 2
								       : 0;
	truth.user = i % 7 == 3 ? -14 : (int32_t)(9000 + 100 * process + i % 3);
	truth.kernel = i % 5 == 2 ? -14 : (int32_t)(20000 + i % 4);
	snprintf(truth.comm, sizeof(truth.comm), "worker%u", process);
	return truth;
}

static void put(uint8_t *key, size_t *len, const void *bytes, size_t n, size_t align)
{
	*len = (*len + align - 1) & ~(align - 1);
	memcpy(key + *len, bytes, n);
	*len += n;
}

static void put32(uint8_t *key, size_t *len, int64_t number)
{
	int32_t word = (int32_t)number;

	put(key, len, &word, 4, 4);
}

static void put64(uint8_t *key, size_t *len, int64_t number)
{
	put(key, len, &number, 8, 8);
}

static void put_part(
	enum part part, const struct truth *t, unsigned int i, uint8_t *key, size_t *len)
{
	int64_t parent = t->pid == FORKED ? FORKED - 10 : machine.shells ? t->pid + SHELL : PARENT;
	char text[64] = "/usr/lib/something-that-was-opened"; /* zeros behind */

	switch (part) {
	case PID:
	case TGID:
		put32(key, len, t->pid);
		break;
	case TID:
		put32(key, len, t->tid);
		break;
	case PID_TGID:
		put64(key, len, t->pid << 32 | t->tid);
		break;
	case CPU:
		put32(key, len, i % 4);
		break;
	case PPID:
		put32(key, len, parent);
		break;
	case UID:
		put32(key, len, 1000);
		break;
	case TIME:
		put64(key, len, 123456789012345 + 1000003LL * i);
		break;
	case USER:
		put32(key, len, t->user);
		break;
	case KERNEL:
		put32(key, len, t->kernel);
		break;
	case PRIORITY:
		put32(key, len, 9001); /* by chance a user stack of the first process */
		break;
	case FAILED:
		put32(key, len, -12); /* -ENOMEM: the stack map is full */
		break;
	case COMM:
		put(key, len, t->comm, sizeof(t->comm), 1);
		break;
	case PAD:
		put32(key, len, 0);
		break;
	case BPFTRACE_USTACK:
		put64(key, len, t->user < 0 ? t->user : t->tid << 32 | t->user);
		break;
	case BPFTRACE_KSTACK:
		put64(key, len, t->kernel);
		break;
	case BPFTRACE_PID:
		put64(key, len, t->pid);
		break;
	case BPFTRACE_PPID:
		put64(key, len, parent);
		break;
	case BPFTRACE_CPU:
		put64(key, len, i % 4);
		break;
	case STR64:
		put(key, len, text, sizeof(text), 1);
		break;
	case OTHER_USER:
		put32(key, len, 9000 + 100 * ((t->pid - FIRST_PID) / 10 + 1) + i % 3);
		break;
	case FLAG:
		put(key, len, &(uint8_t){1}, 1, 1);
		break;
	case PACKED_USER:
		put(key, len, &t->user, sizeof(t->user), 1);
		break;
	case TAG:
	case LONG_TAG:
		memset(text, 0, sizeof(text));
		snprintf(text, sizeof(text), "request-%u", i % 4);
		put(key, len, text, part == TAG ? 16 : sizeof(text), 1);
		break;
	case PARTS:
		break;
	}
}

static void add_stack(uint32_t id, uint64_t leaf)
{
	uint64_t value[4] = {leaf, leaf + 16, 0, 0};

	entry(&id, 4, value, sizeof(value), -1);
}

static void stack_map(void)
{
	collector_map_begin(collector, "stacks", INPUT_STACKS);
	for (unsigned int process = 0; process <= INIT; process++)
		for (unsigned int i = 0; i < 3; i++)
			add_stack(9000 + 100 * process + i,
				code_of(pid_of(process)) + 0x100 * (i + 1));
	for (unsigned int i = 0; i < 4; i++)
		add_stack(20000 + i, K + 0x1000 * i);
	collector_map_end(collector, false);
}

/* Checks SAMPLE's thread and name, if it has them, against each entry whose weight it has. */
static void check_thread(struct outcome *outcome, const struct sample *sample)
{
	bool tid = sample->tid >= 0, comm = sample->comm && *sample->comm;

	outcome->with_tid += tid;
	outcome->with_comm += comm;
	for (unsigned int i = 0; i < ENTRIES; i++) {
		struct truth truth = truth_of(i, outcome->first, outcome->n);

		if (!(sample->weight & truth.weight))
			continue;
		outcome->wrong += tid && sample->tid != truth.tid;
		outcome->wrong += comm && strcmp(sample->comm, truth.comm) != 0;
	}
}

/*
 * The stacks show which process ran, except after a fork: there only the parent's ID is accepted.
 */
static struct error *take_samples(void *context, const struct sample *samples, size_t n, bool flush)
{
	struct outcome *outcome = context;

	(void)flush;
	for (size_t i = 0; i < n; i++) {
		const struct sample *sample = &samples[i];

		outcome->samples++;
		outcome->weight += sample->weight;
		outcome->with_pid += sample->pid >= 0;
		outcome->failed_user += sample->user.state == STACK_LOST_FULL;
		outcome->failed_kernel += sample->kernel.state == STACK_LOST_FULL;
		check_thread(outcome, sample);
		if (sample->user.state != STACK_PRESENT || sample->pid < 0)
			continue;
		outcome->wrong +=
			sample->pid != pid_of((unsigned int)(sample->user.id - 9000) / 100);
	}
	return NULL;
}

int read_keys(const enum part *parts, size_t n_parts, unsigned int first, unsigned int n,
	const char *advice, struct outcome *ret)
{
	struct outcome outcome = {.first = first, .n = n};
	struct input_sink sink = {.batch = take_samples, .context = &outcome};
	uint64_t sum = 0;

	options.processes = machine.unknown ? NULL : &asked;
	ck_assert_ptr_null(collector_create(&options, &messages, &sink, &collector));
	stack_map();
	collector_map_begin(collector, "counts", INPUT_ANY);
	for (unsigned int i = 0; i < ENTRIES; i++) {
		struct truth truth = truth_of(i, first, n);
		uint64_t value = truth.weight;
		uint8_t key[KEY_MAX] = {};
		size_t len = 0;

		for (size_t part = 0; part < n_parts; part++)
			put_part(parts[part], &truth, i, key, &len);
		len = (len + 3) & ~(size_t)3;
		/* One CPU each, as equal keys would replace each other. */
		struct map_entry e = {key, (uint8_t *)&value, len, 8, (int)i, false, NULL, "t:1"};
		collector_entry(collector, &e);
		sum += truth.weight;
	}
	collector_map_end(collector, false);
	struct error *err = collector_end(collector, &stats);
	ck_assert_uint_eq(outcome.wrong, 0);
	if (err) {
		ck_assert_int_eq(error_kind(err), ERROR_INPUT);
		ck_assert_msg(log_has(&messages, advice ? advice : "possible reading: --"), "%s",
			error_message(err));
		ck_assert_uint_eq(outcome.weight, 0);
	} else {
		ck_assert_uint_eq(outcome.weight, sum);
	}
	int result = err ? 0 : outcome.with_pid ? 2 : 1;
	error_destroy(err);
	collector_destroy(collector);
	collector = NULL;
	log_deinit(&messages);
	messages = (struct log){};
	*ret = outcome;
	return result;
}

int read_layout(const enum part *parts, size_t n_parts, unsigned int first, unsigned int n)
{
	struct outcome outcome;

	return read_keys(parts, n_parts, first, n, NULL, &outcome);
}
