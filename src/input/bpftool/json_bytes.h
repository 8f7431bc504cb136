/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads arrays of bytes in JSON, which most of a dump consists of. */
#pragma once

#include "input/bpftool/json.h"

/*
 * Appends elements to RET up to the first that is no byte, or until RET holds MAX bytes. Bytes are
 * strings like "0x0c" and, with NUMBERS, the numbers 0 to 255. Call it after JSON_ARRAY.
 */
enum json_run json_bytes(struct json *json, bool numbers, size_t max, struct text *ret);
