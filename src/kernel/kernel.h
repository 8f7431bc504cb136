/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolves kernel addresses. Symbols are read from the system when the first address is resolved.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/bpf/prog.h"
#include "kernel/follow/follow.h"
#include "kernel/follow/reports.h"
#include "kernel/kallsyms/kallsyms.h"
#include "kernel/modules.h"
#include "model/frame.h"
#include "model/stack.h"
#include "process/recording/recording.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/table.h"

/*
 * The state of a kernel: the sources it is read from, symbols, modules, BPF programs, and the
 * strings that locations point to. Everything is read when it is first needed.
 */

/*
 * Zero-filled means that nothing was read yet, except for the fields marked as given. These are not
 * owned.
 */
struct kernel {
	const char *proc_root, *sys_root;  /* given */
	const struct recording *recording; /* given; NULL: none */
	const char *saved;		   /* given: --kallsyms FILE; NULL: none */
	const char *modules_given;	   /* given: --modules FILE or DIR; NULL: none */
	bool source;			   /* given: BPF frames get the text of their line */
	bool tried, modules_tried;
	struct modules modules;
	char *modules_list, *modules_tree; /* owned: where modules are read from */
	struct kallsyms kallsyms;
	/* changes since the symbols were read; NULL if these are not this system's */
	struct follow *follow;
	bool heard_programs;   /* changes of BPF programs were reported */
	uint64_t refreshed_at; /* time of the last refresh (ns, CLOCK_MONOTONIC); 0: never */
	uint64_t before;       /* lower bound for stacks without a time (ns, CLOCK_MONOTONIC) */
	struct s2l_perf_clock *perf_clock; /* NULL if not needed yet or not permitted */
	bool perf_clock_tried;
	uint32_t generation;  /* number of times the symbols were replaced */
	enum qualify qualify; /* given */
	struct table labels;  /* module name → struct frame_object * */
	struct arena label_strings;
	struct table names; /* a pool of strings */
	struct text name;
	struct arena strings;
	/*
	 * true if BPF programs can be inspected, because they are of this system; valid if
	 * BPF_TRIED
	 */
	bool bpf_tried, bpf_own;
	struct s2l_bpf_programs bpf;
};

void kernel_deinit(struct kernel *kernel);
/*
 * Returns an error if the file of --kallsyms or --modules cannot be read, or has no line of the
 * expected form.
 */
struct error *kernel_check(const struct kernel *kernel) must_check;
/* Returns the symbols, and reads them on the first call. */
struct kallsyms *kernel_symbols(struct kernel *kernel);
/* Returns the reason if an address has no name: FRAME_KALLSYMS_OUTSIDE if the symbols were read. */
enum frame_status kernel_status(struct kernel *kernel);
/*
 * Returns true if the addresses belong to another system, or to an earlier boot of this one, so
 * that this system's modules and BPF programs do not apply.
 */
bool kernel_is_foreign(const struct kernel *kernel);
/*
 * Returns true if strings and BPF programs use so much memory that they should be freed.
 * kernel_forget() does so, which invalidates the results of kernel_string() and what locations in
 * BPF programs point to.
 */
bool kernel_is_full(const struct kernel *kernel);
void kernel_forget(struct kernel *kernel);
/* Returns a copy of S that lives until kernel_forget(). Equal strings share one copy. */
const char *kernel_string(struct kernel *kernel, const char *s);
/* Returns the object of frames in MODULE, or in the kernel itself if MODULE is NULL. */
struct frame_object *kernel_label(struct kernel *kernel, const char *module);
/* Returns the build ID of MODULE, or of the kernel itself if MODULE is NULL; len 0 if unknown. */
struct build_id kernel_build_id(struct kernel *kernel, const char *module);
/* Returns the modules. Each is read when it is first needed. */
struct modules *kernel_modules(struct kernel *kernel);
/*
 * Returns true if the file of --kallsyms was saved on another system or in an earlier boot: most
 * functions of the running kernel have other addresses in it or, if addresses are hidden here, are
 * missing.
 */
bool kernel_saved_elsewhere(struct kernel *kernel);

/*
 * Finds the code at kernel address LOOKUP within TIME, among BPF programs and other code that was
 * added or removed since the symbols were read. Returns false, with RET zero-filled, if no such
 * code was at LOOKUP. If reports were lost, returns true with RET->incomplete set.
 */
bool kernel_choose(struct kernel *kernel, uint64_t lookup, const struct sample_time *time,
	struct code_choice *ret);
/*
 * Names LOCATION after the function that covers LOOKUP, a kernel address (the location's own, or
 * one less for a caller), using the result CHOICE of kernel_choose(). Sets status, source, object
 * and FRAME, which becomes the location's only frame. Without symbols, the object is still set if
 * LOOKUP is in a module.
 */
void kernel_name(struct kernel *kernel, uint64_t lookup, const struct code_choice *choice,
	struct location *location, struct frame *frame);
/*
 * Returns true for the entry code of interrupts and exceptions. The next frame is the interrupted
 * one, with an exact address, not a return address.
 */
bool kernel_is_interrupt_entry(const char *function);
/*
 * Updates KERNEL with the changes in the system since the symbols were read; call it between
 * batches. Changes that the kernel reports are applied at once. Symbols are read again only if they
 * are at least a second old, so that only streams pay for it.
 */
enum kernel_news kernel_refresh(struct kernel *kernel);
/*
 * Converts TIME of perf's clock to CLOCK_MONOTONIC (ns), within 1 ms. Returns false if the offset
 * is unknown.
 */
bool kernel_from_perf_clock(struct kernel *kernel, uint64_t time, uint64_t *ret);
/*
 * Returns when the kernel stack of SAMPLE was taken. For lists of exact addresses this is the
 * present.
 */
struct sample_time kernel_sample_time(struct kernel *kernel, const struct sample *sample);
