// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/unpack.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "util/file.h"
#include "util/stop.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* The largest modules with debug info have some 100 MB. LZMA_MEMORY is twice what level 9 needs. */
enum {
	PACKED_MAX = 256 << 20,
	UNPACKED_MAX = 1 << 30,
	LZMA_MEMORY = 128 << 20,
	WINDOW_LOG_MAX = 27,
};

/*
 * Grows the buffer if it is full. Returns false if it has reached its maximum or the run is to
 * stop.
 */
static bool has_room(struct unpacked *out)
{
	if (stop_asked())
		return false;
	if (out->len < out->cap)
		return true;
	if (out->cap >= out->max)
		return false;
	out->cap = out->cap ? 2 * out->cap : 1 << 20;
	if (out->cap > out->max)
		out->cap = out->max;
	out->data = xreallocarray(out->data, out->cap, 1);
	return true;
}

bool unpack_xz(
	const void *packed, size_t len, uint64_t memory, bool concatenated, struct unpacked *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status =
		lzma_stream_decoder(&stream, memory, concatenated ? LZMA_CONCATENATED : 0);

	stream.next_in = packed;
	stream.avail_in = len;
	while (status == LZMA_OK && has_room(out)) {
		stream.next_out = out->data + out->len;
		stream.avail_out = out->cap - out->len;
		status = lzma_code(&stream, LZMA_FINISH);
		out->len = out->cap - stream.avail_out;
	}
	lzma_end(&stream);
	if (status == LZMA_MEM_ERROR)
		xalloc_failed();
	return status == LZMA_STREAM_END;
}

static bool unpack_gz(const struct text *packed, struct unpacked *out)
{
	z_stream stream = {.next_in = (uint8_t *)packed->data, .avail_in = (unsigned)packed->len};
	int status = inflateInit2(&stream, 15 + 16); /* gzip format only */

	while (status == Z_OK && has_room(out)) {
		stream.next_out = out->data + out->len;
		stream.avail_out = (unsigned)(out->cap - out->len);
		status = inflate(&stream, Z_NO_FLUSH);
		out->len = out->cap - stream.avail_out;
	}
	inflateEnd(&stream);
	if (status == Z_MEM_ERROR)
		xalloc_failed();
	return status == Z_STREAM_END;
}

static bool unpack_zstd(const struct text *packed, struct unpacked *out)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	ZSTD_inBuffer in = {packed->data, packed->len, 0};
	size_t left = 1;

	if (!context)
		xalloc_failed();
	ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	while (left && !ZSTD_isError(left) && has_room(out)) {
		ZSTD_outBuffer part = {out->data, out->cap, out->len};
		size_t before = in.pos;

		left = ZSTD_decompressStream(context, &part, &in);
		bool stuck = part.pos == out->len && in.pos == before;
		out->len = part.pos;
		if (left && stuck)
			break; /* truncated input */
	}
	ZSTD_freeDCtx(context);
	if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
		xalloc_failed();
	return !left;
}

enum packed_format { NOT_PACKED, PACKED_XZ, PACKED_GZ, PACKED_ZSTD };

static enum packed_format format_of(int fd)
{
	char start[6];

	if (pread(fd, start, sizeof(start), 0) != sizeof(start))
		return NOT_PACKED;
	return !memcmp(start, "\xfd\x37zXZ", 6)	       ? PACKED_XZ
	       : !memcmp(start, "\x1f\x8b", 2)	       ? PACKED_GZ
	       : !memcmp(start, "\x28\xb5\x2f\xfd", 4) ? PACKED_ZSTD
						       : NOT_PACKED;
}

bool unpack_is_packed(int fd)
{
	return format_of(fd) != NOT_PACKED;
}

bool unpack_file(int fd, void **ret, size_t *size_ret)
{
	auto_text struct text packed = {};
	struct unpacked out = {.max = UNPACKED_MAX};
	const enum packed_format format = format_of(fd);

	if (!format || file_read_all(fd, PACKED_MAX, &packed))
		return false;
	bool complete = format == PACKED_XZ
				? unpack_xz(packed.data, packed.len, LZMA_MEMORY, true, &out)
			: format == PACKED_GZ ? unpack_gz(&packed, &out)
					      : unpack_zstd(&packed, &out);
	if (!complete || !out.len) {
		free(out.data);
		return false;
	}
	*ret = out.data;
	*size_ret = out.len;
	return true;
}
