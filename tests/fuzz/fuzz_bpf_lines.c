// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/bpf/prog.h"
#include "util/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * One byte: how many records; one byte: their size; then their addresses, the records, and the rest
 * is BTF.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct s2l_bpf_lines lines = {};
	struct btf btf = {};

	if (size < 2)
		return 0;
	size_t n = data[0], record_size = data[1], used = 2 + n * (8 + record_size);
	if (size < used)
		return 0;
	uint64_t *addresses = xcalloc(n + 1, sizeof(*addresses));
	char *records = xmalloc(n * record_size + 1), *bytes = xmalloc(size - used + 1);
	memcpy(addresses, data + 2, n * 8);
	memcpy(records, data + 2 + n * 8, n * record_size);
	memcpy(bytes, data + used, size - used);
	struct error *error = btf_init(bytes, size - used, NULL, &btf);
	error_destroy(error);
	bpf_lines_init(records, n, record_size, addresses, &btf, &lines);
	for (size_t i = 0; i < n; i++)
		for (uint64_t at = addresses[i] - 1; at != addresses[i] + 2; at++) {
			const struct s2l_bpf_line *line =
				bpf_lines_find(&lines, addresses[i / 2], at);

			if (line && (line->address > at || line->address < addresses[i / 2] ||
					    !*line->file))
				abort();
		}
	vec_deinit(&lines);
	btf_deinit(&btf);
	free(addresses);
	free(records);
	return 0;
}
