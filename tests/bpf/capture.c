// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples the stacks of a command with stacks.bpf.c and holds the maps until they are dumped.
 *
 *	capture --object F (--frequency HZ | --uprobe BINARY:SYMBOL[+OFFSET] | --syscall NR) [--table F]
 *		[--pin DIR] [--depth SLOTS] [--entries N] [--ring BYTES] [--buckets N] [--cgroup ID] -- CMD ARG…
 *
 * With --cgroup it samples what is in the cgroup with this ID (the inode of its folder), not CMD.
 *
 * It talks in lines. On stdout: "map NAME ID" for each map, "pid N", then "ready". It waits for a
 * line on stdin (readers of event maps start in between), attaches, and writes a byte to the
 * command's stdin. When the command has written a byte to its stdout, sampling stops for good and
 * "done" is printed: now the maps can be dumped by ID, while the command still runs. End of file
 * on stdin ends the command and then this program.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <getopt.h>
#include <inttypes.h>
#include <libelf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "maps.h"

#define MAX_CPUS 1024

struct options {
	const char *object, *uprobe, *table, *pin;
	uint64_t frequency;   /* 0: no clock */
	long syscall;	      /* -1: none */
	unsigned int depth;   /* slots of a stack, 0: STACK_DEPTH */
	unsigned int entries; /* of each map of counts, 0: as they are */
	unsigned int ring;    /* bytes of each ring buffer, a power of two; 0: as they are */
	unsigned int buckets; /* of each map of stacks, 0: as they are */
	uint64_t cgroup;      /* 0: none */
	char **command;
};

struct command {
	pid_t pid;
	int to, from; /* its stdin and stdout */
};

struct capture {
	struct bpf_object *object;
	struct bpf_link *links[MAX_CPUS];
	size_t n_links;
};

static void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void die(const char *format, ...)
{
	va_list args;

	fputs("capture: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static struct options options_parse(int argc, char **argv)
{
	static const struct option known[] = {
		{"object", required_argument, NULL, 'o'},
		{"uprobe", required_argument, NULL, 'u'},
		{"syscall", required_argument, NULL, 's'},
		{"frequency", required_argument, NULL, 'f'},
		{"table", required_argument, NULL, 't'},
		{"pin", required_argument, NULL, 'p'},
		{"depth", required_argument, NULL, 'd'},
		{"entries", required_argument, NULL, 'e'},
		{"ring", required_argument, NULL, 'r'},
		{"buckets", required_argument, NULL, 'b'},
		{"cgroup", required_argument, NULL, 'c'},
		{},
	};
	struct options options = {.syscall = -1};
	int c;

	while ((c = getopt_long(argc, argv, "+", known, NULL)) != -1) {
		if (c == 'o')
			options.object = optarg;
		else if (c == 'u')
			options.uprobe = optarg;
		else if (c == 's')
			options.syscall = atol(optarg);
		else if (c == 'f')
			options.frequency = strtoull(optarg, NULL, 10);
		else if (c == 't')
			options.table = optarg;
		else if (c == 'p')
			options.pin = optarg;
		else if (c == 'd')
			options.depth = (unsigned int)atoi(optarg);
		else if (c == 'e')
			options.entries = (unsigned int)atoi(optarg);
		else if (c == 'r')
			options.ring = (unsigned int)atoi(optarg);
		else if (c == 'b')
			options.buckets = (unsigned int)atoi(optarg);
		else if (c == 'c')
			options.cgroup = strtoull(optarg, NULL, 10);
		else
			exit(64);
	}
	options.command = argv + optind;
	if (!options.object || !*options.command ||
		!options.uprobe + (options.syscall < 0) + !options.frequency != 2)
		die("usage: --object F (--frequency HZ | --uprobe BINARY:SYMBOL[+OFFSET] | --syscall NR) "
		    "[--table F] [--pin DIR] [--depth SLOTS] [--entries N] [--ring BYTES] [--buckets N] [--cgroup ID] -- CMD ARG...");
	return options;
}

/* The command waits for a byte before it does anything that is sampled. */
static struct command command_start(char **argv)
{
	int in[2], out[2];
	struct command command = {};

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	command.pid = fork();
	if (command.pid < 0)
		die("fork: %s", strerror(errno));
	if (command.pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* The same addresses in every run: IDs are hashes of them. */
		personality(ADDR_NO_RANDOMIZE);
		execv(argv[0], argv);
		die("%s: %s", argv[0], strerror(errno));
	}
	close(in[0]);
	close(out[1]);
	command.to = in[1];
	command.from = out[0];
	return command;
}

static void command_run(const struct command *command)
{
	char byte = '\n';

	if (write(command->to, &byte, 1) != 1 || read(command->from, &byte, 1) != 1)
		die("the command ended early");
}

static void command_end(const struct command *command)
{
	int status;

	close(command->to);
	if (waitpid(command->pid, &status, 0) != command->pid || status != 0)
		die("the command failed (status 0x%x)", status);
}

static void capture_target(const struct capture *capture, const struct capture_target *target)
{
	struct bpf_map *map = bpf_object__find_map_by_name(capture->object, "target");
	uint32_t zero = 0;

	if (!map || bpf_map_update_elem(bpf_map__fd(map), &zero, target, BPF_ANY))
		die("setting the target: %s", strerror(errno));
}

static void capture_set_depth(const struct capture *capture, unsigned int depth)
{
	struct bpf_map *map;

	bpf_object__for_each_map(
		map, capture->object) if (bpf_map__type(map) == BPF_MAP_TYPE_STACK_TRACE &&
					  bpf_map__set_value_size(map,
						  bpf_map__value_size(map) / STACK_DEPTH * depth))
		die("a depth of %u is not possible", depth);
}

/* Of the maps of TYPE. */
static void capture_set_entries(
	const struct capture *capture, enum bpf_map_type type, unsigned int entries)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, capture->object) if (bpf_map__type(map) == type &&
							   bpf_map__set_max_entries(map, entries))
		die("%u entries are not possible", entries);
}

static void capture_load(struct capture *capture, const struct options *options)
{
	struct bpf_map *map;

	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	capture->object = bpf_object__open_file(options->object, NULL);
	if (!capture->object)
		die("%s: %s", options->object, strerror(errno));
	if (options->depth)
		capture_set_depth(capture, options->depth);
	if (options->entries)
		capture_set_entries(capture, BPF_MAP_TYPE_HASH, options->entries);
	if (options->ring)
		capture_set_entries(capture, BPF_MAP_TYPE_RINGBUF, options->ring);
	if (options->buckets)
		capture_set_entries(capture, BPF_MAP_TYPE_STACK_TRACE, options->buckets);
	if (bpf_object__load(capture->object))
		die("loading %s: %s", options->object, strerror(errno));
	if (options->pin && bpf_object__pin_maps(capture->object, options->pin))
		die("pinning in %s: %s", options->pin, strerror(errno));
	bpf_object__for_each_map(map, capture->object)
	{
		struct bpf_map_info info = {};
		uint32_t size = sizeof(info);

		if (bpf_obj_get_info_by_fd(bpf_map__fd(map), &info, &size))
			die("map info: %s", strerror(errno));
		printf("map %s %u\n", bpf_map__name(map), info.id);
	}
}

static struct bpf_program *capture_program(const struct capture *capture, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(capture->object, name);

	if (!program)
		die("no program %s", name);
	return program;
}

static void capture_link(struct capture *capture, struct bpf_link *link, const char *what)
{
	if (!link)
		die("attaching to %s: %s", what, strerror(errno));
	capture->links[capture->n_links++] = link;
}

/* A software clock on each CPU, which works without a PMU (virtual machines). */
static void capture_attach_clock(struct capture *capture, uint64_t frequency)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_freq = frequency,
		.freq = 1,
	};
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < n_cpus && cpu < MAX_CPUS; cpu++) {
		int fd =
			(int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0 && errno == ENODEV) /* offline */
			continue;
		if (fd < 0)
			die("perf_event_open: %s", strerror(errno));
		capture_link(capture,
			bpf_program__attach_perf_event(capture_program(capture, "on_clock"), fd),
			"the clock");
	}
}

/* The file offset of a function's ELF address. */
static uint64_t elf_file_offset(Elf *elf, uint64_t address)
{
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD &&
			address - phdr.p_vaddr < phdr.p_filesz)
			return address - phdr.p_vaddr + phdr.p_offset;
	}
	die("a symbol outside the file");
}

static uint64_t elf_symbol_offset(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data = elf_getdata(section, NULL);
		GElf_Shdr shdr;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
			const char *found = elf_strptr(elf, shdr.sh_link, symbol.st_name);

			if (found && strcmp(found, name) == 0)
				return elf_file_offset(elf, symbol.st_value);
		}
	}
	die("no symbol %s", name);
}

/*
 * How many bytes the frame set-up takes. At the very entry of a function the caller's frame is not
 * linked yet, and kernels before 6.11 lose the caller there.
 */
#ifdef __aarch64__
static size_t prologue_length(int fd, uint64_t offset)
{
	enum { HINTS = 0xd503201f, HINTS_MASK = 0xfffff01f }; /* bti, paciasp */
	enum { PUSH = 0xa9807bfd, PUSH_MASK = 0xffc07fff };   /* stp x29, x30, [sp, #N]! */
	enum { SET_UP = 0x910003fd };			      /* mov x29, sp */
	uint32_t code[4];
	size_t at = 0;

	if (pread(fd, code, sizeof(code), (off_t)offset) != sizeof(code))
		die("reading the probed function: %s", strerror(errno));
	while (at < 2 && (code[at] & HINTS_MASK) == HINTS)
		at++;
	if ((code[at] & PUSH_MASK) != PUSH || code[at + 1] != SET_UP)
		die("the probed function sets up no frame");
	return (at + 2) * sizeof(*code);
}
#else
static size_t prologue_length(int fd, uint64_t offset)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	static const unsigned char set_up[] = {
		0x55, 0x48, 0x89, 0xe5}; /* push %rbp; mov %rsp,%rbp */
	unsigned char code[8];
	size_t at = 0;

	if (pread(fd, code, sizeof(code), (off_t)offset) != sizeof(code))
		die("reading the probed function: %s", strerror(errno));
	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (memcmp(code + at, set_up, sizeof(set_up)) != 0)
		die("the probed function sets up no frame");
	return at + sizeof(set_up);
}
#endif

/* WHERE is BINARY:SYMBOL, behind what sets up its frame, or BINARY:SYMBOL+OFFSET, exactly there. */
static void capture_attach_uprobe(struct capture *capture, const char *where)
{
	const char *colon = strrchr(where, ':'), *plus = colon ? strchr(colon, '+') : NULL;
	char *path, *symbol;
	int fd;
	Elf *elf;
	uint64_t offset;

	if (!colon || !(path = strndup(where, (size_t)(colon - where))))
		die("--uprobe needs BINARY:SYMBOL");
	symbol = strndup(colon + 1, plus ? (size_t)(plus - colon - 1) : strlen(colon + 1));
	elf_version(EV_CURRENT);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		die("%s: not an ELF file", path);
	offset = elf_symbol_offset(elf, symbol);
	offset += plus ? strtoull(plus + 1, NULL, 0) : prologue_length(fd, offset);
	elf_end(elf);
	close(fd);
	capture_link(capture,
		bpf_program__attach_uprobe(
			capture_program(capture, "on_uprobe"), false, -1, path, offset),
		where);
	free(symbol);
	free(path);
}

static void capture_attach(struct capture *capture, const struct options *options)
{
	if (options->frequency)
		capture_attach_clock(capture, options->frequency);
	else if (options->uprobe)
		capture_attach_uprobe(capture, options->uprobe);
	else
		capture_link(capture, bpf_program__attach(capture_program(capture, "on_syscall")),
			"system calls");
}

static void capture_detach(struct capture *capture)
{
	for (size_t i = 0; i < capture->n_links; i++)
		bpf_link__destroy(capture->links[i]);
	capture->n_links = 0;
}

/* The counts as programs print them: pid, kernel stack ID, user stack ID, count, comm. */
static void capture_print_table(const struct capture *capture, const char *path)
{
	int fd = bpf_map__fd(bpf_object__find_map_by_name(capture->object, "counts"));
	FILE *file = fopen(path, "w");
	struct count_key key, *last = NULL;
	uint64_t count;

	if (!file)
		die("%s: %s", path, strerror(errno));
	for (; bpf_map_get_next_key(fd, last, &key) == 0; last = &key)
		if (bpf_map_lookup_elem(fd, &key, &count) == 0)
			fprintf(file, "%u %d %d %" PRIu64 " %s\n", key.pid, key.kernel, key.user,
				count, key.comm);
	if (fclose(file))
		die("%s: %s", path, strerror(errno));
}

static void say(const char *line)
{
	puts(line);
	fflush(stdout);
}

static void wait_for_line(void)
{
	int c;

	while ((c = getchar()) != '\n')
		if (c == EOF)
			die("end of input before the sampling began");
}

int main(int argc, char **argv)
{
	struct options options = options_parse(argc, argv);
	struct capture capture = {};
	struct capture_target target = {
		.syscall = (uint64_t)options.syscall, .cgroup = options.cgroup};
	struct command command;

	signal(SIGPIPE, SIG_IGN);
	capture_load(&capture, &options);
	command = command_start(options.command);
	printf("pid %d\n", command.pid);
	say("ready");
	wait_for_line();

	target.tgid = (uint32_t)command.pid;
	capture_target(&capture, &target);
	capture_attach(&capture, &options);
	command_run(&command);
	capture_detach(&capture);
	target.tgid = 0;
	capture_target(&capture, &target);

	if (options.table)
		capture_print_table(&capture, options.table);
	say("done");
	while (getchar() != EOF)
		;
	if (options.pin)
		bpf_object__unpin_maps(capture.object, options.pin);
	command_end(&command);
	bpf_object__close(capture.object);
	return 0;
}
