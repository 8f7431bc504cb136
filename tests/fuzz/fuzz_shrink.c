// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/shrink.h"
#include "util/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever the pieces were learned from, every string comes back as it was. */
static void check(const struct shrink_writer *writer, const char *s, size_t len)
{
	uint8_t *written = xmalloc(2 * len + 1);
	struct text back = {};

	shrink_read(writer->shrink, written, shrink_write(writer, s, len, written), &back);
	if (back.len != len || (len && memcmp(back.data, s, len) != 0))
		abort();
	text_deinit(&back);
	free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct shrink_writer writer;
	struct shrink shrink;
	struct text any = {};

	shrink_train((const char *)data, size / 2, &shrink);
	shrink_writer_init(&shrink, &writer);
	check(&writer, (const char *)data, size / 2);
	check(&writer, (const char *)data + size / 2, size - size / 2);
	shrink_read(&shrink, data, size, &any);
	text_deinit(&any);
	return 0;
}
