// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/bpf/prog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/sort.h"
#include "util/xalloc.h"

/* ---- calls ----------------------------------------------------------------------------------- */

/* size of ID, next_id and open_flags in union bpf_attr */
enum { ID_SIZE = 12 };

/*
 * Passes only the first SIZE bytes of ATTR, which the initializer of a union member has set. The
 * kernel treats the rest as zero.
 */
static long call(int command, union bpf_attr *attr, size_t size)
{
	long result = syscall(SYS_bpf, command, attr, size);

	return result < 0 ? -errno : result;
}

int bpf_open(enum bpf_cmd command, uint32_t id)
{
	union bpf_attr attr = {.prog_id = id};

	return (int)call(command, &attr, ID_SIZE);
}

int bpf_object_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr = {
		.info = {.bpf_fd = (uint32_t)fd, .info_len = size, .info = (uintptr_t)info}};

	return (int)call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr.info));
}

/* ---- lines ----------------------------------------------------------------------------------- */

COMPARE(compare_lines, struct s2l_bpf_line,
	order_of(a->address, b->address) ?: order_of(a->order, b->order))

void bpf_lines_init(const char *records, size_t n, size_t record_size, const uint64_t *addresses,
	const struct btf *btf, struct s2l_bpf_lines *ret)
{
	struct bpf_line_info info;

	if (record_size < sizeof(info))
		return;
	for (size_t i = 0; i < n; i++) {
		memcpy(&info, records + i * record_size, sizeof(info));
		const struct s2l_bpf_line line = {
			.address = addresses[i],
			.file = btf_string(btf, info.file_name_off),
			.text = btf_string(btf, info.line_off),
			.line = BPF_LINE_INFO_LINE_NUM(info.line_col),
			.column = BPF_LINE_INFO_LINE_COL(info.line_col),
			.order = (uint32_t)i,
		};
		if (line.address && *line.file)
			vec_push(ret, line);
	}
	vec_sort(ret, compare_lines);
}

const struct s2l_bpf_line *bpf_lines_find(
	const struct s2l_bpf_lines *lines, uint64_t start, uint64_t address)
{
	size_t n = sorted_count(lines->data, lines->len, .address <= address);

	return n && lines->data[n - 1].address >= start ? &lines->data[n - 1] : NULL;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* limits on counts and sizes from the kernel; a program has at most a million instructions */
enum { FUNCTIONS_MAX = 1 << 16, RECORDS_MAX = 1 << 22, RECORD_SIZE_MAX = 256, BTF_MAX = 64 << 20 };

static void prog_destroy(struct s2l_bpf_prog *prog)
{
	vec_deinit(&prog->lines);
	vec_deinit(&prog->types);
	btf_deinit(&prog->btf);
	free(prog);
}

void bpf_programs_deinit(struct s2l_bpf_programs *programs)
{
	vec_destroy(&programs->programs, prog_destroy);
	vec_deinit(&programs->functions);
	*programs = (struct s2l_bpf_programs){.after = programs->after};
}

/* ---- the list ------------------------------------------------------------------------------- */

COMPARE(compare_functions, struct s2l_bpf_function, order_of(a->start, b->start))

COMPARE(compare_programs, struct s2l_bpf_prog *, order_of((*a)->id, (*b)->id))

/* Returns the program of INFO: one of the first KNOWN if it is among these, else a new one. */
static struct s2l_bpf_prog *prog_of(
	struct s2l_bpf_programs *programs, size_t known, const struct bpf_prog_info *info)
{
	struct s2l_bpf_prog wanted = {.id = info->id}, *prog = &wanted, **seen = NULL;

	if (known)
		seen = bsearch(
			&prog, programs->programs.data, known, sizeof(prog), compare_programs);
	if (seen && (*seen)->loaded == info->load_time &&
		!memcmp((*seen)->tag, info->tag, sizeof(prog->tag)))
		return *seen;
	prog = xnew(prog);
	prog->id = info->id;
	prog->loaded = info->load_time;
	memcpy(prog->tag, info->tag, sizeof(prog->tag));
	memcpy(prog->name, info->name, sizeof(prog->name) - 1);
	vec_push(&programs->programs, prog);
	return prog;
}

/* Adds the functions of the program FD. A program that is interpreted has none. */
static void list_program(struct s2l_bpf_programs *programs, size_t known, int fd)
{
	struct bpf_prog_info info = {}, want = {};

	if (bpf_object_info(fd, &info, sizeof(info)) || !info.nr_jited_ksyms ||
		info.nr_jited_ksyms > FUNCTIONS_MAX)
		return;
	size_t n = info.nr_jited_ksyms;
	auto_free uint64_t *starts = xcalloc(n, sizeof(*starts));
	auto_free uint32_t *lengths = xcalloc(n, sizeof(*lengths));
	auto_free uint8_t *tags = xcalloc(n, BPF_TAG_SIZE);
	want.nr_jited_ksyms = want.nr_jited_func_lens = want.nr_prog_tags = (uint32_t)n;
	want.jited_ksyms = (uintptr_t)starts;
	want.jited_func_lens = (uintptr_t)lengths;
	want.prog_tags = (uintptr_t)tags;
	if (bpf_object_info(fd, &want, sizeof(want)))
		return;
	struct s2l_bpf_prog *prog = prog_of(programs, known, &info);
	prog->gone = false;
	for (size_t i = 0; i < n; i++) {
		struct s2l_bpf_function function = {
			starts[i], starts[i] + lengths[i], prog, (uint32_t)i, {}};

		/* function 0 is identified by the program's tag */
		memcpy(function.tag,
			i && i < want.nr_prog_tags ? tags + i * BPF_TAG_SIZE : prog->tag,
			BPF_TAG_SIZE);
		if (function.start < function.end)
			vec_push(&programs->functions, function);
	}
}

size_t bpf_programs_list(struct s2l_bpf_programs *programs)
{
	size_t known = programs->programs.len, kept = 0;
	union bpf_attr next = {.start_id = programs->after};
	long error;

	programs->listed = true;
	programs->functions.len = 0;
	for (size_t i = 0; i < known; i++)
		programs->programs.data[i]->gone = true;
	/* requires CAP_SYS_ADMIN */
	for (; !(error = call(BPF_PROG_GET_NEXT_ID, &next, ID_SIZE));
		next.start_id = next.next_id) {
		auto_fd int fd = bpf_open(BPF_PROG_GET_FD_BY_ID, next.next_id);

		if (fd >= 0)
			list_program(programs, known, fd);
	}
	programs->error = error == -ENOENT ? 0 : (int)error;
	/* keep unloaded programs that were described, because frames point to their strings */
	programs->kept = 0;
	vec_each_value(prog, &programs->programs) {
		if (prog->gone && !prog->described) {
			prog_destroy(prog);
			continue;
		}
		programs->kept += prog->gone;
		programs->programs.data[kept++] = prog;
	}
	programs->programs.len = kept;
	vec_sort(&programs->programs, compare_programs);
	vec_sort(&programs->functions, compare_functions);
	return programs->functions.len;
}

const struct s2l_bpf_function *bpf_programs_find(
	struct s2l_bpf_programs *programs, uint64_t address)
{
	if (!programs->listed)
		(void)bpf_programs_list(programs);
	size_t n =
		sorted_count(programs->functions.data, programs->functions.len, .start <= address);
	if (!n || address >= programs->functions.data[n - 1].end)
		return NULL;
	return &programs->functions.data[n - 1];
}

/* ---- one program ---------------------------------------------------------------------------- */

/* Reads the BTF with this ID. Returns false if it is not accessible or not readable. */
static bool read_btf(uint32_t id, struct btf *ret)
{
	auto_fd int fd = bpf_open(BPF_BTF_GET_FD_BY_ID, id);
	struct bpf_btf_info size = {}, want = {};

	if (fd < 0 || bpf_object_info(fd, &size, sizeof(size)) || size.btf_size > BTF_MAX)
		return false;
	auto_free char *bytes = xcalloc(1, size.btf_size + 1);
	want.btf = (uintptr_t)bytes;
	want.btf_size = size.btf_size;
	if (bpf_object_info(fd, &want, sizeof(want)) || want.btf_size != size.btf_size)
		return false;
	struct error *error = btf_init(take(bytes), size.btf_size, NULL, ret);
	error_destroy(error);
	return !error;
}

bool bpf_program_btf(uint32_t id, struct btf *ret)
{
	auto_fd int fd = bpf_open(BPF_PROG_GET_FD_BY_ID, id);
	struct bpf_prog_info info = {};

	return fd >= 0 && !bpf_object_info(fd, &info, sizeof(info)) && info.btf_id &&
	       read_btf(info.btf_id, ret);
}

/*
 * Reads the BTF, function types and lines of PROG. Returns NULL, or the reason why there are no
 * lines (a constant).
 */
static const char *describe(struct s2l_bpf_prog *prog)
{
	auto_fd int fd = bpf_open(BPF_PROG_GET_FD_BY_ID, prog->id);
	struct bpf_prog_info info = {};

	if (fd < 0 || bpf_object_info(fd, &info, sizeof(info)) || info.load_time != prog->loaded ||
		memcmp(info.tag, prog->tag, sizeof(prog->tag)) != 0)
		return "no source line: the program was unloaded meanwhile";
	if (!info.btf_id)
		return "no source line: the program was loaded without BTF";
	bool sane = info.nr_line_info <= RECORDS_MAX && info.nr_jited_line_info <= RECORDS_MAX &&
		    info.nr_func_info <= FUNCTIONS_MAX &&
		    info.line_info_rec_size <= RECORD_SIZE_MAX &&
		    info.func_info_rec_size <= RECORD_SIZE_MAX &&
		    info.func_info_rec_size >= sizeof(struct bpf_func_info);
	if (!sane || !read_btf(info.btf_id, &prog->btf))
		return "no source line: the program's BTF cannot be read";
	auto_free char *functions = xcalloc(info.nr_func_info + 1, info.func_info_rec_size);
	auto_free char *lines = xcalloc(info.nr_line_info + 1, info.line_info_rec_size);
	auto_free uint64_t *addresses = xcalloc(info.nr_jited_line_info + 1, sizeof(*addresses));
	struct bpf_prog_info want = {
		.nr_func_info = info.nr_func_info,
		.func_info_rec_size = info.func_info_rec_size,
		.func_info = (uintptr_t)functions,
		.nr_line_info = info.nr_line_info,
		.line_info_rec_size = info.line_info_rec_size,
		.line_info = (uintptr_t)lines,
		.nr_jited_line_info = info.nr_jited_line_info,
		.jited_line_info_rec_size = info.jited_line_info_rec_size,
		.jited_line_info = (uintptr_t)addresses,
	};
	if (bpf_object_info(fd, &want, sizeof(want)))
		return "no source line: the kernel does not give the program's lines";
	for (size_t i = 0; i < info.nr_func_info; i++) {
		struct bpf_func_info function;

		memcpy(&function, functions + i * info.func_info_rec_size, sizeof(function));
		vec_push(&prog->types, function.type_id);
	}
	if (!info.nr_line_info)
		return "no source line: the program was loaded without line info";
	if (info.nr_jited_line_info != info.nr_line_info)
		return "no source line: the kernel does not give the addresses of lines";
	bpf_lines_init(lines, info.nr_line_info, info.line_info_rec_size, addresses, &prog->btf,
		&prog->lines);
	return NULL;
}

static struct s2l_bpf_prog *described(const struct s2l_bpf_function *function)
{
	struct s2l_bpf_prog *prog = function->program;

	if (!prog->described)
		prog->detail = describe(prog);
	prog->described = true;
	return prog;
}

uint32_t bpf_function_type(const struct s2l_bpf_function *function, const struct btf **ret)
{
	struct s2l_bpf_prog *prog = described(function);

	*ret = &prog->btf;
	return function->number < prog->types.len ? prog->types.data[function->number] : 0;
}

/* example: "bpf_prog_6deef7357e7b4530_sd_fw_egress" */
void bpf_function_symbol(const struct s2l_bpf_function *function, struct text *text)
{
	const struct btf *btf;
	struct s2l_btf_node type;
	uint32_t id = bpf_function_type(function, &btf);
	const char *name = id && btf_type_at(btf, id, &type) ? btf_string(type.of, type.name) : "";

	if (!*name && !function->number)
		name = function->program->name;
	text_add_string(text, S2L_BPF_SYMBOL_PREFIX);
	for (size_t i = 0; i < sizeof(function->tag); i++)
		text_printf(text, "%02x", function->tag[i]);
	if (*name)
		text_printf(text, "_%s", name);
}

size_t bpf_function_lines(const struct s2l_bpf_function *function, const struct s2l_bpf_line **ret)
{
	const struct s2l_bpf_lines *lines = &described(function)->lines;
	size_t first = sorted_count(lines->data, lines->len, .address < function->start);
	size_t end = sorted_count(lines->data, lines->len, .address < function->end);

	*ret = lines->data ? lines->data + first : NULL;
	return end - first;
}

const struct s2l_bpf_line *bpf_function_line(
	const struct s2l_bpf_function *function, uint64_t address, const char **detail)
{
	struct s2l_bpf_prog *prog = described(function);
	const struct s2l_bpf_line *line = bpf_lines_find(&prog->lines, function->start, address);

	*detail = prog->detail;
	if (!line && !prog->detail)
		*detail = "no source line: the program's line info does not cover the address";
	if (line && !line->line)
		*detail = "no source line: the compiler gave this code none";
	return line;
}
