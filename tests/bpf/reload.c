// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replaces one BPF program by another at the same kernel address.
 *
 *	reload
 *
 * It loads a program called "before" and prints "ADDRESS NAME", an address amid its code and its
 * name as kallsyms has it. For each line on stdin it unloads the program, loads others (called
 * "after") until one lies at that address, and prints ADDRESS with the new name; "none" if none does yet.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 1000, INSNS = 100 };

struct program {
	int fd;
	__u64 start, end;
	struct bpf_prog_info info;
};

static void die(const char *what) __attribute__((noreturn));

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* NUMBER makes the instructions, and so the tag, others than those of any program before. */
static struct program load(const char *name, int number)
{
	struct bpf_insn insns[INSNS];
	struct program program = {};
	__u32 size = 0, len = sizeof(program.info);

	for (int i = 0; i < INSNS; i++)
		insns[i] = (struct bpf_insn){.code = BPF_ALU64 | (i ? BPF_ADD : BPF_MOV) | BPF_K,
			.dst_reg = BPF_REG_0,
			.imm = number + (i << 20)};
	insns[INSNS - 1] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
	program.fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, name, "GPL", insns, INSNS, NULL);
	if (program.fd < 0)
		die("load");
	program.info.nr_jited_ksyms = program.info.nr_jited_func_lens = 1;
	program.info.jited_ksyms = (__u64)(unsigned long)&program.start;
	program.info.jited_func_lens = (__u64)(unsigned long)&size;
	if (bpf_obj_get_info_by_fd(program.fd, &program.info, &len) || !program.start)
		die("info");
	program.end = program.start + size;
	return program;
}

static void print(__u64 address, const struct program *program)
{
	printf("0x%llx bpf_prog_", address);
	for (int i = 0; i < BPF_TAG_SIZE; i++)
		printf("%02x", program->info.tag[i]);
	printf("_%s\n", program->info.name);
	fflush(stdout);
}

/* Whether so little lies between the two that one of their size, put there, had B's middle. */
static bool neighbours(const struct program *a, const struct program *b)
{
	return b->start > a->start && b->start - a->end < (b->end - b->start) / 4;
}

/*
 * A program between two others, which stay: when its memory is free, it does not join what others
 * leave beside it, so that the next program fits there as it did.
 */
static struct program load_between(int number)
{
	struct program last[3] = {};

	for (int i = 0; i < TRIES; i++) {
		last[0] = last[1];
		last[1] = last[2];
		last[2] = load("before", number);
		if (i >= 2 && neighbours(&last[0], &last[1]) && neighbours(&last[1], &last[2]))
			return last[1];
	}
	fputs("reload: no three programs side by side\n", stderr);
	exit(1);
}

/* The memory of a program is free some time after its last descriptor is closed. */
static struct program load_at(__u64 address, int *number)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	int others[TRIES], n = 0;
	struct program program = {.fd = -1};

	while (n < TRIES && program.fd < 0) {
		program = load("after", ++*number);
		if (address < program.start || address >= program.end) {
			others[n++] = program.fd;
			program.fd = -1;
		}
		nanosleep(&pause, NULL);
	}
	while (n)
		close(others[--n]);
	return program;
}

int main(void)
{
	int number = 1;
	struct program program = load_between(number);
	const __u64 address = program.start + (program.end - program.start) / 2;

	print(address, &program);
	while (getchar() != EOF) {
		if (program.fd >= 0)
			close(program.fd);
		program = load_at(address, &number);
		if (program.fd >= 0)
			print(address, &program);
		else
			puts("none");
		fflush(stdout);
	}
	return 0;
}
