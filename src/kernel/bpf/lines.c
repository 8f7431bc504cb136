// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/bpf/lines.h"

#include <linux/bpf.h>
#include <string.h>

#include "util/order.h"

COMPARE(compare_lines, struct s2l_bpf_line,
	order_of(a->address, b->address) ?: order_of(a->order, b->order))

void bpf_lines_init(const char *records, size_t n, size_t record_size, const uint64_t *addresses,
	const struct btf *btf, struct s2l_bpf_lines *ret)
{
	struct bpf_line_info info;

	if (record_size < sizeof(info))
		return;
	for (size_t i = 0; i < n; i++) {
		memcpy(&info, records + i * record_size, sizeof(info));
		const struct s2l_bpf_line line = {
			.address = addresses[i],
			.file = btf_string(btf, info.file_name_off),
			.text = btf_string(btf, info.line_off),
			.line = BPF_LINE_INFO_LINE_NUM(info.line_col),
			.column = BPF_LINE_INFO_LINE_COL(info.line_col),
			.order = (uint32_t)i,
		};
		if (line.address && *line.file)
			vec_push(&ret->all, line);
	}
	vec_sort(&ret->all, compare_lines);
}

void bpf_lines_deinit(struct s2l_bpf_lines *lines)
{
	vec_deinit(&lines->all);
}

const struct s2l_bpf_line *bpf_lines_find(
	const struct s2l_bpf_lines *lines, uint64_t start, uint64_t address)
{
	size_t n = sorted_count(lines->all.data, lines->all.len, .address <= address);

	return n && lines->all.data[n - 1].address >= start ? &lines->all.data[n - 1] : NULL;
}
