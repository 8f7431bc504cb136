// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks of processes become names: of this process, and of some that a directory with the files of a /proc
 * makes up, so that they can be as odd as need be.
 */
#include <check.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "run.h"
#include "symbolize.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

#define SAMPLES_MAX 4
#define ODD_PID 77 /* of the made-up process */

static struct symbolize_options options;
static struct symbolizer *symbolizer;
static char proc_dir[32];

static void begin(void)
{
	ck_assert_ptr_null(symbolizer_create(&options, &symbolizer));
}

static void end(void)
{
	symbolizer_destroy(symbolizer);
	symbolizer = NULL;
}

static void setup(void)
{
	options = (struct symbolize_options){.find.proc_root = "/proc"};
	strcpy(proc_dir, "/tmp/test_symbolize.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(proc_dir));
}

static void teardown(void)
{
	auto_free char *remove = xasprintf("rm -rf %s", proc_dir);

	end();
	ck_assert_int_eq(system(remove), 0);
}

/* A file of the made-up process PID. */
static void proc_file(int pid, const char *name, const void *bytes, size_t len)
{
	auto_free char *dir = xasprintf("%s/%d", proc_dir, pid);
	auto_free char *path = xasprintf("%s/%s", dir, name);

	mkdir(dir, 0700);
	auto_file FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
}

static void proc_text(int pid, const char *name, const char *text)
{
	proc_file(pid, name, text, strlen(text));
}

/* N samples of PID in one batch, of one value each, which is of ORIGINS unless that is NULL. */
static const struct trace *look(int64_t pid, const char *comm, const uint64_t *values, size_t n,
	const struct stack_origin *origins)
{
	struct sample samples[SAMPLES_MAX] = {};

	for (size_t i = 0; i < n; i++)
		samples[i] = (struct sample){.pid = pid,
			.tid = -1,
			.comm = comm,
			.weight = 1,
			.kernel.id = -1,
			.user = {.state = STACK_PRESENT,
				.id = -1,
				.depth = 1,
				.values = &values[i],
				.origins = origins ? &origins[i] : NULL}};
	const struct trace *traces = symbolizer_batch(symbolizer, samples, n);

	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(traces[i].n_user, 1);
	return traces;
}

static const struct location *look_at(int64_t pid, const char *comm, uint64_t value)
{
	return look(pid, comm, &value, 1, NULL)->user[0];
}

/* ---- this process --------------------------------------------------------------------------- */

static __attribute__((noinline)) int marked_function(int n)
{
	return getppid() + n;
}

START_TEST(functions_of_a_process)
{
	uint64_t start = (uint64_t)(uintptr_t)marked_function;

	if (is_emulated())
		return;
	begin();
	const struct trace *traces = look(getpid(), NULL, (uint64_t[]){start, start + 1}, 2, NULL);
	for (size_t i = 0; i < 2; i++) {
		const struct location *location = traces[i].user[0];

		ck_assert_int_eq(location->status, FRAME_NAMED);
		ck_assert(!location->doubtful);
		ck_assert_str_eq(location->frames[0].function, "marked_function");
		ck_assert_uint_eq(location->frames[0].offset, i);
		ck_assert_str_eq(location->object->name, "test_symbolize");
	}
	ck_assert_int_eq(look_at(getpid(), NULL, 8)->status, FRAME_NOT_AN_ADDRESS);
	ck_assert_int_eq(look_at(-1, NULL, start)->status, FRAME_NO_PID);
	ck_assert_int_eq(look_at(1 << 23, NULL, start)->status, FRAME_PROCESS_GONE);
}
END_TEST

/* Selections and sums, which outlive a round, keep what they know of a location by its serial. */
START_TEST(serials_go_on_in_the_next_round)
{
	uint64_t start = (uint64_t)(uintptr_t)marked_function;

	begin();
	struct symbolizer *before = symbolizer;
	uint64_t serial = look_at(getpid(), NULL, start)->serial;
	begin();
	symbolizer_follow(symbolizer, before, STREAM_ENTRIES);
	ck_assert_uint_gt(look_at(getpid(), NULL, 8)->serial, serial);
	symbolizer_destroy(before);
}
END_TEST

/* ---- build IDs ------------------------------------------------------------------------------ */

/* The build IDs of the program and of its largest library that has one. */
struct own_ids {
	struct build_id all[2];
	uint64_t largest;
};

static struct build_id id_of_notes(const char *at, const char *notes_end)
{
	while (at + sizeof(ElfW(Nhdr)) <= notes_end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		size_t name = (note->n_namesz + 3u) & ~3u, data = (note->n_descsz + 3u) & ~3u;

		if (note->n_type == NT_GNU_BUILD_ID)
			return build_id_make(at + sizeof(*note) + name, note->n_descsz);
		at += sizeof(*note) + name + data;
	}
	return (struct build_id){};
}

static int add_own(struct dl_phdr_info *info, size_t size, void *context)
{
	struct own_ids *ids = context;
	struct build_id id = {};
	uint64_t code = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		const char *at = (const char *)info->dlpi_addr + phdr->p_vaddr;

		if (phdr->p_type == PT_NOTE && !id.len)
			id = id_of_notes(at, at + phdr->p_memsz);
		else if (phdr->p_type == PT_LOAD && phdr->p_flags & PF_X)
			code = phdr->p_memsz;
	}
	if (!*info->dlpi_name && !ids->all[0].len) {
		ids->all[0] = id;
	} else if (*info->dlpi_name == '/' && id.len && code > ids->largest) {
		ids->all[1] = id;
		ids->largest = code;
	}
	return 0;
}

/* Two files of one process have code at the same offset. */
START_TEST(equal_offsets_of_two_files)
{
	const uint64_t offset = 0x1100; /* behind what the linker puts before code */
	struct own_ids ids = {};

	if (is_emulated())
		return;
	dl_iterate_phdr(add_own, &ids);
	ck_assert_uint_gt(ids.all[0].len, 0);
	ck_assert_uint_gt(ids.all[1].len, 0);
	const struct stack_origin origins[] = {
		{.build_id = ids.all[0]}, {.build_id = ids.all[1]}, {.build_id = ids.all[0]}};
	begin();
	for (int batch = 0; batch < 2; batch++) {
		const struct trace *traces =
			look(getpid(), NULL, (uint64_t[]){offset, offset, offset}, 3, origins);

		for (size_t i = 0; i < 3; i++)
			ck_assert(build_id_equal(
				&traces[i].user[0]->object->build_id, &origins[i].build_id));
		ck_assert_str_eq(traces[0].user[0]->object->name, "test_symbolize");
		ck_assert_str_ne(traces[1].user[0]->object->name, "test_symbolize");
	}
}
END_TEST

/* No file has the ID, however many are searched. */
START_TEST(build_id_of_no_file)
{
	const struct stack_origin origin = {.build_id = build_id_make("nobody's", 8)};
	scope_guard(text_deinit) struct text maps = {};

	options.find.proc_root = proc_dir;
	for (unsigned int n = 1; n <= 40; n++) {
		text_printf(&maps, "%x000-%x000 r-xp 00000000 08:01 %u /nowhere/%u\n", 16 + 2 * n,
			17 + 2 * n, n, n);
		proc_text(ODD_PID, "maps", maps.data);
		begin();
		const struct location *location =
			look(-1, NULL, (uint64_t[]){0x1000}, 1, &origin)->user[0];
		ck_assert_int_eq(location->status, FRAME_BUILD_ID_ABSENT);
		ck_assert_uint_eq(location->address, 0x1000);
		ck_assert(!location->has_address);
		end();
	}
}
END_TEST

/* ---- odd processes -------------------------------------------------------------------------- */

START_TEST(vdso_that_is_none)
{
	static char memory[0x3000];

	memset(memory, 'x', sizeof(memory));
	proc_text(ODD_PID, "maps", "1000-3000 r-xp 00000000 00:00 0 [vdso]\n");
	proc_file(ODD_PID, "mem", memory, sizeof(memory));
	options.find.proc_root = proc_dir;
	begin();
	const struct location *location = look_at(ODD_PID, NULL, 0x1800);
	ck_assert_int_eq(location->status, FRAME_FILE_BROKEN);
	ck_assert_ptr_nonnull(location->detail);
	ck_assert_str_eq(location->object->path, "[vdso]");
}
END_TEST

/* A first thread that has ended has no mappings; those of the others are its process's. */
START_TEST(first_thread_has_ended)
{
	proc_text(ODD_PID, "maps", "");
	proc_text(ODD_PID, "comm", "worker\n");
	auto_free char *tasks = xasprintf("%s/%d/task", proc_dir, ODD_PID);
	ck_assert_int_eq(mkdir(tasks, 0700), 0);
	proc_text(ODD_PID, "task/77", "");
	proc_text(ODD_PID, "task/78", "");
	proc_text(78, "maps", "1000-3000 r-xp 00000000 08:01 5 /nowhere/shop\n");
	options.find.proc_root = proc_dir;
	begin();
	ck_assert_str_eq(look_at(ODD_PID, NULL, 0x1800)->object->path, "/nowhere/shop");
	ck_assert_int_eq(look_at(ODD_PID, NULL, 0x3001)->status, FRAME_UNMAPPED);
}
END_TEST

/* The file that is now at the path is the mapped one if device and inode are equal. */
START_TEST(file_is_known_by_device_and_inode)
{
	scope_guard(text_deinit) struct text maps = {};
	char path[4096] = {};
	struct stat st;

	ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	for (unsigned int i = 0; i < 5; i++)
		text_printf(&maps, "%x000000-%x800000 r-xp 00000000 %02x:%02x %llu %s\n", i + 1,
			i + 1, major(st.st_dev) + (i == 1), minor(st.st_dev) + (i == 2),
			(unsigned long long)st.st_ino + (i == 3), path);
	proc_text(ODD_PID, "maps", maps.data);
	options.find.proc_root = proc_dir;
	begin();
	for (unsigned int i = 0; i < 5; i++) {
		const struct location *location =
			look_at(ODD_PID, NULL, ((uint64_t)i + 1) * 0x1000000 + 0x100);
		bool same = i == 0 || i == 4;

		ck_assert(location->has_elf_address == same);
		/* The latter if its file system is mounted here, too. */
		ck_assert((location->status != FRAME_FILE_ABSENT &&
				  location->status != FRAME_FILE_WRONG) == same);
	}
}
END_TEST

/* The user may name a file in /proc; a text that others wrote may not, even if the user could. */
START_TEST(file_that_the_user_named_too)
{
	const struct stack_file user = {.path = "/proc/self/exe"};
	const struct stack_file text = {
		.path = user.path, .searched = true, .base = STACK_FILE_START};
	const struct stack_origin origins[] = {{.file = &user}, {.file = &text}};

	begin();
	const struct trace *traces = look(-1, NULL, (uint64_t[]){0x1100, 0x1100}, 2, origins);
	ck_assert(traces[0].user[0]->has_elf_address);
	ck_assert_int_eq(traces[1].user[0]->status, FRAME_FILE_ABSENT);
}
END_TEST

/* After an exec, stacks with the name of the program before may belong to that one. */
START_TEST(process_runs_another_program)
{
	const uint64_t address = 0x400800; /* not random: other programs have code there, too */
	const struct location *location;

	proc_text(ODD_PID, "maps", "400000-401000 r-xp 00000000 08:01 5 /nowhere/shop\n");
	proc_text(ODD_PID, "comm", "shop\n");
	options.find.proc_root = proc_dir;
	begin();
	ck_assert(!look_at(ODD_PID, "shop", address)->doubtful);
	ck_assert(look_at(ODD_PID, "other", address)->doubtful);
	ck_assert(!look_at(ODD_PID, "shop", address)->doubtful);
	proc_text(ODD_PID, "maps", "400000-402000 r-xp 00000000 08:01 6 /nowhere/other\n");
	proc_text(ODD_PID, "comm", "other\n");
	/* It looks at processes again once a second. */
	for (int i = 0; i < 600; i++) {
		location = look_at(ODD_PID, "shop", address);
		if (strcmp(location->object->path, "/nowhere/shop") != 0)
			break;
		usleep(50000);
	}
	ck_assert_str_eq(location->object->path, "/nowhere/other");
	ck_assert(location->doubtful);
	ck_assert(!look_at(ODD_PID, "other", address)->doubtful);
	/* An unmapped address is not reported as a broken chain. */
	ck_assert_int_eq(look_at(ODD_PID, "other", 0x403000)->status, FRAME_UNMAPPED);
	ck_assert_int_eq(look_at(ODD_PID, "shop", 0x403000)->status, FRAME_PROCESS_CHANGED);
	ck_assert_int_eq(look_at(ODD_PID, "shop", 0x7f3a00001000)->status, FRAME_PROCESS_CHANGED);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("symbolize");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, functions_of_a_process);
	tcase_add_test(tcase, serials_go_on_in_the_next_round);
	tcase_add_test(tcase, equal_offsets_of_two_files);
	tcase_add_test(tcase, build_id_of_no_file);
	tcase_add_test(tcase, vdso_that_is_none);
	tcase_add_test(tcase, first_thread_has_ended);
	tcase_add_test(tcase, file_is_known_by_device_and_inode);
	tcase_add_test(tcase, file_that_the_user_named_too);
	tcase_add_test(tcase, process_runs_another_program);
	return tests_run(tcase);
}
