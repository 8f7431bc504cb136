// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What comes from live maps: records of perf buffers, names of maps, and types by BTF, whose fields
 * are read and written as a dump. The first byte chooses; of a type the rest is a program that
 * makes it, then the data.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef WITHOUT_LIBBPF
#include <bpf/btf.h>

#include "input/live/live_dump.h"
#include "input/live/events.h"
#include "input/live/live_map.h"
#include "input/live/type.h"
#include "util/xalloc.h"

static void try_record(const uint8_t *data, size_t size)
{
	struct live_record record = {};
	volatile uint8_t sum = 0;

	if (live_record_parse(data, size, &record))
		for (size_t i = 0; record.data && i < record.len; i++)
			sum = (uint8_t)(sum + record.data[i]);
}

static void try_spec(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct live_spec spec = {};

	error_destroy(live_spec_parse(text, "--map", &spec));
	free(text);
}

enum { TYPES_MAX = 64, DATA_SIZE = 512 };

struct bytes {
	const uint8_t *at, *end;
};

static unsigned int next(struct bytes *bytes)
{
	return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static void add_struct(struct btf *btf, struct bytes *bytes)
{
	static const char *const names[] = {"", "pid", "status", "build_id", "offset", "a"};
	unsigned int n = next(bytes) % 8, size = next(bytes) * 4;

	if ((n & 1 ? btf__add_union(btf, "u", size) : btf__add_struct(btf, "s", size)) < 0)
		return;
	for (unsigned int i = 0; i < n; i++) {
		const char *name = names[next(bytes) % 6];
		unsigned int bits = next(bytes), type = next(bytes) % TYPES_MAX;

		if (btf__add_field(btf, name, (int)type, n & 1 ? 0 : next(bytes) * 8 + bits / 16,
			    bits % 16))
			return;
	}
}

/* Types may refer to any other, also to themselves and to what is not there. */
static void add_type(struct btf *btf, struct bytes *bytes)
{
	unsigned int kind = next(bytes) % 8, type = next(bytes) % TYPES_MAX;
	int failed = 0;

	if (kind == 0)
		failed = btf__add_int(btf, "int", 1U << type % 5, type & 32 ? BTF_INT_SIGNED : 0);
	else if (kind == 1)
		failed = btf__add_ptr(btf, (int)type);
	else if (kind == 2)
		failed = btf__add_array(
			btf, 1, (int)type, next(bytes) << 24 >> (next(bytes) % 4 * 8));
	else if (kind == 3)
		failed = btf__add_typedef(btf, "t", (int)type);
	else if (kind == 4)
		failed = btf__add_const(btf, (int)type);
	else if (kind == 5)
		failed = btf__add_enum(btf, "e", 4);
	else
		add_struct(btf, bytes);
	(void)failed;
}

static void use_type(const struct live_type *type, const uint8_t *data)
{
	struct field *fields = xcalloc(type->layout.fields.len + 1, sizeof(*fields));
	const struct live_map map = {.id = 1, .key_size = 4, .value_size = DATA_SIZE, .n_cpus = 1};
	const struct live_shape shape = {&map, *type, *type, true};
	struct live_dump dump;
	FILE *file = fopen("/dev/null", "w");
	size_t n = layout_decode(&type->layout, data, DATA_SIZE, fields);
	volatile uint8_t sum = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < fields[i].len; j++)
			sum = (uint8_t)(sum + (uint8_t)fields[i].bytes[j]);
	live_dump_begin(&dump, file);
	live_dump_map(&dump, &shape);
	live_dump_entry(&dump, data, data);
	live_dump_map_end(&dump);
	error_destroy(live_dump_end(&dump));
	if (file)
		fclose(file);
	free(fields);
}

static void try_type(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, data + size};
	struct live_type type = {};
	struct wanted wanted;
	struct btf *btf = btf__new_empty();
	uint8_t *map = xcalloc(1, DATA_SIZE);
	unsigned int n = next(&bytes) % TYPES_MAX, root = next(&bytes) % TYPES_MAX;

	for (unsigned int i = 0; btf && i < n; i++)
		add_type(btf, &bytes);
	if (bytes.at < bytes.end)
		memcpy(map, bytes.at,
			(size_t)(bytes.end - bytes.at) < DATA_SIZE ? (size_t)(bytes.end - bytes.at)
								   : DATA_SIZE);
	live_type_make(btf, root, "key", DATA_SIZE, &type);
	wanted_parse("weight=a,user=a[1],kernel=key[0]", &wanted);
	layout_want(&type.layout, &wanted);
	wanted_deinit(&wanted);
	use_type(&type, map);
	live_type_deinit(&type);
	btf__free(btf);
	free(map);
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] % 4 == 0)
		try_record(data + 1, size - 1);
	else if (data[0] % 4 == 1)
		try_spec(data + 1, size - 1);
	else
		try_type(data + 1, size - 1);
	return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}
#endif
