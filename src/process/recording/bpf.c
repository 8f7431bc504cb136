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

/* Reads "bpf NS START SIZE NAME". */
static bool read_bpf(struct recorded_bpfs *bpfs, struct arena *arena, uint64_t begin,
	const struct recorded_row *row)
{
	const uint64_t *n = row->numbers;
	const struct recorded_bpf bpf = {
		.start = n[1],
		.end = n[1] + n[2],
		.time = n[0] > begin ? n[0] : begin,
		.name_number =
			(uint32_t)table_number(&bpfs->names, row->text.at, scan_left(&row->text)),
		.name = arena_copy(arena, row->text.at, scan_left(&row->text)),
		.first_line = bpfs->lines.len,
	};

	if (bpfs->all.len == FUNCTIONS_MAX || bpf.end <= bpf.start)
		return false;
	*table_at(&bpfs->by_start, &bpf.start, sizeof(bpf.start), NULL) = bpfs->all.len;
	vec_push(&bpfs->all, bpf);
	return true;
}

/* Reads "bpfline ADDRESS LINE COLUMN FILE", a line of the last program. */
static bool read_line(
	struct recorded_bpfs *bpfs, struct arena *arena, const struct recorded_row *row)
{
	struct recorded_bpf *bpf = bpfs->all.len ? vec_last(&bpfs->all) : NULL;
	const uint64_t *n = row->numbers;

	/* lines must ascend, for binary search */
	if (!bpf || bpfs->lines.len == LINES_MAX || n[1] > UINT32_MAX || n[2] > UINT32_MAX ||
		n[0] < bpf->start || n[0] >= bpf->end ||
		(bpf->n_lines && vec_last(&bpfs->lines)->address > n[0]))
		return false;
	vec_push(&bpfs->lines, (struct recorded_bpf_line){n[0], (uint32_t)n[1], (uint32_t)n[2],
				       arena_copy(arena, row->text.at, scan_left(&row->text))});
	bpf->n_lines++;
	return true;
}

bool recorded_bpfs_read(struct recorded_bpfs *bpfs, struct arena *arena, uint64_t begin,
	const struct recorded_row *row)
{
	const uint64_t *n = row->numbers, *index;

	switch (row->kind) {
	case ROW_BPF:
		return read_bpf(bpfs, arena, begin, row);
	case ROW_BPFLINE:
		return read_line(bpfs, arena, row);
	case ROW_BPFGONE:
		/* bpfgone NS START */
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
