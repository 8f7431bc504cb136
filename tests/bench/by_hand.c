// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is kept by hand (src/README.md), each beside the library or the function of libc that could replace
 * it, on the same work: the least seconds of five times, and how many times as long the other takes.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>
#include <zlib.h>

#include "debug/files/inflate.h"
#include "kernel/btf/btf.h"
#include "door/mountinfo.h"
#include "util/file.h"
#include "util/sort.h"
#include "util/table.h"
#include "util/xalloc.h"

enum { RUNS = 5, NUMBERS = 2000000, KEYS = 500000, PIECES = 4000000, MOUNTS = 2000, MUTANTS = 50 };

struct pair {
	uint64_t key, value;
};

static uint64_t next_random(void)
{
	static uint64_t random = 88172645463325252ULL;

	random ^= random << 13;
	random ^= random >> 7;
	return random ^= random << 17;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* WORK yields what must be equal for both. */
static double best(uint64_t (*work)(void), uint64_t *ret)
{
	double least = 1e9;

	for (int i = 0; i < RUNS; i++) {
		double start = seconds();
		*ret = work();
		double took = seconds() - start;
		least = took < least ? took : least;
	}
	return least;
}

static void row(
	const char *what, uint64_t (*ours)(void), const char *other, uint64_t (*theirs)(void))
{
	uint64_t a, b;
	double our = best(ours, &a), their = best(theirs, &b);

	printf("%-34s %.4f s, %-26s %.4f s: %5.1f times%s\n", what, our, other, their, their / our,
		a == b ? "" : ", with another result");
}

/* ---- sorting by a number ---- */

static struct pair *unsorted(void)
{
	static struct pair pairs[NUMBERS];

	for (size_t i = 0; i < NUMBERS; i++)
		pairs[i] = (struct pair){0x7f0000000000 + next_random() % (1 << 27), i};
	return pairs;
}

static uint64_t sort_radix(void)
{
	struct pair *pairs = unsorted();

	radix_sort(pairs, NUMBERS, sizeof(*pairs));
	return pairs[0].key <= pairs[NUMBERS - 1].key;
}

static int compare(const void *a_ptr, const void *b_ptr)
{
	const struct pair *a = a_ptr, *b = b_ptr;

	return (a->key > b->key) - (a->key < b->key);
}

static uint64_t sort_libc(void)
{
	struct pair *pairs = unsorted();

	qsort(pairs, NUMBERS, sizeof(*pairs), compare);
	return pairs[0].key <= pairs[NUMBERS - 1].key;
}

/* ---- a table: keys of 4 to 60 bytes, each added and then found ---- */

static size_t make_key(size_t i, char key[64])
{
	memset(key, 'a' + (int)(i % 26), 64);
	memcpy(key, &i, sizeof(i));
	return 4 + i % 57 / 8 * 8;
}

static uint64_t hash_ours(void)
{
	struct table table = {};
	uint64_t sum = 0;
	char key[64];

	for (size_t i = 0; i < KEYS; i++)
		*table_at(&table, key, make_key(i, key), NULL) = i;
	for (size_t i = 0; i < KEYS; i++)
		sum += *table_find(&table, key, make_key(i, key));
	table_deinit(&table);
	return sum;
}

struct entry {
	UT_hash_handle hh;
	uint64_t value;
	char key[];
};

static uint64_t hash_uthash(void)
{
	struct entry *all = NULL, *entry, *next;
	uint64_t sum = 0;
	char key[64];

	for (size_t i = 0; i < KEYS; i++) {
		size_t len = make_key(i, key);

		HASH_FIND(hh, all, key, len, entry);
		if (!entry) {
			entry = xmalloc(sizeof(*entry) + len);
			memcpy(entry->key, key, len);
			HASH_ADD_KEYPTR(hh, all, entry->key, len, entry);
		}
		entry->value = i;
	}
	for (size_t i = 0; i < KEYS; i++) {
		size_t len = make_key(i, key);

		HASH_FIND(hh, all, key, len, entry);
		sum += entry->value;
	}
	HASH_ITER(hh, all, entry, next)
	{
		HASH_DEL(all, entry);
		free(entry);
	}
	return sum;
}

/* ---- many small pieces of memory ---- */

static uint64_t pieces_arena(void)
{
	struct arena arena = {};

	for (size_t i = 0; i < PIECES; i++)
		*(size_t *)arena_alloc(&arena, 16 + i % 8 * 8) = i;
	arena_deinit(&arena);
	return 0;
}

static uint64_t pieces_small_pages(void)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	pieces_arena();
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	return 0;
}

static uint64_t pieces_libc(void)
{
	static void *pieces[PIECES];

	for (size_t i = 0; i < PIECES; i++)
		*(size_t *)(pieces[i] = xmalloc(16 + i % 8 * 8)) = i;
	for (size_t i = 0; i < PIECES; i++)
		free(pieces[i]);
	return 0;
}

/* ---- mountinfo ---- */

static struct text mounts;

static uint64_t mounts_ours(void)
{
	struct mountinfo mountinfo = {};

	mountinfo_parse(mounts.data, mounts.len, &mountinfo);
	uint64_t n = mountinfo.mounts.len;
	mountinfo_deinit(&mountinfo);
	return n;
}

static uint64_t mounts_libmount(void)
{
	struct libmnt_table *table = mnt_new_table();
	FILE *file = fmemopen(mounts.data, mounts.len, "r");

	mnt_table_parse_stream(table, file, "mountinfo");
	uint64_t n = (uint64_t)mnt_table_get_nents(table);
	fclose(file);
	mnt_unref_table(table);
	return n;
}

static void make_mounts(void)
{
	for (int i = 0; i < MOUNTS; i++)
		text_printf(&mounts,
			"%d 35 0:%d / /var/lib/docker/overlay2/%08x/merged rw,relatime shared:%d - overlay "
			"overlay rw,lowerdir=/l/A:/l/B:/l/C,upperdir=/u/%d,workdir=/w/%d\n",
			36 + i, 40 + i, i * 2654435761U, i, i, i);
}

/* ---- the kernel's BTF: a prototype for each function ---- */

static struct text vmlinux;

static uint64_t print_ours(const struct text *bytes)
{
	struct text out = {};
	struct btf btf = {};
	uint64_t n = 0;

	char *copy = xmalloc(bytes->len);
	memcpy(copy, bytes->data, bytes->len);
	error_destroy(btf_init(copy, bytes->len, NULL, &btf));
	for (size_t i = 0; i < btf.functions.len; i++) {
		text_clear(&out);
		n += btf_print_function(&btf, btf.functions.data[i], &out);
	}
	btf_deinit(&btf);
	text_deinit(&out);
	return n;
}

static void print(void *context, const char *format, va_list args)
{
	struct text *out = context;
	char line[1024];
	int len = vsnprintf(line, sizeof(line), format, args);

	text_add(out, line, len < (int)sizeof(line) ? (size_t)len : sizeof(line) - 1);
}

/* libbpf's struct btf is another one, which only it looks into. */
static uint64_t print_libbpf(const struct text *bytes)
{
	struct text out = {};
	struct btf *btf = btf__new(bytes->data, (uint32_t)bytes->len);
	struct btf_dump *dump = btf ? btf_dump__new(btf, print, &out, NULL) : NULL;
	uint64_t n = 0;

	for (uint32_t i = 1; dump && i < btf__type_cnt(btf); i++) {
		const struct btf_type *type = btf__type_by_id(btf, i);

		if (!btf_is_func(type))
			continue;
		const struct btf_dump_emit_type_decl_opts options = {.sz = sizeof(options),
			.field_name = btf__name_by_offset(btf, type->name_off)};
		text_clear(&out);
		n += !btf_dump__emit_type_decl(dump, type->type, &options);
	}
	btf_dump__free(dump);
	btf__free(btf);
	text_deinit(&out);
	return n;
}

static uint64_t btf_ours(void)
{
	return print_ours(&vmlinux);
}

static uint64_t btf_libbpf(void)
{
	return print_libbpf(&vmlinux);
}

/* How many of MUTANTS damaged ones end a process, or take it longer than a second. */
static unsigned int count_crashes(
	uint64_t (*read_btf)(const struct text *bytes), const struct text *good)
{
	unsigned int crashes = 0;
	int status;

	for (size_t i = 0; i < MUTANTS; i++) {
		size_t at[4];

		for (size_t j = 0; j < 4; j++)
			at[j] = next_random() % good->len;
		pid_t child = fork();
		if (!child) {
			for (size_t j = 0; j < 4; j++)
				good->data[at[j]] ^= (char)(1 << (i + j) % 8);
			alarm(1);
			libbpf_set_print(NULL);
			read_btf(good);
			_exit(0);
		}
		crashes += child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
	}
	return crashes;
}

static void read_vmlinux(struct text *ret)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);

	if (fd < 0 || file_read_all(fd, SIZE_MAX, ret))
		exit(2);
	close(fd);
}

/* ---- inflating: the kernel's BTF ten times over, which is as long as a large .debug_info ---- */

static struct text packed;
static size_t unpacked_len;

static void make_packed(void)
{
	struct text bytes = {};

	for (int i = 0; i < 10; i++)
		text_add(&bytes, vmlinux.data, vmlinux.len);
	uLongf len = compressBound(bytes.len);
	unsigned char *to = xmalloc(len);
	compress2(to, &len, (unsigned char *)bytes.data, bytes.len, 6);
	text_add(&packed, (char *)to, len);
	unpacked_len = bytes.len;
	text_deinit(&bytes);
	free(to);
}

static uint64_t inflate_ours(void)
{
	const struct inflate_source source = {(const uint8_t *)packed.data, packed.len, false};
	struct inflater *inflater = inflater_create(&source, unpacked_len);
	uint64_t sum = inflater_finish(inflater) ? inflater_memory(inflater)[unpacked_len - 1] : 0;

	inflater_destroy(inflater);
	return sum;
}

static uint64_t inflate_zlib(void)
{
	uLongf len = unpacked_len;
	unsigned char *to = xmalloc(len);
	bool right = uncompress(to, &len, (unsigned char *)packed.data, packed.len) == Z_OK;
	uint64_t sum = right ? to[len - 1] : 1;

	free(to);
	return sum;
}

int main(void)
{
	read_vmlinux(&vmlinux);
	make_mounts();
	make_packed();
	row("radix sort, 2,000,000 addresses", sort_radix, "qsort", sort_libc);
	row("hash table, 500,000 keys", hash_ours, "uthash", hash_uthash);
	row("arena, 4,000,000 pieces", pieces_arena, "malloc", pieces_libc);
	row("arena, huge pages", pieces_arena, "without them", pieces_small_pages);
	row("mountinfo, 2,000 mounts", mounts_ours, "libmount", mounts_libmount);
	row("BTF, all prototypes of vmlinux", btf_ours, "libbpf's btf and btf_dump", btf_libbpf);
	printf("BTF, %d damaged ones: ours ends the process %u times, libbpf's %u times\n", MUTANTS,
		count_crashes(print_ours, &vmlinux), count_crashes(print_libbpf, &vmlinux));
	row("inflating, by ISA-L", inflate_ours, "zlib", inflate_zlib);
	text_deinit(&mounts);
	text_deinit(&vmlinux);
	text_deinit(&packed);
	return 0;
}
