// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/bpf.h"

#include <string.h>

#include "process/recording/field.h"
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
bool recorded_bpfs_read(
	struct recorded_bpfs *bpfs, struct arena *arena, uint64_t begin, struct scan s)
{
	struct recorded_bpf bpf = {.first_line = bpfs->lines.len};
	uint64_t size;

	if (bpfs->all.len == FUNCTIONS_MAX || !field_decimal(&s, &bpf.time) ||
		!field_hex(&s, &bpf.start) || !field_hex(&s, &size) || !size ||
		size > UINT64_MAX - bpf.start || !field_name(&s, arena, &bpf.name))
		return false;
	bpf.end = bpf.start + size;
	bpf.time = bpf.time > begin ? bpf.time : begin;
	bpf.name_number = (uint32_t)table_number(&bpfs->names, bpf.name, strlen(bpf.name));
	*table_at(&bpfs->by_start, &bpf.start, sizeof(bpf.start), NULL) = bpfs->all.len;
	vec_push(&bpfs->all, bpf);
	return true;
}

/* bpfline ADDRESS LINE COLUMN FILE: of the function before it */
bool recorded_bpfs_read_line(struct recorded_bpfs *bpfs, struct arena *arena, struct scan s)
{
	struct recorded_bpf *bpf = bpfs->all.len ? vec_last(&bpfs->all) : NULL;
	struct recorded_bpf_line line;
	uint64_t number, column;

	if (!bpf || bpfs->lines.len == LINES_MAX || !field_hex(&s, &line.address) ||
		!field_decimal(&s, &number) || !field_decimal(&s, &column) || number > UINT32_MAX ||
		column > UINT32_MAX || line.address < bpf->start || line.address >= bpf->end ||
		!field_name(&s, arena, &line.file))
		return false;
	/* Out of order they could not be searched. */
	if (bpf->n_lines && vec_last(&bpfs->lines)->address > line.address)
		return false;
	line.line = (uint32_t)number;
	line.column = (uint32_t)column;
	vec_push(&bpfs->lines, line);
	bpf->n_lines++;
	return true;
}

/* bpfgone NS START */
bool recorded_bpfs_read_gone(struct recorded_bpfs *bpfs, struct scan s)
{
	uint64_t time, start;

	if (!field_decimal(&s, &time) || !field_hex(&s, &start))
		return false;
	const uint64_t *index = table_find(&bpfs->by_start, &start, sizeof(start));
	if (index && !bpfs->all.data[*index].gone && bpfs->all.data[*index].time <= time)
		bpfs->all.data[*index].gone = time;
	return true;
}

/* bpflost NS SINCE */
bool recorded_bpfs_read_lost(struct recorded_bpfs *bpfs, struct scan s)
{
	struct recorded_bpf_loss loss;

	if (!field_decimal(&s, &loss.time) || !field_decimal(&s, &loss.since))
		return false;
	recorded_bpfs_lose(bpfs, loss.since, loss.time);
	return true;
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
