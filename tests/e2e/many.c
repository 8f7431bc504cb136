// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many DIR FILES PROCESSES [fork] [no-id] [kept]: writes FILES copies of itself to DIR (kept: they are there), each
 * with a build ID of its own (no-id: with none), and starts PROCESSES processes that have all of them mapped: each maps them itself, at addresses of
 * its own, or (fork) has its parent's. Prints a list of stacks with an address in each file and process, and "# ready";
 * ends with the end of its input, and so do they.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

enum { FRAMES = 100 /* a line fits into a pipe at once */, PAGE = 4096 };

/* The address after its call: a return address at the same offset in each copy. */
KEPT void *callee(void)
{
	return __builtin_return_address(0);
}

KEPT void *frame(void)
{
	void *address = callee();

	__asm__ volatile("" : "+r"(address));
	return address;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

struct self {
	char *bytes;
	size_t len;
	size_t note;		  /* of the build ID */
	ElfW(Phdr) code;	  /* the segment with the address */
	unsigned long long frame; /* its address, from the segment's start */
};

static const ElfW(Nhdr) * note_at(const struct self *self)
{
	return (const void *)(self->bytes + self->note);
}

static int see_headers(struct dl_phdr_info *info, size_t size, void *context)
{
	struct self *self = context;
	unsigned long long at = (uintptr_t)frame() - info->dlpi_addr;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && at - p->p_vaddr < p->p_filesz) {
			self->code = *p;
			self->frame = at - p->p_vaddr;
		}
		for (size_t k = 0; p->p_type == PT_NOTE && k + sizeof(ElfW(Nhdr)) <= p->p_filesz;) {
			self->note = p->p_offset + k;
			if (note_at(self)->n_type == NT_GNU_BUILD_ID &&
				note_at(self)->n_descsz >= 8)
				return 1;
			k += sizeof(ElfW(Nhdr)) + ((note_at(self)->n_namesz + 3) & ~3U) +
			     ((note_at(self)->n_descsz + 3) & ~3U);
		}
	}
	fail("no build ID in this program: link it with --build-id");
	return 1;
}

static void self_read(struct self *ret)
{
	struct stat st;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		fail("/proc/self/exe");
	ret->len = (size_t)st.st_size;
	ret->bytes = mmap(NULL, ret->len, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (ret->bytes == MAP_FAILED)
		fail("mmap");
	close(fd);
	dl_iterate_phdr(see_headers, ret);
}

static void write_copies(const struct self *self, unsigned files, int no_id)
{
	ElfW(Nhdr) *note = (void *)(self->bytes + self->note);

	if (no_id)
		note->n_type = ~0U;
	for (unsigned i = 0; i < files; i++) {
		char name[32];

		snprintf(name, sizeof(name), "lib%u.so", i);
		memcpy((char *)(note + 1) + note->n_namesz, &i, sizeof(i));
		int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
		if (fd < 0 || write(fd, self->bytes, self->len) != (ssize_t)self->len || close(fd))
			fail(name);
	}
}

static char *map_one(const struct self *self, unsigned i)
{
	unsigned long long start = self->code.p_offset & -(unsigned long long)PAGE;
	char name[32];

	snprintf(name, sizeof(name), "lib%u.so", i);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	char *all = mmap(NULL, self->len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (all == MAP_FAILED ||
		mmap(all + start, self->code.p_filesz + self->code.p_offset - start,
			PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
			(off_t)start) == MAP_FAILED)
		fail(name);
	close(fd);
	return all + self->code.p_offset + self->frame;
}

static char **map_all(const struct self *self, unsigned files)
{
	char **addresses = calloc(files, sizeof(*addresses));

	for (unsigned i = 0; addresses && i < files; i++)
		addresses[i] = map_one(self, i);
	return addresses;
}

static void print_stacks(char *const *addresses, unsigned files)
{
	for (unsigned i = 0; i < files;) {
		char line[FRAMES * 20 + 20];
		int len = snprintf(line, sizeof(line), "%d", (int)getpid());

		for (unsigned k = 0; k < FRAMES && i < files; k++, i++)
			len += snprintf(line + len, sizeof(line) - (size_t)len, " %p",
				(void *)addresses[i]);
		line[len++] = '\n';
		if (write(STDOUT_FILENO, line, (size_t)len) != len)
			fail("write");
	}
}

static void live(const struct self *self, char **addresses, unsigned files, int ready)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	print_stacks(addresses ? addresses : map_all(self, files), files);
	close(ready);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	unsigned files = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
	unsigned processes = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	int forked = 0, no_id = 0, kept = 0, ready[2];
	char **addresses = NULL, byte;
	struct self self = {0};

	if (!files || chdir(argv[1]))
		return 64;
	for (int i = 4; i < argc; i++) {
		forked |= !strcmp(argv[i], "fork");
		no_id |= !strcmp(argv[i], "no-id");
		kept |= !strcmp(argv[i], "kept");
	}
	self_read(&self);
	if (!strcmp(argv[3], "child"))
		live(&self, NULL, files, 3);
	if (!kept)
		write_copies(&self, files, no_id);
	if (forked)
		addresses = map_all(&self, files);
	if (pipe(ready))
		fail("pipe");
	for (unsigned i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("fork");
		if (pid)
			continue;
		close(ready[0]);
		if (forked)
			live(&self, addresses, files, ready[1]);
		dup2(ready[1], 3);
		if (ready[1] != 3)
			close(ready[1]);
		execl("/proc/self/exe", argv[0], ".", argv[2], "child", NULL);
		fail("exec");
	}
	close(ready[1]);
	while (read(ready[0], &byte, 1) > 0)
		;
	printf("# ready\n");
	fclose(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
