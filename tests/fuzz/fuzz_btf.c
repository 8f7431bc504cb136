// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/btf/btf.h"
#include "util/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(const struct btf *btf)
{
	for (size_t i = 0; i < btf->functions.len && i < 64; i++) {
		uint32_t id = btf->functions.data[i];
		struct s2l_btf_node type;
		struct text text = {};
		size_t first;

		if (!btf_type_at(btf, id, &type))
			abort();
		size_t n = btf_functions_named(btf, btf_string(type.of, type.name), &first);
		if (n && (first > i || first + n <= i))
			abort();
		if (btf_print_function(btf, id, &text) && (!text.len || text.len > 1 << 17))
			abort();
		text_deinit(&text);
	}
}

/* The first two bytes say where the module's BTF begins behind the kernel's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf base = {}, split = {};
	struct error *error;

	if (size < 2)
		return 0;
	size_t middle = (size_t)(data[0] | data[1] << 8);
	data += 2, size -= 2;
	if (!middle || middle > size)
		middle = size;
	char *first = xmalloc(middle + 1), *second = xmalloc(size - middle + 1);
	memcpy(first, data, middle);
	memcpy(second, data + middle, size - middle);
	error = btf_init(first, middle, NULL, &base);
	if (!error)
		print_all(&base);
	error_destroy(error);
	(void)btf_is_split(second, size - middle);
	error = btf_init(second, size - middle, &base, &split);
	if (!error)
		print_all(&split);
	error_destroy(error);
	btf_deinit(&split);
	btf_deinit(&base);
	return 0;
}
