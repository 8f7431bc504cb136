// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps without BTF: a matrix of key layouts, each of which must be read right, or refused with the
 * readings there are. No wrong process, no wrong sum.
 */
#include <check.h>
#include <string.h>

#include "collector_fixture.h"
#include "run.h"

#define N_PROCESSES 6
#define FIRST_PID 4000 /* leaders: 4000, 4010, …; their second thread: + 1 */
#define PARENT 3000    /* of all; runs another program */
#define FORKED 4050    /* the last one has the code of its parent, FORKED - 10 */
#define SHELL 1000
#define WIDOW 4020 /* has had children that have ended */
#define INIT 6	   /* one more process, with ID 1 and one thread */
#define CODE 0x7f3a00000000ULL
#define KEY_MAX 256
#define ENTRIES 24

enum part {
	PID,
	TID,
	TGID,
	PID_TGID,
	CPU,
	PPID,
	UID,
	TIME,
	USER,
	KERNEL,
	FAILED,
	COMM,
	PAD,
	BPFTRACE_USTACK,
	BPFTRACE_KSTACK,
	BPFTRACE_PID,
	BPFTRACE_PPID,
	BPFTRACE_CPU,
	STR64,
	PARTS,
	OTHER_USER, /* a user stack of the next process */
	TAG,	    /* text that is nobody's name */
	FLAG,	    /* one byte */
	PACKED_USER /* not aligned */
};

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

static int64_t changed; /* runs another program since; 0: none does */
static int64_t ended;	/* a process that has ended with all of its threads; 0: none has */

static bool shells; /* the parent of each but the forked one is its own shell, with ID + SHELL */

static bool fixed; /* all have their code at the same addresses: names tell them apart */

static bool is_alive(int64_t number)
{
	if (ended && number - number % 10 == ended)
		return false;
	return number == PARENT || number == 1 ||
	       (number >= FIRST_PID && number < FIRST_PID + 10 * N_PROCESSES && number % 10 < 2);
}

static enum process_fit fit(
	void *context, int64_t number, const struct stack *user, const char *comm)
{
	char name[16];

	(void)context;
	if (number == 2 || (shells && number >= FIRST_PID + SHELL))
		return PROCESS_MISFIT; /* a kernel thread, a shell */
	if (!is_alive(number))
		return PROCESS_UNKNOWN;
	snprintf(name, sizeof(name), "worker%u",
		number == 1 ? INIT : (unsigned int)(number - FIRST_PID) / 10);
	if ((changed && number - number % 10 == changed) || (comm && strcmp(comm, name) != 0))
		return PROCESS_MISFIT;
	if (fixed && !comm)
		return PROCESS_POSSIBLE;
	return user->values[0] - code_of(number) < 0x1000000 ? PROCESS_FITS : PROCESS_MISFIT;
}

static int64_t fitting_child(
	void *context, int64_t number, const struct stack *user, const char *comm)
{
	if (shells && number >= FIRST_PID + SHELL)
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
	if (number == 1 || (shells && number >= FIRST_PID + SHELL))
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
static const struct input_processes *known = &asked; /* NULL: nothing is known of any */

/* Entry I of the map: processes and threads take turns; some have no kernel or user stack. */
static struct truth truth_of(unsigned int i, unsigned int first, unsigned int n)
{
	unsigned int process = first + i % n;
	struct truth truth = {.pid = pid_of(process), .weight = 1ULL << i};

	/* Some threads have ended; of one process all but the first. */
	truth.tid = truth.pid;
	if (process != INIT)
		truth.tid += i % 11 == 4 || truth.pid == ended ? 5
			     : n > 1			       ? i / N_PROCESSES % 2
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
	int64_t parent = t->pid == FORKED ? FORKED - 10 : shells ? t->pid + SHELL : PARENT;
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
		memset(text, 0, sizeof(text));
		snprintf(text, sizeof(text), "request-%u", i % 4);
		put(key, len, text, 16, 1);
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

/* Facts about the samples that were received. */
struct outcome {
	unsigned int first, n; /* of truth_of() */
	uint64_t weight;
	unsigned int samples, wrong, with_pid, with_tid, with_comm, failed_user, failed_kernel;
};

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

/*
 * Reads the map whose keys have PARTS, and checks what comes. ADVICE: what a refusal must say, NULL: nothing
 * more than a reading to choose.
 */
static int read_keys(const enum part *parts, size_t n_parts, unsigned int first, unsigned int n,
	const char *advice, struct outcome *ret)
{
	struct outcome outcome = {.first = first, .n = n};
	struct input_sink sink = {.batch = take_samples, .context = &outcome};
	uint64_t sum = 0;

	options.processes = known;
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

/* 0 if it was refused, 1 read without, 2 with processes. */
static int read_layout(const enum part *parts, size_t n_parts, unsigned int first, unsigned int n)
{
	struct outcome outcome;

	return read_keys(parts, n_parts, first, n, NULL, &outcome);
}

#define LAYOUT(...)                                                                                \
	(const enum part[]){__VA_ARGS__},                                                          \
		sizeof((const enum part[]){__VA_ARGS__}) / sizeof(enum part)

/* Layouts of well-known programs are read, with the process. */
START_TEST(well_known)
{
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL, COMM), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, KERNEL, USER, COMM), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(TID, TGID, USER, KERNEL), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, USER, KERNEL), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, TIME, USER, PAD), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, PAD, TIME, USER, KERNEL, COMM), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(USER, KERNEL, COMM, PID), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_USTACK), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_KSTACK, BPFTRACE_USTACK, COMM), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(STR64, BPFTRACE_PID, BPFTRACE_USTACK), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_KSTACK), 0, 4), 1);
	ck_assert_int_eq(read_layout(LAYOUT(KERNEL, COMM), 0, 4), 1);
}
END_TEST

/* A thread and a name are read at any position in the key. */
START_TEST(threads_and_names)
{
	struct outcome outcome;

	ck_assert_int_eq(read_keys(LAYOUT(COMM, PID, USER, KERNEL), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_uint_eq(outcome.with_tid, 0);
	ck_assert_int_eq(read_keys(LAYOUT(PID, USER, KERNEL, COMM), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(KERNEL, COMM), 0, 4, NULL, &outcome), 1);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(TID, TGID, USER), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_tid, 0);
	ck_assert_uint_eq(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(USER, PID_TGID), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_tid, 0);
	/* Of two texts neither is known to be the name. */
	ck_assert_int_eq(read_keys(LAYOUT(COMM, PID, USER, COMM), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.with_comm, 0);
}
END_TEST

/*
 * A text that is no process's name is no evidence about processes, and is not offered as the comm.
 */
START_TEST(tags_are_no_names)
{
	struct outcome outcome;

	fixed = true;
	ck_assert_int_eq(read_keys(LAYOUT(TAG, PID, KERNEL, USER), 0, 4,
				 "='char text0[16]; u32 pid; s32 kernel; s32 user'", &outcome),
		0);
	ck_assert_int_eq(read_layout(LAYOUT(COMM, PID, KERNEL, USER), 0, 4), 2);
	fixed = false;
	ck_assert_int_eq(
		read_keys(LAYOUT(OTHER_USER, TAG, USER, KERNEL, TIME), 0, 4,
			"='u32 unused0; char text1[16]; s32 user; s32 kernel; u32 unused7; "
			"u32 unused8; u32 unused9' (user stacks have no names",
			&outcome),
		0);
}
END_TEST

/* A column that has only errors is the side that no other column has. */
START_TEST(one_side_always_failed)
{
	struct outcome outcome;

	ck_assert_int_eq(read_keys(LAYOUT(PID, USER, FAILED), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.failed_kernel, 0);
	ck_assert_int_eq(read_keys(LAYOUT(FAILED, KERNEL, COMM), 0, 4, NULL, &outcome), 1);
	ck_assert_uint_gt(outcome.failed_user, 0);
	/* Both sides have columns, or two columns could be the missing one. */
	ck_assert_int_eq(read_keys(LAYOUT(PID, USER, FAILED, FAILED), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.failed_kernel, 0);
}
END_TEST

/* A container's first process has ID 1 in its namespace. */
START_TEST(init_is_a_process)
{
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), INIT, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(USER, PID_TGID), INIT, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 5, 2), 2);
}
END_TEST

/* Without a way to look up processes no number is proven to be one; it may be. */
START_TEST(no_processes_are_known)
{
	known = NULL;
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 0, 4), 0);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), INIT, 1), 0);
	ck_assert_int_eq(read_layout(LAYOUT(PAD, USER, KERNEL), 0, 4), 1);
	known = &asked;
}
END_TEST

/* The number beside bpftrace's stack ID is never taken for the process. */
START_TEST(bpftrace_says_who_ran)
{
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_CPU, BPFTRACE_USTACK), 0, 4), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_PPID, BPFTRACE_USTACK), 0, 4), 2);
	/* The number beside a stack ID that is never an error may be anything. */
	ck_assert_int_eq(read_layout(LAYOUT(COMM, OTHER_USER, UID), 0, 4), 0);
	/* Only the child that has its parent's code. */
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_PPID, BPFTRACE_USTACK), 5, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_USTACK, BPFTRACE_PPID), 5, 1), 2);
}
END_TEST

/* The ID of a thread that has exited is no process, whatever is beside it. */
START_TEST(ended_threads)
{
	ck_assert_int_eq(read_layout(LAYOUT(TID, USER, KERNEL), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(TID, TGID, USER, KERNEL), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(TGID, TID, USER, KERNEL), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, USER, KERNEL, COMM), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(TID, PPID, USER, KERNEL), 3, 1), 2);
}
END_TEST

START_TEST(others_are_no_process)
{
	ck_assert_int_eq(read_layout(LAYOUT(CPU, USER, KERNEL), 0, 4), 1);
	ck_assert_int_eq(read_layout(LAYOUT(CPU, USER, KERNEL, COMM), 0, 4), 1);
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL, COMM), 0, 4), 1);
	/* The parent may have run, but so may its child. */
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL), 5, 1), 0);
	/* Parents explain all, also one that has the code of its child. */
	shells = true;
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL), 0, 6), 1);
	ck_assert_int_eq(read_layout(LAYOUT(PID, PPID, USER, KERNEL), 0, 6), 2);
	/* As many fit as misfit: they may be processes, some of which now run another program. */
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL), 4, 2), 0);
	shells = false;
	ck_assert_int_eq(read_layout(LAYOUT(UID, USER, KERNEL), 0, 4), 0);
	ck_assert_int_eq(read_layout(LAYOUT(UID, KERNEL), 0, 4), 1);
}
END_TEST

/*
 * Children that a process has had may have run instead, unless another number or process is better
 * evidence.
 */
START_TEST(children_that_have_ended)
{
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 2, 1), 0);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL, COMM), 2, 1), 0);
	ck_assert_int_eq(read_layout(LAYOUT(USER, PID), 2, 1), 0);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 2, 2), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL), 3, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, TGID, USER, KERNEL), 2, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, USER, KERNEL), 2, 1), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID, PPID, USER, KERNEL), 2, 1), 0);
}
END_TEST

/* All keys of up to three of the parts beside a stack, in all orders. */
START_TEST(matrix)
{
	static const enum part stacks[][2] = {{USER, KERNEL}, {KERNEL, USER}, {USER, PARTS},
		{KERNEL, PARTS}, {BPFTRACE_USTACK, PARTS}, {BPFTRACE_KSTACK, BPFTRACE_USTACK},
		{BPFTRACE_USTACK, BPFTRACE_KSTACK}};
	unsigned int results[3] = {}, layouts = 0;

	for (size_t s = 0; s < sizeof(stacks) / sizeof(*stacks); s++) {
		for (unsigned int a = 0; a < PARTS; a++) {
			for (unsigned int b = 0; b <= PARTS; b++) {
				enum part parts[4] = {a};
				size_t n = 1;

				if (a == USER || a == KERNEL || a == BPFTRACE_USTACK ||
					a == BPFTRACE_KSTACK || b == USER || b == KERNEL ||
					b == BPFTRACE_USTACK || b == BPFTRACE_KSTACK)
					continue;
				parts[n++] = stacks[s][0];
				if (stacks[s][1] != PARTS)
					parts[n++] = stacks[s][1];
				if (b != PARTS)
					parts[n++] = b;
				layouts += 2;
				results[read_layout(parts, n, 0, 4)]++;
				results[read_layout(parts, n, 5, 1)]++;
			}
		}
	}
	ck_assert_uint_ge(layouts, 150);
	/* Most are read and the others refused; none is read wrongly. */
	ck_assert_uint_ge(results[1] + results[2], layouts * 6 / 10);
	printf("# %u layouts: %u refused, %u read without, %u with the process\n", layouts,
		results[0], results[1], results[2]);
}
END_TEST

/*
 * One process now runs another program, or its ID is used again: the others show what the numbers
 * are.
 */
START_TEST(one_process_misfits)
{
	struct outcome outcome;

	changed = 4010;
	ck_assert_int_eq(read_layout(LAYOUT(PID, USER, KERNEL, COMM), 0, 5), 2);
	ck_assert_int_eq(read_layout(LAYOUT(PID_TGID, KERNEL, USER), 0, 5), 2);
	ck_assert_int_eq(read_layout(LAYOUT(BPFTRACE_PID, COMM, BPFTRACE_USTACK), 0, 5), 2);
	ck_assert_int_eq(
		read_keys(LAYOUT(BPFTRACE_PPID, BPFTRACE_USTACK), 0, 5, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_tid, 0);
	/* Nothing else is known about any of them. */
	ck_assert_int_eq(read_layout(LAYOUT(PPID, USER, KERNEL), 1, 1), 1);
	changed = 0;
}
END_TEST

/* The ID of an exited process is known to be that of a process or a thread. */
START_TEST(one_process_has_ended)
{
	struct outcome outcome;

	ended = 4030;
	ck_assert_int_eq(read_keys(LAYOUT(PID, USER, KERNEL), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.with_tid, 0);
	ck_assert_int_eq(read_keys(LAYOUT(PID_TGID, USER, KERNEL), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_tid, 0);
	/* The thread IDs of bpftrace show that the other column is their process. */
	ck_assert_int_eq(read_keys(LAYOUT(BPFTRACE_PID, BPFTRACE_USTACK), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.with_pid, outcome.samples);
	ended = 0;
}
END_TEST

/*
 * The stacks of the process are used, unless its ID may be that of the parent of the others'
 * process.
 */
START_TEST(two_stacks_of_one_side)
{
	struct outcome outcome;

	ck_assert_int_eq(read_layout(LAYOUT(PID, OTHER_USER, USER, KERNEL), 0, 4), 2);
	ck_assert_int_eq(read_keys(LAYOUT(TGID, TID, OTHER_USER, USER), 2, 1,
				 "u32 unused2; s32 user'", &outcome),
		0);
	ck_assert_int_eq(read_keys(LAYOUT(USER, OTHER_USER), 0, 4,
				 "--key-layout='s32 user; u32 unused1'", &outcome),
		0);
	ck_assert_int_eq(read_keys(LAYOUT(USER, OTHER_USER), 0, 4,
				 "--key-layout='u32 unused0; s32 user'", &outcome),
		0);
}
END_TEST

/*
 * A text that is no process's name is not used, and does not keep a number from being the process.
 */
START_TEST(texts_that_are_no_names)
{
	struct outcome outcome;

	ck_assert_int_eq(read_keys(LAYOUT(TAG, PID, USER, KERNEL), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_eq(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(TAG, KERNEL), 0, 4, NULL, &outcome), 1);
	ck_assert_uint_eq(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(TAG, PID, USER, COMM), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(COMM, TAG, KERNEL, USER, PID), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
}
END_TEST

/*
 * A packed struct is read where a process shows that it had the stacks; otherwise only the stack IDs
 * can be found, and where they are is said.
 */
START_TEST(packed_keys)
{
	struct outcome outcome;

	ck_assert_int_eq(read_keys(LAYOUT(FLAG, PACKED_USER, PID, COMM), 0, 4, NULL, &outcome), 2);
	ck_assert_uint_gt(outcome.with_comm, 0);
	ck_assert_int_eq(read_keys(LAYOUT(PID, FLAG, PACKED_USER), 0, 4, NULL, &outcome), 2);
	ck_assert_int_eq(read_keys(LAYOUT(FLAG, PACKED_USER), 0, 4,
				 "--key-layout='s32 user@1; u8 rest[]'", &outcome),
		0);
	ck_assert_int_eq(read_keys(LAYOUT(KERNEL, FLAG, PACKED_USER), 0, 4,
				 "--key-layout='s32 kernel@0; s32 user@5; u8 rest[]'", &outcome),
		0);
}
END_TEST

/* What cannot be told: two columns of the same side, a stack map so full that all numbers are in
 * it. */
START_TEST(refused)
{
	struct outcome outcome;

	ck_assert_int_eq(read_layout(LAYOUT(USER, USER, KERNEL), 0, 5), 0);
	/* The advice has everything else that is known. */
	ck_assert_int_eq(read_keys(LAYOUT(TID, TGID, USER, USER, KERNEL), 0, 4,
				 "u32 tid; u32 pid; s32", &outcome),
		0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("raw_reading");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, well_known);
	tcase_add_test(tcase, threads_and_names);
	tcase_add_test(tcase, one_side_always_failed);
	tcase_add_test(tcase, init_is_a_process);
	tcase_add_test(tcase, no_processes_are_known);
	tcase_add_test(tcase, bpftrace_says_who_ran);
	tcase_add_test(tcase, ended_threads);
	tcase_add_test(tcase, others_are_no_process);
	tcase_add_test(tcase, children_that_have_ended);
	tcase_add_test(tcase, matrix);
	tcase_add_test(tcase, one_process_misfits);
	tcase_add_test(tcase, one_process_has_ended);
	tcase_add_test(tcase, two_stacks_of_one_side);
	tcase_add_test(tcase, texts_that_are_no_names);
	tcase_add_test(tcase, tags_are_no_names);
	tcase_add_test(tcase, packed_keys);
	tcase_add_test(tcase, refused);
	return tests_run(tcase);
}
