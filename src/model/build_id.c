// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/build_id.h"

#include <string.h>

#include "util/number.h"
#include "util/scan.h"

struct build_id build_id_make(const void *bytes, size_t len)
{
	struct build_id id = {};

	if (len && len <= BUILD_ID_MAX) {
		id.len = (uint8_t)len;
		memcpy(id.bytes, bytes, len);
	}
	return id;
}

/* NT_GNU_BUILD_ID */
enum { NOTE_BUILD_ID = 3 };

/*
 * A note is three 32-bit words (length of the name, length of the content, type), the name and the
 * content, both padded (gABI, "Note Section").
 */
struct build_id build_id_of_notes(const void *notes, size_t len, uint64_t align, bool big)
{
	const size_t header = 3 * sizeof(uint32_t);

	align = align == 8 ? 8 : 4;
	for (uint64_t at = 0; at <= len && len - at >= header;) {
		const uint8_t *note = (const uint8_t *)notes + at;
		const uint64_t name_len = byte_order_read(note, 4, big);
		const uint64_t content_len = byte_order_read(note + 4, 4, big);
		const uint64_t content = (header + name_len + align - 1) & -align;
		if (content > len - at || content_len > len - at - content)
			break;
		if (byte_order_read(note + 8, 4, big) == NOTE_BUILD_ID &&
			name_len == sizeof("GNU") && !memcmp(note + header, "GNU", sizeof("GNU")) &&
			content_len)
			return build_id_make(note + content, content_len);
		at += (content + content_len + align - 1) & -align;
	}
	return (struct build_id){};
}

bool build_id_parse(const char *hex, size_t hex_len, struct build_id *ret)
{
	struct build_id id = {.len = (uint8_t)(hex_len / 2)};

	if (!hex_len || hex_len % 2 || hex_len > 2 * BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < hex_len; i += 2) {
		int high = scan_hex_digit(hex[i]), low = scan_hex_digit(hex[i + 1]);

		if (high < 0 || low < 0)
			return false;
		id.bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	*ret = id;
	return true;
}

struct build_id_hex build_id_hex(const struct build_id *id)
{
	struct build_id_hex ret;

	for (size_t i = 0; i < id->len; i++) {
		ret.digits[2 * i] = "0123456789abcdef"[id->bytes[i] >> 4];
		ret.digits[2 * i + 1] = "0123456789abcdef"[id->bytes[i] & 15];
	}
	ret.digits[2 * id->len] = '\0';
	return ret;
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

bool build_id_matches(const struct build_id *file_id, const struct build_id *wanted)
{
	if (!file_id->len || build_id_equal(file_id, wanted))
		return file_id->len > 0;
	if (wanted->len != BUILD_ID_BPF_LEN || file_id->len > BUILD_ID_BPF_LEN)
		return false;
	for (size_t i = file_id->len; i < wanted->len; i++)
		if (wanted->bytes[i])
			return false;
	return !memcmp(file_id->bytes, wanted->bytes, file_id->len);
}
