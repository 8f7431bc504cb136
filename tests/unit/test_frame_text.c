// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "input/text/blocks.h"
#include "input/text/frame_text.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/text.h"

static void add(struct text *out, const char *what, const char *s)
{
	if (s && *s)
		text_printf(out, " %s=%s", what, s);
}

static void add_frame(struct text *out, const struct text_frame *frame)
{
	static const char *const bases[] = {[STACK_FILE_LOADED] = "load",
		[STACK_FILE_START] = "file",
		[STACK_FILE_OFFSET] = "file",
		[STACK_FILE_MAPPED] = "map",
		[STACK_FILE_ADDRESS] = "address"};
	const struct stack_file *file = &frame->file;

	text_printf(out, "{%.*s} %s%s 0x%llx", (int)scan_left(&frame->text), frame->text.at,
		frame->exact ? "exact " : "", file->symbol ? "symbol" : bases[file->base],
		(unsigned long long)frame->value);
	if (file->size)
		text_printf(out, "/0x%llx", (unsigned long long)file->size);
	add(out, "symbol", frame->symbol);
	add(out, "object", file->module ?: file->path);
	if (frame->pid >= 0)
		text_printf(out, " pid=%lld", (long long)frame->pid);
	if (file->build_id.len)
		text_printf(out, " id=%s", build_id_hex(&file->build_id).digits);
	if (file->sure)
		text_add_string(out, " sure");
	text_add_char(out, ';');
}

/* All frames of LINE, as above. */
static void check(const char *line, const char *expected)
{
	scope_guard(forms_cleanup) struct forms *forms = forms_create();
	scope_guard(arena_deinit) struct arena memory = {};
	struct text_frame frame;
	struct text out = {};

	text_add_string(&out, "");
	forms_begin(forms, (struct scan){line, line + strlen(line)});
	while (frame_text_next(forms, &memory, &frame))
		add_frame(&out, &frame);
	ck_assert_str_eq(out.data, expected);
	text_deinit(&out);
}

START_TEST(examples)
{
	scope_guard(forms_cleanup) struct forms *forms = forms_create();
	struct form_match match;
	size_t n;
	const struct text_form *table = forms_table(&n);

	for (size_t i = 0; i < n; i++) {
		const char *example = table[i].example;

		check(example, table[i].yields);
		forms_begin(forms, (struct scan){example, example + strlen(example)});
		ck_assert(forms_next(forms, &match));
		ck_assert_str_eq(match.form->name, table[i].name);
	}
}
END_TEST

/* Each line is read by its own row. */
START_TEST(block_examples)
{
	scope_guard(blocks_cleanup) struct tool_blocks *blocks = blocks_create();
	struct pattern_match match;
	size_t n;
	const struct block_row *table = blocks_table(&n);

	for (size_t i = 0; i < n; i++) {
		struct scan line = scan_of(table[i].example);

		if (table[i].act == LINE_START) {
			ck_assert(blocks_start(blocks, table[i].tool, line));
			continue;
		}
		enum line_act act = blocks_line(blocks, table[i].tool, line, &match);
		ck_assert(act != LINE_START);
		ck_assert_msg(act == table[i].act, "%s", table[i].example);
	}
}
END_TEST

START_TEST(kernel_frames)
{
	check("[   12.345678]  func+0x1a/0x40 [mod]",
		"{func+0x1a/0x40 [mod]} symbol 0x1a/0x40 symbol=func object=mod;");
	check(" ? func.isra.0+0x1a/0x40",
		"{func.isra.0+0x1a/0x40} symbol 0x1a/0x40 symbol=func.isra.0;");
	check("RIP: 0010:func+0x608/0x6a0 [mod 4fa9000000000000]",
		"{func+0x608/0x6a0 [mod 4fa9000000000000]} exact symbol 0x608/0x6a0 symbol=func "
		"object=mod id=4fa9000000000000;");
	check("pc : func+0x8/0x10", "{func+0x8/0x10} exact symbol 0x8/0x10 symbol=func;");
	check("lr : func+0x8/0x10", "{func+0x8/0x10} symbol 0x8/0x10 symbol=func;");
	check("IP: [<ffffffff81000000>] func+0x8/0x10",
		"{func+0x8/0x10} exact symbol 0x8/0x10 symbol=func;");
	check("RIP: 0010:[<ffffffff81000000>]  [<ffffffff81000000>] func+0x8/0x10",
		"{func+0x8/0x10} exact symbol 0x8/0x10 symbol=func;");
	check("RIP  [<ffffffff81000000>] func+0x8/0x10",
		"{func+0x8/0x10} exact symbol 0x8/0x10 symbol=func;");
	check(" [<ffffffff81000000>] func+0x8/0x10",
		"{func+0x8/0x10} symbol 0x8/0x10 symbol=func;");
	check("WARNING: CPU: 0 PID: 1 at lib/x.c:12 func+0x8/0x10",
		"{func+0x8/0x10} exact symbol 0x8/0x10 symbol=func;");
	check("calling  init+0x0/0x10 @ 1", "{init+0x0/0x10} exact symbol 0x0/0x10 symbol=init;");
	check("[<0>] do_poll+0x1/0x2", "{do_poll+0x1/0x2} symbol 0x1/0x2 symbol=do_poll;");
	check("a+0x1/0x2 b+0x3/0x4", "{a+0x1/0x2} symbol 0x1/0x2 symbol=a;"
				     "{b+0x3/0x4} symbol 0x3/0x4 symbol=b;");
	check("[   12.3]  0xffffffffc0234567", "{0xffffffffc0234567} address 0xffffffffc0234567;");
	/* has its line already */
	check(" func+0x5d/0x80 (lib/dump_stack.c:94)", "");
	check(" func+0x5d/0x80 lib/dump_stack.c:94", "");
	check("bpf_prog_1_x+0x5d/0x80  r1 = r2 @ prog.bpf.c:12", "");
	check("bpf_prog_1_x+0x5d/0x80",
		"{bpf_prog_1_x+0x5d/0x80} symbol 0x5d/0x80 symbol=bpf_prog_1_x;");
	/* beyond the function; no number; none */
	check("func+0x41/0x40", "");
	check("func+0x/0x40 func+12/0x40 func+0x1/40", "");
	check("+0x1/0x2 1+0x1/0x2", "");
}
END_TEST

START_TEST(files)
{
	check("./a.out(+0x1139) [0x55d0c8a0b139]",
		"{./a.out(+0x1139) [0x55d0c8a0b139]} load 0x1139 object=./a.out sure;");
	check("at:/a/out(_Z1f+0x1f)[0x55d0c8a0b139], then",
		"{/a/out(_Z1f+0x1f)[0x55d0c8a0b139]} symbol 0x1f symbol=_Z1f object=/a/out sure;");
	check("a.out() [0x401136]", "{a.out() [0x401136]} load 0x401136 object=a.out sure;");
	check("./a.out[0x401136]", "{./a.out[0x401136]} load 0x401136 object=./a.out sure;");
	check("/l/b.so+0x1234 /c+0x1", "{/l/b.so+0x1234} load 0x1234 object=/l/b.so;"
				       "{/c+0x1} load 0x1 object=/c;");
	check("b.so+0x1234 x[0x1234] y [0x5]", "");
	check("# C  [libc.so.6+0x9d2b1]", "{[libc.so.6+0x9d2b1]} load 0x9d2b1 object=libc.so.6;");
	check("V  [libjvm.so+0x9d]  f(int)+0x21",
		"{[libjvm.so+0x9d]  f(int)+0x21} load 0x9d symbol=f(int) object=libjvm.so;");
	check("  [4fa9000000000000]@0x55fa93901000+0x11c4",
		"{[4fa9000000000000]@0x55fa93901000+0x11c4} exact load 0x11c4 id=4fa9000000000000;");
	check(" > /usr/bin/prog(+0x0) [0x1141]",
		"{/usr/bin/prog(+0x0) [0x1141]} file 0x1141 object=/usr/bin/prog sure;");
	check(" > /usr/bin/prog(main+0x0) [0x1141]",
		"{/usr/bin/prog(main+0x0) [0x1141]} symbol 0x0 symbol=main object=/usr/bin/prog sure;");
	check("  4fa9000000000000 0x1139",
		"{4fa9000000000000 0x1139} file 0x1139 id=4fa9000000000000;");
	check("\t/x.go:12 +0x1d", "");
	/* what --filter puts there */
	check("./a.out(+0x1139) [0x55d0c8a0b139] (main a.c:12)", "");
	check("./a.out(+0x1139) [0x55d0c8a0b139] (get a.h:7, inlined in main a.c:12)", "");
	check("./a.out(+0x1139) [0x55d0c8a0b139] (_start+0x21)", "");
}
END_TEST

START_TEST(numbered)
{
	check("    #0 0x55d0c8a0b139  (/a b/p+0x1280)",
		"{(/a b/p+0x1280)} exact load 0x1280 object=/a b/p sure;");
	check(" #1 0x55d0c8a0b139 in f(int) (/p+0x1280) (BuildId: 4fa9000000000000)",
		"{f(int) (/p+0x1280) (BuildId: 4fa9000000000000)} exact load 0x1280 symbol=f(int) "
		"object=/p id=4fa9000000000000 sure;");
	check(" #1 0x55d0c8a0b139 in main /tmp/a.c:5:3", "");
	check("    #0 <null> <null> (prog+0xd4421) (BuildId: 4fa9000000000000)",
		"{<null> <null> (prog+0xd4421) (BuildId: 4fa9000000000000)} exact load 0xd4421 object=prog "
		"id=4fa9000000000000 sure;");
	check("    #1 f(int) <null> (/l/prog+0xd4421)",
		"{f(int) <null> (/l/prog+0xd4421)} exact load 0xd4421 symbol=f(int) object=/l/prog sure;");
	check("    #1 main /tmp/a.c:5:3 (prog+0xd4421)", "");
	check("==12==    by 0x10914C: ??? (in /a b/p) ",
		"{0x10914C: ??? (in /a b/p)} exact address 0x10914c object=/a b/p;");
	check("==12==    by 0x10914C: f (in /p)", "");
	check("#0  0x00007f11c8a0b139 n/a (l.so + 0x1234)",
		"{n/a (l.so + 0x1234)} exact load 0x1234 object=l.so;");
	check("#1  0x00007f11c8a0b139 foo (l.so + 0x1234)",
		"{foo (l.so + 0x1234)} load 0x1234 symbol=foo object=l.so;");
	check("#3  0x00007f11c8a0b139 in ?? () from /lib/x",
		"{?? () from /lib/x} address 0x7f11c8a0b139 object=/lib/x;");
	check("#0  0x00007f11c8a0b139 in ?? ()", "{?? ()} exact address 0x7f11c8a0b139;");
	check("#3  0x00007f11c8a0b139 in main () at a.c:12", "");
	check("#1  0x00007f11c8a0b139 - 1", "{- 1} address 0x7f11c8a0b139;");
	check("#1  0x00007f11c8a0b139 - /usr/x",
		"{- /usr/x} address 0x7f11c8a0b139 object=/usr/x;");
	check("#1  0x00007f11c8a0b139 main - /usr/x", "");
}
END_TEST

START_TEST(others)
{
	check("\t    7f2435651000 [unknown] (/usr/x)",
		"{[unknown] (/usr/x)} address 0x7f2435651000 object=/usr/x;");
	check("\t    7f2435651000 [unknown] ([unknown])",
		"{[unknown] ([unknown])} address 0x7f2435651000;");
	check("\t    7f2435651000 f+0x1 (/usr/x)", "");
	check("        0x7f2435651000", "{0x7f2435651000} address 0x7f2435651000;");
	check("PC: @     0x7f2435651000  (unknown)  (unknown)",
		"{0x7f2435651000  (unknown)  (unknown)} exact address 0x7f2435651000;");
	check("rax: 0x7f2435651000", "");
	check("[69.19] p[25]: segfault at 8 ip 000055d9005f51a8 sp 7f error 6 in p[11a8,55d9005f5000+1000] on",
		"{p[11a8,55d9005f5000+1000]} exact file 0x11a8/0x1000 object=p pid=25;");
	check("traps: p[25] trap int3 ip:55d9005f51a8 sp:7f error:0 in p[55d9005f5000+1000]",
		"{p[55d9005f5000+1000]} exact map 0x1a8/0x1000 object=p pid=25;");
	check("p[25]: segfault at 8 ip 55d9005f51a8 sp 7f error 6 in p[55d9005f6000+1000]", "");
	check("", "");
	check("0x", "");
	check("x", "");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("frame_text");

	if (patterns_missing()) {
		puts(patterns_missing());
		return 77; /* skipped */
	}
	tcase_add_test(tests, examples);
	tcase_add_test(tests, block_examples);
	tcase_add_test(tests, kernel_frames);
	tcase_add_test(tests, files);
	tcase_add_test(tests, numbered);
	tcase_add_test(tests, others);
	return tests_run(tests);
}
