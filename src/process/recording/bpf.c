// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/bpf.h"

#include <string.h>

#include "util/sort.h"

enum { FUNCTIONS_MAX = 1 << 20, LINES_MAX = 1 << 23 };

void recorded_bpfs_deinit(struct recorded_bpfs *bpfs)
{
	vec_deinit(&bpfs->all);
	vec_deinit(&bpfs->lines);
	vec_deinit(&bpfs->losses);
	table_deinit(&bpfs->by_start);
	table_deinit(&bpfs->names);
	history_deinit(&bpfs->history);
}

bool recorded_bpfs_read(struct recorded_bpfs *bpfs, struct arena *arena, uint64_t begin,
	const struct recorded_row *row)
{
	struct recorded_bpf *last = bpfs->all.len ? vec_last(&bpfs->all) : NULL;
	const uint64_t *n = row->numbers, *index;
	const size_t len = scan_left(&row->text);

	switch (row->kind) {
	case ROW_BPF: /* NS START SIZE NAME */
		if (bpfs->all.len == FUNCTIONS_MAX || n[1] + n[2] <= n[1])
			return false;
		*table_at(&bpfs->by_start, &n[1], sizeof(n[1]), NULL) = bpfs->all.len;
		vec_push(&bpfs->all, (struct recorded_bpf){
					     .start = n[1],
					     .end = n[1] + n[2],
					     .time = n[0] > begin ? n[0] : begin,
					     .name_number = (uint32_t)table_number(
						     &bpfs->names, row->text.at, len),
					     .name = arena_copy(arena, row->text.at, len),
					     .first_line = bpfs->lines.len,
				     });
		return true;
	case ROW_BPFLINE: /* ADDRESS LINE COLUMN FILE: a line of the last program */
		/* lines must ascend, for binary search */
		if (!last || bpfs->lines.len == LINES_MAX || n[1] > UINT32_MAX ||
			n[2] > UINT32_MAX || n[0] < last->start || n[0] >= last->end ||
			(last->n_lines && vec_last(&bpfs->lines)->address > n[0]))
			return false;
		vec_push(&bpfs->lines,
			(struct recorded_bpf_line){n[0], (uint32_t)n[1], (uint32_t)n[2],
				arena_copy(arena, row->text.at, len)});
		last->n_lines++;
		return true;
	case ROW_BPFGONE: /* NS START */
		index = table_find(&bpfs->by_start, &n[1], sizeof(n[1]));
		if (index && !bpfs->all.data[*index].gone && bpfs->all.data[*index].time <= n[0])
			bpfs->all.data[*index].gone = n[0];
		return true;
	default: /* bpflost NS SINCE */
		vec_push(&bpfs->losses, (struct recorded_loss){n[1], n[0]});
		return true;
	}
}

void recorded_bpfs_finish(struct recorded_bpfs *bpfs)
{
	history_deinit(&bpfs->history);
	recorded_losses_order(&bpfs->losses);
	vec_each(bpf, &bpfs->all)
		history_add(&bpfs->history, (struct history_span){
						    .start = bpf->start,
						    .end = bpf->end,
						    .since = bpf->time,
						    .begin = bpf->time,
						    .gone = bpf->gone ? bpf->gone - 1 : 0,
						    .what = bpf->name_number,
					    });
	history_finish(&bpfs->history);
}

const struct recorded_bpf *recorded_bpfs_at(
	const struct recorded_bpfs *bpfs, uint64_t address, uint64_t time, bool *doubtful)
{
	const struct history_span *span = history_at(&bpfs->history, address, time, doubtful);

	if (!span && time) {
		span = history_at(&bpfs->history, address, 0, doubtful);
		*doubtful = true;
	}
	if (!span)
		return NULL;
	const struct recorded_bpf *bpf = &bpfs->all.data[span->item];
	/* the program may have been replaced during a loss */
	*doubtful |= recorded_losses_between(
		&bpfs->losses, time ? bpf->time : 0, time ? time + 1 : UINT64_MAX);
	return bpf;
}

const struct recorded_bpf_line *recorded_bpf_line_at(
	const struct recorded_bpfs *bpfs, const struct recorded_bpf *bpf, uint64_t address)
{
	if (!bpf->n_lines)
		return NULL;
	const struct recorded_bpf_line *lines = bpfs->lines.data + bpf->first_line;
	size_t n = sorted_count(lines, bpf->n_lines, .address <= address);
	return n ? &lines[n - 1] : NULL;
}
