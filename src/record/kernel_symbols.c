// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record_state.h"

#include <fcntl.h>
#include <string.h>

#include "kernel/modules.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/scan.h"
#include "util/xalloc.h"

enum { PROC_FILE_MAX = 512 << 20 };

/* Appends the file NAME of the proc root to RET; nothing if it cannot be read. */
static void read_proc(const struct record_state *state, const char *name, struct text *ret)
{
	auto_free char *path = xasprintf("%s/%s", state->options->proc_root, name);

	(void)file_read_regular(AT_FDCWD, path, PROC_FILE_MAX, ret);
}

void record_kernel(struct record_state *state)
{
	auto_text struct text modules = {}, kallsyms = {};
	const char *sys_root = state->options->sys_root;
	struct scan all, line, word;
	uint64_t address = 0;
	struct build_id id;

	if (!state->options->kernel || record_checkpoint(state))
		return;
	read_proc(state, "modules", &modules);
	recorder_lines(&state->recorder, ROW_MODULE, &modules);
	if (kernel_build_id_read(sys_root, &id))
		recorder_kernel_build_id(&state->recorder, "kernel", &id);
	auto_free char *tree = xasprintf("%s/module", sys_root);
	all = text_scan(&modules);
	while (!record_checkpoint(state) && scan_line(&all, &line)) {
		if (!scan_word(&line, &word))
			continue;
		auto_free char *name = xstrndup(word.at, scan_left(&word));
		if (*name == '.' || strchr(name, '/'))
			continue;
		if (module_tree_build_id(tree, name, &id))
			recorder_kernel_build_id(&state->recorder, name, &id);
		auto_text struct text lines = {};
		module_tree_sections(tree, name, &lines);
		recorder_lines(&state->recorder, ROW_KSECT, &lines);
	}
	if (!record_checkpoint(state))
		read_proc(state, "kallsyms", &kallsyms);
	/* for readers without CAP_SYSLOG, all addresses are 0 */
	all = text_scan(&kallsyms);
	while (!address && scan_line(&all, &line))
		(void)scan_hex(&line, &address);
	if (address)
		recorder_lines(&state->recorder, ROW_KSYM, &kallsyms);
}
