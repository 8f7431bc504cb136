// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/fsst.h"
#include "util/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever the pieces were learned from, every string comes back as it was. */
static void check(const struct fsst_writer *writer, const char *s, size_t len)
{
	uint8_t *written = xmalloc(2 * len + 1);
	struct text back = {};

	fsst_read(writer->fsst, written, fsst_write(writer, s, len, written), &back);
	if (back.len != len || (len && memcmp(back.data, s, len) != 0))
		abort();
	text_deinit(&back);
	free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fsst_writer writer;
	struct fsst fsst;
	struct text any = {};

	fsst_train((const char *)data, size / 2, &fsst);
	fsst_writer_init(&fsst, &writer);
	check(&writer, (const char *)data, size / 2);
	check(&writer, (const char *)data + size / 2, size - size / 2);
	fsst_read(&fsst, data, size, &any);
	text_deinit(&any);
	return 0;
}
