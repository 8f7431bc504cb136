// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/id_set.h"

#include "util/order.h"
#include "util/varint.h"

void ids_add(struct ids *ids, uint32_t id)
{
	size_t n = ids->all.len;

	if (!n || ids->all.data[n - 1] != id)
		vec_push(&ids->all, id);
}

void ids_deinit(struct ids *ids)
{
	vec_deinit(&ids->all);
}

COMPARE(compare_ids, uint32_t, order_of(*a, *b))

void id_set_add(struct text *text, struct ids *ids)
{
	struct text runs = {};
	uint64_t n_runs = 0, end = 0;

	vec_sort(&ids->all, compare_ids);
	for (size_t i = 0; i < ids->all.len; n_runs++) {
		uint64_t first = ids->all.data[i], next = first;

		for (; i < ids->all.len && ids->all.data[i] <= next; i++)
			next = ids->all.data[i] + 1ULL;
		varint_add(&runs, first - end);
		varint_add(&runs, next - first - 1);
		end = next;
	}
	varint_add(text, n_runs);
	text_add(text, runs.data ? runs.data : "", runs.len);
	text_deinit(&runs);
	ids->all.len = 0;
}

bool id_runs_begin(struct scan bytes, struct id_runs *ret)
{
	*ret = (struct id_runs){.bytes = bytes};
	return varint_read(&ret->bytes, &ret->left);
}

bool id_runs_next(struct id_runs *runs)
{
	uint64_t gap, more;

	if (!runs->left || !varint_read(&runs->bytes, &gap) || !varint_read(&runs->bytes, &more) ||
		gap > UINT32_MAX || more > UINT32_MAX || runs->end + gap + more > UINT32_MAX)
		return false;
	runs->left--;
	runs->first = runs->end + gap;
	runs->end = runs->first + more + 1;
	return true;
}

bool id_set_has(struct scan bytes, uint64_t id)
{
	struct id_runs runs;

	for (bool more = id_runs_begin(bytes, &runs); more && id_runs_next(&runs);)
		if (id < runs.end)
			return id >= runs.first;
	return false;
}

bool id_set_skip(struct scan *bytes)
{
	struct id_runs runs;

	if (!id_runs_begin(*bytes, &runs))
		return false;
	while (id_runs_next(&runs))
		;
	bytes->at = runs.bytes.at;
	return !runs.left;
}
