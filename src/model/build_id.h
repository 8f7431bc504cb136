/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build IDs: the NT_GNU_BUILD_ID note of an ELF file, as bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 64	    /* longer notes are not build IDs anybody writes */
#define BUILD_ID_BPF_LEN 20 /* BPF_BUILD_ID_SIZE, include/uapi/linux/bpf.h */

struct build_id {
	uint8_t len; /* bytes used, 0: no build ID */
	uint8_t bytes[BUILD_ID_MAX];
};

struct build_id_hex {
	char digits[2 * BUILD_ID_MAX + 1];
};

/* An ID of LEN bytes; longer than BUILD_ID_MAX gives none. */
struct build_id build_id_make(const void *bytes, size_t len);
/* Hex digits, two a byte, at least one byte. False and untouched on anything else. */
bool build_id_parse(const char *hex, size_t hex_len, struct build_id *ret);
/* Lower-case hex, NUL-terminated. */
struct build_id_hex build_id_hex(const struct build_id *id);
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/*
 * True if a file whose note is FILE_ID is what WANTED names. The kernel zero-pads short IDs to 20
 * bytes in BPF_F_STACK_BUILD_ID records (kernel/bpf/stackmap.c, lib/buildid.c), so a WANTED of 20
 * bytes also matches a shorter FILE_ID when all bytes after its length are zero.
 */
bool build_id_matches(const struct build_id *file_id, const struct build_id *wanted);
