/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a stack as --json prints them, made slots again, each with what is known of it. */
#pragma once

#include "input/bpftool/json_members.h"
#include "input/lists/slots.h"
#include "util/vec.h"

/* Zero-filled is empty. Locations are in the members' arena. */
struct json_frames {
	struct slots slots;
	struct VEC(struct frame) open; /* of the location that is being read: inlined ones */
};

void json_frames_deinit(struct json_frames *frames);
/* Reads the array, whose first token was TOKEN. */
bool json_frames_read(
	struct json_members *members, enum json_token token, struct json_frames *frames);
