// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes the stacks of a program as BPF's stack maps have them, and beside each the true one.
 *
 *	tracer EVERY STACKS DIR COMMAND PROGRAM [ARG…]
 *
 * It runs PROGRAM by single steps from its entry point on, keeps the return address of each call that has not
 * returned yet (a shadow stack), and about each EVERY steps, up to STACKS times, follows the frame pointers as
 * the kernel does (arch/x86/events/core.c, perf_callchain_user()). With sampler.c it takes stacks that the kernel takes
 * for a BPF program when a clock ticks between two steps. When PROGRAM ends, COMMAND is run by the shell
 * while its mappings are still there, with the process in $PID and in DIR:
 *
 *	stacks.txt	a stack map as bpftool dumps it
 *	counts.json	stack I was seen I+1 times, so the weight identifies it
 *	truth		a line a stack: slots of the map with their index in the true stack, or -; a bar; the true stack
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sampler.h"

/* NULL without sampler.c */
void sampler_open(pid_t pid) __attribute__((weak));
const struct sampled *sampler_next(void) __attribute__((weak));

enum { DEPTH_MAX = 127, SHADOW_MAX = 1 << 14, TASKS_MAX = 64, PAGES = 1 << 10, PAGE = 4096 };

struct call {
	uint64_t slot, address; /* where the return address was pushed, and what it is */
};

struct task {
	pid_t tid;
	bool called, signalled; /* by the instruction that was stepped over; before it */
	uint64_t sp, pc;	/* before it */
	size_t depth;
	struct call calls[SHADOW_MAX];
	struct task *other; /* the shadow of its other stack; NULL: none yet */
};

struct tracer {
	pid_t pid;
	uint64_t entry;
	long entry_code;
	bool stepping;
	unsigned every, wanted, taken, left, seed;
	const char *dir, *command;
	FILE *stacks, *counts, *truth;
	struct task *tasks[TASKS_MAX];
	struct page {
		uint64_t address;
		uint8_t bytes[PAGE];
	} pages[PAGES];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static FILE *open_file(const struct tracer *tracer, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", tracer->dir, name);
	FILE *file = fopen(path, "w");
	return file ? file : (die(path), NULL);
}

static bool read_memory(pid_t pid, uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

/* The word at ADDRESS; 0 where there is none. */
static uint64_t read_word(pid_t pid, uint64_t address, unsigned size)
{
	uint64_t word = 0;

	return read_memory(pid, address, &word, size) ? word : 0;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* A byte of code, which does not change. */
static uint8_t code_at(struct tracer *tracer, uint64_t address)
{
	struct page *page = &tracer->pages[address / PAGE % PAGES];

	if (page->address != (address | (PAGE - 1))) {
		if (!read_memory(tracer->pid, address & -(uint64_t)PAGE, page->bytes, PAGE))
			return 0;
		page->address = address | (PAGE - 1);
	}
	return page->bytes[address % PAGE];
}

static bool is_prefix(uint8_t byte, bool wide)
{
	return strchr("\x66\x67\xf2\xf3\x2e\x36\x3e\x26\x64\x65\xf0", byte) ||
	       (wide && (byte & 0xf0) == 0x40);
}

static bool is_call(struct tracer *tracer, uint64_t pc, bool wide)
{
	uint8_t byte = code_at(tracer, pc);

	for (int i = 0; byte && i < 14 && is_prefix(byte, wide); i++)
		byte = code_at(tracer, ++pc);
	return byte == 0xe8 || (byte == 0xff && (code_at(tracer, pc + 1) >> 3 & 6) == 2);
}

static void push(struct task *task, uint64_t slot, uint64_t address)
{
	if (task->depth == SHADOW_MAX) {
		fprintf(stderr, "tracer: too many calls\n");
		exit(1);
	}
	task->calls[task->depth++] = (struct call){slot, address};
}

/*
 * Go's runtime has a stack of its own, far from that of the goroutine, which it may move. Changes to the shadow of the
 * other stack, where SP is now. A new stack begins with a return address that no call pushed.
 */
static void change_stack(struct task *task, uint64_t sp, unsigned word)
{
	enum { NEAR = 4096 };
	struct task *other = task->other ?: calloc(1, sizeof(*other)), left = *task;

	*task = *other;
	task->tid = left.tid;
	task->other = other;
	*other = left;
	if (!task->depth)
		push(task, sp, read_word(task->tid, sp, word));
	uint64_t moved = sp - task->calls[task->depth - 1].slot - word;
	for (size_t i = 0; sp - task->sp + NEAR > 2 * NEAR && i < task->depth; i++)
		task->calls[i].slot += moved;
}

/* A signal's handler begins with the address of the code that it returns to; it interrupted PC. */
static void look_back(struct task *task, uint64_t sp, unsigned word, uint64_t pc, bool signalled)
{
	enum { FRAME_MIN = 64 };

	while (task->depth && task->calls[task->depth - 1].slot < sp)
		task->depth--;
	if (signalled && sp + FRAME_MIN < task->sp) {
		push(task, sp + word, pc);
		push(task, sp, read_word(task->tid, sp, word));
	} else if (task->called && sp + word == task->sp) {
		push(task, sp, read_word(task->tid, sp, word));
	}
}

/* ---- a stack -------------------------------------------------------------------------------- */

/* The index, in the true stack, of the frame whose return address is in SLOT; -1: none. */
static int find_call(const struct task *task, uint64_t slot)
{
	for (size_t i = task->depth; i-- > 0;)
		if (task->calls[i].slot == slot)
			return (int)(task->depth - i);
	return -1;
}

static size_t follow(const struct task *task, const struct user_regs_struct *regs, unsigned word,
	uint64_t *values, int *which)
{
	size_t n = 1;

	values[0] = regs->rip;
	which[0] = 0;
	for (uint64_t fp = regs->rbp; n < DEPTH_MAX; n++) {
		uint64_t frame[2] = {};

		if (!read_memory(task->tid, fp, frame, 2 * word))
			break;
		values[n] = word == 4 ? frame[0] >> 32 : frame[1];
		which[n] = find_call(task, fp + word);
		fp = word == 4 ? (uint32_t)frame[0] : frame[0];
	}
	while (!values[n - 1])
		n--;
	return n;
}

static void print_bytes(FILE *out, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		fprintf(out, " %02x", (unsigned)(value >> 8 * i & 0xff));
}

/* Takes the kernel's VALUES instead of N ones of follow(). Returns their number. */
static size_t take_sampled(const struct sampled *sampled, size_t n, uint64_t *values, int *which)
{
	size_t same = 0;

	while (same < n && same < sampled->n && values[same] == sampled->values[same])
		same++;
	for (size_t i = same; i < sampled->n; i++)
		which[i] = -1;
	memcpy(values, sampled->values, sampled->n * sizeof(*values));
	for (n = sampled->n; n > 1 && !values[n - 1];)
		n--;
	return n;
}

/* Takes a stack in the state REGS; SAMPLED: the kernel did; NULL: by follow(). */
static void take_stack(struct tracer *tracer, const struct task *task,
	const struct user_regs_struct *regs, const struct sampled *sampled)
{
	unsigned word = regs->cs == 0x23 ? 4 : 8, id = tracer->taken++;
	uint64_t values[DEPTH_MAX] = {};
	int which[DEPTH_MAX];
	size_t n = follow(task, regs, word, values, which);

	if (sampled)
		n = take_sampled(sampled, n, values, which);
	fprintf(tracer->stacks, "key:");
	print_bytes(tracer->stacks, id, 4);
	fprintf(tracer->stacks, "  value:");
	for (size_t i = 0; i < DEPTH_MAX; i++)
		print_bytes(tracer->stacks, values[i], 8);
	fprintf(tracer->stacks, "\n");
	fprintf(tracer->counts,
		"%c{\"formatted\":{\"key\":{\"pid\":%d,\"user_stack_id\":%u},\"value\":%u}}",
		id ? ',' : '[', tracer->pid, id, id + 1);
	for (size_t i = 0; i < n; i++)
		fprintf(tracer->truth, which[i] < 0 ? "%jx:- " : "%jx:%d ", (uintmax_t)values[i],
			which[i]);
	fprintf(tracer->truth, "| %jx", (uintmax_t)regs->rip);
	for (size_t i = task->depth; i-- > 0;)
		fprintf(tracer->truth, " %jx", (uintmax_t)task->calls[i].address);
	fprintf(tracer->truth, "\n");
}

/* ---- steps ---------------------------------------------------------------------------------- */

static struct task *task_of(struct tracer *tracer, pid_t tid)
{
	struct task **task = tracer->tasks;

	while (*task && (*task)->tid != tid)
		if (++task == tracer->tasks + TASKS_MAX - 1)
			die("tracer: too many threads");
	if (!*task) {
		*task = calloc(1, sizeof(**task));
		(*task)->tid = tid;
	}
	return *task;
}

/*
 * Returns a sample that the kernel took in the state REGS, after the step, NULL if there is none. Those that it took
 * earlier are dropped: the truth is not known any more.
 */
static const struct sampled *find_sample(
	const struct task *task, const struct user_regs_struct *regs)
{
	const struct sampled *sampled, *found = NULL;

	while ((sampled = sampler_next()))
		if ((pid_t)sampled->tid == task->tid && sampled->ip == regs->rip &&
			sampled->sp == regs->rsp)
			found = sampled;
	return found;
}

static void after_step(struct tracer *tracer, struct task *task)
{
	enum { FAR = 1 << 30 };
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, task->tid, NULL, &regs))
		return;
	if (task->sp && regs.rsp - task->sp + FAR > 2ULL * FAR)
		change_stack(task, regs.rsp, regs.cs == 0x23 ? 4 : 8);
	look_back(task, regs.rsp, regs.cs == 0x23 ? 4 : 8, task->pc, task->signalled);
	task->sp = regs.rsp;
	task->pc = regs.rip;
	task->signalled = false;
	task->called = is_call(tracer, regs.rip, regs.cs != 0x23);
	/* goroutines that other threads run change places unseen */
	if (task->tid != tracer->pid && regs.rsp >> 36 == 0xc)
		return;
	const struct sampled *sampled = sampler_next ? find_sample(task, &regs) : NULL;
	tracer->left -= tracer->left > 0;
	if (tracer->left || tracer->taken == tracer->wanted || (sampler_next && !sampled))
		return;
	tracer->left = 1 + (unsigned)rand_r(&tracer->seed) % (2 * tracer->every);
	take_stack(tracer, task, &regs, sampled);
}

static uint64_t find_entry(pid_t pid)
{
	char path[64];
	uint64_t word[2];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	FILE *file = fopen(path, "r");
	unsigned char ident[EI_NIDENT] = {};
	bool wide = file && fread(ident, 1, sizeof(ident), file) == sizeof(ident) &&
		    ident[EI_CLASS] == ELFCLASS64;
	if (file)
		fclose(file);
	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	file = fopen(path, "r");
	size_t size = wide ? 16 : 8;
	while (file && fread(word, 1, size, file) == size) {
		uint64_t key = wide ? word[0] : (uint32_t)word[0];

		if (key == AT_ENTRY) {
			fclose(file);
			return wide ? word[1] : word[0] >> 32;
		}
	}
	die("tracer: no entry point");
	return 0;
}

static void set_breakpoint(struct tracer *tracer)
{
	tracer->entry = find_entry(tracer->pid);
	void *at = (void *)(uintptr_t)tracer->entry;
	tracer->entry_code = ptrace(PTRACE_PEEKTEXT, tracer->pid, at, NULL);
	long code = (tracer->entry_code & ~0xffL) | 0xcc;
	if (ptrace(PTRACE_POKETEXT, tracer->pid, at, code))
		die("tracer: breakpoint");
}

static void take_breakpoint(struct tracer *tracer)
{
	struct user_regs_struct regs;

	ptrace(PTRACE_POKETEXT, tracer->pid, tracer->entry, tracer->entry_code);
	ptrace(PTRACE_GETREGS, tracer->pid, NULL, &regs);
	regs.rip = tracer->entry;
	ptrace(PTRACE_SETREGS, tracer->pid, NULL, &regs);
	tracer->stepping = true;
}

static void finish(struct tracer *tracer)
{
	char pid[32];

	fprintf(tracer->counts, tracer->taken ? "]\n" : "[]\n");
	fprintf(tracer->stacks, "Found %u elements\n", tracer->taken);
	fclose(tracer->stacks);
	fclose(tracer->counts);
	fclose(tracer->truth);
	snprintf(pid, sizeof(pid), "%d", tracer->pid);
	setenv("PID", pid, 1);
	if (system(tracer->command))
		exit(1);
}

/* The signal that the task is to get when it goes on. */
static int look_at_stop(struct tracer *tracer, struct task *task, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	if (event == PTRACE_EVENT_EXIT && task->tid == tracer->pid) {
		tracer->stepping = false;
		finish(tracer);
	} else if (event || signal == SIGSTOP) {
		return 0;
	} else if (signal != SIGTRAP) {
		task->signalled = true;
		return signal;
	} else if (tracer->stepping) {
		after_step(tracer, task);
	} else if (tracer->entry_code) {
		take_breakpoint(tracer);
		after_step(tracer, task);
	}
	return 0;
}

static void trace(struct tracer *tracer)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			continue;
		int signal = look_at_stop(tracer, task_of(tracer, tid), status);
		bool step = tracer->stepping && tracer->taken < tracer->wanted;
		ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, tid, NULL, signal);
	}
}

int main(int argc, char **argv)
{
	static struct tracer tracer = {.seed = 1};
	int status;

	if (argc < 6)
		return 64;
	tracer.every = (unsigned)atoi(argv[1]);
	tracer.wanted = (unsigned)atoi(argv[2]);
	tracer.dir = argv[3];
	tracer.command = argv[4];
	tracer.stacks = open_file(&tracer, "stacks.txt");
	tracer.counts = open_file(&tracer, "counts.json");
	tracer.truth = open_file(&tracer, "truth");
	tracer.pid = fork();
	if (!tracer.pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[5], argv + 5);
		die(argv[5]);
	}
	if (waitpid(tracer.pid, &status, 0) != tracer.pid || !WIFSTOPPED(status))
		die("tracer: exec");
	ptrace(PTRACE_SETOPTIONS, tracer.pid, NULL,
		PTRACE_O_TRACEEXIT | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
	set_breakpoint(&tracer);
	if (sampler_open)
		sampler_open(tracer.pid);
	ptrace(PTRACE_CONT, tracer.pid, NULL, NULL);
	trace(&tracer);
	return 0;
}
