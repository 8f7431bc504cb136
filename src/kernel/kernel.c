// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kernel.h"

#include <string.h>
#include <time.h>

#include "kernel/bpf/bpf_frame.h"
#include "util/clock.h"
#include "util/vec.h"

/* canonical kernel addresses of 64-bit machines other than s390x start with this byte */
#define KERNEL_ADDRESS_MIN (~0ULL << 56)

/* ---- names ---------------------------------------------------------------------------------- */

/*
 * Returns true if ADDRESS can be a kernel address. Kernels of 32-bit machines and of s390 may have
 * lower addresses; their symbols show which.
 */
static bool is_kernel_address(struct kernel *kernel, uint64_t address)
{
	if (address >= KERNEL_ADDRESS_MIN)
		return true;
	const struct kallsyms *symbols = kernel_symbols(kernel);
	return symbols->status == KALLSYMS_READ && address >= symbols->floor;
}

static const char *qualifier(struct kernel *kernel, const struct kallsyms_answer *answer)
{
	/* programs and trampolines of one name are copies of the same code: one function */
	if (kernel->qualify == QUALIFY_NEVER || follow_is_made(answer->module))
		return NULL;
	if (!kallsyms_qualifier(&kernel->kallsyms, answer, &kernel->name)) {
		if (kernel->qualify != QUALIFY_ALWAYS)
			return NULL;
		text_printf(&kernel->name, "[%s]", answer->module ? answer->module : "kernel");
	}
	return kernel_string(kernel, kernel->name.data);
}

/*
 * Returns the module name in kallsyms: "ftrace_trampoline [__builtin__ftrace]", "kprobe_insn_page
 * [__builtin__kprobes]".
 */
static const char *module_of_code(const struct loaded_code *code)
{
	if (code->bpf)
		return "bpf";
	return !strncmp(code->name, "kprobe", 6) ? "__builtin__kprobes" : "__builtin__ftrace";
}

bool kernel_choose(struct kernel *kernel, uint64_t lookup, const struct sample_time *time,
	struct code_choice *ret)
{
	*ret = (struct code_choice){};
	if (!kernel->follow)
		return false;
	if (code_history_choose(&kernel->follow->history, lookup, time, ret))
		return true;
	return ret->incomplete = time->from < kernel->follow->known_since;
}

/*
 * Finds the symbol that covers LOOKUP. If CODE is not NULL, kernel events reported it, and it wins.
 * Otherwise takes the symbol in kallsyms, unless the list of modules excludes it: then it is stale,
 * and may hide a symbol of the module that is there now. Returns false if there is none.
 */
static bool find_symbol(struct kernel *kernel, uint64_t lookup, const struct loaded_code *code,
	struct location *location, struct kallsyms_answer *ret)
{
	const struct kallsyms *symbols = kernel_symbols(kernel);
	struct modules *modules = kernel_modules(kernel);

	if (code) {
		*ret = (struct kallsyms_answer){
			code->name, module_of_code(code), code->start, code->end};
		return *code->name;
	}
	if (!kallsyms_find(symbols, lookup, ret))
		return false;
	if (!ret->module || follow_is_made(ret->module) ||
		!modules_deny(modules, ret->module, lookup))
		return true;
	const struct module *there = modules_at(modules, lookup);
	if (there && kallsyms_find_in(symbols, there->name, lookup, ret))
		return true;
	location->detail = "the only symbol is of a module that is not loaded";
	return false;
}

/*
 * Appends to kernel->name why the symbol found in MODULE may be of code that has since been
 * replaced. INCOMPLETE: reports of changes were lost.
 */
static void doubt_symbol(struct kernel *kernel, const char *module, bool incomplete)
{
	const struct follow *follow = kernel->follow;
	bool made = follow_is_made(module);

	if (!follow)
		return;
	if (follow_doubts(follow, module))
		text_printf(&kernel->name,
			"[%s] has changed, and its symbols have not been read again yet", module);
	else if (made && incomplete)
		text_add_string(&kernel->name, "reports of recent changes were lost");
	else if (made && follow->running && !follow->ksymbols)
		text_add_string(&kernel->name,
			"without CAP_PERFMON the kernel does not report when one program "
			"replaces another");
}

static void doubt_code(struct kernel *kernel, uint64_t lookup, const struct code_choice *choice,
	const struct loaded_code *code)
{
	const struct module *there = code->gone ? modules_at(kernel_modules(kernel), lookup) : NULL;
	const struct loaded_code *other =
		code_history_find(&kernel->follow->history, lookup, choice->other);

	if (other && other != code && *other->name)
		text_printf(&kernel->name, "%s was there until recently", other->name);
	else if (choice->other)
		text_add_string(&kernel->name, "other code was there until recently");
	else if (there)
		text_printf(&kernel->name, "module %s is there now", there->name);
	else if (follow_doubts_since(kernel->follow, code->seq))
		text_printf(&kernel->name,
			"[%s] has changed, and its symbols have not been read again yet",
			module_of_code(code));
}

static void name_symbol(struct kernel *kernel, const struct kallsyms_answer *answer,
	struct location *location, struct frame *frame)
{
	frame->function = frame->linkage = kernel_string(kernel, answer->name);
	frame->offset = location->address - answer->start;
	frame->has_offset = true;
	frame->qualifier = qualifier(kernel, answer);
	location->status = FRAME_NAMED;
	location->source = SOURCE_KALLSYMS;
	location->object = kernel_label(kernel, answer->module);
}

void kernel_name(struct kernel *kernel, uint64_t lookup, const struct code_choice *choice,
	struct location *location, struct frame *frame)
{
	struct kallsyms_answer answer;

	*frame = (struct frame){};
	location->frames = frame;
	location->n_frames = 1;
	if (!is_kernel_address(kernel, location->address)) {
		location->status = FRAME_NOT_AN_ADDRESS;
		return;
	}
	location->status = kernel_status(kernel);
	if (kernel->saved && location->status == FRAME_KALLSYMS_DENIED)
		location->detail = "the file of --kallsyms was saved without CAP_SYSLOG";
	if (kernel->saved && location->status == FRAME_KALLSYMS_ABSENT)
		location->detail = "the file of --kallsyms has no line of kallsyms";
	const struct loaded_code *code =
		choice->number ? code_history_find(&kernel->follow->history, lookup, choice->number)
			       : NULL;
	if (choice->later || (choice->number && !code)) {
		/* no known code was at the address at that time: not yet, or no longer */
		bpf_frame_locate(kernel, FRAME_BPF_GONE, location);
		return;
	}
	if (code && choice->over) {
		/* unloaded, and no known code has replaced it: only a module can be there now */
		if (find_symbol(kernel, lookup, NULL, location, &answer) && answer.module &&
			!follow_is_made(answer.module))
			name_symbol(kernel, &answer, location, frame);
		else if (code->bpf)
			bpf_frame_locate(kernel, FRAME_BPF_GONE, location);
		return;
	}
	if (!find_symbol(kernel, lookup, code, location, &answer)) {
		const struct module *module = modules_at(kernel_modules(kernel), lookup);

		if (module)
			location->object = kernel_label(kernel, module->name);
		if (kernel->follow)
			follow_miss(kernel->follow);
		if (!code || !code->gone)
			bpf_frame_name(kernel, lookup, location, frame);
		return;
	}
	name_symbol(kernel, &answer, location, frame);
	if (answer.module && !strcmp(answer.module, "bpf")) {
		location->kind = LOCATION_BPF;
		bpf_frame_describe(kernel, lookup, code, location, frame);
	}
	text_clear(&kernel->name);
	if (location->status == FRAME_NAMED && code)
		doubt_code(kernel, lookup, choice, code);
	else if (location->status == FRAME_NAMED && answer.module)
		doubt_symbol(kernel, answer.module, choice->incomplete);
	location->doubtful |= kernel->name.len > 0;
	if (kernel->name.len)
		location->detail = kernel_string(kernel, kernel->name.data);
}

bool kernel_is_interrupt_entry(const char *function)
{
	static const char *const prefixes[] = {"asm_sysvec_", "asm_exc_", "asm_common_interrupt",
		"asm_spurious_interrupt", "el1h_64_", "el1t_64_"};

	array_each(prefix, prefixes, array_len(prefixes))
		if (!strncmp(function, *prefix, strlen(*prefix)))
			return true;
	return false;
}

/* ---- reading symbols again while a stream runs ---------------------------------------------- */

#define MILLISECOND (SECOND / 1000)

/* Returns the time a second before TIME, or 0. */
static uint64_t second_before(uint64_t time)
{
	return time > SECOND ? time - SECOND : 0;
}

enum kernel_news kernel_refresh(struct kernel *kernel)
{
	struct follow *follow = kernel->follow;

	if (kernel->kallsyms.status != KALLSYMS_READ || !follow)
		return KERNEL_AS_BEFORE;
	(void)follow_hear(follow);
	/*
	 * Stacks without a time that are still to be resolved were taken after the last refresh, or
	 * up to a second before, because samples take some time to arrive.
	 */
	kernel->before = second_before(kernel->refreshed_at);
	kernel->refreshed_at = clock_ns(CLOCK_MONOTONIC);
	if (!follow->ksymbols)
		follow_miss(follow);
	enum kernel_news news = follow_read(follow, &kernel->kallsyms);
	bool read = news == KERNEL_SYMBOLS_READ, programs = follow->heard & FOLLOW_PROGRAMS;
	bool modules = follow->heard & FOLLOW_MODULES, lost = follow->heard & FOLLOW_LOST;
	bool first = programs && !kernel->heard_programs;

	follow->heard = 0;
	kernel->heard_programs |= programs;
	kernel->generation += read;
	if (read || programs)
		kernel->bpf.listed = false;
	if (read || modules) {
		modules_forget(&kernel->modules);
		/* a module may have been replaced by another build */
		table_deinit(&kernel->labels);
	}
	/* what may change names although kernel_choose() makes the same choice */
	bool changed = modules || lost || first || (programs && kernel->recording);
	return news ?: changed ? KERNEL_CODE_CHANGED : KERNEL_AS_BEFORE;
}

/* ---- the time of a stack -------------------------------------------------------------------- */

bool kernel_from_perf_clock(struct kernel *kernel, uint64_t time, uint64_t *ret)
{
	if (!kernel->perf_clock_tried)
		kernel->perf_clock = perf_clock_open();
	kernel->perf_clock_tried = true;
	return kernel->perf_clock && perf_clock_convert(kernel->perf_clock, time, ret);
}

struct sample_time kernel_sample_time(struct kernel *kernel, const struct sample *sample)
{
	/* a program may run for an RCU grace period after it is unloaded */
	const struct sample_time present = {UINT64_MAX, UINT64_MAX,
					 second_before(kernel->refreshed_at)},
				 unknown = {
					 kernel->before, UINT64_MAX, second_before(kernel->before)};
	uint64_t time = sample->time, margin = sample->perf_clock ? MILLISECOND : 0;

	if (!kernel->follow || sample->kernel.exact)
		return present;
	/* a time in the future is of another clock, or not a time */
	if (!time ||
		(sample->perf_clock && !sample->converted &&
			!kernel_from_perf_clock(kernel, time, &time)) ||
		time > kernel->refreshed_at + MILLISECOND || time <= margin)
		return unknown;
	return (struct sample_time){time - margin, time + margin, second_before(time - margin)};
}
