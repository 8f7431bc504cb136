// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/bpf.h"

#include <string.h>

#include "util/order.h"

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

/* bpf NS START SIZE NAME */
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

/* bpfline ADDRESS LINE COLUMN FILE: of the function before it */
static bool read_line(
	struct recorded_bpfs *bpfs, struct arena *arena, const struct recorded_row *row)
{
	struct recorded_bpf *bpf = bpfs->all.len ? vec_last(&bpfs->all) : NULL;
	const uint64_t *n = row->numbers;

	/* Out of order they could not be searched. */
	if (!bpf || bpfs->lines.len == LINES_MAX || n[1] > UINT32_MAX || n[2] > UINT32_MAX ||
		n[0] < bpf->start || n[0] >= bpf->end ||
		(bpf->n_lines && vec_last(&bpfs->lines)->address > n[0]))
		return false;
	vec_push(&bpfs->lines, (struct recorded_bpf_line){n[0], (uint32_t)n[1], (uint32_t)n[2],
				       arena_copy(arena, row->text.at, scan_left(&row->text))});
	bpf->n_lines++;
	return true;
}

/* bpfgone NS START */
static void read_gone(struct recorded_bpfs *bpfs, uint64_t time, uint64_t start)
{
	const uint64_t *index = table_find(&bpfs->by_start, &start, sizeof(start));

	if (index && !bpfs->all.data[*index].gone && bpfs->all.data[*index].time <= time)
		bpfs->all.data[*index].gone = time;
}

bool recorded_bpfs_read(struct recorded_bpfs *bpfs, struct arena *arena, uint64_t begin,
	const struct recorded_row *row)
{
	switch (row->kind) {
	case ROW_BPF:
		return read_bpf(bpfs, arena, begin, row);
	case ROW_BPFLINE:
		return read_line(bpfs, arena, row);
	case ROW_BPFGONE:
		read_gone(bpfs, row->numbers[0], row->numbers[1]);
		return true;
	default: /* bpflost NS SINCE */
		recorded_bpfs_lose(bpfs, row->numbers[1], row->numbers[0]);
		return true;
	}
}

void recorded_bpfs_lose(struct recorded_bpfs *bpfs, uint64_t since, uint64_t time)
{
	vec_push(&bpfs->losses, (struct recorded_bpf_loss){since, time});
}

COMPARE(compare_losses, struct recorded_bpf_loss,
	order_of(a->since, b->since) ?: order_of(a->time, b->time))

/* By since, and of all that began by then the last end. */
static void order_losses(struct recorded_bpfs *bpfs)
{
	struct recorded_bpf_loss *losses = bpfs->losses.data;

	vec_sort(&bpfs->losses, compare_losses);
	for (size_t i = 1; i < bpfs->losses.len; i++)
		if (losses[i].time < losses[i - 1].time)
			losses[i].time = losses[i - 1].time;
}

void recorded_bpfs_finish(struct recorded_bpfs *bpfs)
{
	history_deinit(&bpfs->history);
	order_losses(bpfs);
	for (size_t i = 0; i < bpfs->all.len; i++) {
		const struct recorded_bpf *bpf = &bpfs->all.data[i];

		(void)history_add(&bpfs->history, (struct history_span){
							  .start = bpf->start,
							  .end = bpf->end,
							  .since = bpf->time,
							  .begin = bpf->time,
							  .gone = bpf->gone ? bpf->gone - 1 : 0,
							  .what = bpf->name_number,
							  .item = (uint32_t)i,
						  });
	}
	history_finish(&bpfs->history);
}

/* Whether BPF may have gone by TIME (0: unknown), and something else have come, unheard. */
static bool may_be_replaced(
	const struct recorded_bpfs *bpfs, const struct recorded_bpf *bpf, uint64_t time)
{
	size_t n = time ? sorted_count(bpfs->losses.data, bpfs->losses.len, .since <= time)
			: bpfs->losses.len;

	return n && (!time || bpfs->losses.data[n - 1].time > bpf->time);
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
	*doubtful |= may_be_replaced(bpfs, &bpfs->all.data[span->item], time);
	return &bpfs->all.data[span->item];
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
