// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"
#include "util/xalloc.h"

/* ---- the table ------------------------------------------------------------------------------- */

#define HEX "[0-9a-fA-F]{1,16}+"
#define ID                                                                                         \
	"(-1|\\d{1,9})" /* process or thread ID; -1: the task has exited, and its ID is unknown */
#define PLUS "(\\+0x(?<offset>" HEX "))?"
/* Marks functions that begin stacks of the kernel, or of programs. */
#define SIDE                                                                                       \
	"((?=((?<in_kernel>asm_(exc|sysvec)_.*|entry_SYSCALL_64_after_hwframe|do_syscall_64|"      \
	"ret_from_fork(_asm)?|(secondary|common)_startup_64|secondary_startup_64_no_verify|"       \
	"asm_common_interrupt|el0t_64_(sync|irq)|el1h_64_irq|__secondary_switched)"                \
	"|(?<in_user>_start|main|__libc_start_(main(_impl)?|call_main)|start_thread|(__)?clone3?)" \
	")(\\+|@| *$| *\\([/\\[])))?"
/* An object in parentheses, perhaps with a file offset. Parentheses within it must balance. */
#define OBJECT                                                                                     \
	"(?<object>([^()+]++|\\+|(?<nested>\\(([^()]++|(?&nested))*+\\)))*?)"                      \
	"(\\+0x(?<file_offset>" HEX "))?"
/* An address with leading blanks, at least 17 columns wide. */
#define COLUMNS "(?= [ 0-9a-f]{16})(?!.{0,15}[0-9a-f] )(?= +[0-9a-f]{1,16}( |$))"

/*
 * perf script (builtin-script.c and evsel_fprintf.c in tools/perf): comm of at most 15 bytes;
 * process and thread, or only the thread; CPU; CPU mode; seconds. Without a call chain, comm is
 * right-aligned to 16 columns.
 */
#define PERF_TIME "(?<time>\\d{1,9}\\.\\d{6,9}):(?= |$)"
#define PERF_HEAD                                                                                  \
	"^(?<aligned> +)?(?<comm>[^ \\t#](.{0,13}[^ ])?)(?(<aligned>)(?<=^.{16})) "                \
	"[ \\t]*((?<pid>" ID ")/)?(?<tid>" ID ") +(\\[\\d+\\] *)?([KUHGg]+ *)?" PERF_TIME
/* On hybrid CPUs one event has two names: `cpu_core/cycles/` and `cpu_atom/cycles/`. */
#define PERF_EVENT "( +(?<weight>\\d+)(?= ))?( +(cpu_(core|atom)/)?+(?<event>[^ \\t]+):(?= |$))?"
#define BARE_ADDRESS COLUMNS " +0*[1-9a-f][0-9a-f]{8,15}( |$)"
#define PERF_FRAME "^[ \\t]+(?<address>" HEX ")(?= |$) *"
#define PERF_NAME "(\\[unknown\\].*?|(?<symbol>.+?)" PLUS ")"
#define KERNEL_OBJECT "(?<module>\\[(?!unknown|vdso|vsyscall|heap|stack|anon).*\\])"

/* Like .*?, but ends only at a `+` or blank, or is empty: cheaper than to try each byte. */
#define NAME "(?<symbol>([^+ ]*+([+ ][^+ ]*+)*?)?\?)"

/* bcc and libbpf-tools (trace_helpers.c, profile.c, wakeuptime.c, memleak.c) */
#define INDENT "^( {4}(?! )|\\t[ \\t]*+)"
#define BCC_NUMBERED "(#\\d+ *)?"
#define BCC_FRAME                                                                                  \
	BCC_NUMBERED "((0x)?(?<address>(?<=0x)" HEX "|[0-9a-f]{16}+)(?= |$) *)?"                   \
		     "((?(<address>)Unknown|(?!))$|\\[unknown\\](?= \\(|$)|" SIDE NAME PLUS ")"    \
		     "(?(<address>)( *(?<= )\\(" OBJECT "\\))?)$"
#define BCC_LOST "\\[(Missed|Lost) "
#define BCC_TITLE "(Sampling at |Tracing off-CPU time |Tracing blocked time \\(us\\) )"
#define BCC_OWNER "- [ \\t]*(?<comm>.*?) *\\((?<tid>\\d{1,9})\\)$"
#define MEMLEAK_TITLE                                                                              \
	"(Tracing outstanding memory allocs|Attaching to pid |using default object: |using page "  \
	"size: |tracing kernel: )"
#define MEMLEAK_LIST "\\[.* stacks with outstanding allocations:$"
#define MEMLEAK_HEAD "[ \\t]*(?<weight>\\d{1,18}) bytes in .* allocations from stack$"

/*
 * bpftrace: lines of ustack(perf) have a tab, the address, then the name, or the address again.
 * Lines of ustack(raw) and ustack(build_id) are not indented. From 0.2x on, JSON has no blanks, so
 * address and name are split by form: a kernel address has 16 digits, an address in PIE code or a
 * shared library 12. Any other address is recognized only if it ends in a decimal digit and the
 * name does not begin with a hex digit.
 */
#define BPFTRACE_NAME                                                                              \
	"((?<inlined>\\[inlined\\]) *)?" SIDE "(?<symbol>(?!0x).+?)"                               \
	"((?(<inlined>)|\\+(?<decimal>\\d+))(@(?<file>[^@]+):(?<line>\\d{1,9}))?)?"
#define BPFTRACE_PATH                                                                              \
	"( *\\((\\[.*|(?<object>/([^()]++|(?<nested>\\(([^()]++|(?&nested))*+\\)))*+))\\))? *$"
#define BPFTRACE_PERF "( *0x\\k<address>| *" BPFTRACE_NAME ")" BPFTRACE_PATH
#define BPFTRACE_ADDRESS "(0x)?(?<address>(?<=0x)" HEX "|0) *$"
#define BPFTRACE_ID "^[ \\t]*(?<build_id>[0-9a-fA-F]{40}) *0x(?<file_offset>" HEX ") *$"
#define BPFTRACE_PRINTED " {8}(?! )((0x" HEX "|0) *$|\\[inlined\\]|.+\\+\\d+(@[^@]+:\\d{1,9})? *$)"
#define JOINED_ADDRESS                                                                             \
	"(?<address>ffff[0-9a-f]{12}|[57][0-9a-f]{11}|" HEX "(?<=\\d)(?![0-9a-fA-F]))"

/* Inspektor Gadget numbered entries before May 2026. */
#define GADGET_INDEX "^(\\[\\d{1,9}\\])?"

static const struct block_row table[] = {
	{TOOL_PERF, LINE_START, PERF_HEAD, "x 1 1.000001: "},
	{TOOL_PERF, LINE_HEAD,
		PERF_HEAD "(?!(.*:)? PERF_RECORD_| +DEFERRED CALLCHAIN )"
			  "((?!" COLUMNS ")" PERF_EVENT ")?(?<rest>" COLUMNS ".*)?",
		"chain 24986/24986 [001] 68586.592577:    5025125 cpu-clock:pppH:"},
	{TOOL_PERF, LINE_DEFERRED, "^[ \\t]+" HEX " \\(cookie\\)",
		"\t       100000001 (cookie) ([unknown])"},
	{TOOL_PERF, LINE_FRAME,
		PERF_FRAME "((" PERF_NAME " +)?\\(((?<inlined>inlined)|" KERNEL_OBJECT "|" OBJECT
			   ")\\))?$",
		"\tffffffff821ecc51 do_syscall_64+0x71 ([kernel.kallsyms])"},
	{TOOL_PERF, LINE_FRAME, PERF_FRAME "(" PERF_NAME " +)?\\((?<object>.*)\\)$",
		"\t    56335aa1816b f+0x1 (/not(balanced)"},
	{TOOL_PERF, LINE_FRAME, PERF_FRAME PERF_NAME "$", "\t           8add3 operator()"},
	{TOOL_PERF, LINE_SOURCE_LINE, "^ +(?<file>[^ ].*):(?<line>\\d{1,9})$", "  chain.c:12"},
	{TOOL_PERF, LINE_NO_SAMPLE, "^.*: (PERF_RECORD_|DEFERRED CALLCHAIN )",
		"a 7/8 [000] 2.000000: PERF_RECORD_EXIT(7:8):(7:7)"},
	{TOOL_PERF, LINE_REMARK, "^  [^ ]", "  [kernel.kallsyms][ffffffff81000130]"},

	{TOOL_BCC, LINE_START,
		"^(" BCC_TITLE "|\\ttarget: | {4}(#\\d+ |\\[unknown\\]$|" BCC_LOST "|" BCC_OWNER
		"|(?=[\\w.]*[_g-zG-Z])[\\w.]+$))",
		"    do_syscall_64"},
	{TOOL_BCC, LINE_HEAD, "^" BCC_TITLE, "Tracing off-CPU time (us) by PID 7"},
	{TOOL_BCC, LINE_HEAD, INDENT "target: [ \\t]*(?<comm>.*?)[ \\t]*$",
		"\ttarget:          sed"},
	{TOOL_BCC, LINE_REMARK, INDENT BCC_LOST, "    [Missed User Stack]"},
	{TOOL_BCC, LINE_DELIMITER, INDENT "--$", "    --"},
	{TOOL_BCC, LINE_OWNER, INDENT BCC_OWNER, "    -                chain (16607)"},
	{TOOL_BCC, LINE_OWNER, INDENT "waker: [ \\t]*(?<comm>.*?)[ \\t]*$",
		"\t          waker: bash"},
	{TOOL_BCC, LINE_TAIL, "^[ \\t]+(?<weight>\\d{1,18}) *$", "        31"},
	{TOOL_BCC, LINE_FRAME, INDENT BCC_FRAME,
		"    #10 0x000000000040418e main+0x9 (/usr/bin/chain+0x1142)"},

	{TOOL_MEMLEAK, LINE_START, "^(" MEMLEAK_TITLE "|" MEMLEAK_LIST "|" MEMLEAK_HEAD ")",
		"tracing kernel: false"},
	{TOOL_MEMLEAK, LINE_LIST, "^" MEMLEAK_LIST,
		"[14:05:02] Top 10 stacks with outstanding allocations:"},
	{TOOL_MEMLEAK, LINE_HEAD, "^" MEMLEAK_HEAD, "4096 bytes in 2 allocations from stack"},
	{TOOL_MEMLEAK, LINE_REMARK, "^(" MEMLEAK_TITLE "|[ \\t]*(addr = |stack information lost$))",
		"\taddr = 0x55d0c8a0b000 size = 2048"},
	{TOOL_MEMLEAK, LINE_FRAME,
		"^[ \\t]+(\\d+ \\[<(?<address>" HEX ")>\\][ \\t]*)?(<.*?|\\[unknown\\]|"
		"(?<symbol>.*?)(\\+0x(?<offset>" HEX
		").*?)?)( +\\[(?<object>[^\\[\\]]+)\\])?[ \\t]*$",
		"\t0 [<000055d0c8a0b139>] keep+0x9 [/usr/bin/chain]"},

	/*
	 * A truncated line has no weight. Some component must not be an address: address lists may
	 * be separated by semicolons too.
	 */
	{TOOL_FOLDED, LINE_START,
		"^(?![ \\t#/.])(?=[^;]*;)([^;]*;)*?(?![^;]*0x|[0-9a-fA-F]{5,16}( +\\d+ *$|;|$))[^;]+"
		"(;.*)?( \\d{1,18} *|(?<=^[^\\[{].{255}))$",
		"chain;main;f;-;do_syscall_64 31"},
	{TOOL_FOLDED, LINE_HEAD, "^(?s)(?![ \\t])(?<rest>.+) (?<weight>\\d{1,18}) *$",
		"chain;main;f;-;do_syscall_64 31"},
	{TOOL_FOLDED_PART, LINE_REMARK, "^(" BCC_LOST "|$)", "[Missed User Stack]"},
	{TOOL_FOLDED_PART, LINE_DELIMITER, "^--?$", "-"},
	{TOOL_FOLDED_PART, LINE_FRAME, "^" BCC_FRAME, "do_syscall_64"},

	/* an address alone is not enough: it may be part of an address list */
	{TOOL_BPFTRACE, LINE_START,
		"^(Attach(ing|ed) \\d+ probe|@\\w*[\\[:]|(?=.*\\+)" BPFTRACE_PRINTED ")",
		"Attaching 3 probes..."},
	{TOOL_BPFTRACE, LINE_FRAME, "^[ \\t]*" BPFTRACE_ADDRESS, "        0x55833586d1b9"},
	{TOOL_BPFTRACE, LINE_FRAME, BPFTRACE_ID,
		"91f01b4ad171c80b6303d08d1f08cba8b990413d 0x1274fb"},
	{TOOL_BPFTRACE, LINE_FRAME, "^(?<address>" HEX ") *$", "55833586d1b9"},
	{TOOL_BPFTRACE, LINE_FRAME, "^[ \\t]+<unwind", "        <unwind failed>"},
	{TOOL_BPFTRACE, LINE_FRAME, "^\\t[ \\t]*(?<address>" HEX ")(?= )" BPFTRACE_PERF,
		"\t55833586d1b9 spin_leaf+9 (/usr/bin/chain)"},
	{TOOL_BPFTRACE, LINE_FRAME, "^\\t[ \\t]*[^ \\t]", "\t?"},
	{TOOL_BPFTRACE, LINE_FRAME, "^ +(?=[^ ])" BPFTRACE_NAME " *$",
		"        spin_leaf+9@chain.c:3"},
	{TOOL_BPFTRACE_JOINED, LINE_FRAME, "^[ \\t]*" BPFTRACE_ADDRESS, "0x55833586d1b9"},
	{TOOL_BPFTRACE_JOINED, LINE_FRAME, BPFTRACE_ID,
		"91f01b4ad171c80b6303d08d1f08cba8b990413d0x1274fb"},
	{TOOL_BPFTRACE_JOINED, LINE_FRAME, "^(?<address>" HEX ") *$", "55833586d1b9"},
	{TOOL_BPFTRACE_JOINED, LINE_FRAME, "^[ \\t]*<unwind", "<unwindfailed>"},
	{TOOL_BPFTRACE_JOINED, LINE_FRAME,
		"^\\t(?<address>[0-9a-fA-F]{1,16})0x\\k<address>" BPFTRACE_PATH,
		"\t55833586d1b90x55833586d1b9"},
	{TOOL_BPFTRACE_JOINED, LINE_FRAME, "^\\t" JOINED_ADDRESS BPFTRACE_NAME BPFTRACE_PATH,
		"\t55833586d1b9spin_leaf+9(/usr/bin/chain)"},
	{TOOL_BPFTRACE_JOINED, LINE_FRAME, "^\\t", "\t?"},
	{TOOL_BPFTRACE_JOINED, LINE_FRAME, "^ *(?=[^ ])" BPFTRACE_NAME " *$",
		"spin_leaf+9@chain.c:3"},
	{TOOL_BPFTRACE_PRINTED, LINE_START, "^" BPFTRACE_PRINTED, "        spin_leaf+9"},

	/* YAML, or the heading of columns with stacks */
	{TOOL_GADGET_TEXT, LINE_START,
		"^---\\r?\\n\\w+:|^(\\x1b\\[H\\x1b\\[2J|(?=[A-Z]))[^a-z\\n]*"
		"(\\.ADDRESSES|\\.BUILDID|\\.SYMBOLS|KSTACK|KERN_STACK)",
		"PROC.COMM PROC.PID USTACK.ADDRESSES"},
	/* entries of Inspektor Gadget's fields, which semicolons separate */
	{TOOL_GADGET_SYMBOL, LINE_REMARK, GADGET_INDEX "(\\[unknown\\]|(.+\\+)?0x" HEX ")?$",
		"libcudart.so.12+0x1234"},
	{TOOL_GADGET_SYMBOL, LINE_FRAME, GADGET_INDEX "(?<symbol>.*)", "chroot"},
	{TOOL_GADGET_ADDRESS, LINE_FRAME, GADGET_INDEX "0x(?<address>" HEX ")$",
		"[0]0x00007ff9dd7734fb"},
	{TOOL_GADGET_ID, LINE_FRAME,
		GADGET_INDEX "((?<build_id>[0-9a-fA-F]{40}) \\+(?<file_offset>" HEX
			     ")|(?<address>" HEX "))?$",
		"91f01b4ad171c80b6303d08d1f08cba8b990413d +1274fb"},

	/*
	 * Lines of logs with facts about the frames after them: systemd-coredump, gdb, Java, the
	 * kernel.
	 */
	{TOOL_LOG, LINE_REMARK,
		"odule (.*/)?(?<object>[^/]+) with build-id:?[ \\t]*(?<build_id>[0-9a-fA-F]+)",
		"Module libfoo.so.1 with build-id 4fa9000000000000"},
	{TOOL_LOG, LINE_REMARK,
		"(?<exact><signal handler called>|Problematic frame:|Native frames:)",
		"<signal handler called>"},
	{TOOL_LOG, LINE_REMARK, " Comm: .*?ainted.*? (?<rest>[^ ]+) #",
		"CPU: 1 PID: 2 Comm: prog Not tainted 6.1.0-13-amd64 #1"},

	{TOOL_GDB, LINE_HEAD,
		"^Thread .*?\\(LWP (?<tid>\\d{1,9})\\)( \"(?<comm>.{1,15})\"(?!.*\"))?",
		"Thread 2 (Thread 0x7f11c8a0b6c0 (LWP 24987) \"worker\"):"},
	{TOOL_EU_STACK, LINE_HEAD, "^TID (?<tid>\\d{1,9}):$", "TID 24987:"},

	/* perf script output without the heads that samples need */
	{TOOL_BARE_PERF, LINE_START,
		"(?!" PERF_HEAD ")(^\\t(?= *+[0-9a-f]++(?<=^.{17})( |$))"
		"|^ .{14}[^ ]( *" ID "(/" ID ")?)?(?= )" BARE_ADDRESS
		"|^(.* )?\\d{1,9}\\.\\d{6,9}:" PERF_EVENT BARE_ADDRESS ")",
		"            spin 29458      55af6861913f"},
};

/*
 * Cheap tests of lines for LINE_START, which spare most of them the slow patterns: possible first
 * bytes, or else a string that is in the line. Neither: no test.
 */
static const struct {
	const char *first, *literal;
} starts[TOOLS] = {[TOOL_PERF] = {.literal = ":"},
	[TOOL_BARE_PERF] = {.first = " \t", .literal = ":"},
	[TOOL_FOLDED] = {.literal = ";"},
	[TOOL_BCC] = {.first = "ST\t "},
	[TOOL_BPFTRACE] = {.first = "A@ "},
	[TOOL_MEMLEAK] = {.first = "TAupt[", .literal = " bytes in "}};

const struct block_row *blocks_table(size_t *n_ret)
{
	*n_ret = array_len(table);
	return table;
}

/* ---- lines ----------------------------------------------------------------------------------- */

struct tool_blocks {
	struct matcher *matcher;
	struct pattern patterns[array_len(table)];
	size_t first[TOOLS]; /* index of the first row of each tool */
};

struct tool_blocks *blocks_create(void)
{
	struct tool_blocks *blocks = xnew(blocks);

	blocks->matcher = matcher_create();
	for (size_t i = array_len(table); i-- > 0;) {
		blocks->first[table[i].tool] = i;
		blocks->patterns[i].text = table[i].pattern;
	}
	return blocks;
}

void blocks_cleanup(struct tool_blocks **of)
{
	struct tool_blocks *blocks = *of;

	if (!blocks)
		return;
	array_each(pattern, blocks->patterns, array_len(table))
		pattern_deinit(pattern);
	matcher_destroy(blocks->matcher);
	free(blocks);
}

/* Returns the first row of TOOL, among its starts or the others, that LINE matches, or NULL. */
static const struct block_row *find_row(struct tool_blocks *blocks, enum block_tool tool,
	bool start, struct scan line, struct pattern_match *ret)
{
	for (size_t i = blocks->first[tool]; i < array_len(table) && table[i].tool == tool; i++)
		if ((table[i].act == LINE_START) == start &&
			pattern_find(blocks->matcher, &blocks->patterns[i], line, line.at, ret))
			return &table[i];
	return NULL;
}

bool blocks_start(struct tool_blocks *blocks, enum block_tool tool, struct scan line)
{
	const char *first = starts[tool].first, *literal = starts[tool].literal;
	bool may_start = (!first && !literal) ||
			 (first && scan_left(&line) && strchr(first, *line.at)) ||
			 (literal && scan_find(line, literal));
	struct pattern_match match;

	return may_start && find_row(blocks, tool, true, line, &match);
}

enum line_act blocks_line(struct tool_blocks *blocks, enum block_tool tool, struct scan line,
	struct pattern_match *ret)
{
	const struct block_row *row = find_row(blocks, tool, false, line, ret);

	return row ? row->act : LINE_START;
}
