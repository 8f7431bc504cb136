/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests whether code ends with a call, so that the address after it can be a return address. Other
 * code may look like a call, because instructions cannot be decoded backwards; calls are always
 * recognized. Encodings: Intel SDM volume 2, CALL; Arm ARM, BL, BLX, BLR and BLRA*.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* longest call sequence, in bytes */
enum { CALL_CODE_LEN = 8 };

/* CODE: the CALL_CODE_LEN bytes before the address, of a little-endian file. */
typedef bool call_ends(const uint8_t *code);

call_ends call_ends_x86;   /* x86-64 and i386 */
call_ends call_ends_arm64; /* also for big-endian data: instructions are always little-endian */
call_ends call_ends_arm;   /* ARM and Thumb */
