/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as the text of a tool that prints stacks. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "input/dump.h"
#include "input/input.h"

/*
 * Has READ read DATA, again for each rest that it leaves, in pieces of a few bytes. The first byte chooses
 * options. What samples point to is read.
 */
void tool_text_fuzz(const uint8_t *data, size_t size,
	struct error *(*read)(struct dump *dump, const struct input_options *options));
