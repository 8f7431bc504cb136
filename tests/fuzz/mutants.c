// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mutants STACK2LINE DIR COUNT SEED: damages ELF files and has stack2line name their code beside that of a
 * good file. In DIR each directory but `good` is a base: the program (program), offsets in it (offsets,
 * one a line, hexadecimal), and the files to be damaged, links to what is there (damage.*). One with a
 * file `alone`, as object files have, is asked with -e, since a dump has no way to name them. After each
 * of COUNT mutants: no crash, no sanitizer's finding, an end within 20 seconds, no more than LIMIT_MB of
 * memory (in the environment; 1024), and the answer about good/program is what it is without the mutant.
 * A mutant that shows otherwise is kept in the current directory.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BASES_MAX = 64, FILES_MAX = 8, SECONDS = 20, OUT_MAX = 1 << 20, FILE_MAX = 64 << 20 };

struct file {
	char path[PATH_MAX]; /* where links lead */
	uint8_t *bytes;
	size_t len;
};

struct base {
	char dir[PATH_MAX / 2];
	char *offsets; /* the lines of a dump, or with ALONE of addresses */
	bool alone;
	struct file files[FILES_MAX];
	int n_files;
};

struct run {
	const char *stack2line;
	struct base good, bases[BASES_MAX];
	int n_bases;
	long limit_mb;
	char *wanted;  /* the answer about the good file */
	uint64_t seed; /* of the mutant */
	long peak_mb;
	double slowest;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* splitmix64 */
static uint64_t draw(struct run *run)
{
	uint64_t z = run->seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t below(struct run *run, uint64_t n)
{
	return n ? draw(run) % n : 0;
}

static uint8_t *read_file(const char *path, size_t *len_ret)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_size > FILE_MAX)
		die(path);
	uint8_t *bytes = malloc((size_t)st.st_size + 1);
	if (!bytes || read(fd, bytes, (size_t)st.st_size) != st.st_size)
		die(path);
	bytes[st.st_size] = 0;
	close(fd);
	*len_ret = (size_t)st.st_size;
	return bytes;
}

static void write_file(const char *path, const uint8_t *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		die(path);
	close(fd);
}

static void add_file(struct base *base, const char *name)
{
	struct file *file = &base->files[base->n_files];
	char path[PATH_MAX + 256];

	snprintf(path, sizeof(path), "%s/%s", base->dir, name);
	if (base->n_files == FILES_MAX || !realpath(path, file->path))
		die(path);
	file->bytes = read_file(file->path, &file->len);
	base->n_files++;
}

/* The lines of a dump: PROGRAM+0xOFFSET. */
static char *dump_lines(const char *dir, char *offsets)
{
	char *lines = NULL, *state = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&lines, &size);

	for (char *o = strtok_r(offsets, "\n", &state); o; o = strtok_r(NULL, "\n", &state))
		fprintf(stream, "%s/program+0x%s\n", dir, o);
	fclose(stream);
	return lines;
}

static void base_open(const char *dir, const char *name, struct base *ret)
{
	char path[PATH_MAX + 16];
	const struct dirent *entry;
	size_t len;

	if ((size_t)snprintf(ret->dir, sizeof(ret->dir), "%s/%s", dir, name) >= sizeof(ret->dir))
		die(dir);
	snprintf(path, sizeof(path), "%s/offsets", ret->dir);
	char *offsets = (char *)read_file(path, &len);
	snprintf(path, sizeof(path), "%s/alone", ret->dir);
	ret->alone = !access(path, F_OK);
	ret->offsets = ret->alone ? strdup(offsets) : dump_lines(ret->dir, offsets);
	free(offsets);
	DIR *all = opendir(ret->dir);
	while (all && (entry = readdir(all)))
		if (!strncmp(entry->d_name, "damage.", 7))
			add_file(ret, entry->d_name);
	closedir(all);
}

static void run_open(struct run *run, const char *dir)
{
	const struct dirent *entry;
	DIR *all = opendir(dir);

	if (!all)
		die(dir);
	while ((entry = readdir(all)))
		if (entry->d_name[0] == '.')
			continue;
		else if (!strcmp(entry->d_name, "good"))
			base_open(dir, "good", &run->good);
		else if (run->n_bases < BASES_MAX)
			base_open(dir, entry->d_name, &run->bases[run->n_bases++]);
	closedir(all);
}

/* ---- damage --------------------------------------------------------------------------------- */

struct region {
	size_t at, len;
};

/* The headers of a 64-bit file, or all of another. */
static const Elf64_Ehdr *header_of(const struct file *file)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)file->bytes;
	bool good = file->len > sizeof(*ehdr) && !memcmp(ehdr->e_ident, ELFMAG, SELFMAG) &&
		    ehdr->e_ident[EI_CLASS] == ELFCLASS64 && ehdr->e_shoff < file->len &&
		    ehdr->e_shnum * sizeof(Elf64_Shdr) <= file->len - ehdr->e_shoff;

	return good ? ehdr : NULL;
}

/* A section that is read: neither code nor data of the program, if the first tries find one. */
static struct region choose_section(
	struct run *run, const struct file *file, const Elf64_Ehdr *ehdr)
{
	const Elf64_Shdr *all = (const Elf64_Shdr *)(file->bytes + ehdr->e_shoff);
	struct region region = {0, file->len};

	for (int i = 0; i < 16 && ehdr->e_shnum; i++) {
		const Elf64_Shdr *one = &all[below(run, ehdr->e_shnum)];

		if (one->sh_type == SHT_NOBITS || !one->sh_size || one->sh_offset >= file->len ||
			one->sh_size > file->len - one->sh_offset)
			continue;
		region = (struct region){one->sh_offset, one->sh_size};
		if (!(one->sh_flags & (SHF_EXECINSTR | SHF_WRITE)))
			break;
	}
	return region;
}

static struct region choose_region(struct run *run, const struct file *file)
{
	const Elf64_Ehdr *ehdr = header_of(file);
	struct region all = {0, file->len};

	if (!ehdr)
		return all;
	switch (below(run, 16)) {
	case 0:
		return (struct region){EI_CLASS, sizeof(*ehdr) - EI_CLASS};
	case 1:
		if (ehdr->e_phnum && ehdr->e_phoff < file->len)
			return (struct region){ehdr->e_phoff, ehdr->e_phnum * sizeof(Elf64_Phdr)};
		return all;
	case 2:
	case 3:
		return (struct region){ehdr->e_shoff, ehdr->e_shnum * sizeof(Elf64_Shdr)};
	case 4:
		return all;
	}
	return choose_section(run, file, ehdr);
}

static uint64_t odd_number(struct run *run, const struct file *file)
{
	const uint64_t odd[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, INT32_MAX, UINT32_MAX,
		INT64_MAX, UINT64_MAX, UINT64_MAX - 1, file->len, file->len - 1, file->len + 1,
		1ULL << 31, 1ULL << 40, 1ULL << 63, 0xfffffff0, 4096, 0x8080808080808080};

	return odd[below(run, sizeof(odd) / sizeof(odd[0]))];
}

static void damage_once(struct run *run, struct file *file)
{
	struct region region = choose_region(run, file);

	if (region.at >= file->len)
		return;
	if (region.len > file->len - region.at)
		region.len = file->len - region.at;
	size_t at = region.at + below(run, region.len), left = region.at + region.len - at;
	uint64_t number = odd_number(run, file);
	switch (below(run, 8)) {
	case 0:
	case 1:
		file->bytes[at] ^= (uint8_t)(1 << below(run, 8));
		break;
	case 2:
		file->bytes[at] = (uint8_t)draw(run);
		break;
	case 3:
	case 4:
		at -= (at - region.at) % 8; /* aligned like fields of headers */
		left = region.at + region.len - at;
		memcpy(file->bytes + at, &number, left < 8 ? left : 8);
		break;
	case 5:
		memcpy(file->bytes + at, &number, left < 4 ? left : 4);
		break;
	case 6: /* a run, as of LEB128 without end */
		memset(file->bytes + at, (int)number & 0xff, left < 64 ? left : below(run, 64) + 1);
		break;
	case 7: { /* one piece of it over another */
		size_t from = region.at + below(run, region.len), n = 1 + below(run, 256);

		n = n < left ? n : left;
		n = n < region.at + region.len - from ? n : region.at + region.len - from;
		memmove(file->bytes + at, file->bytes + from, n);
		break;
	}
	}
}

/* Damages the copy of FILE in place. */
static void damage(struct run *run, const struct file *file)
{
	struct file copy = *file;

	copy.bytes = malloc(file->len + 1);
	if (!copy.bytes)
		die("malloc");
	memcpy(copy.bytes, file->bytes, file->len);
	for (uint64_t n = 1 + below(run, 1 + below(run, 12)); n; n--)
		damage_once(run, &copy);
	if (!below(run, 20))
		copy.len = below(run, copy.len);
	write_file(file->path, copy.bytes, copy.len);
	free(copy.bytes);
}

/* ---- asking --------------------------------------------------------------------------------- */

static void child(const struct run *run, const char *alone, const char *dump, const char *out,
	const char *err)
{
	int in = open(dump, O_RDONLY), to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int said = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	const struct rlimit seconds = {SECONDS, SECONDS}, bytes = {64 << 20, 64 << 20};

	dup2(in, 0);
	dup2(to, 1);
	dup2(said, 2);
	setrlimit(RLIMIT_CPU, &seconds);
	setrlimit(RLIMIT_FSIZE, &bytes);
	alarm(2 * SECONDS);
	execl(run->stack2line, "stack2line", "--json", "--qualify=always", alone ? "-e" : NULL,
		alone, (char *)NULL);
	_exit(127);
}

/* NULL, or what went wrong. */
static const char *ask(struct run *run, const struct base *base, char **answer_ret)
{
	char program[PATH_MAX];
	struct rusage usage;
	size_t len;
	int status = -1;
	snprintf(program, sizeof(program), "%s/program", base ? base->dir : "");
	pid_t pid = fork();
	if (!pid)
		child(run, base && base->alone ? program : NULL, "dump", "out", "err");
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		die("fork");
	double seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
	if (usage.ru_maxrss / 1024 > run->peak_mb)
		run->peak_mb = usage.ru_maxrss / 1024;
	if (seconds > run->slowest)
		run->slowest = seconds;
	*answer_ret = (char *)read_file("out", &len);
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ||
				       WTERMSIG(status) == SIGALRM
			       ? "takes too long"
			       : "crashes";
	if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 2)
		return "ends with another status than 0 and 2";
	return usage.ru_maxrss / 1024 > run->limit_mb ? "takes too much memory" : NULL;
}

/* The line about the good file, without its place in the dump; malloc'ed, NULL: there is none. */
static char *good_line(const struct run *run, const char *answer)
{
	char wanted[PATH_MAX + 16], *state = NULL, *copy = strdup(answer), *found = NULL;

	snprintf(wanted, sizeof(wanted), "\"%s/program\"", run->good.dir);
	for (char *line = strtok_r(copy, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		char *place = strstr(line, "\"place\":\"");
		char *end = place ? strchr(place + 9, '"') : NULL;

		if (end)
			memmove(place, end + 1, strlen(end + 1) + 1);
		if (strstr(line, wanted))
			found = strdup(line);
	}
	free(copy);
	return found;
}

static void write_dump(const struct run *run, const struct base *base, bool good_first)
{
	FILE *dump = fopen("dump", "w");

	if (!dump)
		die("dump");
	if (base && base->alone)
		fputs(base->offsets, dump);
	else if (good_first)
		fprintf(dump, "%s\n", run->good.offsets);
	if (base && !base->alone)
		fprintf(dump, "%s\n", base->offsets);
	if (!good_first && !(base && base->alone))
		fprintf(dump, "%s\n", run->good.offsets);
	fclose(dump);
}

static const char *check(struct run *run, const struct base *base, bool good_first)
{
	char *answer = NULL;

	write_dump(run, base, good_first);
	const char *wrong = ask(run, base, &answer);
	char *line = good_line(run, answer);
	if (!wrong && base && !base->alone && (!line || strcmp(line, run->wanted)))
		wrong = "the good file's names are others";
	if (!base)
		run->wanted = line;
	else
		free(line);
	free(answer);
	return wrong;
}

static void keep(const struct base *base, const struct file *file, uint64_t seed, const char *wrong)
{
	char name[PATH_MAX];
	size_t len;
	uint8_t *bytes = read_file(file->path, &len);

	snprintf(name, sizeof(name), "mutant-%" PRIx64, seed);
	write_file(name, bytes, len);
	free(bytes);
	printf("%s: %s: of %s, kept as %s\n", base->dir, wrong, file->path, name);
	bytes = read_file("err", &len);
	printf("%.*s\n", (int)(len < 6000 ? len : 6000), (const char *)bytes);
	free(bytes);
}

static bool try_mutant(struct run *run, uint64_t number)
{
	run->seed = number * 0xd1342543de82ef95 + 1;
	uint64_t seed = number;
	struct base *base = &run->bases[number % (uint64_t)run->n_bases];
	const struct file *file = &base->files[below(run, (uint64_t)base->n_files)];
	damage(run, file);
	const char *wrong = check(run, base, below(run, 2));
	if (wrong)
		keep(base, file, seed, wrong);
	write_file(file->path, file->bytes, file->len);
	return !wrong;
}

int main(int argc, char **argv)
{
	static struct run run;
	const char *limit = getenv("LIMIT_MB");
	uint64_t failed = 0;

	if (argc != 5)
		return 64;
	run.stack2line = argv[1];
	run.limit_mb = limit ? atol(limit) : 1024;
	run_open(&run, argv[2]);
	if (!run.n_bases || check(&run, NULL, true) || !run.wanted) {
		fprintf(stderr, "no bases, or no answer about the good file\n");
		return 1;
	}
	uint64_t count = strtoull(argv[3], NULL, 10), first = strtoull(argv[4], NULL, 10);
	for (uint64_t i = 0; i < count && failed < 10; i++)
		failed += !try_mutant(&run, first + i);
	printf("%" PRIu64 " mutants of %d bases, %" PRIu64 " bad; %.1f s and %ld MB at most\n",
		count, run.n_bases, failed, run.slowest, run.peak_mb);
	return failed != 0;
}
