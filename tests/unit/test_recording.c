// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings: what is written is read back, and bad bytes cost no more than themselves. */
#include <check.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/jit/jit.h"
#include "process/recording/process_record.h"
#include "process/recording/recording.h"
#include "process/recording/tasks.h"
#include "record/recorder.h"
#include "parsed_recording.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

START_TEST(round_trip)
{
	static const char path[] = "/a b%41\n\\\x7f\xff/c (deleted)";
	static const char vdso[] = "\177ELF\2\0\0\0\0\0\0\0\0\0\0\0\xff";
	char name[] = "/tmp/test_recording.XXXXXX";
	int fd = mkstemp(name);
	struct recorder recorder = {.fd = fd};
	const struct recorded_file file = {.dev_major = 254,
		.dev_minor = 31,
		.inode = UINT64_MAX,
		.size = 12,
		.mtime = 34,
		.build_id = build_id_make("\x01\xff", 2),
		.deleted = true,
		.path = path};

	recorder_begin(&recorder, "here", "m", "r", &(struct recorder_clocks){1, 2, 3});
	recorder_row(&recorder, ROW_ONLY, "cgroup /a b%\n");
	recorder_row(&recorder, ROW_ONLY, "tree 7");
	ck_assert_uint_eq(recorder_file(&recorder, &file), 1);
	ck_assert_uint_eq(recorder_file(&recorder, &file), 1);
	recorder_row(&recorder, ROW_PROC, "%x y\n", 7, 10, 5, 99, 2);
	recorder_row(&recorder, ROW_MAP, "", 7, 10, 0x1000, 0x3000, 0x4000, 1);
	recorder_row(&recorder, ROW_KEEPS, "/dir \n");
	recorder_row(&recorder, ROW_KEPT, "01ff-0123456789abcdef", 7, 12, 11, 0x1000, 0x3000,
		0x4000, 17);
	struct text mounts = {}, symbols = {};
	text_add_string(&symbols, "ffff T a\t[m]\nffff t b\n");
	text_add_string(&mounts, "1 2 0:3 / / rw\n2 1 0:4 / /p\\040q rw\n");
	recorder_mounts(&recorder, 99, &mounts);
	recorder_mounts(&recorder, 99, &mounts);
	recorder_add(
		&recorder, &(struct recorded_row){.kind = ROW_VDSO, .text = {vdso, vdso + 17}});
	recorder_lines(&recorder, ROW_KSYM, &symbols);
	recorder_kernel_build_id(&recorder, "kernel", &file.build_id);
	recorder_row(&recorder, ROW_LOST, "", 11, 3, 10);
	recorder_end(&recorder, 12, false);
	ck_assert_ptr_null(recorder_flush(&recorder));
	recorder_deinit(&recorder);

	struct text text = {};
	lseek(fd, 0, SEEK_SET);
	ck_assert_int_eq(file_read_all(fd, 1 << 20, &text), 0);
	close(fd);
	unlink(name);
	struct recording *recording = parse_bytes(text.data, text.len);
	ck_assert_uint_eq(recording->odd, 0);
	ck_assert_uint_eq(recording->torn, 0);
	ck_assert(!recording->foreign);
	ck_assert_str_eq(recording->only.data, "only this was recorded: cgroup /a b%\n, tree 7");
	ck_assert_uint_eq(recording->lost, 3);
	ck_assert_uint_eq(recording->end, 12);
	bool ambiguous;
	const struct process_record *record = process_record_of(recording, 7, 0, &ambiguous);
	ck_assert_str_eq(process_record_comm(record, 0), "%x y\n");
	ck_assert_uint_eq(record->levels, 2);
	const struct recorded_row *copies;
	ck_assert_uint_eq(recording_rows(recording, 7, ROW_KEPT, &copies), 1);
	ck_assert_str_eq(copies->text.at, "01ff-0123456789abcdef");
	ck_assert_uint_eq(copies->kept.offset + copies->kept.size, 0x4000 + 17);
	ck_assert_str_eq(recording->kept_dirs.data[0], "/dir \n");
	ck_assert_uint_eq(record->namespace, 99);
	const struct mapping *mapping = maps_find(&record->maps, 0x1000);
	ck_assert_str_eq(mapping->path, path);
	ck_assert_uint_eq(mapping->inode, UINT64_MAX);
	ck_assert_uint_eq(mapping->dev_minor, 31);
	ck_assert(mapping->deleted && mapping->build_id && mapping->build_id->len == 2);
	ck_assert_str_eq(recording_mounts(recording, 99)->data, mounts.data);
	ck_assert_ptr_null(recording_mounts(recording, 98));
	ck_assert_str_eq(recording->kallsyms.data, "ffff T a\t[m]\nffff t b\n");
	ck_assert_ptr_nonnull(recording_vdso(recording, 1ULL << 40, 17));
	ck_assert_ptr_null(recording_vdso(recording, 0x1000, 17));
	ck_assert_str_eq(recording_file_of(recording, &file.build_id)->path, path);
	recording_destroy(recording);
	text_deinit(&mounts);
	text_deinit(&symbols);
	text_deinit(&text);
}
END_TEST

/* "NAME FILE:LINE" of JIT code in the recorded process; "?" when it is ambiguous. */
static const char *jit_at(struct recording *recording, uint64_t time, uint64_t address)
{
	bool ambiguous;
	const struct process_record *record = process_record_of(recording, 7, time, &ambiguous);
	struct jit_map map = {};
	static char answer[64];

	recorded_jit_read(record, &map);
	struct jit_code code = jit_map_find(&map, address, time);
	snprintf(answer, sizeof(answer), "none");
	if (code.name)
		snprintf(answer, sizeof(answer), "%s %s:%u", code.ambiguous ? "?" : code.name,
			code.line ? code.line->file : "", code.line ? code.line->line : 0);
	jit_map_deinit(&map);
	return answer;
}

START_TEST(jit_code)
{
	struct recording *recording = parse(
		"file 1 0 0 0 0 0 0 0 - \n"
		"proc 7 10 5 99 1 a\nmap 7 10 1000 3000 0 1\n"
		"jit 7 11 1000 40 old%0aname\njitline 7 11 1000 3 0 /x\njitline 7 11 1010 4 0 /y\n"
		"jitline 7 11 1001 9 0 out-of-order\n"
		"proc 7 12 5 99 1 a\nmap 7 12 1000 3000 0 1\n"
		"jitlook 7 11\njit 7 13 1020 10 over\n"
		"exec 7 20 b\nmap 7 20 2000 4000 0 1\njitlook 7 20\njit 7 21 2000 10 second\n"
		"jitline 7 9 1000 1 0 nothing-before\nend 30\n");

	ck_assert_uint_eq(recording->odd, 0);
	ck_assert_str_eq(jit_at(recording, 14, 0x1004), "old\nname /x:3");
	ck_assert_str_eq(jit_at(recording, 14, 0x1011), "old\nname /y:4");
	ck_assert_str_eq(jit_at(recording, 14, 0x1020), "over :0");
	/* Made between 11 and 13: it may have been there at 12, and was not at 11. */
	ck_assert_str_eq(jit_at(recording, 12, 0x1020), "? /y:4");
	ck_assert_str_eq(jit_at(recording, 11, 0x1020), "old\nname /y:4");
	ck_assert_str_eq(jit_at(recording, 0, 0x1020), "? :0");
	ck_assert_str_eq(jit_at(recording, 25, 0x2004), "second :0");
	ck_assert_str_eq(jit_at(recording, 14, 0x2004), "none");
	ck_assert_str_eq(jit_at(recording, 25, 0x1004), "none");
	/* Both programs had memory there: which one ran is not known. */
	ck_assert_str_eq(path_at(recording, 7, 0, 0x2004), "?");
	recording_destroy(recording);
}
END_TEST

/* Code without a `jitlook` record may be as old as its program, whatever was found before. */
START_TEST(jit_code_without_looks)
{
	struct recording *recording =
		parse("file 1 0 0 0 0 0 0 0 - \nproc 7 10 5 99 1 a\nmap 7 10 1000 3000 0 1\n"
		      "jit 7 11 1000 40 first\njit 7 15 1000 40 second\nend 30\n");

	ck_assert_str_eq(jit_at(recording, 12, 0x1004), "? :0");
	ck_assert_str_eq(jit_at(recording, 16, 0x1004), "? :0");
	recording_destroy(recording);
}
END_TEST

START_TEST(inner_pids)
{
	struct recording *recording =
		parse("pid 100 5 77 1\npid 101 5 77 2\npid 102 6 77 3\npid 102 6 78 1\n"
		      "pid 103 9 77 2\npid 104 9 77 4294967297\nend 20\n");

	ck_assert_uint_eq(recording->odd, 0);
	ck_assert_uint_eq(recording_pid_namespace(recording, 100), 77);
	ck_assert_uint_eq(recording_pid_namespace(recording, 102), 78);
	ck_assert_uint_eq(recording_pid_namespace(recording, 99), 0);
	ck_assert_int_eq(recording_outer_pid(recording, 77, 1, 0), 100);
	ck_assert_int_eq(recording_outer_pid(recording, 77, 3, 0), 102);
	ck_assert_int_eq(recording_outer_pid(recording, 78, 1, 0), 102);
	ck_assert_int_eq(recording_outer_pid(recording, 79, 1, 0), -1);
	ck_assert_int_eq(recording_outer_pid(recording, 77, 4, 0), -1);
	ck_assert_int_eq(recording_outer_pid(recording, 77, -1, 0), -1);
	/* Used by one process after another: without a time, it is no process's. */
	ck_assert_int_eq(recording_outer_pid(recording, 77, 2, 0), -1);
	ck_assert_int_eq(recording_outer_pid(recording, 77, 2, 8), 101);
	ck_assert_int_eq(recording_outer_pid(recording, 77, 2, 9), 103);
	recording_destroy(recording);
}
END_TEST

START_TEST(start_times)
{
	/* 2,000 ns were slept; a tick is 10 ms. */
	struct recording *recording =
		parse_text("host here x86_64 6.18\nbegin 50000000 1 50002000\n"
			   "proc 7 50000000 3 99 1 a\nfork 8 60000000 7\n");

	bool ambiguous;

	ck_assert_uint_eq(process_record_of(recording, 7, 0, &ambiguous)->started, 30000000 - 2000);
	ck_assert_uint_eq(process_record_of(recording, 8, 0, &ambiguous)->started, 60000000);
	recording_destroy(recording);
	recording = parse("proc 7 50000000 3 99 1 a\n");
	ck_assert_uint_eq(process_record_of(recording, 7, 0, &ambiguous)->started, 0);
	recording_destroy(recording);
}
END_TEST

/* Some processes begin to run PATH, in one block. */
static void record_images(
	struct recorder *recorder, enum row_kind kind, uint64_t time, const char *path)
{
	const struct recorded_file file = {.inode = time, .path = path};
	uint32_t number = recorder_file(recorder, &file);

	for (uint32_t pid = 1; pid < 20; pid++) {
		recorder_row(recorder, kind, "x", pid, time);
		recorder_row(recorder, ROW_MAP, "", pid, time, 0x1000, 0x3000, 0, number);
	}
	ck_assert_ptr_null(recorder_flush(recorder));
}

/* Earlier answers are computed again, whether they were read for one process or for all. */
START_TEST(read_while_it_grows)
{
	char name[] = "/tmp/test_recording.XXXXXX";
	struct recorder recorder = {.fd = mkstemp(name)};
	const struct recorder_clocks clocks = {1, 1, 1};
	struct recording *recording = NULL;
	bool all = false;

	recorder_begin(&recorder, "here", "m", "r", &clocks);
	recorder.complete = 10;
	record_images(&recorder, ROW_PROC, 10, "/first");
	ck_assert_ptr_null(recording_open(name, "/proc", &recording));
	for (uint64_t round = 1; round <= 8; round++) {
		auto_free char *path = xasprintf("/round%" PRIu64, round);

		for (int64_t pid = 1; pid < 20; pid++)
			ck_assert_str_eq(path_at(recording, pid, 10, 0x1000), "/first");
		all |= recording->has_all;
		ck_assert(!recording_await(recording, 9 + round));
		recorder.complete = 10 + round;
		record_images(&recorder, ROW_EXEC, 10 + round, path);
		ck_assert(!recording_await(recording, 9 + round));
		ck_assert(recording_await(recording, 10 + round));
		ck_assert_str_eq(path_at(recording, 7, 10 + round, 0x1000), path);
	}
	ck_assert(all);
	recording_destroy(recording);
	recorder_deinit(&recorder);
	unlink(name);
}
END_TEST

/* Rows count as given before they are written. */
START_TEST(given_before_it_is_written)
{
	struct recorder recorder = {.fd = memfd_create("given", MFD_CLOEXEC)};
	const struct recorder_clocks clocks = {1, 1, 1};

	recorder_begin(&recorder, "here", "m", "r", &clocks);
	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t before = recorder_given(&recorder);

		recorder_row(&recorder, ROW_EXIT, "", 7 + i % 2, 10 + i);
		ck_assert_uint_ge(recorder_given(&recorder), before + 3); /* kind, PID, time */
	}
	uint64_t before = recorder_given(&recorder);
	ck_assert_ptr_null(recorder_flush(&recorder));
	ck_assert_uint_eq(recorder_given(&recorder), before);
	recorder_deinit(&recorder);
}
END_TEST

static const char story[] =
	"host here m r\nbegin 1 1\n"
	"file 1 8 1 5 0 0 0 0 0102 /a\nproc 5 2 1 9 1 c\nmap 5 2 1000 2000 0 1\n"
	"mounts 9\nmount 9 x\nvdso %7fELF%02%00%00%00%00%00%00%00%00%00%00%00\ncomplete 3\n"
	"map 5 3 3000 4000 0 1\nend 4\n";

/*
 * Every prefix of a recording can be read once its first line is there, up to the last whole block.
 */
START_TEST(every_prefix)
{
	const size_t first = strlen(RECORDING_MAGIC) + 2;
	struct text bytes = {};
	size_t blocks = 0, end = 0;

	ck_assert(pack_recording(story, strlen(story), 1 << 20, &bytes));
	for (size_t len = 0; len <= bytes.len; len++) {
		struct recording *recording = NULL;
		struct error *error = recording_parse("r", bytes.data, len, "here", &recording);

		ck_assert_int_eq(!error, len >= first - 1);
		if (!error) {
			ck_assert_uint_eq(recording->odd, 0);
			blocks += !recording->torn && len > first;
			ck_assert(recording->torn || recording->end >= end);
			end = recording->end;
			ck_assert_str_eq(path_at(recording, 5, 0, 0x1000),
				recording->blocks.all.len ? "/a" : "no record");
			ck_assert_str_eq(path_at(recording, 5, 0, 0x3000),
				recording->blocks.all.len > 1 ? "/a"
				: recording->blocks.all.len   ? "nothing"
							      : "no record");
		}
		error_destroy(error);
		recording_destroy(recording);
	}
	ck_assert_uint_eq(blocks, 4); /* of the system and of processes, twice */
	text_deinit(&bytes);
}
END_TEST

START_TEST(hostile_rows)
{
	struct recording *recording = parse(
		"map 5 2 1000 2000 0 9\n" /* no such file */
		"file 1 0 0 1 0 0 0 0 - /a\n"
		"map 5 2 2000 1000 0 1\n"	   /* backwards */
		"map 4294967301 2 1000 2000 0 1\n" /* no pid */
		"map 5 2 1000 2000 0 4294967297\n" /* no file number */
		"fork 5 2 4294967295\n"
		"file 4294967296 0 0 1 0 0 0 0 - /b\nfile 2 0 0 1 0 0 0 0 zz /b\nfile 3 0 0 1 0 0 0 0\n"
		"vdso 7f\nkbuild xx kernel\nhost x\nkeeps relative\n"
		"map 5 2 0 ffffffffffffffff 0 1\n");

	ck_assert_uint_eq(recording->odd, 7);
	ck_assert_str_eq(path_at(recording, 5, 0, 0xfffffffffffffffe), "/a");
	ck_assert_uint_eq(recording->odd, 11);
	recording_destroy(recording);
}
END_TEST

/* Malformed rows are not used. */
START_TEST(damaged_rows)
{
	static const char *const bytes[] = {"\xff", "\x01", "\x01\x80", "\x05\x02\x02\x02\x02\x02",
		"\x04\x02\x02\x05", "\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"};

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		struct rows rows = {.bytes = scan_of(bytes[i])};
		struct recorded_row row;

		ck_assert(!rows_next(&rows, &row));
		ck_assert(scan_left(&rows.bytes));
	}
}
END_TEST

/* More mappings of a process than are kept */
START_TEST(crowded)
{
	struct text text = {};
	bool ambiguous;

	text_add_string(&text, "file 1 0 0 0 0 0 0 0 - /a\nproc 7 10 5 99 1 a\n");
	for (uint64_t i = 0; i <= 1 << 18; i++)
		text_printf(&text, "map 7 %" PRIu64 " %" PRIx64 "000 %" PRIx64 "000 0 1\n", i + 10,
			i + 1, i + 2);
	text_add_string(&text, "end 300000\n");
	struct recording *recording = parse(text.data);
	const struct process_record *record = process_record_of(recording, 7, 299999, &ambiguous);
	ck_assert(record->crowded);
	ck_assert(!process_record_is_sure(record, 299999));
	recording_destroy(recording);
	text_deinit(&text);
}
END_TEST

static bool is_sure(struct recording *recording, int64_t pid, uint64_t time)
{
	bool ambiguous;
	const struct process_record *record = process_record_of(recording, pid, time, &ambiguous);

	ck_assert_ptr_nonnull(record);
	return process_record_is_sure(record, time);
}

/*
 * Lost events may be an exec, an exit or a fork; after a look into /proc or an exec all is known
 * again.
 */
START_TEST(losses)
{
	struct recording *recording =
		parse("file 1 0 0 0 0 0 0 0 aa /a\nproc 5 100 1 9 1 a\nmap 5 100 1000 3000 0 1\n"
		      "fork 6 200 5\nmap 6 210 4000 5000 0 1\n"
		      "lost 400 2 300\nlost 420 1 350\n"
		      "fork 7 410 5\nfork 8 500 6\nexec 8 510 a\nmap 8 510 1000 2000 0 1\n"
		      "proc 5 600 1 9 1 a\nmap 5 600 1000 3000 0 1\n"
		      "fork 9 650 5\nexit 6 700\nend 800\n");

	ck_assert_uint_eq(recording->losses.len, 1);
	ck_assert_uint_eq(recording->lost, 3);
	ck_assert(is_sure(recording, 5, 200) && is_sure(recording, 5, 300));
	ck_assert(!is_sure(recording, 5, 301) && !is_sure(recording, 5, 599));
	ck_assert(is_sure(recording, 5, 600) && is_sure(recording, 5, 800));
	ck_assert(is_sure(recording, 6, 250) && !is_sure(recording, 6, 410) &&
		  !is_sure(recording, 6, 0));
	/* Its parent's program is unknown. */
	ck_assert(!is_sure(recording, 7, 800));
	ck_assert(!is_sure(recording, 8, 505) && is_sure(recording, 8, 510));
	ck_assert(is_sure(recording, 9, 800) && is_sure(recording, 9, 0));
	recording_destroy(recording);
}
END_TEST

START_TEST(not_a_recording)
{
	static const char *const texts[] = {"", "\n", "stack2line-recording \n",
		"stack2line-recording 1\n", "stack2line-recording 2\n", "stack2line-recording 4\n",
		"PERFILE2", "stack2line-recording 3"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct recording *recording = NULL;
		struct error *error =
			recording_parse("r", texts[i], strlen(texts[i]), NULL, &recording);

		ck_assert_int_eq(!error, i == 7);
		error_destroy(error);
		recording_destroy(recording);
	}
}
END_TEST

static const char *program_at(
	const struct recording *recording, uint64_t address, uint64_t time, bool *doubtful)
{
	const struct recorded_bpf *bpf =
		recorded_bpfs_at(&recording->bpfs, address, time, doubtful);

	return bpf ? bpf->name : "none";
}

START_TEST(bpf_programs_come_and_go)
{
	static const char text[] = "bpf 0 ffffffffc0001000 100 bpf_prog_1_a\n"
				   "bpfline ffffffffc0001000 7 3 a%20b.c\n"
				   "bpfline ffffffffc0001010 8 0 a%20b.c\n"
				   "bpfline ffffffffc0001005 9 0 out of order\n"
				   "bpfline ffffffffc0001100 9 0 outside\n"
				   "bpf 50 ffffffffc0002000 ffffffffffffffff overlong\n"
				   "bpfgone 10 ffffffffc0001000\n"
				   "bpf 20 ffffffffc0001080 100 bpf_prog_2_b\n"
				   "end 100\n";
	struct recording *recording = parse_text(text);
	bool doubtful;

	ck_assert_uint_eq(recording->odd, 3);
	ck_assert_str_eq(program_at(recording, 0xffffffffc0001000, 0, &doubtful), "bpf_prog_1_a");
	ck_assert(!doubtful);
	ck_assert_str_eq(program_at(recording, 0xffffffffc0001080, 0, &doubtful), "bpf_prog_2_b");
	ck_assert(doubtful);
	ck_assert_str_eq(program_at(recording, 0xffffffffc0001080, 5, &doubtful), "bpf_prog_1_a");
	ck_assert(!doubtful);
	ck_assert_str_eq(program_at(recording, 0xffffffffc0001080, 20, &doubtful), "bpf_prog_2_b");
	ck_assert(!doubtful);
	/* It had exited, and nothing was there. */
	ck_assert_str_eq(program_at(recording, 0xffffffffc0001000, 15, &doubtful), "bpf_prog_1_a");
	ck_assert(doubtful);
	ck_assert_str_eq(program_at(recording, 0xffffffffc0001180, 0, &doubtful), "none");
	const struct recorded_bpf *bpf =
		recorded_bpfs_at(&recording->bpfs, 0xffffffffc000100f, 0, &doubtful);
	const struct recorded_bpf_line *line =
		recorded_bpf_line_at(&recording->bpfs, bpf, 0xffffffffc000100f);
	ck_assert_str_eq(line->file, "a b.c");
	ck_assert_uint_eq(line->line, 7);
	line = recorded_bpf_line_at(&recording->bpfs, bpf, 0xffffffffc00010ff);
	ck_assert_uint_eq(line->line, 8);
	recording_destroy(recording);
}
END_TEST

/* Anything may have been replaced when changes were lost, until it is recorded again. */
START_TEST(bpf_changes_are_lost)
{
	static const char text[] = "bpf 10 ffffffffc0001000 100 a\n"
				   "bpf 10 ffffffffc0002000 100 b\n"
				   "bpflost 40 30\n"
				   "bpflost 39 20\n"
				   "bpf 40 ffffffffc0002000 100 b\n"
				   "bpf 50 ffffffffc0001000 100 c\n"
				   "end 100\n";
	static const struct {
		uint64_t address, time;
		const char *name;
		bool doubtful;
	} asked[] = {
		{0xffffffffc0001000, 19, "a", false},
		{0xffffffffc0001000, 20, "a", true},
		{0xffffffffc0001000, 49, "a", true},
		{0xffffffffc0001000, 50, "c", false},
		{0xffffffffc0002000, 19, "b", false},
		{0xffffffffc0002000, 39, "b", true},
		{0xffffffffc0002000, 40, "b", false},
		{0xffffffffc0002000, 99, "b", false},
		{0xffffffffc0002000, 0, "b", true},
	};
	struct recording *recording = parse_text(text);
	bool doubtful;

	ck_assert_uint_eq(recording->odd, 0);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		ck_assert_str_eq(program_at(recording, asked[i].address, asked[i].time, &doubtful),
			asked[i].name);
		ck_assert_msg(doubtful == asked[i].doubtful, "%zu", i);
	}
	recording_destroy(recording);
}
END_TEST

/* If not all processes are recorded, others have an ID before, after and between those that are. */
START_TEST(others_have_the_id)
{
	struct recording *recording = parse(
		"only tree 3\nfile 1 0 0 0 0 0 0 0 - /a\n"
		"thread 7 5 0\nfork 7 10 3\nmap 7 11 1000 2000 0 1\nthread 7 20 0\nfork 7 30 3\n"
		"map 7 31 1000 2000 0 1\nfork 8 40 0\nmap 8 40 1000 2000 0 1\nend 50\n");
	bool ambiguous;

	ck_assert_str_eq(path_at(recording, 7, 6, 0x1000), "no record");
	ck_assert_str_eq(path_at(recording, 7, 12, 0x1000), "/a");
	ck_assert_str_eq(path_at(recording, 7, 20, 0x1000), "no record");
	ck_assert_str_eq(path_at(recording, 7, 32, 0x1000), "/a");
	ck_assert_str_eq(path_at(recording, 7, 0, 0x1000), "several records");
	ck_assert_str_eq(path_at(recording, 8, 39, 0x1000), "no record");
	ck_assert_str_eq(path_at(recording, 8, 0, 0x1000), "/a");
	ck_assert(process_record_of(recording, 8, 0, &ambiguous)->came);
	ck_assert(!process_record_of(recording, 7, 12, &ambiguous)->came);
	recording_destroy(recording);
}
END_TEST

/* The hash of the copy of the file that PID had at ADDRESS at TIME; "none". */
static const char *copy_at(
	struct recording *recording, int64_t pid, uint64_t time, uint64_t address)
{
	bool ambiguous;
	const struct process_record *record = process_record_of(recording, pid, time, &ambiguous);
	const struct mapping *mapping = record ? process_record_find(record, time, address) : NULL;
	const struct recorded_row *copies;
	size_t n = recording_rows(recording, pid, ROW_KEPT, &copies);

	for (size_t i = 0; mapping && i < n; i++)
		if (recorded_copy_is_of(record, &copies[i], mapping))
			return strchr(copies[i].text.at, '-') + 16;
	return "none";
}

START_TEST(copies_of_files)
{
	struct recording *recording = parse(
		"keeps /kept%20here\nkeeps relative\nkeeps /kept%20here\n"
		"file 1 0 0 0 0 0 0 0 aa /a\nfile 2 0 0 0 0 0 0 0 bb /b\nfile 3 0 1 9 7 5 0 1 - /c\n"
		"file 4 0 1 9 7 6 0 1 - /c\nfile 5 0 1 8 0 0 0 1 aa /a\n"
		"fork 5 10 1\nmap 5 11 1000 2000 0 1\nmap 5 11 3000 4000 1000 2\n"
		"map 5 11 5000 6000 0 3\nexec 5 20 b\nmap 5 21 5000 6000 0 4\nexit 5 40\n"
		"kept 5 13 12 1000 2000 0 99 aa-0000000000000001\n"
		"kept 5 13 12 5000 6000 0 99 none-0000000000000002\n"
		"kept 5 13 12 3000 4000 0 99 bb-0000000000000003\n"    /* another part of it */
		"kept 5 21 20 3000 4000 1000 99 bb-0000000000000004\n" /* after the exec */
		"kept 5 22 12 5000 6000 0 99 none-0000000000000005\n"  /* before and after it */
		"kept 5 41 41 5000 6000 0 99 none-0000000000000006\n"  /* after the end */
		"kept 5 13 12 1000 2000 0 99 aa-000000000000001\n"
		"kept 5 13 12 1000 2000 0 99 ../aa-0000000000000001\n"
		"kept 5 12 13 1000 2000 0 99 aa-0000000000000001\n"
		"kept 5 13 12 2000 1000 0 99 aa-0000000000000001\n"
		/*
		 * Two programs that have it at one place, and /proc's word for what an event said.
		 */
		"fork 6 10 1\nmap 6 11 1000 2000 0 1\nexec 6 20 b\nmap 6 21 1000 2000 0 1\n"
		"kept 6 13 12 1000 2000 0 99 aa-0000000000000007\n"
		"fork 7 10 1\nmap 7 11 1000 2000 0 1\nproc 7 30 1 2 1 x\nmap 7 30 1000 2000 0 5\n"
		"kept 7 31 31 1000 2000 0 99 aa-0000000000000008\n"
		/* Another program was there by the time that it was made for sure. */
		"fork 9 10 1\nmap 9 11 5000 6000 0 3\nexec 9 20 b\nmap 9 21 5000 6000 0 4\n"
		"kept 9 22 12 5000 6000 0 99 none-0000000000000005\n"
		/* The same file as before the exec, but nothing says so of what is asked for. */
		"fork 10 10 1\nmap 10 11 1000 2000 0 1\nmap 10 11 3000 4000 0 2\nexec 10 20 b\n"
		"map 10 21 3000 4000 0 1\nkept 10 13 12 1000 2000 0 99 aa-0000000000000005\n"
		/* Events were lost before it. */
		"fork 8 10 1\nmap 8 11 1000 2000 0 1\nkept 8 46 46 1000 2000 0 99 aa-0000000000000009\n"
		"lost 45 3 44\nend 50\n");

	ck_assert_uint_eq(recording->odd, 1);
	ck_assert_uint_eq(recording->kept_dirs.len, 1);
	ck_assert_str_eq(recording->kept_dirs.data[0], "/kept here");
	ck_assert_str_eq(copy_at(recording, 5, 12, 0x1800), "1");
	ck_assert_str_eq(copy_at(recording, 5, 0, 0x1800), "1");
	ck_assert_str_eq(copy_at(recording, 5, 12, 0x5000), "2");
	ck_assert_str_eq(copy_at(recording, 5, 25, 0x5000), "none");
	ck_assert_str_eq(copy_at(recording, 5, 12, 0x3000), "none");
	ck_assert_str_eq(copy_at(recording, 6, 12, 0x1000), "none");
	ck_assert_str_eq(copy_at(recording, 6, 22, 0x1000), "none");
	ck_assert_str_eq(copy_at(recording, 9, 12, 0x5000), "none");
	ck_assert_str_eq(copy_at(recording, 10, 12, 0x1000), "5");
	ck_assert_str_eq(copy_at(recording, 10, 22, 0x3000), "none");
	ck_assert_str_eq(copy_at(recording, 7, 12, 0x1000), "8");
	ck_assert_str_eq(copy_at(recording, 8, 12, 0x1000), "none");
	recording_destroy(recording);
}
END_TEST

int main(void)
{
	TCase *test = tcase_create("recording");

	tcase_add_test(test, round_trip);
	tcase_add_test(test, bpf_programs_come_and_go);
	tcase_add_test(test, bpf_changes_are_lost);
	tcase_add_test(test, copies_of_files);
	tcase_add_test(test, crowded);
	tcase_add_test(test, jit_code);
	tcase_add_test(test, jit_code_without_looks);
	tcase_add_test(test, inner_pids);
	tcase_add_test(test, start_times);
	tcase_add_test(test, given_before_it_is_written);
	tcase_add_test(test, read_while_it_grows);
	tcase_add_test(test, every_prefix);
	tcase_add_test(test, hostile_rows);
	tcase_add_test(test, damaged_rows);
	tcase_add_test(test, losses);
	tcase_add_test(test, not_a_recording);
	tcase_add_test(test, others_have_the_id);
	return tests_run(test);
}
