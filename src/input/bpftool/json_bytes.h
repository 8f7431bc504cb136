/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays of bytes in JSON: what a dump consists of. */
#pragma once

#include "input/bpftool/json.h"

/*
 * Appends a run of elements that are bytes to RET, until it holds MAX bytes: "0x0c" strings and,
 * with NUMBERS, 0 to 255. To be called after JSON_ARRAY.
 */
enum json_run json_bytes(struct json *json, bool numbers, size_t max, struct text *ret);
