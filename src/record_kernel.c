// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "kernel/kernel_notes.h"
#include "record_state.h"
#include "util/cleanup.h"
#include "util/scan.h"

static void write_kernel_build_ids(struct record_state *state, const struct text *modules)
{
	struct scan all = {modules->data, modules->data + modules->len}, line, word;
	const char *sys_root = state->options->sys_root;
	struct build_id id;

	if (kernel_notes_read(sys_root, NULL, &id))
		recorder_kernel_build_id(&state->recorder, "kernel", &id);
	while (modules->len && scan_line(&all, &line)) {
		if (!scan_word(&line, &word))
			continue;
		auto_free char *name = xstrndup(word.at, scan_left(&word));
		if (!strchr(name, '/') && kernel_notes_read(sys_root, name, &id))
			recorder_kernel_build_id(&state->recorder, name, &id);
	}
}

/* Symbols without addresses are of no use. */
static bool shows_addresses(const struct text *kallsyms)
{
	struct scan all = {kallsyms->data, kallsyms->data + kallsyms->len}, line;
	uint64_t address;

	while (kallsyms->len && scan_line(&all, &line))
		if (scan_hex(&line, &address) && address)
			return true;
	return false;
}

void record_kernel(struct record_state *state)
{
	struct text modules = {}, kallsyms = {};

	record_read_proc(state, "modules", &modules);
	recorder_lines(&state->recorder, "module", modules.data ? modules.data : "", modules.len);
	write_kernel_build_ids(state, &modules);
	record_read_proc(state, "kallsyms", &kallsyms);
	if (shows_addresses(&kallsyms))
		recorder_lines(&state->recorder, "ksym", kallsyms.data, kallsyms.len);
	text_deinit(&modules);
	text_deinit(&kallsyms);
}
