// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/state.h"

#include <fcntl.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/file.h"

enum { PROC_FILE_MAX = 512 << 20 };
#define SECOND 1000000000ULL

void record_state_deinit(struct record_state *state)
{
	recorder_deinit(&state->recorder);
	for (size_t i = 0; i < state->namespaces.len; i++)
		text_deinit(&state->namespaces.data[i].mounts);
	vec_deinit(&state->namespaces);
	table_deinit(&state->namespace_by_inode);
	table_deinit(&state->file_by_inode);
	vec_deinit(&state->files);
}

bool record_checkpoint(const struct record_state *state)
{
	perf_events_take(state->events);
	return *state->options->stop || state->recorder.errnum;
}

void record_read_proc(const struct record_state *state, const char *name, struct text *ret)
{
	auto_free char *path = xasprintf("%s/%s", state->options->proc_root, name);

	(void)file_read_regular(AT_FDCWD, path, PROC_FILE_MAX, ret);
}
