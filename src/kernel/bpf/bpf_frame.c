// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/bpf/bpf_frame.h"

#include <errno.h>
#include <string.h>

#include "kernel/bpf/prog.h"
#include "process/procfs.h"
#include "process/recording/ids.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/vec.h"

/* size of the blocks that programs are allocated in (bpf_prog_pack: a huge page) */
#define PACK_SIZE 0x200000ULL

struct s2l_bpf_programs *bpf_frame_programs(struct kernel *kernel)
{
	/* our bpf() applies to the addresses if they are of the running system */
	if (!kernel->bpf_tried && !kernel_is_foreign(kernel)) {
		auto_free char *theirs = procfs_boot_id(kernel->proc_root);
		auto_free char *ours = procfs_boot_id("/proc");

		kernel->bpf_own = !strcmp(kernel->proc_root, "/proc") ||
				  (theirs && ours && !strcmp(theirs, ours));
	}
	kernel->bpf_tried = true;
	return kernel->bpf_own ? &kernel->bpf : NULL;
}

/* Returns true if SYMBOL is FUNCTION's: bpf_prog_, its tag, and then nothing or an underscore. */
static bool is_symbol_of(const struct s2l_bpf_function *function, const char *symbol)
{
	auto_text struct text own = {};
	size_t len = strlen(S2L_BPF_SYMBOL_PREFIX) + sizeof(function->tag) * 2;

	if (!symbol || strnlen(symbol, len) < len)
		return false;
	bpf_function_symbol(function, &own);
	return !strncmp(own.data, symbol, len) && (!symbol[len] || symbol[len] == '_');
}

static void add_line(struct kernel *kernel, const struct s2l_bpf_function *function,
	uint64_t lookup, struct location *location, struct frame *frame)
{
	const char *detail;
	const struct s2l_bpf_line *line = bpf_function_line(function, lookup, &detail);
	auto_text struct text text = {};

	location->detail = detail;
	if (!line)
		return;
	frame->file = line->file;
	frame->line = line->line;
	frame->column = line->column;
	if (!kernel->source || !*line->text)
		return;
	/* an excerpt of one line, the only source text that the kernel keeps; expands tabs */
	for (const char *s = line->text; *s; s++)
		if (*s == '\t')
			text_printf(&text, "%*s", (int)(8 - text.len % 8), "");
		else
			text_add_char(&text, *s);
	const char *excerpt = kernel_string(kernel, text.data);
	const struct source_excerpt source = {.first = line->line,
		.n = 1,
		.lines = arena_clone(&kernel->strings, &excerpt, sizeof(excerpt))};
	frame->source = arena_clone(&kernel->strings, &source, sizeof(source));
}

void bpf_frame_describe(struct kernel *kernel, uint64_t lookup, const struct loaded_code *code,
	struct location *location, struct frame *frame)
{
	struct s2l_bpf_programs *programs = bpf_frame_programs(kernel);
	uint64_t start = location->address - frame->offset;

	if (strncmp(frame->linkage, S2L_BPF_SYMBOL_PREFIX, strlen(S2L_BPF_SYMBOL_PREFIX)) != 0) {
		location->detail =
			"no source line: the kernel generated this code, to call BPF programs";
		return;
	}
	if (!programs) {
		location->detail =
			"no source line: only the machine that runs a BPF program "
			"has its lines, while it is loaded; stack2line record keeps them";
		return;
	}
	const struct s2l_bpf_function *function =
		code && code->gone ? NULL : bpf_programs_find(programs, lookup);
	if (function && function->start == start && is_symbol_of(function, frame->linkage)) {
		add_line(kernel, function, lookup, location, frame);
	} else if (function && !code) {
		/* the stack may have been in either */
		auto_text struct text detail = {};

		text_add_string(&detail, "another program is there now: ");
		bpf_function_symbol(function, &detail);
		location->doubtful = true;
		location->detail = kernel_string(kernel, detail.data);
	} else if (programs->error) {
		location->detail =
			programs->error == -EPERM || programs->error == -EACCES
				? "no source line: reading BPF programs requires CAP_SYS_ADMIN"
				: "no source line: this kernel gives no information about BPF "
				  "programs";
	} else if (!code && bpf_programs_find(programs, start)) {
		*frame = (struct frame){};
		location->status = FRAME_BPF_GONE;
		location->source = SOURCE_NONE;
		location->detail = "the address is beyond the end of the program before it";
	} else {
		location->detail = "no source line: the program was unloaded meanwhile";
	}
}

void bpf_frame_locate(struct kernel *kernel, enum frame_status status, struct location *location)
{
	location->kind = LOCATION_BPF;
	location->status = status;
	location->source = status == FRAME_NAMED ? SOURCE_BPF : SOURCE_NONE;
	location->object = kernel_label(kernel, "bpf");
}

void bpf_frame_name(
	struct kernel *kernel, uint64_t lookup, struct location *location, struct frame *frame)
{
	struct s2l_bpf_programs *programs = bpf_frame_programs(kernel);
	const struct s2l_bpf_function *function =
		programs ? bpf_programs_find(programs, lookup) : NULL;
	auto_text struct text name = {};

	if (!function) {
		if (!programs || location->status != FRAME_KALLSYMS_OUTSIDE)
			return;
		/* a program was there if one is loaded in the same pack */
		vec_each(other, &programs->functions)
			if (other->start / PACK_SIZE == lookup / PACK_SIZE) {
				bpf_frame_locate(kernel, FRAME_BPF_GONE, location);
				return;
			}
		return;
	}
	bpf_function_symbol(function, &name);
	frame->function = frame->linkage = kernel_string(kernel, name.data);
	frame->offset = location->address - function->start;
	frame->has_offset = true;
	bpf_frame_locate(kernel, FRAME_NAMED, location);
	add_line(kernel, function, lookup, location, frame);
}

static void add_recorded_line(const struct recorded_bpfs *bpfs, const struct recorded_bpf *bpf,
	uint64_t lookup, struct location *location, struct frame *frame)
{
	const struct recorded_bpf_line *line = recorded_bpf_line_at(bpfs, bpf, lookup);

	if (!frame->file && line) {
		frame->file = line->file;
		frame->line = line->line;
		frame->column = line->column;
		location->detail = NULL;
	}
	if (!frame->file && !location->detail &&
		!strncmp(bpf->name, S2L_BPF_SYMBOL_PREFIX, strlen(S2L_BPF_SYMBOL_PREFIX)))
		location->detail = "no source line: the recording has none of the program";
}

void bpf_frame_recorded(struct kernel *kernel, uint64_t lookup, uint64_t time,
	struct location *location, struct frame *frame)
{
	const struct recording *recording = kernel->recording;
	uint64_t at = recording ? recorded_time(recording, recorded_last_time(recording, time)) : 0;
	const char *now = NULL;
	bool doubtful = false;
	const struct recorded_bpf *bpf =
		recording ? recorded_bpfs_at(&recording->bpfs, lookup, at, &doubtful) : NULL;

	if (!bpf || !*bpf->name || location->status == FRAME_NOT_AN_ADDRESS || kernel->saved)
		return;
	bool same = location->status == FRAME_NAMED &&
		    location->address - frame->offset == bpf->start &&
		    !strcmp(frame->linkage, bpf->name);
	doubtful |= !same && time > recording->end;
	bool sure = !doubtful && at && at >= bpf->time &&
		    time <= (bpf->gone ? bpf->gone : recording->end);
	if (!same || (sure && location->doubtful)) {
		if (location->status == FRAME_NAMED)
			now = frame->linkage;
		*frame = (struct frame){.function = bpf->name,
			.linkage = bpf->name,
			.offset = location->address - bpf->start,
			.has_offset = true};
		bpf_frame_locate(kernel, FRAME_NAMED, location);
		location->doubtful = false;
		location->detail = NULL;
	}
	add_recorded_line(&recording->bpfs, bpf, lookup, location, frame);
	if (!doubtful && (!now || sure))
		return;
	auto_text struct text detail = {};

	if (now)
		text_printf(&detail, "%s is there now", now);
	else
		text_add_string(&detail, "another program was there at another time");
	location->doubtful = true;
	location->detail = kernel_string(kernel, detail.data);
}

uint32_t bpf_frame_type(
	struct kernel *kernel, uint64_t start, const char *symbol, const struct btf **ret)
{
	struct s2l_bpf_programs *programs = bpf_frame_programs(kernel);
	const struct s2l_bpf_function *function =
		programs ? bpf_programs_find(programs, start) : NULL;

	if (!function || function->start != start || !is_symbol_of(function, symbol))
		return 0;
	return bpf_function_type(function, ret);
}
