/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether an instruction that calls ends where some code ends, so that the address behind is a
 * return address. What is no call may look like one, as instructions cannot be read backwards; a
 * call always does. Encodings: Intel SDM volume 2, CALL; Arm ARM, BL, BLX, BLR and BLRA*.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* No call is longer, with what belongs to it. */
enum { CALL_CODE_LEN = 8 };

/* CODE: the CALL_CODE_LEN bytes before the address, of a little-endian file. */
typedef bool call_ends(const uint8_t *code);

call_ends call_ends_x86;   /* x86-64 and i386 */
call_ends call_ends_arm64; /* also where data is big-endian: instructions never are */
call_ends call_ends_arm;   /* ARM and Thumb */
