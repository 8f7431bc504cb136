/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build IDs: the NT_GNU_BUILD_ID note of an ELF file, as bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 64	    /* in bytes; no linker writes longer ones */
#define BUILD_ID_BPF_LEN 20 /* BPF_BUILD_ID_SIZE, include/uapi/linux/bpf.h */

struct build_id {
	uint8_t len; /* bytes in use; 0: no build ID */
	uint8_t bytes[BUILD_ID_MAX];
};

struct build_id_hex {
	char digits[2 * BUILD_ID_MAX + 1];
};

/* Returns an ID of LEN bytes, or an empty one if LEN exceeds BUILD_ID_MAX. */
struct build_id build_id_make(const void *bytes, size_t len);
/*
 * Returns the first NT_GNU_BUILD_ID note in LEN bytes of ELF notes, or len 0. ALIGN: 8 if names and
 * contents are padded to 8 bytes, as in .note.gnu.property; else they are to 4. BIG: big-endian.
 */
struct build_id build_id_of_notes(const void *notes, size_t len, uint64_t align, bool big);
/*
 * Reads two hex digits a byte, at least one byte. Returns false, and leaves RET as it is, on
 * anything else.
 */
bool build_id_parse(const char *hex, size_t hex_len, struct build_id *ret);
/* Returns lower-case hex digits, NUL-terminated. */
struct build_id_hex build_id_hex(const struct build_id *id);
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/*
 * Returns true if WANTED names the file whose note is FILE_ID. The kernel zero-pads short IDs to 20
 * bytes in BPF_F_STACK_BUILD_ID records (kernel/bpf/stackmap.c, lib/buildid.c), so a WANTED of 20
 * bytes also matches a shorter FILE_ID when all bytes after its length are zero.
 */
bool build_id_matches(const struct build_id *file_id, const struct build_id *wanted);
